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

// program is the package of testdata that is compiled as it is and rewritten.
type program struct {
	tests []string          // functions, in order
	logs  map[string]string // what they announce, where it is said
	text  []byte
}

func readProgram(t *testing.T) *program {
	t.Helper()
	p := &program{logs: make(map[string]string), text: testdata(t, "behaviour.go.txt")}
	for _, d := range p.syntax(t).Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Recv != nil || !strings.HasPrefix(d.Name.Name, "t") || strings.Trim(d.Name.Name[1:], "0123456789") != "" {
			continue
		}
		p.tests = append(p.tests, d.Name.Name)
		if d.Doc != nil {
			if log, ok := strings.CutPrefix(d.Doc.List[len(d.Doc.List)-1].Text, "// log:"); ok {
				p.logs[d.Name.Name] = strings.TrimSpace(log)
			}
		}
	}
	return p
}

func (p *program) syntax(t *testing.T) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "behaviour.go", p.text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// run builds the program and returns what its functions return and announce. The
// directory named gopor has the module of package native.
func (p *program) run(t *testing.T, text []byte, gopor string) (results, logs map[string]string) {
	t.Helper()
	dir := t.TempDir()
	var main strings.Builder
	main.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"memtest/h\"\n")
	take := `""`
	if gopor == "" {
		gopor = filepath.Join(dir, "gopor")
		write(t, filepath.Join(gopor, "go.mod"), "module github.com/gopor/gopor\n\ngo 1.25.0\n")
		write(t, filepath.Join(gopor, "sched/native/native.go"), string(testdata(t, "standin.go.txt")))
		main.WriteString("\t\"" + Native + "\"\n")
		take = "native.Take()"
	} else {
		main.WriteString("\t_ \"" + Native + "\"\n")
	}
	main.WriteString(")\n\nfunc main() {\n")
	for _, f := range p.tests {
		fmt.Fprintf(&main, "\treset(); h.Take(); _ = %s\n", take)
		fmt.Fprintf(&main, "\tfunc() { v := %s(); log := %s; fmt.Printf(\"%s|%%v %%s|%%s\\n\", v, h.Take(), log) }()\n", f, take, f)
	}
	main.WriteString("}\n")
	sum, _ := os.ReadFile("../go.sum")
	write(t, filepath.Join(dir, "go.sum"), string(sum))
	write(t, filepath.Join(dir, "go.mod"), "module memtest\n\ngo 1.25.0\n\nrequire github.com/gopor/gopor v0.0.0\n\n"+
		"replace github.com/gopor/gopor => "+gopor+"\n")
	write(t, filepath.Join(dir, "h/h.go"), string(testdata(t, "helper.go.txt")))
	write(t, filepath.Join(dir, "main.go"), main.String())
	write(t, filepath.Join(dir, "behaviour.go"), string(text))
	cmd := exec.Command("go", "run", "-mod=mod", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	results, logs = make(map[string]string), make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if part := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 3); len(part) == 3 {
			results[part[0]], logs[part[0]] = part[1], part[2]
		}
	}
	return results, logs
}

// rewritten returns the program's text as a rewriting leaves it.
func (p *program) rewritten(t *testing.T, rewrite func(*Package, []Source) []Source) []byte {
	t.Helper()
	helper, err := check(t, "memtest/h", "go1.25", []Source{{"h.go", testdata(t, "helper.go.txt")}})
	if err != nil {
		t.Fatal(err)
	}
	sources := []Source{{"behaviour.go", p.text}}
	loaded, err := check(t, "memtest", "go1.25", sources, helper)
	if err != nil {
		t.Fatal(err)
	}
	return rewrite(loaded, sources)[0].Text
}

// TestBehaviour compares what functions return with what they return when they
// are rewritten, and what they announce with what they should.
func TestBehaviour(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds programs")
	}
	p := readProgram(t)
	text := p.rewritten(t, withMemory)
	if name := os.Getenv("GOPOR_TEST_DIR"); name != "" {
		write(t, filepath.Join(name, "behaviour.go"), string(text))
	}
	want, _ := p.run(t, p.text, "")
	got, logs := p.run(t, text, "")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	native, _ := p.run(t, p.rewritten(t, rewritten), root)
	for _, f := range p.tests {
		if want[f] == "" {
			t.Errorf("%s has no result", f)
		}
		if got[f] != want[f] {
			t.Errorf("%s returns %s, not %s", f, got[f], want[f])
		}
		if native[f] != want[f] {
			t.Errorf("%s returns %s with package native, not %s", f, native[f], want[f])
		}
		if log, ok := p.logs[f]; ok && logs[f] != log {
			t.Errorf("%s announces %q, not %q", f, logs[f], log)
		}
	}
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
