package sched_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

func writeAll(s []byte) { hook.WriteMemory(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))) }
func readAll(s []byte)  { hook.ReadMemory(unsafe.Pointer(unsafe.SliceData(s)), uintptr(len(s))) }

type pair struct{ a, b int32 }

type fields struct {
	name string
	n    int
	ok   bool
	pair pair
	last uint16
}

// TestMemoryReuse frees memory and makes other goroutines allocate again.
func TestMemoryReuse(t *testing.T) {
	for range 10 {
		fails := closures.Once(t, exec.Options{}, func() {
			sched.Go(func() {}) // main is not alone
			for range 4 {
				sched.Go(func() {
					for range 1000 {
						closures.Store(new([6]int), [6]int{1})
						hook.Add(&new([6]int64)[5], 1)
					}
					large := make([]byte, 100_000)
					writeAll(large)
					runtime.GC()
				})
			}
		})
		if len(fails) > 0 {
			t.Fatal(fails)
		}
	}
}

// TestMemoryForgets has memory that outlives the execution, and races only with
// what others do in other executions.
func TestMemoryForgets(t *testing.T) {
	x := make([]byte, 1<<14)
	found := closures.Outcomes(t, exec.Options{}, func() string {
		sched.Go(func() {})
		switch who := sched.Choose(6); who {
		case 3:
			readAll(x)
		case 4:
			closures.Store(&x[5000], 1)
		case 5:
			writeAll(x)
		default:
			sched.Go(func() {
				hook.Load(new(int32))
				switch who {
				case 0:
					closures.Load(&x[5000])
				case 1:
					writeAll(x)
				case 2:
					closures.Store(&x[5000], 1)
				}
			})
		}
		return ""
	})
	if len(found.Failures) > 0 {
		t.Error(found.Failures)
	}
}

// TestMemoryKeepsLittle uses a variable ten thousand times.
func TestMemoryKeepsLittle(t *testing.T) {
	var grown uint64
	c := exec.New(func() {
		var mu sched.Mutex
		var before, after runtime.MemStats
		x := new(int)
		sched.Go(func() { mu.Lock(); closures.Store(x, 1); mu.Unlock() })
		runtime.ReadMemStats(&before)
		for range 10_000 {
			mu.Lock()
			closures.Store(x, closures.Load(x)+1)
			mu.Unlock()
		}
		runtime.ReadMemStats(&after)
		grown = after.TotalAlloc - before.TotalAlloc
	}, exec.Options{MaxSteps: 1 << 20})
	defer c.Shutdown()
	closures.Walk(t, c, 2, -1)
	if grown > 50_000 {
		t.Errorf("the execution allocates %d bytes", grown)
	}
}

