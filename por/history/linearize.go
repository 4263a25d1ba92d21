package history

import (
	"context"
	"errors"
	"slices"

	"github.com/anishathalye/porcupine"
)

// This file decides whether a history is linearizable, by the algorithm of package porcupine (Wing
// and Gong 1993, with the memory of Lowe 2017). Package porcupine itself looks at partitions at the
// same time, on goroutines of its own, which would not be under control if it is rewritten with the
// rest of the program. A test holds the two against each other.

// mostSteps is how many steps of the model are taken to decide on one history, which may
// call for exponentially many. A variable, since tests lower it.
var mostSteps = 1 << 20

// errUndecided says that so many are not enough, or that there is no time for them.
var errUndecided = errors.New("the history is not decided")

// linearizable reports whether a history is, the events of which are in order and come in pairs. If
// not, longest are the calls, by their numbers, of the longest sequence that can come first; of
// several it is the one nearest to the order in which they began. The error is errUndecided; over
// says that there is no time left.
func linearizable(m *porcupine.Model, history []porcupine.Event, over func() bool) (ok bool, longest []int, err error) {
	parts := [][]porcupine.Event{history}
	if m.PartitionEvent != nil {
		parts = m.PartitionEvent(history)
	}
	for _, part := range parts {
		l := newLinearizing(m, part)
		l.over = over
		switch {
		case l.goOn(m.Init()):
			continue
		case l.undecided:
			return false, nil, errUndecided
		}
		for i, k := range l.longest {
			l.longest[i] = l.ids[k]
		}
		return false, l.longest, nil
	}
	return true, nil, nil
}

// linearizing is a search for an order of calls.
type linearizing struct {
	model      *porcupine.Model
	input      []any // by call, in the order in which they begin
	output     []any
	begin, end []int
	ids        []int
	done       []byte // bits
	order      []int  // the calls that are done, in the order that is tried
	longest    []int
	tried      map[string][]any // by what is done: the states
	over       func() bool
	steps      int
	undecided  bool // it has ended before it was done
}

func newLinearizing(m *porcupine.Model, history []porcupine.Event) *linearizing {
	l := &linearizing{model: m, tried: make(map[string][]any)}
	call := make(map[int]int)
	for at, e := range history {
		if e.Kind == porcupine.CallEvent {
			call[e.Id] = len(l.ids)
			l.ids = append(l.ids, e.Id)
			l.input, l.output = append(l.input, e.Value), append(l.output, nil)
			l.begin, l.end = append(l.begin, at), append(l.end, len(history))
			continue
		}
		i := call[e.Id]
		l.output[i], l.end[i] = e.Value, at
	}
	l.done = make([]byte, (len(l.ids)+7)/8)
	return l
}

func (l *linearizing) has(i int) bool { return l.done[i/8]>>(i%8)&1 == 1 }

// goOn reports whether the calls that are not done can follow, from that state.
func (l *linearizing) goOn(state any) bool {
	if len(l.order) == len(l.ids) {
		return true
	}
	first := int(^uint(0) >> 1) // to return, of those that are not done
	for i := range l.ids {
		if !l.has(i) {
			first = min(first, l.end[i])
		}
	}
	for i := range l.ids {
		if l.begin[i] > first {
			break
		}
		if l.has(i) {
			continue
		}
		if l.steps++; l.steps > mostSteps || l.steps%1024 == 0 && l.over() {
			l.undecided = true
		}
		if l.undecided {
			return false
		}
		ok, next := stepOf(l.model, state, l.input[i], l.output[i])
		if !ok {
			continue
		}
		l.done[i/8] |= 1 << (i % 8)
		l.order = append(l.order, i)
		if len(l.order) > len(l.longest) {
			l.longest = slices.Clone(l.order)
		}
		if l.isNew(next) && l.goOn(next) {
			return true
		}
		l.done[i/8] &^= 1 << (i % 8)
		l.order = l.order[:len(l.order)-1]
	}
	return false
}

// isNew reports whether the calls that are done have not led to that state before.
func (l *linearizing) isNew(state any) bool {
	states := l.tried[string(l.done)]
	equal := l.model.Equal
	if equal == nil {
		equal = func(a, b any) bool { return a == b }
	}
	if slices.ContainsFunc(states, func(s any) bool { return equal(s, state) }) {
		return false
	}
	l.tried[string(l.done)] = append(states, state)
	return true
}

// stepOf takes a step of the model.
func stepOf(m *porcupine.Model, state, input, output any) (ok bool, next any) {
	if m.StepContext != nil {
		return m.StepContext(context.Background(), state, input, output)
	}
	return m.Step(state, input, output)
}
