package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writingFlags returns the names of the flags that a file of tests declares and that write files, by their usage.
func writingFlags(f *ast.File) (all []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 3 || typeName(call.Fun) != "flag.Bool" {
			return true
		}
		name, _ := call.Args[0].(*ast.BasicLit)
		usage, _ := call.Args[2].(*ast.BasicLit)
		if name != nil && usage != nil && strings.HasPrefix(usage.Value, `"write `) {
			if s, err := strconv.Unquote(name.Value); err == nil {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}

// TestUpdate sees to it that tests write what they compare with if there is the flag -update, by no other flag, and
// that make golden runs all of these.
func TestUpdate(t *testing.T) {
	makefile := read(t, "Makefile")
	_, recipe, _ := strings.Cut(makefile, "\ngolden:")
	recipe, _, _ = strings.Cut(recipe, "\n\n")
	n := 0
	sources(t, func(fset *token.FileSet, file string, f *ast.File) {
		for _, name := range writingFlags(f) {
			n++
			if name != "update" {
				t.Errorf("%s: the flag -%s writes; it has to be -update", file, name)
			}
			if !regexp.MustCompile(` \./` + regexp.QuoteMeta(path.Dir(file)) + ` .*-update`).MatchString(recipe) {
				t.Errorf("make golden does not run the tests of %s with -update", path.Dir(file))
			}
		}
	})
	if n < 6 {
		t.Errorf("%d flags that write were found", n)
	}
}

// TestTargets compares the tests that the Makefile names with those that there are.
func TestTargets(t *testing.T) {
	tests := make(map[string][]string)
	sources(t, func(_ *token.FileSet, file string, f *ast.File) {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(file, "_test.go") {
				tests[path.Dir(file)] = append(tests[path.Dir(file)], d.Name.Name)
			}
		}
	})
	n := 0
	for _, m := range regexp.MustCompile(`\$\(GO\) test (.*)`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		pkg := regexp.MustCompile(`\./(\S+)`).FindStringSubmatch(m[1])
		for _, name := range regexp.MustCompile(`\bTest\w+`).FindAllString(m[1], -1) {
			if n++; pkg == nil || !slices.Contains(tests[pkg[1]], name) {
				t.Errorf("the Makefile names %s, and there is no such test: %s", name, m[1])
			}
		}
	}
	if n < 5 {
		t.Errorf("the Makefile names %d tests", n)
	}
}

// TestImportGroups sees to it that imports come in groups that are not mixed: the standard library first, then modules.
func TestImportGroups(t *testing.T) {
	sources(t, func(fset *token.FileSet, file string, f *ast.File) {
		if why := mixedImports(fset, f); why != "" {
			t.Errorf("%s: %s", file, why)
		}
	})
}

// mixedImports says what is wrong with the order of a file's imports, "" if nothing is.
func mixedImports(fset *token.FileSet, f *ast.File) string {
	foreign, line := false, 0
	for i, imp := range f.Imports {
		name, err := strconv.Unquote(imp.Path.Value)
		if err != nil || name == "C" {
			continue
		}
		first, _, _ := strings.Cut(name, "/")
		module, at := strings.Contains(first, "."), fset.Position(imp.Pos()).Line
		switch {
		case foreign && !module:
			return name + " comes after the import of a module"
		case i > 0 && module && !foreign && line > 0 && at == line+1:
			return name + " is in the group of the standard library"
		}
		foreign, line = module, fset.Position(imp.End()).Line
	}
	return ""
}

// TestMixed holds the judge of imports to files that are right and wrong.
func TestMixed(t *testing.T) {
	for text, wrong := range map[string]bool{
		"import (\n\"fmt\"\n\"os\"\n\n\"example.org/x\"\n\"example.org/y\"\n)": false,
		"import (\n\"fmt\"\n\"example.org/x\"\n)":                              true,
		"import (\n\"example.org/x\"\n\n\"fmt\"\n)":                            true,
		"import (\n\"example.org/x\"\n\"fmt\"\n)":                              true,
		"import \"fmt\"\n\nimport \"example.org/x\"":                           false,
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", "package p\n"+text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if why := mixedImports(fset, f); (why != "") != wrong {
			t.Errorf("%s\n%q", text, why)
		}
	}
}

// judged has the modules of which production code may import nothing, but in the rooms named here.
// Users' test binaries have none of these rooms. The commands have none either: reports say "go run
// github.com/gopor/gopor/cmd/por", and the user's go.sum does not have what only the commands need.
var judged = map[string][]string{
	"github.com/google/go-cmp/": nil,
	"golang.org/x/tools/":       {"sched/std/api"},
}

// TestComparing sees to it that what only tests need does not come into the test binaries of users.
func TestComparing(t *testing.T) {
	tests := make(map[string]int)
	sources(t, func(_ *token.FileSet, file string, f *ast.File) {
		for _, imp := range f.Imports {
			for mod, rooms := range judged {
				if !strings.HasPrefix(imp.Path.Value, `"`+mod) {
					continue
				}
				if tests[mod]++; !strings.HasSuffix(file, "_test.go") && !slices.Contains(rooms, path.Dir(file)) {
					t.Errorf("%s imports %s", file, imp.Path.Value)
				}
			}
		}
	})
	for mod := range judged {
		if tests[mod] < 5 {
			t.Errorf("%d files import %s", tests[mod], mod)
		}
	}
	for pkg, deps := range imports(t) {
		if slices.Contains(deps, "sched/std/api") {
			t.Errorf("%s imports sched/std/api, which is for tests", pkg)
		}
	}
}
