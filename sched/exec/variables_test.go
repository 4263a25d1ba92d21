package exec_test

import (
	"bytes"
	"container/list"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	twin "github.com/gopor/gopor/sched/std/sync"
	"github.com/gopor/gopor/sched/trace"
)

// What the package-level variables of these tests have.
type keptState struct {
	n      int
	name   string
	nested struct{ deep []int }
	since  time.Time
	mu     sched.Mutex
	next   *keptState
	any    any
	byName map[string]*keptState
	once   atomic.Pointer[keptState]
	buf    bytes.Buffer
	row    [2]struct {
		mu sched.Mutex
		n  int
	}
}

var (
	keptRoot *keptState
	keptMap  map[string][]int
	keptNil  map[int]int
	keptList = list.New()
)

func freshKept() *keptState {
	s := &keptState{n: 1, name: "a", since: time.Unix(1, 0), byName: map[string]*keptState{"x": {n: 2}}}
	s.nested.deep = append(make([]int, 0, 4), 1, 2)
	s.next = &keptState{n: 3, next: s}
	s.any = struct{ p *int }{new(int)}
	s.once.Store(&keptState{n: 4})
	s.buf.WriteString("kept")
	return s
}

// describe tells all of a state that the test changes.
func (s *keptState) describe() string {
	return fmt.Sprint(s.n, s.name, s.nested.deep, s.nested.deep[:4], s.since.Unix(), s.next.n, *s.any.(struct{ p *int }).p,
		len(s.byName), s.byName["x"].n, s.once.Load().n, s.buf.String(), s.row[1].n)
}

func (s *keptState) spoil() {
	s.mu.Lock() // and leave it so
	s.row[1].mu.Lock()
	s.n, s.name, s.since = 9, "b", time.Unix(2, 0)
	s.nested.deep = append(s.nested.deep, 9)
	s.next.n = 9
	*s.any.(struct{ p *int }).p = 9
	s.byName["x"].n = 9
	s.byName["y"] = nil
	s.once.Load().n = 9
	s.once.Store(nil)
	s.buf.Reset()
	s.buf.WriteString("gone")
	s.row[1].n = 9
}

