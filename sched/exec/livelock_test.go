package exec_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestLivelock tells loops that find nothing new from long computations.
func TestLivelock(t *testing.T) {
	effort.Computes(t)
	x := new([2]int)
	read := func(i int) int { hook.ReadMemory(unsafe.Pointer(&x[i]), 8); return x[i] }
	write := func(i, v int) { hook.WriteMemory(unsafe.Pointer(&x[i]), 8); x[i] = v }
	for _, test := range []struct {
		name string
		f    func()
		want trace.FailureKind
		who  string
	}{
		{"waits for what comes never", func() {
			var done sched.Bool
			for !done.CompareAndSwap(true, false) {
			}
		}, trace.FailSteps, "main"},
		{"give way to each other", func() {
			var a, b sched.Bool
			first := func(x, y *sched.Bool) {
				for {
					x.Store(true)
					for range 2 { // whoever moves, the other has done so
						y.Load()
					}
					x.Store(false)
				}
			}
			sched.Go(func() { first(&a, &b) })
			first(&b, &a)
		}, trace.FailSteps, "main and g1"},
		{"look for a key in vain", func() {
			var m sched.Map
			m.Store("a", 1)
			for found := false; !found; {
				m.Load("b")
				m.Range(func(k, _ any) bool { found = k == "b"; return true })
			}
		}, trace.FailSteps, "main"},
		{"give way to each other in a map", func() {
			var m sched.Map
			first := func(me, other int) {
				for {
					m.Store(me, true)
					for range 2 {
						m.Load(other)
					}
					m.Delete(me)
				}
			}
			sched.Go(func() { first(0, 1) })
			first(1, 0)
		}, trace.FailSteps, "main and g1"},
		{"wait for a thing that is in no pool", func() {
			var p sched.Pool
			for p.Get() == nil {
			}
		}, trace.FailSteps, "main"},
		{"wait for a lock, by swapping", func() {
			var locked sched.Bool
			locked.Store(true)
			for locked.Swap(true) {
			}
		}, trace.FailSteps, "main"},
		{"a map that is filled", func() {
			var m sched.Map
			for i := 0; ; i++ {
				m.Store(i, i)
				m.Load(i)
			}
		}, trace.FailLong, ""},
		{"a map of pointers", func() {
			var m sched.Map
			for {
				m.Store(0, new(int))
				m.Load(0)
			}
		}, trace.FailLong, ""},
		{"a pool that is used", func() {
			var p sched.Pool
			for {
				p.Put(0)
				p.Get()
			}
		}, trace.FailLong, ""},
		{"values are swapped", func() {
			var x sched.Int64
			for i := int64(0); ; i = 1 - i {
				x.Swap(i)
			}
		}, trace.FailLong, ""},
		{"a computation", func() {
			var mu sched.Mutex
			for i := range 400_000 {
				mu.Lock()
				write(0, i)
				mu.Unlock()
			}
		}, trace.FailLong, ""},
		{"a loop that only locks", func() {
			var mu sched.Mutex
			for {
				mu.Lock()
				mu.Unlock()
			}
		}, trace.FailLong, ""},
		{"a loop over memory that stays", func() {
			var mu sched.Mutex
			write(1, 0)
			for {
				mu.Lock()
				stop := read(1) != 0
				mu.Unlock()
				if stop {
					break
				}
			}
		}, trace.FailSteps, "main"},
		{"a counter", func() {
			var n sched.Int64
			for n.Add(1) > 0 {
			}
		}, trace.FailLong, ""},
		{"values are handed on", func() {
			c := sched.NewChan[int](1)
			for i := 0; ; i++ {
				c.Send(i)
				c.Recv()
			}
		}, trace.FailLong, ""},
		{"values are handed on, beside a look", func() {
			c := sched.NewChan[int](1)
			var stop sched.Bool
			for i := 0; !stop.Load(); i++ {
				c.Send(i)
				c.Recv()
			}
		}, trace.FailLong, ""},
		{"goroutines come and go", func() {
			for {
				sched.Go(func() {}).Join()
			}
		}, trace.FailLong, ""},
	} {
		fails := closures.InTurns(t, test.f, exec.Options{MaxSteps: 3000})
		if len(fails) != 1 || fails[0].Kind != test.want || !strings.HasSuffix(fails[0].Msg, test.who) {
			t.Errorf("%s: %v", test.name, fails)
		}
	}
}

// TestInterruptedLivelock interrupts the run that looks for a livelock: the execution was too
// long all the same.
func TestInterruptedLivelock(t *testing.T) {
	const limit = 1000
	var c *exec.Closure
	total, at := 0, limit*3/2
	c = exec.New(func() {
		var x sched.Int64
		for {
			x.Add(1)
			if total++; total == at {
				c.Interrupt(true)
			}
		}
	}, exec.Options{MaxSteps: limit})
	c.Start()
	for len(c.Pending()) > 0 {
		if _, err := c.Step(trace.Choice{G: c.Pending()[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	if fails := c.Outcome(); len(fails) != 1 || fails[0].Kind != trace.FailLong {
		t.Error(fails)
	}
	if total < at || total >= 2*limit {
		t.Errorf("%d steps: it was not interrupted", total)
	}
	c.Interrupt(false)
	c.Close()
}
