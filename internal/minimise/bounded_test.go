package minimise

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/test/enginetest"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// fingerprintOf returns the fingerprint of the trace of a schedule.
func fingerprintOf(t *testing.T, p trace.Program, s trace.Schedule) uint64 {
	r := p.Start()
	defer r.Close()
	hb := trace.NewTracker(trace.Dependence)
	for _, c := range s {
		ev, err := r.Step(c)
		if err != nil {
			t.Fatal(err)
		}
		hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
	}
	return hb.Fingerprint(func(i int) int32 { return s[i].Alt })
}

// TestBounded compares the traces that a bounded search of random programs visits with those of the
// oracle.
func TestBounded(t *testing.T) {
	for i, p := range toytest.Programs(t, 300) {
		all, err := oracle.Enumerate(toy.New(p), enginetest.Small)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		for bound := range 3 {
			s := NewBounded(toy.New(p), nil, bound, func() bool { return false })
			visited := make(map[uint64]bool)
			for more := true; more; more = s.Next() {
				if _, err := s.Run(); err != nil {
					t.Fatal(err)
				}
				got, _ := trial.Guide(toy.New(p), s.Schedule(), nil, nil)
				if len(got.Preempted) > bound {
					t.Fatalf("program %d: %v has %d preemptions, the bound is %d\n%v", i, s.Schedule(), len(got.Preempted), bound, p)
				}
				if len(got.Schedule) == len(s.Schedule()) { // else it came to a known state
					visited[fingerprintOf(t, toy.New(p), s.Schedule())] = true
				}
			}
			for fp, c := range all.Classes {
				if visited[fp] != (c.Preemptions <= bound) {
					t.Fatalf("program %d: the trace of %v, with at least %d preemptions, visited: %v; the bound is %d\n%v", i, c.Schedule, c.Preemptions, visited[fp], bound, p)
				}
			}
		}
	}
}

// TestBoundedKnown counts the executions of a search that leaves known states. Without that there are
// 34, 1,508 and 25,038.
func TestBoundedKnown(t *testing.T) {
	c := exec.New(func() {
		var mu sched.Mutex
		var n sched.Int64
		var all []sched.Handle
		for range 3 {
			var own sched.Int64
			all = append(all, sched.Go(func() {
				own.Add(1)
				own.Add(1)
				mu.Lock()
				own.Add(1)
				n.Add(1)
				mu.Unlock()
				own.Add(1)
			}))
		}
		for _, h := range all {
			h.Join()
		}
	}, exec.Options{})
	defer c.Shutdown()
	for bound, want := range []int{30, 677, 3544} {
		s, runs := NewBounded(c, nil, bound, func() bool { return false }), 0
		for more := true; more; more = s.Next() {
			if _, err := s.Run(); err != nil {
				t.Fatal(err)
			}
			runs++
		}
		if runs != want {
			t.Errorf("%d executions with at most %d preemptions, want %d", runs, bound, want)
		}
	}
}
