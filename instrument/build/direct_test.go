package build

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestUsesPrimitives(t *testing.T) {
	const head, check = "package p\n\nimport %\n\nfunc f() { ", " }\n"
	tests := []struct {
		imports, body string
		want          bool
	}{
		{`"github.com/gopor/gopor/sched"`, "por.Check(nil, g, por.Time(sched.TimeAnyOrder), por.Races(sched.RaceExplore))", false},
		{`"github.com/gopor/gopor/sched"`, "var m sched.Mutex; por.Check(nil, m.Lock, por.Time(sched.TimeAnyOrder))", true},
		{`"github.com/gopor/gopor/sched"`, "sched.Go(g)", true},
		{`"github.com/gopor/gopor/sched"`, "if sched.Choose(2) == 0 { go g() }", false},
		{`s "github.com/gopor/gopor/sched"`, "s.Go(g)", true},
		{`s "github.com/gopor/gopor/sched"`, "sched.Go(s.RaceFail)", false},
		{`. "github.com/gopor/gopor/sched"`, "Go(g)", true},
		{`_ "github.com/gopor/gopor/sched"`, "sched.Go(g)", false},
		{`"example.org/sched"`, "sched.Go(g)", false},
		{`"github.com/gopor/gopor/sched/exec"`, "exec.New(g, exec.Options{})", true},
		{`"github.com/gopor/gopor/sched/exec"`, "var e exec.Entry; por.Check(nil, g, por.Lag(exec.DefaultLag))", false},
		{`"os/exec"`, "exec.Command(g)", false},
	}
	for _, test := range tests {
		text := strings.Replace(head, "%", test.imports, 1) + test.body + check
		f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := usesPrimitives(f); got != test.want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestNativeIn(t *testing.T) {
	const text = `package p

import (
	"sync"
	at "sync/atomic"
	"time"

	"github.com/gopor/gopor/sched"
)

func clean() { sched.Go(func() { time.Sleep(1) }) }

func TestX() {
	por.Check(nil, func() {
		sched.Go(clean)
	})
	por.Check(nil, func() {
		clean()
		go clean()
	})
	por.Check(nil, func() { var n at.Int64; var mu sync.Mutex })
}
`
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "p_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	want := []Native{
		{"p_test.go", 13, "a go statement", 19},
		{"p_test.go", 17, "a go statement", 19},
		{"p_test.go", 21, "sync/atomic.Int64", 21},
	}
	if got := nativeIn(files, f); !slices.Equal(got, want) {
		t.Errorf("found %+v, want %+v", got, want)
	}
}

// TestNeutral holds the names against the packages: all are there, and all
// constants of the types among them are listed.
func TestNeutral(t *testing.T) {
	there := make(map[string]bool)
	for _, path := range direct {
		scope := scopeOf(t, strings.TrimPrefix(path, module+"/"))
		for _, name := range scope.Names() {
			there[name] = true
			c, ok := scope.Lookup(name).(*types.Const)
			if !ok || !c.Exported() {
				continue
			}
			if named, ok := c.Type().(*types.Named); ok && neutral[named.Obj().Name()] && !neutral[name] {
				t.Errorf("%s %s is not listed", named.Obj().Name(), name)
			}
		}
	}
	for name := range neutral {
		if !there[name] {
			t.Errorf("no package has %s", name)
		}
	}
}

// scopeOf returns what a package of this module declares.
func scopeOf(t *testing.T, folder string) *types.Scope {
	t.Helper()
	names, err := filepath.Glob("../../" + folder + "/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files: %v", err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: none{}, Error: func(error) {}}
	p, _ := conf.Check(folder, fset, files, nil) // fails, for want of imports
	return p.Scope()
}

// none imports packages that hold nothing.
type none struct{}

func (none) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}
