// Package narrow looks at the module as other platforms see it, such as GOARCH=386, where an int
// has 32 bits. It reads the types of all packages from their source, tests and the standard library included, which
// takes seconds; for go vet all of them would be compiled first, which takes minutes.
package narrow

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/packages"
)

// home is where the module is.
const home = "../../.."

// load returns the packages of a module with their tests and all that they import, each after its
// imports, as a platform has them. Ours are those of the module.
//
// Load could read their types, too. It keeps the syntax and the types of expressions of all of them
// until the end, which takes six times the memory, and two thirds more processor time.
func load(t *testing.T, dir, system, arch string) (all []*packages.Package, ours map[*packages.Package]bool) {
	t.Helper()
	roots, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0", "GOPACKAGESDRIVER=off"),
		Tests: true,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	ours = make(map[*packages.Package]bool)
	for _, p := range roots {
		ours[p] = true
	}
	packages.Visit(roots, nil, func(p *packages.Package) { all = append(all, p) })
	return all, ours
}

// checker checks packages one after the other.
type checker struct {
	fset  *token.FileSet
	sizes types.Sizes
	known map[*packages.Package]*types.Package
}

func newChecker(arch string) *checker {
	return &checker{token.NewFileSet(), types.SizesFor("gc", arch), make(map[*packages.Package]*types.Package)}
}

// check returns what is wrong with a package. Of others than ours only what they export is looked at.
func (c *checker) check(p *packages.Package, ours bool) (wrong []string) {
	if p.PkgPath == "unsafe" {
		c.known[p] = types.Unsafe
		return nil
	}
	if strings.HasSuffix(p.ID, ".test") {
		return nil // the main package of a test is the go command's
	}
	for _, err := range p.Errors {
		wrong = append(wrong, err.Error())
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return append(wrong, err.Error())
		}
		files = append(files, f)
	}
	conf := types.Config{
		Sizes:            c.sizes,
		FakeImportC:      true,
		IgnoreFuncBodies: !ours,
		Error:            func(err error) { wrong = append(wrong, err.Error()) },
		Importer: importer(func(path string) (*types.Package, error) {
			if pkg := c.known[p.Imports[path]]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("%s is not there", path)
		}),
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	c.known[p], _ = conf.Check(p.PkgPath, c.fset, files, info)
	if len(wrong) == 0 && ours {
		wrong = c.shifts(files, info)
	}
	return wrong
}

// shifts returns where go vet would find that a shift is as wide as what is shifted.
func (c *checker) shifts(files []*ast.File, info *types.Info) (wrong []string) {
	pass := &analysis.Pass{Fset: c.fset, Files: files, TypesInfo: info, TypesSizes: c.sizes}
	pass.Report = func(d analysis.Diagnostic) {
		wrong = append(wrong, fmt.Sprintf("%v: %s", c.fset.Position(d.Pos), d.Message))
	}
	nodes, err := inspect.Analyzer.Run(pass)
	if err == nil {
		pass.ResultOf = map[*analysis.Analyzer]any{inspect.Analyzer: nodes}
		_, err = shift.Analyzer.Run(pass)
	}
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	return wrong
}

type importer func(string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// TestModule holds all packages of the module to what the compilers of other platforms, and go vet, would say.
func TestModule(t *testing.T) {
	// What the go command reads has to be read here as well, or go test would not know
	// when its cached result is old.
	err := filepath.WalkDir(home, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"linux/386", "linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			system, arch, _ := strings.Cut(target, "/")
			c := newChecker(arch)
			all, ours := load(t, home, system, arch)
			for _, p := range all {
				if wrong := c.check(p, ours[p]); len(wrong) > 0 {
					t.Errorf("%s:\n%s", p.ID, strings.Join(wrong, "\n"))
				}
			}
			if len(ours) < 100 {
				t.Errorf("%d packages and tests are looked at, which cannot be all", len(ours))
			}
		})
	}
}

// TestNotices shows that what does not fit into 32 bits is noticed.
func TestNotices(t *testing.T) {
	for text, want := range map[string]string{
		"const n int = 1 << 40":                    "overflows",
		"func f(n int) bool { return n > 1<<32 }":  "overflows",
		"func f(n int) int { return n << 40 }":     "too small for shift of 40",
		"func f(n uint) uint { return n >> 32 }":   "too small for shift of 32",
		"var a [1 << 31]byte":                      "array length",
		"func f(n int64) int64 { return n << 40 }": "",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a.go")
		if err := os.WriteFile(file, []byte("package a\n\n"+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		wrong := newChecker("386").check(&packages.Package{ID: "a", PkgPath: "a", GoFiles: []string{file}}, true)
		got := strings.Join(wrong, "\n")
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
