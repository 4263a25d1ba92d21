// Package testing is the twin of the standard package testing for
// por test -check: a test program built with it explores every test function
// under all schedules that matter, by por.Check, instead of running it once.
// Every execution has a T of its own. Benchmarks, examples and the seeds of fuzz
// tests run as ever.
package testing

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
)

// InternalTest is a test function, as the test program's main package lists it.
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
	return start(testing.MainStart, deps, explored(tests), benchmarks, seeds(fuzz), examples)
}

// start calls testing.MainStart, the type of whose first parameter has no name
// outside that package.
func start[D any](f func(D, []testing.InternalTest, []InternalBenchmark, []testing.InternalFuzzTarget, []InternalExample) *M,
	deps any, tests []testing.InternalTest, benchmarks []InternalBenchmark, fuzz []testing.InternalFuzzTarget, examples []InternalExample) *M {
	return f(deps.(D), tests, benchmarks, fuzz, examples)
}

// Main is a deprecated way to run tests.
func Main(match func(pat, str string) (bool, error), tests []InternalTest, benchmarks []InternalBenchmark, examples []InternalExample) {
	testing.Main(match, explored(tests), benchmarks, examples)
}

// RunTests is a deprecated way to run tests.
func RunTests(match func(pat, str string) (bool, error), tests []InternalTest) (ok bool) {
	return testing.RunTests(match, explored(tests))
}

// explored returns tests that check the given ones.
func explored(tests []InternalTest) []testing.InternalTest {
	var out []testing.InternalTest
	for _, x := range tests {
		out = append(out, testing.InternalTest{Name: x.Name, F: func(outer *testing.T) {
			q := quiet{outer, reflect.ValueOf(x.F).Pointer()}
			opts, err := options()
			if err != nil {
				q.Fatalf("por: %v", err)
			}
			n := new(tally)
			por.Check(q, func(tb testing.TB) {
				t := newT(tb, outer)
				t.tally = n
				t.run(x.F)
			}, opts...)
			n.pass(outer)
		}})
	}
	return out
}

// tally counts the executions of a test, by whether the test has skipped itself.
type tally struct {
	ran, skipped int
	reason       string // that of the latest one skipped
}

func (n *tally) count(t *T) {
	if t.skipped {
		n.skipped++
		n.reason = t.reason
	} else {
		n.ran++
	}
}

// pass skips the outer test if every execution has skipped itself: nothing was
// tested.
func (n *tally) pass(outer *testing.T) {
	outer.Helper()
	switch {
	case n.skipped == 0 || n.ran > 0 || outer.Failed():
	case n.reason != "":
		outer.Skip(strings.TrimSuffix(n.reason, "\n"))
	default:
		outer.SkipNow()
	}
}

// F is a fuzz test's. Its function gets a T that is not under control.
type F struct{ *testing.F }

// Fuzz runs the fuzz function ff as testing.F does.
func (f *F) Fuzz(ff any) {
	fn := reflect.ValueOf(ff)
	typ := fn.Type()
	if typ.Kind() != reflect.Func || typ.NumIn() == 0 || typ.In(0) != reflect.TypeFor[*T]() {
		f.F.Fuzz(ff) // says what is wrong with it
		return
	}
	in := []reflect.Type{reflect.TypeFor[*testing.T]()}
	for i := 1; i < typ.NumIn(); i++ {
		in = append(in, typ.In(i))
	}
	native := reflect.MakeFunc(reflect.FuncOf(in, nil, false), func(args []reflect.Value) []reflect.Value {
		outer := args[0].Interface().(*testing.T)
		args[0] = reflect.ValueOf(&T{TB: outer, outer: outer})
		return fn.Call(args)
	})
	f.F.Fuzz(native.Interface())
}

func seeds(fuzz []InternalFuzzTarget) []testing.InternalFuzzTarget {
	var out []testing.InternalFuzzTarget
	for _, x := range fuzz {
		out = append(out, testing.InternalFuzzTarget{Name: x.Name, Fn: func(f *testing.F) { x.Fn(&F{f}) }})
	}
	return out
}
