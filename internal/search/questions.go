package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// A Question is about a race of two events of the present execution. It asks what the operation of
// the second event would use if neither the first event nor any event after it had come before. The
// operation has a lawful footprint (see [Performed.Lawful]).
type Question struct {
	First, Second int32
	Uses          Uses
	Known         bool // Uses is the answer
}

// Lawful reports whether the operation of e has a footprint that a [Question] can be about. If the
// footprint is stronger, there is nothing to ask.
func (e *Performed) Lawful() bool { return e.Footprint == trace.LawfulFootprint }

// AnswerAll answers questions, together and not one by one as [Trail.UsesAfter] does. It leaves a
// question open if it would take too many runs of the program.
//
// A run performs the events of the execution in another order of the same trace. There the first
// event of a race comes when all is done that the second event comes after, but for the first event
// itself. So the second event's operation is pending then, and shows what it uses. Other events
// that do not happen after the first one would not change it: only the first event can do that, and
// an event that depends on what the first one takes away from a lawful footprint depends on the
// first event, or on the second one in the execution too.
//
// The orders that two questions need may contradict each other. Then one of them is left to the
// next run. A run that answers less than half of its questions is the last one.
func (t *Trail) AnswerAll(questions []*Question) {
	for n := len(questions); n > 0; {
		p := newInquiry(t, questions)
		t.ask(p.order, p.asked)
		questions = slices.DeleteFunc(questions, func(q *Question) bool { return q.Known })
		if t.Err != nil || 2*len(questions) > n {
			return
		}
		n = len(questions)
	}
}

// ask runs the program in an order of the events of the execution, and answers what is asked on
// the way.
func (t *Trail) ask(order []int32, asked []asked) {
	t.Restart()
	t.stale = true
	var s trace.Schedule
	done := 0
	for _, a := range asked {
		s = s[:0]
		for _, j := range order[done:a.at] {
			s = append(s, t.Events[j].Choice)
		}
		done = a.at
		t.Stats.Replayed += int64(len(s))
		if t.Err = t.Run.Replay(s); t.Err != nil {
			return
		}
		ops := t.Run.Pending()
		for _, q := range a.questions {
			second := &t.Events[q.Second]
			op := opOf(second.G, ops)
			if op == nil {
				continue
			}
			// In a run that has taken another way, other numbers than those of second tell nothing.
			q.Uses = second.usesOf(op)
			q.Known = q.Uses.OfBytes() || q.Uses.n == second.Uses.n || !q.Uses.LazilyNumbered(0)
		}
	}
}

// usesOf returns the uses of op, a pending operation that is e in the present execution. The same
// objects may have other numbers where op is pending.
func (e *Performed) usesOf(op *trace.Op) (u Uses) {
	u.Set(slices.Clone(op.Accesses()))
	if u.OfBytes() {
		u.Like(&e.Uses)
	} else if u.n == e.Uses.n {
		for i, a := range e.Uses.List() {
			u.Rename(int32(i), a.Obj)
		}
	}
	return u
}

// An inquiry makes the order of a run that answers questions.
type inquiry struct {
	t     *Trail
	of    map[int32][]*Question // by first event
	state []progress            // of every event
	next  int32                 // all events before this one are in order
	left  int                   // first events that are not in order yet
	order []int32
	asked []asked
}

// asked has the questions that are asked after a number of events, which is at.
type asked struct {
	at        int
	questions []*Question
}

// progress is how far an inquiry is with an event.
type progress uint8

const (
	untouched progress = iota
	begun              // what its questions need comes first
	ordered
)

func newInquiry(t *Trail, questions []*Question) *inquiry {
	p := &inquiry{t: t, of: make(map[int32][]*Question), state: make([]progress, len(t.Events))}
	for _, q := range questions {
		p.of[q.First] = append(p.of[q.First], q)
	}
	for p.left = len(p.of); p.left > 0; p.next++ {
		p.perform(p.next)
	}
	return p
}

// perform puts event j next in order, and before it what its questions need. All that happens
// before j is in order. It returns false if j was begun already, and has to wait for other events.
func (p *inquiry) perform(j int32) bool {
	if p.state[j] != untouched {
		return p.state[j] == ordered
	}
	p.state[j] = begun
	var ready []*Question
	for _, q := range p.of[j] {
		if p.prepare(q) {
			ready = append(ready, q)
		}
	}
	if len(ready) > 0 {
		p.asked = append(p.asked, asked{len(p.order), ready})
	}
	if len(p.of[j]) > 0 {
		p.left--
	}
	p.state[j] = ordered
	p.order = append(p.order, j)
	return true
}

// prepare puts in order what happens before the second event of q, but for the first one, which is
// begun. It returns false if that is not possible.
func (p *inquiry) prepare(q *Question) bool {
	for _, j := range slices.Backward(p.t.HB.Causes(nil, int(p.next)-1, q.Second)) {
		if j != q.First && j != q.Second && !p.perform(j) {
			return false
		}
	}
	return true
}