// TestMemoryExplored counts traces where accesses are scheduling points.
func TestMemoryExplored(t *testing.T) {
	effort.Computes(t)
	two := func(f, g func()) func() string {
		return func() string {
			h := sched.Go(f)
			g()
			h.Join()
			return ""
		}
	}
	n := new(int)
	x := new(fields)
	large := make([]byte, 1<<16)
	bytes, words := new([4]byte), new([2]int)
	add := func() { closures.Store(n, closures.Load(n)+1) }
	tests := []struct {
		name   string
		traces int
		f      func() string
	}{
		{"counter", 4, func() string {
			*n = 0
			two(add, add)()
			return fmt.Sprint(*n)
		}},
		{"counter and atomic", 3, two(add, func() { hook.Add((*int64)(unsafe.Pointer(n)), 1) })},
		{"reads", 1, two(func() { closures.Load(n) }, func() { closures.Load(n) })},
		{"fields", 1, two(func() { closures.Store(&x.n, 1) }, func() { closures.Store(&x.ok, true) })},
		{"halves", 1, two(func() { closures.Store(&x.pair.a, 1) }, func() { closures.Store(&x.pair.b, 1) })},
		{"bytes", 1, two(func() { closures.Store(&bytes[0], 1) }, func() { closures.Store(&bytes[1], 1) })},
		{"struct and field", 2, two(func() { closures.Load(x) }, func() { closures.Store(&x.last, 1) })},
		{"field and struct", 3, two(func() { closures.Store(&x.ok, true); closures.Store(&x.n, 1) }, func() { closures.Store(x, fields{}) })},
		{"large", 2, two(func() { readAll(large) }, func() { closures.Store(&large[5000], 1) })},
		{"large, apart", 1, two(func() { readAll(large[:5000]) }, func() { closures.Store(&large[5000], 1) })},
		{"in many parts", 2, two(func() {
			for i := range 300 {
				hook.Load((*int32)(unsafe.Pointer(&large[8*i])))
			}
			writeAll(large)
		}, func() { closures.Load(&large[8*299]) })},
		{"word and its second half", 3, two(func() { closures.Store(&x.pair.b, 1) }, func() { closures.Store(&x.pair, pair{}); closures.Store(&x.pair, pair{}) })},
		{"halves and word", 3, two(func() { closures.Store(&x.pair.a, 1); closures.Store(&x.pair.b, 1) }, func() { closures.Store(&x.pair, pair{}) })},
		{"pairs that overlap", 2, two(func() { writeAll(bytes[0:2]); writeAll(bytes[1:3]) }, func() { closures.Store(&bytes[2], 1) })},
		{"words that were used together", 1, func() string {
			closures.Store(words, [2]int{})
			return two(func() { closures.Store(&words[0], 1) }, func() { closures.Store(&words[1], 1) })()
		}},
		{"failing CompareAndSwap", 1, two(func() { hook.CompareAndSwap(&x.pair.a, 100, 1) }, func() { hook.CompareAndSwap(&x.pair.a, 101, 1) })},
		{"CompareAndSwap that others decide on", 5, func() string {
			x := new(int32)
			sched.Go(func() { hook.Store(x, 1) })
			sched.Go(func() { hook.CompareAndSwap(x, 1, 2) })
			h := sched.Go(func() { hook.Load(x) })
			h.Join()
			return ""
		}},
		{"none", 1, two(func() { closures.Store(&struct{}{}, struct{}{}) }, func() { writeAll(large[:0]) })},
		{"atomic halves", 1, two(func() { hook.Add(&x.pair.a, 1) }, func() { hook.Add(&x.pair.b, 1) })},
		{"atomic word and half", 2, two(func() { hook.Add(&x.pair.b, 1) },
			func() {
				hook.Add((*int64)(unsafe.Pointer(&large[8])), 1)
				hook.Add((*int64)(unsafe.Pointer(&x.pair)), 1)
			})},
	}
	for _, test := range tests {
		o := exec.Options{Races: sched.RaceExplore}
		if test.name == "in many parts" { // too long for all interleavings
			if found := closures.Outcomes(t, o, test.f); found.Traces < 2 || len(found.Failures) > 0 {
				t.Errorf("%s: %d traces, %v", test.name, found.Traces, found.Failures)
			}
			continue
		}
		if found := closures.Exact(t, o, test.f); found.Traces != test.traces || len(found.Failures) > 0 {
			t.Errorf("%s: %d traces, want %d, %v", test.name, found.Traces, test.traces, found.Failures)
		}
	}
}

