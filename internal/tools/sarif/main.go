// Command sarif validates files against the schema of SARIF 2.1.0, which module go-sarif has:
// go run -C internal/tools ./sarif FILES. The names of the files are absolute.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // has the schema
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const home = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

func main() {
	s, err := compile()
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	status := 0
	for _, name := range os.Args[1:] {
		if err := validate(s, name); err != nil {
			fmt.Printf("%s: %v\n", name, err)
			status = 1
		}
	}
	os.Exit(status)
}

// validate reads a file, and compares it with the schema.
func validate(s *jsonschema.Schema, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	value, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// compile returns the schema.
func compile() (*jsonschema.Schema, error) {
	text, err := source()
	if err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	const name = "sarif.json"
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name, value); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

// source returns the text of the schema, which is a constant that the package does not export.
func source() (string, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", home).Output()
	if err != nil {
		return "", err
	}
	name := filepath.Join(strings.TrimSpace(string(dir)), "schema.go")
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		return "", err
	}
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok && spec.Names[0].Name == "schema" {
					if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
						return strconv.Unquote(lit.Value)
					}
				}
			}
		}
	}
	return "", errors.New(name + " has no schema")
}
