package main

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
	"golang.org/x/tools/txtar"
)

// listedModule has tests of all kinds. What is said of a test stands above it.
const listedModule = `
-- go.mod --
module example.org/my-mod/v2

go 1.26.0
-- starts/s.go --
package starts

import "sync"

type Server struct{}

func (Server) Start()     { go func() {}() }
func (Server) Close()     {}
func (Server) Wait(x bool) { if x { go New().Close() } }

type Quiet struct{}

func (Quiet) Begin() {}

func Begin()              { New().Start() }
func New() Server         { return Server{} }
func Never() Server       { return Server{} }
func Maybe(x bool)        { if x { go New().Close() } }
func Either(x bool)       { _ = x && Ok() }
func Ok() bool            { go New().Close(); return true }
func Each[T any](all []T) { for range all { go New().Close() } }
func All()                { var wg sync.WaitGroup; wg.Go(func() {}) }
-- starts/s_test.go --
package starts

import "testing"

// yes
func TestGo(t *testing.T) { go New().Close() }

// yes by example.org/my-mod/v2/starts.Server.Start
func TestBegin(t *testing.T) { Begin() }

// yes by example.org/my-mod/v2/starts.Each
func TestGeneric(t *testing.T) { Each[int](nil) }

// yes by sync.WaitGroup.Go
func TestWaitGroup(t *testing.T) { if testing.Short() { return }; All() }

// yes
func TestSub(t *testing.T) { t.Run("sub", func(t *testing.T) { go New().Close() }) }

// yes by example.org/my-mod/v2/starts.Ok
func TestCondition(t *testing.T) { if Ok() && true { t.Fail() } }

// no
func TestNone(t *testing.T) { Never().Close() }

// not known perhaps by example.org/my-mod/v2/starts.Maybe
func TestMaybe(t *testing.T) { Maybe(false) }

// not known perhaps by example.org/my-mod/v2/starts.Ok
func TestEither(t *testing.T) { Either(false) }

// not known perhaps by example.org/my-mod/v2/starts.Server.Start
func TestShadow(t *testing.T) { Begin := func() {}; Begin() }

// not known perhaps by example.org/my-mod/v2/starts.Server.Start
func TestValue(t *testing.T) { f := Server.Start; _ = f }

// not known perhaps by example.org/my-mod/v2/starts.Ok
func TestSwitch(t *testing.T) { switch { case t != nil: Ok() } }

// yes
func FuzzGo(f *testing.F) { go New().Close() }

func Testing(t *testing.T)       {}
func BenchmarkGo(b *testing.B)   { go New().Close() }
func (Server) TestX(t *testing.T) {}
-- starts/x_test.go --
package starts_test

import (
	"context"
	"testing"
	"time"

	here "example.org/my-mod/v2/starts"
)

type plain struct{}

// no
func TestPlain(t *testing.T) { t.Log(plain{}) }

// yes by example.org/my-mod/v2/starts.Server.Start
func TestOutside(t *testing.T) { here.Begin() }

// not known perhaps by example.org/my-mod/v2/starts.Server.Start
func TestShadowed(t *testing.T) { here := here.Quiet{}; here.Begin() }

// no
func TestImported(t *testing.T) { here.Never() }

// not known perhaps by example.org/my-mod/v2/starts.Server.Wait
func TestShadowing(t *testing.T) { here := here.New(); here.Wait(false) }

// not known perhaps by example.org/my-mod/v2/starts.Maybe
func TestBoth(t *testing.T) { here.Maybe(false); context.WithCancel(t.Context()) }

// not known perhaps by time.goFunc
func TestAfterFunc(t *testing.T) { time.AfterFunc(0, func() {}) }

// not known perhaps by context....
func TestContext(t *testing.T) { context.WithCancel(t.Context()) }

// no not explored: examples run once
func ExampleNew() {
	here.New()
	// Output:
}

func ExampleNever() { here.Never() }
-- starts/tag_test.go --
//go:build slow && never

package starts

import "testing"

// not known not explored: the file tag_test.go is not built: //go:build slow && never
func TestTag(t *testing.T) {}
-- starts/s_plan9_test.go --
package starts

import "testing"

// not known not explored: the file s_plan9_test.go is not built on this platform
func TestPlatform(t *testing.T) {}
-- prints/p_test.go --
package prints

import (
	"fmt"
	"testing"
)

type named int

func (named) String() string { go println(); return "" }

// not known perhaps by example.org/my-mod/v2/prints.named.String
func TestPrint(t *testing.T) { fmt.Println(named(1)) }
-- logs/l_test.go --
package logs

import "testing"

type named int

func (named) String() string { go println(); return "" }

// not known perhaps by example.org/my-mod/v2/logs.named.String
func TestLog(t *testing.T) { t.Log(named(1)) }
-- quiet/q_test.go --
package quiet

import (
	"fmt"
	"strings"
	"testing"
)

// no
func TestQuiet(t *testing.T) { if fmt.Sprint(strings.ToUpper("x")) != "X" { t.Fatalf("%v", t) } }
-- web/w_test.go --
package web

import (
	"net/http"
	"testing"
)

// no
func TestStatus(t *testing.T) { if http.StatusText(http.StatusOK) != "OK" { t.Fail() } }
-- initial/i_test.go --
package initial

import "testing"

var hook = func() { go println() }

// not known perhaps by example.org/my-mod/v2/initial.hook
func TestHook(t *testing.T) { call() }

func call() { hook() }
-- reflects/r_test.go --
package reflects

import (
	"reflect"
	"testing"
)

// not known perhaps by reflection in example.org/my-mod/v2/reflects.TestReflect
func TestReflect(t *testing.T) { reflect.ValueOf(call).Call(nil) }

// not known perhaps by reflection in example.org/my-mod/v2/reflects.call
func TestCall(t *testing.T) { call() }

func call() { reflect.ValueOf(call).MethodByName("x") }
-- begins/b_test.go --
package begins

import "testing"

var started = start()

func start() bool { go println(); return true }

// not known perhaps by example.org/my-mod/v2/begins.start
func TestNothing(t *testing.T) {}
-- own/o_test.go --
package own

import (
	"sync"
	"testing"
)

type breaker struct{ wg sync.WaitGroup }

func (b *breaker) Go(f func()) { go f() }

// yes by example.org/my-mod/v2/own.breaker.Go
func TestBreaker(t *testing.T) { b := new(breaker); b.Go(func() {}) }
-- reach/r.go --
package reach

type Runner interface{ Run() }

type worker struct{}

func (worker) Run() { go println() }

type idler struct{}

func (idler) Run() {}

type outer struct{ inner }

type inner struct{ worker }

type other = worker

type list[T any] struct{ all []T }

func (l *list[T]) Run() { go println() }

var kept Runner = worker{}

var unused = worker{}

var _ Runner = (*list[int])(nil)

const many = 3

func Idle() Runner    { return idler{} }
func Made() Runner    { return worker{} }
func Nested() any     { return new(outer) }
func Alias() any      { return other{} }
func Kept() Runner    { return kept }
func Generic() Runner { return new(list[int]) }
-- reach/r_test.go --
package reach

import "testing"

// no
func TestIdle(t *testing.T) { Idle().Run() }

// not known perhaps by example.org/my-mod/v2/reach.worker.Run
func TestMade(t *testing.T) { Made().Run() }

// no
func TestBlank(t *testing.T) { _ = Idle(); Idle().Run() }

// no
func TestMadeOnly(t *testing.T) { Made() }

// not known perhaps by example.org/my-mod/v2/reach.worker.Run
func TestNested(t *testing.T) { Nested().(Runner).Run() }

// not known perhaps by example.org/my-mod/v2/reach.worker.Run
func TestAlias(t *testing.T) { Alias().(Runner).Run() }

// not known perhaps by example.org/my-mod/v2/reach.worker.Run
func TestKept(t *testing.T) { Kept().Run() }

// not known perhaps by example.org/my-mod/v2/reach.list.Run
func TestGenericType(t *testing.T) { Generic().Run() }

// not known perhaps by example.org/my-mod/v2/reach.worker.Run
func TestExpression(t *testing.T) { f := worker.Run; f(worker{}) }

// not known perhaps by parallel subtests of example.org/my-mod/v2/reach.TestParallel
func TestParallel(t *testing.T) {
	for range many { t.Run("", func(t *testing.T) { t.Parallel() }) }
}

// not known perhaps by parallel subtests of example.org/my-mod/v2/reach.parallel
func TestParallelHelper(t *testing.T) { t.Run("", parallel); t.Run("", parallel) }

func parallel(t *testing.T) { t.Parallel() }

// no
func TestOwn(t *testing.T) { t.Parallel(); Idle().Run() }
-- assembly/a.go --
package assembly

func F()
-- assembly/a.s --
-- assembly/a_test.go --
package assembly

import "testing"

// not known perhaps by example.org/my-mod/v2/assembly.F, which has no body
func TestAssembly(t *testing.T) { F() }

// no
func TestOther(t *testing.T) {}
-- odd/o.go --
package even

func Run() { go println() }
func Other() { go println() }
-- odds/o_test.go --
package odds

import (
	"testing"

	"example.org/my-mod/v2/odd"
)

// yes by example.org/my-mod/v2/odd.Run
func TestOdd(t *testing.T) { even.Run() }
-- dots/d_test.go --
package dots

import (
	. "fmt"
	. "testing"

	. "example.org/my-mod/v2/odd"
)

// not known perhaps by example.org/my-mod/v2/odd.Other
func TestDot(t *T) { Other() }

// no
func TestNoDot(t *T) { Println() }
-- calls/c.go --
package calls

import "C"
-- calls/c_test.go --
package calls

import "testing"

// not known perhaps by example.org/my-mod/v2/calls, which calls C
func TestC(t *testing.T) {}
-- pull/p_test.go --
package pull

import (
	"iter"
	"testing"
)

// yes by iter.Pull
func TestPull(t *testing.T) { iter.Pull[int](nil) }
`

