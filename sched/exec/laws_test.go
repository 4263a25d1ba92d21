package exec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// script is a transition system as a table: what is pending when so many events have
// been performed, whoever performed them.
type script struct {
	pending func(done []trace.ID) []trace.Op
	spoil   func(*trace.Event) // what is wrong with events, if anything is
	length  func(n int) int    // what is wrong with Len
}

type scriptRun struct {
	script
	done  []trace.ID
	ops   []trace.Op
	event trace.Event
}

func (s script) Start() trace.Run { return &scriptRun{script: s} }

func (r *scriptRun) Pending() []*trace.Op {
	r.ops = r.pending(r.done)
	var list []*trace.Op
	for i := range r.ops {
		list = append(list, &r.ops[i])
	}
	return list
}

func (r *scriptRun) Step(c trace.Choice) (*trace.Event, error) {
	for _, op := range r.Pending() {
		if op.G == c.G {
			r.event = trace.Event{Op: *op, Alt: c.Alt}
		}
	}
	if r.spoil != nil {
		r.spoil(&r.event)
	}
	r.done = append(r.done, c.G)
	return &r.event, nil
}

func (r *scriptRun) Replay(s trace.Schedule) error {
	for _, c := range s {
		r.Step(c)
	}
	return nil
}

func (r *scriptRun) Len() int {
	if r.length != nil {
		return r.length(len(r.done))
	}
	return len(r.done)
}
func (r *scriptRun) Outcome() []trace.Failure { return nil }
func (r *scriptRun) Close()                   {}

func op(g trace.ID, as ...trace.Access) trace.Op {
	o := trace.Op{G: g, Alts: 1, Obj: -1}
	o.SetAccesses(as...)
	return o
}

func quiet(o trace.Op) trace.Op {
	o.Quiet = true
	return o
}

func read(obj int32) trace.Access  { return trace.Access{Obj: obj, Mode: trace.ModeRead} }
func write(obj int32) trace.Access { return trace.Access{Obj: obj, Mode: trace.ModeWrite} }

// unmoved returns those operations whose goroutines have not moved.
func unmoved(done []trace.ID, ops ...trace.Op) []trace.Op {
	return slices.DeleteFunc(ops, func(o trace.Op) bool { return slices.Contains(done, o.G) })
}

// TestCheckLaws has a system for every law, which breaks it when goroutine 1 moves.
func TestCheckLaws(t *testing.T) {
	moved := func(done []trace.ID) bool { return slices.Contains(done, 1) }
	loses := func(was, is, by trace.Op) func([]trace.ID) []trace.Op {
		return func(done []trace.ID) []trace.Op {
			if moved(done) {
				return unmoved(done, is, by)
			}
			return unmoved(done, was, by)
		}
	}
	steady := func(done []trace.ID) []trace.Op { return unmoved(done, op(0, read(2)), op(1, write(4))) }
	yet := 0
	for _, test := range []struct {
		name   string
		system script
		law    trace.Law
		says   []string
	}{
		{"footprint", script{pending: loses(op(0, read(2), write(4)), op(0, read(2)), op(1, write(2)))},
			trace.LawFootprints, []string{"g1:", "object 4 (write)", "g0:"}},
		{"everything", script{pending: loses(op(0, read(2), trace.Access{Obj: trace.Everything}), op(0, read(2)), op(1, write(2)))},
			trace.LawFootprints, []string{"everything"}},
		{"dishonest", script{pending: loses(op(0, read(2), write(4)), op(0, read(2)), op(1, write(6)))},
			trace.LawHonesty, []string{"g1:", "g0:", "object 6 (write)"}},
		{"dishonest before", script{pending: loses(op(0, read(2)), op(0, read(2), write(4)), op(1, write(4)))},
			trace.LawHonesty, []string{"g1:", "g0:"}},
		{"not quiet", script{pending: loses(op(0, read(2)), op(0, read(2), write(4)), quiet(op(1, write(2), write(4))))},
			trace.LawHonesty, []string{"g1:", "promises to be quiet", "g0:", "object 4 (write)"}},
		{"alternatives", script{pending: loses(op(0, read(2)), trace.Op{Alts: 2}, op(1, read(2)))},
			trace.LawHonesty, []string{"1 alternatives", "with 2"}},
		{"disabled", script{pending: func(done []trace.ID) []trace.Op {
			if moved(done) {
				return unmoved(done, op(2))
			}
			return unmoved(done, op(0, read(2)), op(1, write(2)), op(2))
		}}, trace.LawEnabled, []string{"g0:", "g1:", "ended"}},
		{"another kind", script{pending: loses(op(0, read(2)), trace.Op{Kind: trace.OpRead, Alts: 1}, op(1, write(2)))},
			trace.LawEnabled, []string{"another operation"}},
		{"order of goroutines", script{pending: func(done []trace.ID) []trace.Op { return []trace.Op{op(1), op(0)} }},
			trace.LawPending, []string{"g0 is listed after g1"}},
		{"twice", script{pending: func(done []trace.ID) []trace.Op { return []trace.Op{op(0), op(0)} }},
			trace.LawPending, []string{"g0 is listed after g0"}},
		{"no alternative", script{pending: func(done []trace.ID) []trace.Op { return []trace.Op{{}} }},
			trace.LawPending, []string{"0 alternatives"}},
		{"no access", script{pending: func(done []trace.ID) []trace.Op { return []trace.Op{op(0, read(-2))} }},
			trace.LawPending, []string{"no such access"}},
		{"another event", script{pending: steady, spoil: func(e *trace.Event) { e.G = 0 }},
			trace.LawEvent, []string{"g1:"}},
		{"another alternative", script{pending: steady, spoil: func(e *trace.Event) { e.Alt = 1 }},
			trace.LawEvent, []string{"alternative 1"}},
		{"other accesses", script{pending: steady, spoil: func(e *trace.Event) { e.SetAccesses(read(6)) }},
			trace.LawEvent, []string{"object 6"}},
		{"miscounted", script{pending: steady, length: func(n int) int { return 2 * n }},
			trace.LawEvent, []string{"Len is 2"}},
		{"late order", script{pending: steady, spoil: func(e *trace.Event) { e.Order = []int32{0} }},
			trace.LawOrder, []string{"earlier"}},
		{"no order", script{pending: func(done []trace.ID) []trace.Op {
			if moved(done) {
				return unmoved(done, op(2))
			}
			return unmoved(done, op(1))
		}}, trace.LawOrder, []string{"g2:", "by event 0"}},
		{"not repeated", script{pending: func(done []trace.ID) []trace.Op {
			if yet++; yet > 5 {
				return unmoved(done, op(1, write(8)))
			}
			return unmoved(done, op(1, write(2)))
		}}, trace.LawRepeat, []string{"object 8", "object 2"}},
	} {
		p := trace.CheckLaws(test.system)
		var err error
		var run trace.Run
		for range 5 {
			run = p.Start()
			for _, c := range []trace.Choice{{G: 1}, {G: 2}} {
				if len(run.Pending()) > 0 || err != nil {
					if _, e := run.Step(c); err == nil && !diverged(e) {
						err = e
					}
				}
			}
			if _, e := run.Step(trace.Choice{}); err == nil && !diverged(e) {
				err = e
			}
			if err != nil {
				break
			}
		}
		var law *trace.LawError
		if !errors.As(err, &law) || law.Law != test.law {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for _, text := range test.says {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %q is not in %v", test.name, text, err)
			}
		}
		if _, again := run.Step(trace.Choice{G: 1}); again != err || run.Pending() != nil {
			t.Errorf("%s: goes on: %v", test.name, again)
		}
	}
}

