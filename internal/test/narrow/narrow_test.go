// Package narrow looks at the module as other platforms see it, such as GOARCH=386, where an int
// has 32 bits. It reads the types of all packages from their source, tests and the standard library included, which
// takes seconds; for go vet all of them would be compiled first, which takes minutes.
package narrow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/analysis/passes/shift"
)

// home is where the module is.
const home = "../../.."

// listed is what go list says of a package.
type listed struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string // what an import means where it is not the path that is written
	DepOnly         bool              // it is not of this module
	Incomplete      bool
}

// list returns all packages of the module with all that they import, each after its imports.
func list(t *testing.T, system, arch string) (all []*listed) {
	t.Helper()
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
	fields := "Dir,ImportPath,GoFiles,ImportMap,DepOnly,Incomplete"
	cmd := exec.Command("go", "list", "-deps", "-test", "-json="+fields, "./...")
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := d.Decode(p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Incomplete {
			t.Fatalf("go list cannot make out %s", p.ImportPath)
		}
		all = append(all, p)
	}
}

// checker checks packages one after the other.
type checker struct {
	fset  *token.FileSet
	sizes types.Sizes
	known map[string]*types.Package // by the paths of go list
}

func newChecker(arch string) *checker {
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	return &checker{token.NewFileSet(), types.SizesFor("gc", arch), known}
}

// check returns what is wrong with a package. Of others only what they export is looked at.
func (c *checker) check(p *listed) (wrong []string) {
	if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
		return nil // the main package of a test is the go command's
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		files = append(files, f)
	}
	conf := types.Config{
		Sizes:            c.sizes,
		FakeImportC:      true,
		IgnoreFuncBodies: p.DepOnly,
		Error:            func(err error) { wrong = append(wrong, err.Error()) },
		Importer: importer(func(path string) (*types.Package, error) {
			if to := p.ImportMap[path]; to != "" {
				path = to
			}
			if pkg := c.known[path]; pkg != nil {
				return pkg, nil
			}
			return nil, fmt.Errorf("%s is not there", path)
		}),
	}
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue)}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	c.known[p.ImportPath], _ = conf.Check(path, c.fset, files, info)
	if len(wrong) == 0 && !p.DepOnly {
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
	for _, target := range []string{"linux/386", "linux/arm64", "darwin/arm64", "windows/amd64"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			system, arch, _ := strings.Cut(target, "/")
			c := newChecker(arch)
			ours := 0
			for _, p := range list(t, system, arch) {
				wrong := c.check(p)
				if len(wrong) > 0 {
					t.Errorf("%s:\n%s", p.ImportPath, strings.Join(wrong, "\n"))
				}
				if !p.DepOnly {
					ours++
				}
			}
			if ours < 100 {
				t.Errorf("%d packages and tests are looked at, which cannot be all", ours)
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
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n"+text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		wrong := newChecker("386").check(&listed{Dir: dir, ImportPath: "a", GoFiles: []string{"a.go"}})
		if got := strings.Join(wrong, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
