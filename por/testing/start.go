// Package testing is the twin of the standard package testing for por check. A test
// program built with it explores every test function under all schedules that matter, by
// por.Check, instead of running it once. Every execution has its own T. The seeds of fuzz tests
// are tests, too. Benchmarks and examples run natively, and so do tests that call por.Check or
// por.Explore themselves.
package testing

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/por"
)

// InternalTest is a test function in the list of the test program's main package.
type InternalTest struct {
	Name string
	F    func(*T)
}

// InternalFuzzTarget is a fuzz test.
type InternalFuzzTarget struct {
	Name string
	Fn   func(f *F)
}

// MainStart is called by the main package of a test program.
func MainStart(deps any, tests []InternalTest, benchmarks []InternalBenchmark, fuzz []InternalFuzzTarget, examples []InternalExample) *M {
	hook.TestsBegin()
	return start(testing.MainStart, deps, explored(tests), benchmarks, seeds(fuzz), examples)
}

// start calls f, which is testing.MainStart. The type of its first parameter cannot be named
// outside of package testing.
func start[D any](f func(D, []testing.InternalTest, []InternalBenchmark, []testing.InternalFuzzTarget, []InternalExample) *M,
	deps any, tests []testing.InternalTest, benchmarks []InternalBenchmark, fuzz []testing.InternalFuzzTarget, examples []InternalExample) *M {
	return f(deps.(D), tests, benchmarks, fuzz, examples)
}

// Main is a deprecated way to run tests.
func Main(match func(pat, str string) (bool, error), tests []InternalTest, benchmarks []InternalBenchmark, examples []InternalExample) {
	testing.Main(match, explored(tests), benchmarks, examples)
}

// explored returns tests that check the given ones.
func explored(tests []InternalTest) []testing.InternalTest {
	var out []testing.InternalTest
	for _, x := range tests {
		out = append(out, testing.InternalTest{Name: x.Name, F: func(outer *testing.T) {
			explore(outer, x.F, reflect.ValueOf(x.F).Pointer())
		}})
	}
	return out
}

// child says that a test has started this process with a program of the process's own. In such
// a process tests run once, without exploration, for their effects on the process.
var child = os.Getenv(environ.CheckWithin) != ""

func init() { os.Setenv(environ.CheckWithin, "1") }

// explore checks f for test outer. pc is the address of the user's function. If f asks for a
// search itself, f runs once.
func explore(outer *testing.T, f func(*T), pc uintptr) {
	if child {
		f(&T{once{outer}})
		return
	}
	stack.KnowRunner()
	t := &quiet{outer, pc, func() { f(&T{once{outer}}) }}
	opts, err := options()
	if err != nil {
		t.Fatalf("por: %v", err)
	}
	por.Check(t, func(tb testing.TB) { newExecuted(tb, outer).run(f) }, opts...)
}

// F is a fuzz test. Its function is explored for every seed.
type F struct{ *testing.F }

// Fuzz runs the fuzz function ff for every seed, as testing.F does without fuzzing.
func (f *F) Fuzz(ff any) {
	fn := reflect.ValueOf(ff)
	typ := fn.Type()
	if typ.Kind() != reflect.Func || typ.NumIn() == 0 || typ.In(0) != reflect.TypeFor[*T]() {
		f.F.Fuzz(ff) // reports the error
		return
	}
	in := []reflect.Type{reflect.TypeFor[*testing.T]()}
	for i := 1; i < typ.NumIn(); i++ {
		in = append(in, typ.In(i))
	}
	native := reflect.MakeFunc(reflect.FuncOf(in, nil, false), func(args []reflect.Value) []reflect.Value {
		explore(args[0].Interface().(*testing.T), func(t *T) { fn.Call(fresh(t, args[1:])) }, fn.Pointer())
		return nil
	})
	f.F.Fuzz(native.Interface())
}

// fresh returns copies of the arguments for one execution, which may modify them.
func fresh(t *T, seed []reflect.Value) []reflect.Value {
	args := []reflect.Value{reflect.ValueOf(t)}
	for _, v := range seed {
		if b, ok := v.Interface().([]byte); ok {
			v = reflect.ValueOf(bytes.Clone(b))
		}
		args = append(args, v)
	}
	return args
}

func seeds(fuzz []InternalFuzzTarget) []testing.InternalFuzzTarget {
	var out []testing.InternalFuzzTarget
	for _, x := range fuzz {
		out = append(out, testing.InternalFuzzTarget{Name: x.Name, Fn: func(f *testing.F) { x.Fn(&F{f}) }})
	}
	return out
}
