package sync_test

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	_ "github.com/gopor/gopor/sched/native" // sets live.Caller
	"github.com/gopor/gopor/sched/std/internal/quiet/sync"
	"github.com/gopor/gopor/sched/trace"
)

// registry is like an expvar.Map.
type registry struct {
	m    sync.Map
	keys []string
}

func (r *registry) set(key string, value any) {
	if _, dup := r.m.LoadOrStore(key, value); !dup {
		r.keys = append(r.keys, key)
		return
	}
	r.m.Store(key, value)
}

var kept registry

// A Map goes with the rest of what a variable leads to: executions begin with what was in it outside, as they do with that.
func TestMapKept(t *testing.T) {
	hook.KeepVariable("p.kept", &kept)
	defer machine.Turns.Everyone.Store(false)
	for _, size := range []int{2, 2000} { // few enough to look at all, and not
		kept = registry{}
		for i := range size {
			kept.set(fmt.Sprint(i), []int{i})
		}
		shared := new(int)
		kept.set("shared", shared)
		begin := func() string {
			n := 0
			kept.m.Range(func(any, any) bool { n++; return true })
			v, _ := kept.m.Load("0")
			p, _ := kept.m.Load("shared")
			return fmt.Sprint(n, len(kept.keys), v, *p.(*int), p == shared)
		}
		want := fmt.Sprint(size+1, size+1, []int{0}, 0, true)
		c := exec.New(func() {
			if got := begin(); got != want {
				panic("an execution begins with " + got)
			}
			*shared = 1
			switch sched.Choose(40) % 4 {
			case 0:
				kept.set("new", 1)
			case 1:
				kept.set("0", []int{9})
			case 2:
				kept.m.Delete("1")
				kept.keys = kept.keys[1:]
			case 3:
				kept.m.Clear()
			}
		}, exec.Options{})
		executions := 0
		_, err := (engine.DFS{}).Explore(c, func(x *trace.Execution) bool {
			executions++
			if fails := x.Run.Outcome(); len(fails) > 0 {
				t.Fatal(fails)
			}
			return true
		})
		c.Shutdown()
		if err != nil || executions != 40 || len(c.Assumptions()) != 0 {
			t.Errorf("%d executions, %v, %v", executions, c.Assumptions(), err)
		}
		if got := begin(); got != want {
			t.Errorf("%s is left, not %s", got, want)
		}
	}
}
