package unfold_test

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// late is a program of n goroutines that come one after the other, in any order. What
// each does then depends on its place: which of some objects it uses, that nobody has
// used before, and in which way.
func late(n, objects int, object func(int) func(place int)) func() {
	return func() {
		var order sched.Var[int]
		use := make([]func(int), objects)
		for i := range use {
			use[i] = object(i)
		}
		for g := range n {
			sched.Go(func() {
				place := order.Update(func(v int) int { return v + 1 })
				use[place%objects](place)
				use[(place+g)%objects](g)
			})
		}
	}
}

var lateObjects = map[string]func(int) func(int){
	"var": func(int) func(int) {
		v := new(sched.Var[int])
		return func(place int) {
			if place%2 == 0 {
				v.Store(place)
			} else {
				v.Load()
			}
		}
	},
	"mutex": func(int) func(int) {
		m := new(sched.Mutex)
		return func(int) {
			m.Lock()
			m.Unlock()
		}
	},
	"rwmutex": func(int) func(int) {
		m := new(sched.RWMutex)
		return func(place int) {
			if place%2 == 0 {
				m.RLock()
				m.RUnlock()
			} else {
				m.Lock()
				m.Unlock()
			}
		}
	},
	"cas": func(int) func(int) {
		v := new(sched.Int64)
		return func(place int) { v.CompareAndSwap(int64(place), int64(place+1)) }
	},
}

// TestLate explores programs whose objects have no lasting names and are met late, and
// compares the traces with those that optimal DPOR finds; once more while garbage is
// collected all the time.
func TestLate(t *testing.T) {
	for name, object := range lateObjects {
		for n := 2; n <= 4 && (n < 4 || effort.Full()); n++ {
			for objects := 1; objects <= 3; objects++ {
				compareLate(t, fmt.Sprintf("%s, n = %d, %d objects", name, n, objects), late(n, objects, object))
			}
		}
	}
}

const most = 3000

func compareLate(t *testing.T, name string, program func()) {
	c := exec.New(program, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	count := func(e trace.Engine) trace.Stats {
		stats, err := e.Explore(c, func(x *trace.Execution) bool { return x.Stats.Executions <= most })
		if err != nil {
			t.Fatalf("%s, %s: %v", name, e.Name(), err)
		}
		return stats
	}
	want := count(engine.Source{})
	if want.Executions > most {
		return
	}
	for _, garbage := range []int{1 << 14, 0} {
		restore := unfold.SetLeastFull(garbage)
		for _, e := range []trace.Engine{unfold.Optimal{}, unfold.Optimal{Comb: true}, unfold.QPOR{K: 1}, unfold.QPOR{K: 2}} {
			got := count(e)
			if got.Executions != want.Executions || e.Name() != "qpor" && got.Blocked > 0 {
				t.Errorf("%s, %s: %d executions and %d blocked, of %d traces", name, e.Name(), got.Executions, got.Blocked, want.Executions)
			}
		}
		restore()
	}
}
