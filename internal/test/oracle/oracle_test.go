package oracle

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/sched/trace"
)

func TestLinearExtensions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events [][2]int32 // goroutine, object written
		want   int64
	}{
		{"nothing", nil, 1},
		{"two independent", [][2]int32{{0, 1}, {1, 2}}, 2},
		{"two dependent", [][2]int32{{0, 1}, {1, 1}}, 1},
		{"two chains of two", [][2]int32{{0, 1}, {0, 1}, {1, 2}, {1, 2}}, 6},
		{"a fork", [][2]int32{{0, 1}, {0, 2}, {1, 1}, {2, 2}}, 3},
	} {
		h := trace.NewTracker(trace.Dependence)
		for _, ev := range tt.events {
			h.Push(ev[0], []trace.Access{{Obj: ev[1], Mode: trace.ModeWrite}}, nil)
		}
		if got := LinearExtensions(h); got != tt.want {
			t.Errorf("%s: %d linear extensions, want %d", tt.name, got, tt.want)
		}
	}
}

func TestDelays(t *testing.T) {
	ready := []trace.ID{0, 2, 5}
	for _, tt := range []struct {
		last, next     trace.ID
		delays, preemp int
	}{
		{0, 0, 0, 0}, {0, 2, 1, 1}, {0, 5, 2, 1},
		{2, 2, 0, 0}, {2, 5, 1, 1}, {2, 0, 2, 1},
		{3, 5, 0, 0}, {3, 0, 1, 0}, {3, 2, 2, 0}, // 3 waits
		{7, 0, 0, 0}, {7, 5, 2, 0},
	} {
		if got := Delays(ready, tt.last, tt.next); got != tt.delays {
			t.Errorf("from %d to %d: %d delays, want %d", tt.last, tt.next, got, tt.delays)
		}
		if got := Preempts(ready, tt.last, tt.next); got != tt.preemp {
			t.Errorf("from %d to %d: %d preemptions, want %d", tt.last, tt.next, got, tt.preemp)
		}
	}
}

func TestEnumerate(t *testing.T) {
	p := toy.MustParse("mutex a\nmutex b\nthread\n spawn 1\n lock a\n lock b\n unlock b\n unlock a\nthread\n lock b\n lock a\n unlock a\n unlock b\n")
	r, err := Enumerate(toy.New(p), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	deadlocks := 0
	for _, c := range r.Classes {
		if len(c.Failures) > 0 {
			deadlocks++
			if c.Preemptions != 1 || c.Delays != 1 {
				t.Errorf("the deadlock needs %d preemptions and %d delays, want 1 and 1", c.Preemptions, c.Delays)
			}
		}
	}
	if len(r.Classes) != 3 || deadlocks != 1 || r.Depth != 8 {
		t.Errorf("%d traces, %d deadlocks, %d events; want 3, 1, 8", len(r.Classes), deadlocks, r.Depth)
	}
	for _, limits := range []Limits{{Executions: r.Executions - 1}, {Depth: 7}} {
		if _, err := Enumerate(toy.New(p), limits); !errors.Is(err, ErrTooBig) {
			t.Errorf("limits %+v: error %v", limits, err)
		}
	}
	if _, err := Enumerate(toy.New(p), Limits{Executions: r.Executions, Depth: 8}); err != nil {
		t.Error(err)
	}
}

// TestWrongRelation shows that the exact test notices a missing dependence, but
// only where it matters.
func TestWrongRelation(t *testing.T) {
	p := toy.MustParse("cell x 0\nthread\n spawn 1\n write x 1\nthread\n write x 1\n")
	r, err := EnumerateWith(toy.New(p), Limits{}, without(pair{trace.ModeWrite, trace.ModeWrite}))
	if err != nil {
		t.Fatal(err)
	}
	if r.Check() != nil {
		t.Error("writes of one value commute")
	}
	p = toy.MustParse("cell x 0\nthread\n spawn 1\n write x 1\nthread\n write x 2\n")
	if r, err = EnumerateWith(toy.New(p), Limits{}, without(pair{trace.ModeWrite, trace.ModeWrite})); err != nil {
		t.Fatal(err)
	}
	if r.Check() == nil {
		t.Error("a trace with two final states passes")
	}
}