// every runs the closure under every schedule.
func every(t *testing.T, f func()) (executions int, c *exec.Closure) {
	t.Helper()
	c = exec.New(f, exec.Options{})
	t.Cleanup(c.Shutdown)
	if _, err := (engine.DFS{}).Explore(c, func(x *trace.Execution) bool {
		executions++
		if fails := x.Run.Outcome(); len(fails) > 0 {
			t.Fatal(fails)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return executions, c
}

// keep is KeepVariable for one test: other tests have executions go on at the same time.
func keep(t *testing.T, name string, p any) {
	hook.KeepVariable(name, p)
	t.Cleanup(func() { exec.SetExclusive(false) })
}

// Executions begin with what variables held outside, however much they change them.
func TestVariablesKept(t *testing.T) {
	keep(t, "p.root", &keptRoot)
	keep(t, "p.m", &keptMap)
	keep(t, "p.none", &keptNil)
	keep(t, "p.list", &keptList)
	want := freshKept().describe()
	for _, size := range []int{3, 5000} { // few enough to look at all, and not
		keptRoot, keptMap, keptNil = freshKept(), map[string][]int{}, nil
		keptList.Init().PushBack(1)
		for i := range size {
			keptMap[fmt.Sprint(i)] = []int{i}
		}
		root := keptRoot
		same := func() string {
			switch {
			case keptRoot != root:
				return "another root"
			case keptRoot.describe() != want:
				return keptRoot.describe()
			case len(keptMap) != size || keptMap["1"][0] != 1 || keptMap["2"][0] != 2 || keptNil != nil || keptList.Len() != 1:
				return fmt.Sprint(len(keptMap), keptMap["1"], keptMap["2"], keptNil, keptList.Len())
			}
			return want
		}
		executions, c := every(t, func() {
			if got := same(); got != want {
				panic("an execution begins with " + got)
			}
			keptRoot.spoil()
			if sched.Choose(2) == 1 {
				closures.Store(&keptRoot, nil)
			}
			keptMap["1"][0] = 9
			delete(keptMap, "2")
			keptNil = map[int]int{1: sched.Choose(50)}
			keptList.PushFront(2)
		})
		if executions != 100 || len(c.Assumptions()) != 0 {
			t.Errorf("%d executions, %v", executions, c.Assumptions())
		}
		if got := same(); got != want {
			t.Errorf("%s is left, not %s", got, want)
		}
	}
}

// What is in channels and in a sync.Map is left alone, what it leads to is put back.
func TestVariablesHeld(t *testing.T) {
	var held struct {
		full, half, none, closed chan *keptState
		m                        twin.Map
		log                      *log.Logger
	}
	at := func(i int) *keptState { return &keptState{n: i} }
	held.full, held.half, held.none, held.closed = make(chan *keptState, 2), make(chan *keptState, 3), make(chan *keptState), make(chan *keptState, 1)
	states := []*keptState{at(0), at(1), at(2), at(3), at(4), at(5)}
	for i, c := range []chan *keptState{held.full, held.full, held.half, held.half, held.closed} {
		c <- states[i]
	}
	close(held.closed)
	held.m.Store("x", states[5])
	held.log = log.New(io.Discard, "kept", 0)
	keep(t, "p.held", &held)
	executions, _ := every(t, func() {
		for i, s := range states {
			if i != 4 && s.n != i {
				panic(fmt.Sprint("state ", i, " has ", s.n))
			}
			s.n = 9
		}
		if held.log.Prefix() != "kept" {
			panic(held.log.Prefix())
		}
		held.log.SetPrefix("gone")
		sched.Choose(3)
	})
	if executions != 3 || len(held.full) != 2 || len(held.half) != 2 || len(held.closed) != 1 {
		t.Errorf("%d executions; %d, %d and %d are left", executions, len(held.full), len(held.half), len(held.closed))
	}
	for i, c := range []chan *keptState{held.full, held.full, held.half, held.half, held.closed} {
		if s := <-c; s != states[i] {
			t.Errorf("%v in place of state %d", s, i)
		}
	}
}

// The environment and the directory of the process are put back.
func TestProcessKept(t *testing.T) {
	t.Setenv("GOPOR_KEPT", "a")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	executions, _ := every(t, func() {
		if now, _ := os.Getwd(); os.Getenv("GOPOR_KEPT") != "a" || os.Getenv("GOPOR_NEW") != "" || now != dir {
			panic(fmt.Sprint(os.Getenv("GOPOR_KEPT"), os.Getenv("GOPOR_NEW"), now))
		}
		native.Lasting(os.Setenv, "os.Setenv")("GOPOR_KEPT", "b")
		native.Lasting(os.Setenv, "os.Setenv")("GOPOR_NEW", "b")
		native.Lasting(os.Chdir, "os.Chdir")("..")
		sched.Choose(3)
	})
	if now, _ := os.Getwd(); executions != 3 || os.Getenv("GOPOR_KEPT") != "a" || now != dir {
		t.Errorf("%d executions, %s, %s", executions, os.Getenv("GOPOR_KEPT"), now)
	}
}

// What is found late, among too much to look at every time, is put back and named.
func TestVariablesLate(t *testing.T) {
	keep(t, "p.m", &keptMap)
	keep(t, "p.none", &keptNil)
	keptMap, keptNil = map[string][]int{}, nil
	for i := range 5000 {
		keptMap[fmt.Sprint(i)] = nil
	}
	executions, c := every(t, func() {
		if sched.Choose(200) == 100 {
			keptNil = map[int]int{}
		}
	})
	if got := fmt.Sprint(c.Assumptions()); executions != 200 || got != "[the variable p.none]" {
		t.Errorf("%d executions, %s", executions, got)
	}
	if keptNil != nil {
		t.Error("not put back")
	}
}

// What flows from one execution to the next in memory that is not put back is named;
// what is written before it is read does not flow.
func TestFlows(t *testing.T) {
	keep(t, "p.root", &keptRoot)
	keptRoot = new(keptState)
	for _, test := range []struct {
		name  string
		f     func(n *int, a *sched.Int64)
		flows bool
	}{
		{"a counter", func(n *int, _ *sched.Int64) { closures.Store(n, closures.Load(n)+1) }, true},
		{"an atomic counter", func(_ *int, a *sched.Int64) { a.Add(1) }, false}, // begins anew
		{"a memory atomic", func(n *int, _ *sched.Int64) { hook.Add((*int64)(unsafe.Pointer(n)), 1) }, true},
		{"a result", func(n *int, _ *sched.Int64) { closures.Store(n, 1); closures.Load(n) }, false},
		{"a last value", func(n *int, _ *sched.Int64) { closures.Store(n, 1) }, false},
		{"a reader", func(n *int, _ *sched.Int64) { closures.Load(n) }, false},
		{"what is put back", func(*int, *sched.Int64) { closures.Store(&keptRoot.n, closures.Load(&keptRoot.n)+1) }, false},
		{"what the execution has made", func(*int, *sched.Int64) { m := new(int); closures.Store(m, closures.Load(m)+1) }, false},
	} {
		n, a := new(int), new(sched.Int64)
		_, c := every(t, func() {
			sched.Choose(3)
			test.f(n, a)
		})
		want := "[]"
		if test.flows {
			want = "[a variable that the execution before has written"
		}
		if got := fmt.Sprint(c.Assumptions()); !strings.HasPrefix(got, want) || test.flows && !strings.Contains(got, "variables_test.go:") && !strings.Contains(got, "closures.go:") {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

// TestPrepare copies variables before the first execution begins.
func TestPrepare(t *testing.T) {
	var x int
	keep(t, "x", &x)
	c := exec.New(func() { new(sched.Int32).Load() }, exec.Options{})
	defer c.Shutdown()
	c.Prepare()
	x = 1
	run := c.Start()
	c.Prepare() // it goes on: nothing is done
	run.Pending()
	run.Close()
	if x != 0 {
		t.Error("the variable is not what it was when the Closure was prepared")
	}
}