// TestList lists the tests of a module, as a table and as objects.
func TestList(t *testing.T) {
	dir := t.TempDir()
	want := make(map[string]string) // by test
	for _, f := range txtar.Parse([]byte(listedModule)).Files {
		if err := writeFile(filepath.Join(dir, f.Name), f.Data); err != nil {
			t.Fatal(err)
		}
		said := ""
		for line := range strings.Lines(string(f.Data)) {
			line = strings.TrimSpace(line)
			if comment, ok := strings.CutPrefix(line, "// "); ok {
				said = comment
			} else if rest, ok := strings.CutPrefix(line, "func "); ok && said != "" && said != "Output:" {
				name, _, _ := strings.Cut(rest, "(")
				want["example.org/my-mod/v2/"+filepath.Dir(f.Name)+"."+name], said = said, ""
			}
		}
	}
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	t.Setenv("CGO_ENABLED", "1")
	status, out, err := calls.Call(porCommand, "check", "-list", "./...")
	if wanted := "por: 52 tests: 11 start goroutines, 12 start none, of 29 that is not known\n"; status != command.OK || err != wanted {
		t.Errorf("status %d, error %q, want %q", status, err, wanted)
	}
	for line := range strings.Lines(out) {
		line = strings.Join(strings.Fields(line), " ")
		starts, rest, _ := strings.Cut(line, " example.org/")
		test, note, _ := strings.Cut("example.org/"+rest, " ")
		if line == "goroutines test" {
			continue
		}
		got, begins := strings.TrimSpace(starts+" "+note), false
		if want[test], begins = strings.CutSuffix(want[test], "..."); begins { // what the library has there is its own
			got = got[:min(len(got), len(want[test]))]
		}
		if got != want[test] {
			t.Errorf("of %s it is said: %s; want %s", test, got, want[test])
		}
		delete(want, test)
	}
	if len(want) > 0 {
		t.Errorf("not listed are %v", want)
	}

	status, out, err = calls.Call(porCommand, "check", "-json", "-list=^Test(Go|Maybe)$", "./starts", "./quiet")
	var all []listed
	for line := range strings.Lines(out) {
		var l listed
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Error(err)
		}
		all = append(all, l)
	}
	if status != command.OK || err != "" || len(all) != 2 || all[0] != (listed{"example.org/my-mod/v2/starts", "TestGo", filepath.Join(dir, "starts", "s_test.go"), 6, startsSome, "", true, ""}) ||
		all[1].Goroutines != notKnown || all[1].Because != "example.org/my-mod/v2/starts.Maybe" {
		t.Errorf("status %d, error %q, %+v", status, err, all)
	}

	for _, x := range []struct {
		args   string
		status int
		want   string
	}{
		{"-list=[ .", command.Misused, "por: check: -list [: error parsing regexp"},
		{"-list -json ./starts", command.Misused, "por: check: -list -json: behind -list comes a pattern of names, or the packages; put -json before it"},
		{"-list=. ./nowhere", command.Failed, "por: go list: stat "},
		{"-list=Nothing ./starts", command.OK, "por: no test"},
		{"-C quiet -list", command.OK, "por: 1 test: 0 start goroutines, 1 start none, of 0 that is not known"},
		{"-C nowhere -list", command.Failed, "por: go list: chdir nowhere"},
	} {
		if status, _, err := calls.Call(porCommand, append([]string{"check"}, strings.Fields(x.args)...)...); status != x.status || !strings.Contains(err, x.want) {
			t.Errorf("%s: status %d, error %q, want %q", x.args, status, err, x.want)
		}
	}
}

