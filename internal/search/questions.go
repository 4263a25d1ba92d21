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
	// The first event happens before the second one by way of events that need not be there, see
	// [Trail.needed].
	Far bool
}

// Lawful reports whether the operation of e has a footprint that a [Question] can be about. If the
// footprint is stronger, there is nothing to ask.
func (e *Performed) Lawful() bool { return e.Footprint == trace.LawfulFootprint }

// SameBefore reports whether the operation of the second event of a race is known to use before the
// first event what it uses after it. A steady operation does, and so does a lawful one if the first
// event is quiet: nothing that it depends on comes between the two events.
func (t *Trail) SameBefore(first, second int) bool {
	e := &t.Events[second]
	return first == second || e.Footprint >= trace.SteadyFootprint || e.Lawful() && t.Events[first].Quiet
}

// Asking says how questions about an execution are answered. They are answered one by one until the
// runs for that have taken as many steps as the execution. Then all that are left are answered
// together.
type Asking struct {
	All func() []*Question // the questions that are open
	// Known returns a number below which objects have the same number in all executions that begin
	// with the first k events.
	Known func(k int) int32

	replayed int64
	together bool // AnswerAll was called
}

// Begin begins to ask about the next execution.
func (a *Asking) Begin() { a.replayed, a.together = 0, false }

// Answer answers q.
func (t *Trail) Answer(a *Asking, q *Question) {
	if a.replayed >= int64(len(t.Events)) && !a.together && !q.Far {
		a.together = true
		if t.AnswerAll(a.All(), a.Known); q.Known || t.Err != nil {
			return
		}
	}
	replayed := t.Stats.Replayed
	then := t.HB.Causes(nil, int(q.First), q.Second)
	slices.Reverse(then)
	then = then[:len(then)-1] // without the second event
	if q.Far {
		then = slices.DeleteFunc(then, func(i int32) bool { return t.HB.Before(int(q.First), int(i)) })
	}
	q.Known = true
	q.Uses = t.UsesAfter(int(q.First), then, int(q.Second))
	a.replayed += t.Stats.Replayed - replayed
}

// fewAnswers is the number of questions below which it does not pay to answer them together, since
// not all of them may come to be asked.
const fewAnswers = 8

// AnswerAll answers questions, together and not one by one as [Trail.UsesAfter] does. It leaves a
// question open if it would take too many runs of the program.
//
// A run performs the events of the execution in another order of the same trace. There the first
// event of a race comes when all is done that the second event comes after, but for the first event
// itself. So the second event's operation is pending then, and shows what it uses. Only the first
// event changes that, and it changes it lawfully. So another event that depends on the operation
// now depends on the first event, or on the second one. If it does not happen after the first
// event, it has come before.
//
// The orders that two questions need may contradict each other. Then one of them is left to the
// next run. A run that answers few questions is the last one: one by one takes no longer. So it is
// where an operation races with many events that are independent of each other and not quiet, such
// as a Clear of a map with the Stores of many keys. Each event needs a run in which it comes last.
//
// For known see [Asking].
func (t *Trail) AnswerAll(questions []*Question, known func(k int) int32) {
	for n := len(questions); n > 0; {
		p := newInquiry(t, questions)
		t.ask(p.order, p.asked, known(p.parted()))
		questions = slices.DeleteFunc(questions, func(q *Question) bool { return q.Known })
		if t.Err != nil || n-len(questions) < fewAnswers {
			return
		}
		n = len(questions)
	}
}

// ask runs the program in an order of the events of the execution, and answers what is asked on
// the way. Objects below known have the same number in both.
func (t *Trail) ask(order []int32, asked []asked, known int32) {
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
			q.Uses, q.Known = second.usesOf(op, known)
		}
	}
}

// usesOf returns the uses of op, a pending operation that is e in the present execution. The same
// objects may have other numbers where op is pending, but for those below known. The result is not
// sure if such an object has no counterpart in e.
func (e *Performed) usesOf(op *trace.Op, known int32) (u Uses, sure bool) {
	u.Set(slices.Clone(op.Accesses()))
	if u.OfBytes() {
		u.Like(&e.Uses)
		return u, true
	}
	sure = true
	for i := range u.n {
		switch obj := u.Access(i).Obj; {
		case u.n == e.Uses.n:
			u.Rename(i, e.Uses.Access(i).Obj)
		case obj == op.Obj:
			u.Rename(i, e.Obj)
		case isLazilyNumbered(obj, known):
			sure = false
		}
	}
	return u, sure
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

// parted returns the number of events up to which the order is that of the execution.
func (p *inquiry) parted() int {
	for i, j := range p.order {
		if i != int(j) {
			return i
		}
	}
	return len(p.order)
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
