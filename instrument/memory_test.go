package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// TestBehaviour compares what functions of a package return with what they return when
// they are rewritten, and compiled as rewritten packages are.
func TestBehaviour(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds programs")
	}
	text := testdata(t, "behaviour.go.txt")
	helper, err := check(t, "memtest/h", "go1.25", []Source{{"h.go", testdata(t, "helper.go.txt")}})
	if err != nil {
		t.Fatal(err)
	}
	sources := []Source{{"behaviour.go", text}}
	p, err := check(t, "memtest", "go1.25", sources, helper)
	if err != nil {
		t.Fatal(err)
	}
	after := rewritten(p, sources)[0].Text
	if name := os.Getenv("GOPOR_TEST_DIR"); name != "" {
		write(t, filepath.Join(name, "behaviour.go"), string(after))
	}
	names := functions(t, text)
	want, got := results(t, names, text), results(t, names, after, "-gcflags=memtest=-race -d=checkptr=0")
	for _, f := range names {
		if want[f] == "" {
			t.Errorf("%s has no result", f)
		}
		if got[f] != want[f] {
			t.Errorf("%s returns %s, not %s", f, got[f], want[f])
		}
	}
}

// functions returns the names of the functions that are called t and a number.
func functions(t *testing.T, text []byte) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "behaviour.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "t") && strings.Trim(d.Name.Name[1:], "0123456789") == "" {
			names = append(names, d.Name.Name)
		}
	}
	return names
}

// results builds a program of a text, and returns what its functions return.
func results(t *testing.T, functions []string, text []byte, flags ...string) map[string]string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var main strings.Builder
	main.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"memtest/h\"\n\t_ \"" + Native + "\"\n)\n\nfunc main() {\n")
	for _, f := range functions {
		fmt.Fprintf(&main, "\treset(); h.Take()\n")
		fmt.Fprintf(&main, "\tfunc() { v := %s(); fmt.Printf(\"%s|%%v %%s\\n\", v, h.Take()) }()\n", f, f)
	}
	main.WriteString("}\n")
	sum, _ := os.ReadFile("../go.sum")
	write(t, filepath.Join(dir, "go.sum"), string(sum))
	write(t, filepath.Join(dir, "go.mod"), "module memtest\n\ngo 1.26.0\n\nrequire github.com/gopor/gopor v0.0.0\n\n"+
		"replace github.com/gopor/gopor => "+root+"\n")
	write(t, filepath.Join(dir, "h/h.go"), string(testdata(t, "helper.go.txt")))
	write(t, filepath.Join(dir, "main.go"), main.String())
	write(t, filepath.Join(dir, "behaviour.go"), string(text))
	cmd := exec.Command("go", append(append([]string{"run", "-mod=mod"}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if name, result, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "|"); ok {
			said[name] = result
		}
	}
	return said
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/memory", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