func diverged(err error) bool {
	var d *trace.DivergenceError
	return errors.As(err, &d)
}

// TestCheckLawsNames checks what a LawError tells besides its text.
func TestCheckLawsNames(t *testing.T) {
	p := trace.CheckLaws(script{pending: func(done []trace.ID) []trace.Op {
		if len(done) > 0 {
			return unmoved(done, op(0, read(2)), op(1, write(2)))
		}
		return unmoved(done, op(0, read(2), write(4)), op(1, write(2)))
	}})
	_, err := p.Start().Step(trace.Choice{G: 1})
	var law *trace.LawError
	if !errors.As(err, &law) || law.Step != 0 || law.Event.G != 1 || law.Pending.G != 0 || !slices.Equal(law.Objects, []int32{4}) {
		t.Errorf("%+v", law)
	}
}

// TestCheckLawsRefuses checks that a choice that is not pending never reaches the
// program, however it is made.
func TestCheckLawsRefuses(t *testing.T) {
	p := trace.CheckLaws(script{pending: func(done []trace.ID) []trace.Op { return unmoved(done, op(0), op(1)) }})
	for _, c := range []trace.Choice{{G: 2}, {G: -1}, {G: 0, Alt: 1}, {G: 0, Alt: -1}} {
		run := p.Start()
		if _, err := run.Step(c); !diverged(err) || run.Len() != 0 {
			t.Errorf("%v: %v", c, err)
		}
		if err := run.Replay(trace.Schedule{{G: 1}, c}); !diverged(err) || run.Len() != 1 {
			t.Errorf("%v: %v", c, err)
		}
	}
	closure := exec.New(crowd, exec.Options{})
	defer closure.Shutdown()
	run := trace.CheckLaws(closure).Start().(trace.Driver)
	err := run.Drive(nil, func(*trace.Event) (trace.Choice, bool) { return trace.Choice{G: 99}, true })
	if !diverged(err) || run.Len() != 0 {
		t.Errorf("driven: %v", err)
	}
	run.Close()
}

// TestCheckLawsDrives checks that a checked closure is the closure, driven or not.
func TestCheckLawsDrives(t *testing.T) {
	for seed := range uint64(50) {
		var logs [2][]string
		for i := range logs {
			c := exec.New(crowd, exec.Options{Races: sched.RaceExplore})
			var p trace.Program = c
			if i == 1 {
				p = trace.CheckLaws(c)
			}
			run := p.Start().(trace.Driver)
			var s trace.Schedule
			if err := run.Drive(nil, picker(run, seed, 1000, &logs[i], &s)); err != nil {
				t.Fatal(err)
			}
			run.Close()
			run = p.Start().(trace.Driver)
			if err := run.Drive(s, func(*trace.Event) (trace.Choice, bool) { return trace.Choice{}, false }); err != nil || run.Len() != len(s) {
				t.Fatalf("%d events of %d: %v", run.Len(), len(s), err)
			}
			c.Shutdown()
		}
		if !slices.Equal(logs[0], logs[1]) {
			t.Fatalf("seed %d:\n%q\nchecked\n%q", seed, logs[0], logs[1])
		}
	}
}
