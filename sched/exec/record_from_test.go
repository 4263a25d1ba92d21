package exec_test

import (
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// crash is a node that crashes, and then what handOver does.
func crash() {
	n := por.NewNode("a", func() { por.MayCrash() })
	n.Start()
	handOver(200)
	n.Stop()
}

// handOver has goroutines that wait for each other, under a lock and by channels.
func handOver(turns int) {
	var mu sched.Mutex
	a, b := sched.NewChan[int](0), sched.NewChan[int](1)
	for range 2 {
		sched.Go(func() {
			for {
				n, ok := a.Recv2()
				if !ok {
					b.Send(-1)
					return
				}
				mu.Lock()
				sched.Gosched()
				mu.Unlock()
				b.Send(2 * n)
			}
		})
	}
	for i := range turns {
		a.Send(i)
		if n := b.Recv(); n != 2*i {
			panic(n)
		}
	}
	a.Close()
	b.Recv()
	b.Recv()
}

// recorded returns the record of a drawn execution, from an event on.
func recorded(t *testing.T, f func(), plan string, seed uint64, from int) (all []exec.Entry, length int) {
	c := exec.New(f, exec.Options{Record: true, Net: exec.Net{Plan: plan}, Harness: exec.Harness{RecordFrom: from}})
	defer c.Shutdown()
	_, err := engine.Random{Seed: seed, Executions: 1}.Explore(c, func(x *trace.Execution) bool {
		if out := x.Run.Outcome(); len(out) > 0 {
			t.Fatal(out)
		}
		all, length = c.Record(), len(x.Schedule)
		return false
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, length
}

// TestRecordFrom compares what is recorded from an event on with the whole record. Operations that
// were asked for before that have no position, and some no value.
func TestRecordFrom(t *testing.T) {
	f := func() { handOver(20) }
	for seed := range uint64(20) {
		whole, length := recorded(t, f, "", seed, 0)
		steps := make(map[int]exec.Entry)
		for _, e := range whole {
			if e.Step >= 0 {
				steps[e.Step] = e
			}
		}
		for _, from := range []int{1, length / 3, length - 10, length + 10} {
			part, _ := recorded(t, f, "", seed, from)
			n, placed := 0, 0
			for i, e := range part {
				if i == 0 && e.Omitted != from {
					t.Errorf("from %d: %d events are left out before step %d", from, e.Omitted, e.Step)
				}
				if e.Step < 0 {
					continue
				}
				w := steps[e.Step]
				if e.Step < from || e.G != w.G || e.Kind != w.Kind || e.Line != 0 && e.Value != w.Value || e.Waits != w.Waits || e.Name != w.Name {
					t.Errorf("from %d: got %+v, want %+v", from, e, w)
				}
				if n++; e.Line != 0 {
					if placed++; e.Line != w.Line || e.File != w.File {
						t.Errorf("from %d: step %d is at line %d, want %d", from, e.Step, e.Line, w.Line)
					}
				}
			}
			if n != max(0, length-from) || placed < n-3 {
				t.Errorf("from %d of %d: %d steps are recorded, %d with a position", from, length, n, placed)
			}
		}
	}
}

// TestRecordFromFault has a fault at the beginning, after which a thousand events are recorded, and
// then no more until the last ones. What is recorded there is of the operations that are recorded.
func TestRecordFromFault(t *testing.T) {
	for seed := range uint64(10) {
		const plan = "crash:0:0:100ms"
		whole, length := recorded(t, crash, plan, seed, 0)
		steps, fault := make(map[int]exec.Entry), -1
		for _, e := range whole {
			if e.Step >= 0 {
				steps[e.Step] = e
			}
			if e.Kind == trace.OpFault {
				fault = e.Step
			}
		}
		for back := range 8 {
			from, n := length-20-back, 0
			if fault < 0 || fault+1000 > from-200 {
				t.Fatalf("the fault is step %d of %d", fault, length)
			}
			part, _ := recorded(t, crash, plan, seed, from)
			for _, e := range part {
				if e.Step < 0 {
					continue
				}
				w := steps[e.Step]
				n++
				if e.Step < fault || e.Step >= fault+1000 && e.Step < from || e.G != w.G || e.Kind != w.Kind {
					t.Errorf("from %d: got %+v, want %+v", from, e, w)
				}
				// What is found out when recording is over has no value.
				if (e.Line != 0 || e.Kind == trace.OpFault) && e.Line != w.Line || e.Value != "" && e.Value != w.Value {
					t.Errorf("from %d: step %d is at line %d with %q, want %d with %q", from, e.Step, e.Line, e.Value, w.Line, w.Value)
				}
			}
			if n != 1000+length-from {
				t.Errorf("%d steps are recorded, want %d", n, 1000+length-from)
			}
			if len(part) > 0 && part[0].Kind != trace.OpFault && part[0].Step >= 0 {
				t.Errorf("the record begins with %v", part[0].Kind)
			}
		}
	}
}
