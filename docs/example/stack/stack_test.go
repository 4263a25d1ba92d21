package stack

import (
	"slices"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/gopor/gopor/por/history"
)

// push and popped are what the calls are given and what they return.
type push int

type popped struct {
	value int
	ok    bool
}

// model is what a stack does when it is used by one goroutine.
var model = porcupine.Model{
	Init: func() any { return []int(nil) },
	Step: func(state, input, output any) (bool, any) {
		s := state.([]int)
		if v, is := input.(push); is {
			return true, append(slices.Clone(s), int(v))
		}
		p := output.(popped)
		if len(s) == 0 {
			return !p.ok, s
		}
		return p.ok && p.value == s[len(s)-1], s[:len(s)-1]
	},
	Equal: func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
}

// use has two goroutines use a stack, and looks at what is left in it.
func use(h *history.History) {
	s := new(Stack)
	pop := func() popped { v, ok := s.Pop(); return popped{v, ok} }
	var wg sync.WaitGroup
	wg.Go(func() {
		h.Do(push(1), func() { s.Push(1) })
		h.Do(push(2), func() { s.Push(2) })
	})
	wg.Go(func() {
		history.Call(h, "pop", pop)
	})
	wg.Wait()
	history.Call(h, "pop", pop)
	history.Call(h, "pop", pop)
}

func TestLinearizable(t *testing.T) { history.Linearizable(t, model, use) }

func TestRefines(t *testing.T) { history.Refines(t, use) }
