package report

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// diagnosisOf runs a closure that fails with the default schedule, and returns the diagnosis.
func diagnosisOf(t *testing.T, f func()) *Diagnosis {
	t.Helper()
	p := exec.New(f, exec.Options{Record: true})
	defer p.Shutdown()
	first, _ := trial.Guide(p, nil, nil, nil)
	got, err := trial.Follow(p, replay.New(0, p, first.Schedule, first.Kinds))
	if err != nil || len(got.Failures) == 0 {
		t.Fatalf("%v, %v", got.Failures, err)
	}
	c := Case{Failure: got.Primary, All: got.Failures, Entries: p.Record(), Preempted: got.Preempted, Length: len(got.Schedule), Past: got.Conflicts.Past()}
	return c.Diagnose()
}

// TestSetup counts the sends that matter in programs that fill a channel before goroutines compete
// for a lock.
func TestSetup(t *testing.T) {
	fill := func(c *sched.Chan[int], n int) {
		for i := range n {
			c.Send(i)
		}
	}
	compete := func(last func()) {
		var mu sched.Mutex
		var all []sched.Handle
		for range 2 {
			all = append(all, sched.Go(func() {
				mu.Lock()
				mu.Unlock()
			}))
		}
		for _, h := range all {
			h.Join()
		}
		last()
		panic("oh")
	}
	for _, test := range []struct {
		name string
		want int
		f    func()
	}{
		{"long", 0, func() { fill(sched.NewChan[int](30), 30); compete(func() {}) }},
		{"short", longSetup - 1, func() { fill(sched.NewChan[int](30), longSetup-1); compete(func() {}) }},
		{"by a goroutine that has ended", 0, func() {
			var n sched.Int64
			sched.Go(func() { fill(sched.NewChan[int](30), 30); n.Store(1) }).Join()
			n.Load()
			compete(func() {})
		}},
		{"by a goroutine that goes on", 30, func() {
			var n, m sched.Int64
			h := sched.Go(func() { fill(sched.NewChan[int](30), 30); n.Store(1) })
			sched.Go(func() { m.Load() }).Join() // the other one fills the channel meanwhile
			m.Load()
			compete(func() {
				h.Join()
				n.Load()
			})
		}},
		{"of one of several", 30, func() {
			var mu sched.Mutex
			use := func() { mu.Lock(); mu.Unlock() }
			h := sched.Go(func() { fill(sched.NewChan[int](30), 30); sched.Go(use).Join() })
			sched.Go(use).Join()
			h.Join()
			use()
			panic("oh")
		}},
		{"in a goroutine of its own", 0, func() { sched.Go(func() { fill(sched.NewChan[int](30), 30); compete(func() {}) }) }},
		{"beside a goroutine that decides nothing", 0, func() {
			c, done := sched.NewChan[int](30), sched.NewChan[int](0)
			h := sched.Go(func() { done.Recv() })
			fill(c, 30)
			done.Close()
			h.Join()
			compete(func() {})
		}},
		{"beside a goroutine that looks", 30, func() {
			c := sched.NewChan[int](30)
			var n sched.Int64
			h := sched.Go(func() { n.Store(int64(c.Len())) })
			fill(c, 30)
			h.Join()
			n.Load()
			compete(func() {})
		}},
		{"of what fails", 30, func() {
			c := sched.NewChan[int](30)
			fill(c, 30)
			sched.Go(func() { c.Close() }).Join()
			c.Send(1)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, got := diagnosisOf(t, test.f), 0
			for i, s := range d.Steps {
				switch {
				case s.Matters && s.Op == trace.OpSend.String() && !s.Fails:
					got++
				case !s.Matters && (s.Op == "lock" || s.Fails):
					t.Errorf("step %d, %s by %s, does not matter", i, s.Op, s.Goroutine)
				}
			}
			if got != test.want {
				t.Errorf("%d sends matter, want %d", got, test.want)
			}
		})
	}
}

// TestPrivateMemory tells memory that decides nothing from memory that another goroutine may find
// otherwise.
func TestPrivateMemory(t *testing.T) {
	const r, w = trace.OpRead, trace.OpWrite
	access := func(name string, kind trace.Kind) exec.Entry {
		return exec.Entry{Step: -1, Name: name, Kind: kind, Obj: "memory 1"}
	}
	start := func(name string) exec.Entry {
		return exec.Entry{Step: -1, Name: "main", Remark: exec.RemarkGo, Value: name}
	}
	for _, test := range []struct {
		name    string
		entries []exec.Entry
		private bool
	}{
		{"of one goroutine", []exec.Entry{start("g1"), access("g1", w), access("g1", r)}, true},
		{"written before others start", []exec.Entry{start("g1"), access("main", w), start("g2"), access("main", r), access("g2", r)}, true},
		{"never written", []exec.Entry{start("g1"), access("g1", r), access("main", r)}, true},
		{"written after another was started", []exec.Entry{access("main", w), start("g1"), access("main", w), access("g1", r)}, false},
		{"result of a goroutine", []exec.Entry{start("g1"), access("g1", w), access("main", r)}, false},
		{"written by two", []exec.Entry{access("main", w), start("g1"), access("g1", w)}, false},
		{"read before", []exec.Entry{access("main", r), start("g1"), access("g1", w)}, false},
	} {
		private := privateMemory(test.entries)
		for i := range test.entries {
			if isAccess(test.entries[i].Kind) && private[i] != test.private {
				t.Errorf("%s: entry %d is private: %t", test.name, i, private[i])
			}
		}
	}
}

// TestAtomicityShown shows both uses and the change between them of a long execution.
func TestAtomicityShown(t *testing.T) {
	use := func(name string, k trace.Kind) exec.Entry {
		return exec.Entry{Step: -1, Name: name, Kind: k, Obj: "memory 1", File: "/nowhere/x.go", Line: 7}
	}
	entries := []exec.Entry{{Step: -1, Name: "main", Remark: exec.RemarkGo, Value: "g1"}, use("main", trace.OpRead)}
	event := func(name string) {
		entries = append(entries, exec.Entry{Step: len(entries), Name: name, Kind: trace.OpSend, Obj: "chan 1"})
	}
	event("g1")
	preempts := entries[len(entries)-1].Step
	entries = append(entries, use("g1", trace.OpWrite), use("main", trace.OpWrite))
	for range 2 * screenLines {
		event("main")
	}
	text := tableOf(entries, trace.Failure{Kind: trace.FailAssertion, Step: -1, Msg: "oh"}, Layout{}, preempts)
	for _, want := range []string{"read memory 1", "write memory 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
