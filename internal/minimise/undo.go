package minimise

import (
	"slices"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

// undo tries to let goroutines go on where the best schedule preempts them: at all preemptions,
// then at parts of them, large ones first. It reports whether one such edit has helped.
//
// A drawn schedule has nearly as many preemptions as steps, and needs few. So most parts can be
// undone at once, as in the delta debugging of Zeller and Hildebrandt (TSE 2002).
func (m *minimiser) undo() (helped bool) {
	for size := m.best.Preemptions; size > 0; size /= 2 {
		for i := 0; i < m.best.Preemptions && !m.spent(); {
			all := m.best.Preempted[:m.best.Preemptions]
			if m.try(goingOn(m.best.Schedule[:m.best.Steps], all[i:min(i+size, len(all))])) {
				helped = true
			} else {
				i += size
			}
		}
	}
	return helped
}

// goingOn returns the schedule in which goroutines go on where they are preempted: before each of
// the given steps, which are in ascending order. What they do next comes there.
func goingOn(s trace.Schedule, preempted []int) trace.Schedule {
	next := make([]int, len(s)) // where the goroutine of a step goes on after its stretch
	first := make(map[trace.ID]int)
	for i := len(s) - 1; i >= 0; i-- {
		if i == len(s)-1 || s[i+1].G != s[i].G {
			next[i] = len(s)
			if n, ok := first[s[i].G]; ok {
				next[i] = n
			}
		}
		first[s[i].G] = i
	}
	edited, there := make(trace.Schedule, 0, len(s)), make([]bool, len(s)+1)
	there[len(s)] = true
	for i := 0; i < len(s); i = trial.Stretch(s, i) {
		for at := i; !there[at]; {
			end := trial.Stretch(s, at)
			edited, there[at] = append(edited, s[at:end]...), true
			if _, ok := slices.BinarySearch(preempted, end); !ok {
				break
			}
			at = next[end-1]
		}
	}
	return edited
}