// TestImported follows imports to what the go command takes for them.
func TestImported(t *testing.T) {
	p := &sourcePackage{Dir: t.TempDir(), ImportMap: map[string]string{"a.b/c": "vendor/a.b/c", "a.b/d": "a.b/d [a.b/e.test]"}}
	if err := writeFile(filepath.Join(p.Dir, "x.go"), []byte("package x\n\nimport (\n\t\"a.b/c\"\n\t\"a.b/d\"\n\tz \"a.b/go-f.v2\"\n\t\"a.b/go-g/v3\"\n)\n")); err != nil {
		t.Fatal(err)
	}
	s := newSources()
	for path, name := range map[string]string{"vendor/a.b/c": "c", "a.b/d": "other", "a.b/go-f.v2": "f", "a.b/go-g/v3": "g"} {
		s.add(&sourcePackage{ImportPath: path, Name: name})
	}
	f, err := s.parse(p, "x.go")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"c": "vendor/a.b/c", "other": "a.b/d", "z": "a.b/go-f.v2", "g": "a.b/go-g/v3"}
	if !maps.Equal(f.imports, want) {
		t.Errorf("the imports are %v, want %v", f.imports, want)
	}
}

// TestListChecks lists tests that call package por.
func TestListChecks(t *testing.T) {
	t.Chdir("../..")
	status, out, err := calls.Call(porCommand, "check", "-list", "./examples/lostupdate")
	if status != command.OK || !strings.Contains(out, ".TestLocked  not explored: it calls por.Check, and runs once\n") ||
		!strings.Contains(out, ".TestTorn    not explored: it calls por.Explore, and runs once\n") {
		t.Errorf("status %d, error %q:\n%s", status, err, out)
	}
}
