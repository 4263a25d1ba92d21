package race

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// suite is the suite of Go's race detector, as a package that can be compiled.
type suite struct {
	files map[string][]byte // by name
	tests map[string]string // why the function is not compiled, or does nothing; "" otherwise
}

// readSuite reads the suite from the source of the standard library.
func readSuite(t *testing.T, goroot string) *suite {
	t.Helper()
	dir := filepath.Join(goroot, "src/runtime/race/testdata")
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skipf("this distribution of Go lacks the race detector's suite: no tests in %s", dir)
	}
	s := &suite{files: make(map[string][]byte), tests: make(map[string]string)}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s.add(t, filepath.Base(name), publicSynctest(text))
	}
	return s
}

// publicSynctest returns a file with package testing/synctest in place of internal/synctest, which
// it stands on: a bubble is of a test there, and nothing else differs.
func publicSynctest(text []byte) []byte {
	const internal = `"internal/synctest"`
	if !bytes.Contains(text, []byte(internal)) {
		return text
	}
	text = bytes.ReplaceAll(text, []byte(internal), []byte(`"testing/synctest"`))
	return bytes.ReplaceAll(text, []byte("synctest.Run(func() {"), []byte("synctest.Test(t, func(t *testing.T) {"))
}

// add takes over a file, but for what cannot be compiled: functions of which are
// blanked, so that the others stay where they are.
func (s *suite) add(t *testing.T, name string, text []byte) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	internal := slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(i.Path.Value)
		return strings.HasPrefix(path, "internal/")
	})
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || !isRaceTest(d.Name.Name) {
			continue
		}
		reason := ""
		switch {
		case internal:
			reason = internals
		case callsRaceRuntime(d):
			reason = raceBuilds
			body := text[fset.Position(d.Body.Lbrace).Offset+1 : fset.Position(d.Body.Rbrace).Offset]
			for i, c := range body {
				if c != '\n' {
					body[i] = ' '
				}
			}
		case skipsItself(d):
			reason = skips
		}
		s.tests[d.Name.Name] = reason
	}
	if !internal {
		s.files[name] = text
	}
}

func isRaceTest(name string) bool { return hasRace(name) || strings.HasPrefix(name, "TestNoRace") }

func hasRace(name string) bool { return strings.HasPrefix(name, "TestRace") }

// callsRaceRuntime reports whether a function uses what package runtime has only
// if it is built for the race detector.
func callsRaceRuntime(d *ast.FuncDecl) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if ok && strings.HasPrefix(sel.Sel.Name, "Race") {
			id, ok := sel.X.(*ast.Ident)
			found = found || ok && id.Name == "runtime"
		}
		return true
	})
	return found
}

// skipsItself reports whether a function begins with a call of Skip.
func skipsItself(d *ast.FuncDecl) bool {
	if len(d.Body.List) == 0 {
		return false
	}
	s, ok := d.Body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Skip"
}
