package goker

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// suite is the folder's kernels as this test runs them.
type suite struct {
	dir   string // where the kernels are
	fset  *token.FileSet
	files []*source
}

// source is one file of the distribution, or a variant of it.
type source struct {
	version
	name  string // of the file, without its folder
	tree  *ast.File
	edits []edit
	// kernel is the name under which the file registers its entry point, "" for
	// the file that holds the register.
	kernel string
	entry  *ast.FuncDecl
	// leaks are what the distribution's own test expects to find: the function
	// that a goroutine was started with, and what it waits for.
	leaks []*regexp.Regexp
}

// edit puts text in place of a part of a file.
type edit struct {
	from, to token.Pos
	text     string
}

// readSuite reads the kernels of the distribution, or skips the test if it has
// none.
func readSuite(t *testing.T, goroot string) *suite {
	dir := filepath.Join(goroot, "src", "runtime", "testdata", "testgoroutineleakprofile", "goker")
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Skipf("this distribution has no kernels in %s; Go 1.26 has", dir)
	}
	expected, err := os.ReadFile(filepath.Join(goroot, "src", "runtime", "goroutineleakprofile_test.go"))
	if err != nil {
		t.Skipf("this distribution lacks its own test of the kernels: %v", err)
	}
	s := &suite{dir: dir, fset: token.NewFileSet()}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range versionsOf(filepath.Base(name), string(text)) {
			f, err := s.read(filepath.Base(name), v)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			f.leaks = leaksOf(strings.TrimSuffix(f.kernel, f.suffix), string(expected))
		}
	}
	return s
}

// read adds a version of a file to the suite.
func (s *suite) read(name string, v version) (*source, error) {
	f := &source{name: strings.TrimSuffix(name, ".go") + v.suffix + ".go", version: v}
	if f.suffix != "" {
		tree, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, 0)
		if err != nil {
			return nil, err
		}
		f.text = declared(tree).ReplaceAllString(f.text, "${0}"+f.suffix)
	}
	var err error
	if f.tree, err = parser.ParseFile(s.fset, f.name, f.text, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	s.files = append(s.files, f)
	if f.kernel = registered(f.tree); f.kernel == "" {
		return f, nil
	}
	return f, s.prepare(f)
}

// kernel returns the file of a kernel.
func (s *suite) kernel(name string) *source {
	i := slices.IndexFunc(s.files, func(f *source) bool { return f.kernel == name })
	return s.files[i]
}

// registered returns the name that the file gives to its entry point.
func registered(f *ast.File) (name string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 2 {
			if fun, ok := call.Fun.(*ast.Ident); ok && fun.Name == "register" {
				name = strings.Trim(call.Args[0].(*ast.BasicLit).Value, `"`)
			}
		}
		return name == ""
	})
	return name
}

// leaksOf returns the patterns that the distribution's test has for a kernel:
// the raw strings that follow its name. One kernel is left out there, in a
// comment of the same form.
func leaksOf(kernel, test string) (patterns []*regexp.Regexp) {
	_, rest, _ := strings.Cut(test, `"`+kernel+`"`)
	rest, _, _ = strings.Cut(rest, "makeTest(")
	rest, _, _ = strings.Cut(rest, "makeFlakyTest(")
	for i, part := range strings.Split(rest, "`") {
		if i%2 == 1 {
			patterns = append(patterns, regexp.MustCompile(part))
		}
	}
	return patterns
}

// prepare plans the changes of a kernel: no profile is taken, and what runs many
// times over, to raise the odds of a failure, runs once. Lines stay where they
// are, and so do function literals, after whose order their names are made.
func (s *suite) prepare(f *source) error {
	for _, d := range f.tree.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.Name == f.kernel {
			f.entry = d
		}
	}
	if f.entry == nil {
		return fmt.Errorf("no function %s", f.kernel)
	}
	for _, stmt := range f.entry.Body.List {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			if names(stmt, "pprof") {
				f.remove(stmt.Pos(), stmt.End())
			}
		case *ast.DeferStmt:
			if lit, ok := stmt.Call.Fun.(*ast.FuncLit); ok && names(lit, "prof") {
				f.remove(lit.Body.Lbrace+1, lit.Body.Rbrace)
			}
		case *ast.ForStmt:
			f.repeat(stmt, 0, 1)
		}
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			f.repeat(n, manyRounds, 2)
		case *ast.CallExpr:
			f.unaddress(n)
		}
		return true
	})
	for _, spec := range f.tree.Imports {
		if !f.uses(strings.Trim(filepath.Base(spec.Path.Value), `"`)) {
			f.remove(spec.Pos(), spec.End())
		}
	}
	return nil
}

// manyRounds is from how many rounds on a loop is there to raise the odds of a
// failure. Those that say "a few" or "all" are shorter.
const manyRounds = 1000

// repeat plans to let a loop run that many rounds, if it is one that counts up to
// a number from least on and was not dealt with before.
func (f *source) repeat(loop *ast.ForStmt, least, rounds int) {
	cond, ok := loop.Cond.(*ast.BinaryExpr)
	if !ok || f.isEdited(cond.Y) {
		return
	}
	limit, ok := cond.Y.(*ast.BasicLit)
	if !ok {
		return
	}
	if n, err := strconv.Atoi(limit.Value); err != nil || n < least {
		return
	}
	if cond.Op == token.LEQ {
		rounds--
	}
	f.edits = append(f.edits, edit{limit.Pos(), limit.End(), strconv.Itoa(rounds)})
}

// unaddress plans to replace the address of an object, of which a kernel makes the key of a
// map, by the number of those before: whether two keys are equal would differ from one
// execution to the next.
func (f *source) unaddress(call *ast.CallExpr) {
	if f.kernel == "Cockroach3710" && types.ExprString(call) == "uintptr(unsafe.Pointer(r))" {
		f.edits = append(f.edits, edit{call.Pos(), call.End(), "uintptr(2*len(store.replicas))"})
	}
}

// names reports whether an identifier of that name occurs in n.
func names(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// uses reports whether what is left of the file names an import.
func (f *source) uses(imported string) (found bool) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		found = found || ok && id.Name == imported && !f.isEdited(id)
		return true
	})
	return found
}

// isEdited reports whether n is in a part of the file that is to be changed.
func (f *source) isEdited(n ast.Node) bool {
	return slices.ContainsFunc(f.edits, func(e edit) bool { return e.from <= n.Pos() && n.Pos() < e.to })
}

// remove plans to remove a part of the file, all but the ends of its lines.
func (f *source) remove(from, to token.Pos) {
	part := f.text[from-f.tree.FileStart : to-f.tree.FileStart]
	f.edits = append(f.edits, edit{from, to, strings.Repeat("\n", strings.Count(part, "\n"))})
}

// edited returns the text with all changes made.
func (f *source) edited() string {
	slices.SortFunc(f.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := f.tree.FileStart
	for _, e := range f.edits {
		b.WriteString(f.text[at-f.tree.FileStart : e.from-f.tree.FileStart])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(f.text[at-f.tree.FileStart:])
	text := b.String()
	if f.lang != "" { // in place of the first line, a comment
		_, rest, _ := strings.Cut(text, "\n")
		text = "//go:build " + f.lang + "\n" + rest
	}
	return text
}

// declared matches the names that a file declares for the whole package.
func declared(f *ast.File) *regexp.Regexp {
	var all []string
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" {
				all = append(all, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					all = append(all, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						all = append(all, name.Name)
					}
				}
			}
		}
	}
	return regexp.MustCompile(`\b(` + strings.Join(all, "|") + `)\b`)
}