// TestMemoryText looks at a recorded race.
func TestMemoryText(t *testing.T) {
	y := new(int)
	var entries []exec.Entry
	c := exec.New(func() {
		x := new(int32)
		closures.Store(y, 1)
		sched.Go(func() { closures.Store(x, 1) }).Join()
		sched.Go(func() { hook.Add(x, 1) })
		closures.Load(x)
	}, exec.Options{Record: true})
	defer c.Shutdown()
	run := c.Start()
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	fails := run.Outcome()
	if len(fails) != 1 {
		t.Fatal(fails)
	}
	if want := "atomic write of memory 1 by g2 races with read by main"; fails[0].Msg != want {
		t.Errorf("got %q, want %q", fails[0].Msg, want)
	}
	if d := fails[0].Details(); strings.Count(d, "memory_test.go:") != 1 || strings.Count(d, "closures.go:") != 1 {
		t.Errorf("not both positions:\n%s", d)
	}
	entries = c.Record()
	var text []string
	for _, e := range entries {
		if e.Obj != "" {
			text = append(text, fmt.Sprint(e.Name, " ", e.Op(), " ", e.Obj, " ", filepath.Base(e.File)))
		}
	}
	want := "g1 write memory 1 closures.go, main read memory 1 closures.go, g2 add memory 1 memory_test.go" // and not what only main uses
	if got := strings.Join(text, ", "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMemoryMissed uses memory in some executions only, not in the first, after which
// the search for races is given up.
func TestMemoryMissed(t *testing.T) {
	program := func() string {
		x, n := new(int), new(int32)
		sched.Go(func() {
			if hook.Add(n, 1) == 2 {
				closures.Store(x, 1)
			}
		})
		if hook.Add(n, 1) == 1 {
			hook.Load(n)
			closures.Load(x)
		}
		return ""
	}
	p := closures.ProgramOf(program, nil, exec.Options{})
	late := func(w trace.Run) {
		for p := w.Pending(); len(p) > 0; p = w.Pending() {
			if _, err := w.Step(trace.Choice{G: p[len(p)-1].G}); err != nil {
				t.Fatal(err)
			}
		}
		w.Close()
	}
	late(p.Start()) // uses none
	found, err := p.By(oracle.Traces, closures.MostExecutions, false)
	if _, ok := found.Failures[trace.FailRace]; !ok || err != nil {
		t.Errorf("no race was found; error %v", err)
	}
}

// TestMemoryUncontrolled uses memory where nobody is controlled, and while an
// execution is unwound.
func TestMemoryUncontrolled(t *testing.T) {
	x := new(int)
	closures.Store(x, closures.Load(x)+1)
	for _, races := range []sched.RaceMode{sched.RaceFail, sched.RaceExplore, sched.RaceIgnore} {
		started, deferred := 0, 0
		c := exec.New(func() {
			closures.Store(x, 1)
			for range 2 {
				sched.Go(func() {
					started++
					defer func() { closures.Store(x, closures.Load(x)+1); deferred++ }()
					sched.NewChan[int](0).Recv()
				})
			}
			done := make(chan bool)
			go func() { closures.Load(x); close(done) }()
			<-done
		}, exec.Options{Races: races})
		for steps := range 5 {
			closures.Walk(t, c, 2, steps)
		}
		closures.Walk(t, c, 10, -1)
		c.Shutdown()
		if started == 0 || deferred != started {
			t.Errorf("%v: %d goroutines, %d of them unwound to the end", races, started, deferred)
		}
	}
	if *x == 0 {
		t.Error("nothing was written")
	}
}

// TestAtomicCode builds an atomic variable of a type that this package has not.
func TestAtomicCode(t *testing.T) {
	found := closures.Exact(t, exec.Options{}, func() string {
		v := new([2]int)
		cas := func(old, new int) bool {
			return hook.AtomicCAS(unsafe.Pointer(v), 16,
				func() bool { return v[1] == old }, func() any { *v = [2]int{v[0] + 1, new}; return v[1] })
		}
		h := sched.Go(func() { cas(0, 1); cas(1, 2) })
		cas(1, 5)
		h.Join()
		return fmt.Sprint(*v)
	})
	// main's comes before, between and after the other two; the first and the
	// last fail, but not the same way.
	if want := "[2 2] | [2 5]"; found.List() != want || found.Traces != 3 {
		t.Errorf("%d traces, %s, want %s", found.Traces, found.List(), want)
	}
}
