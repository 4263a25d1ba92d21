package exec_test

import (
	"slices"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestChanged has a select that is pending. Only the operations that have to do with its channels
// may have changed it. Then it is described anew, and it is right in all states.
func TestChanged(t *testing.T) {
	c := exec.New(func() {
		var n sched.Int64
		a, b := sched.NewChan[int](1), sched.NewChan[int](1)
		sched.Go(func() { sched.Select(sched.RecvCase(a, nil, nil), sched.RecvCase(b, nil, nil)) })
		sched.Go(func() {
			n.Add(1)
			a.Send(1)
			n.Add(1)
			b.Send(1)
			n.Add(1)
		})
	}, exec.Options{})
	defer c.Shutdown()
	for _, replayed := range []int{0, 1, 2, 3, 4, 5} {
		run := c.Start()
		ops := run.Pending()
		for len(ops) > 0 && ops[0].G == 0 { // main
			if _, err := run.Step(trace.Choice{}); err != nil {
				t.Fatal(err)
			}
			ops = run.Pending()
		}
		selects, other := ops[0].G, ops[1].G
		if ops[0].Kind != trace.OpSelect {
			selects, other = other, selects
		}
		for i, want := range []struct {
			alts  int32
			first bool // the event changes the select
		}{{1, false}, {1, true}, {1, false}, {2, true}, {2, false}} {
			if i < replayed {
				if err := run.Replay(trace.Schedule{{G: other}}); err != nil {
					t.Fatal(err)
				}
				if i+1 < replayed {
					continue // without looking at what is pending
				}
			} else if _, err := run.Step(trace.Choice{G: other}); err != nil {
				t.Fatal(err)
			}
			ops := run.Pending()
			at := slices.IndexFunc(ops, func(op *trace.Op) bool { return op.G == selects })
			if at < 0 || ops[at].Alts != want.alts || len(ops[at].Accesses()) != 2 {
				t.Fatalf("replayed %d: after %d events %v", replayed, i+1, ops)
			}
			changed := slices.Contains(run.(trace.Changing).Changed(), ops[at])
			if i >= replayed && changed != want.first {
				t.Errorf("replayed %d: event %d: the select has changed: %v, want %v", replayed, i, changed, want.first)
			}
		}
		run.Close()
	}
}
