package engine

import (
	"github.com/gopor/gopor/sched/trace"
)

// This file says which of the engines of Auto has the next turn.
//
// Three quarters of the steps are given as it was decided in advance: Optimal makes so many, and
// then each of the others a quarter of that, in rounds that double. The last quarter goes to the
// engine that finds most. So whatever an engine finds in the order that was decided in advance, it
// finds here with four thirds of the steps at most, and one turn and one execution; and whatever
// Optimal finds by itself, with twice the steps.
//
// What is found is measured by pairs: two events of different goroutines that depend on each other
// and follow one another, each known by its goroutine and by its place among the operations of that
// goroutine. A failure that was not seen so far needs an order of two events, or of some more, that
// was not seen so far; most need one pair (Yu, Narayanasamy, Pereira and Pokam, "Maple: a
// coverage-driven testing tool for multithreaded programs", OOPSLA 2012, section 3). Traces will
// not do for a measure: in a search that is too large to exhaust nearly every execution is a new
// one, also where an engine goes through all orders of the last few events.

// plan says which engine has a turn, and for how long. The engines have numbers: that which covers
// everything is 0, then come those that hunt.
type plan struct {
	round int64    // the steps of engine 0 in the present round
	turn  int64    // the most steps of a turn
	at    int      // the engine that has its turn in the round
	given [3]int64 // the steps that each has made in the order that was decided in advance
	goals [3]int64 // the steps in given at which the turns of each engine in this round are over
	alone bool     // engine 0 is expected to come to its end: no other engine has a turn

	latest int   // the engine that had the latest turn
	before int64 // the steps that the engine of the latest turn had made before that turn
	free   bool  // that was one of the best
	owed   int64 // thirds of the steps that the best has not made yet of those that are its own
}

// newPlan returns a plan with a first round of so many steps of engine 0, which have been made.
func newPlan(steps int64) *plan {
	goals := [3]int64{steps, steps / 4, steps / 4}
	return &plan{round: steps, turn: max(steps/4, 1), given: [3]int64{steps, 0, 0}, goals: goals, before: steps}
}

// next returns the engine that has the next turn, and how many steps it is to have made at its end.
// Made is how many steps each has made, gone which of them have come to their end, and best the one
// that finds most, -1 for none. Before the others have a turn in a round, expected is asked whether
// engine 0 comes to its end in time. The result is -1 if no engine is left.
func (p *plan) next(made [3]int64, gone [3]bool, best int, expected func() bool) (who int, goal int64) {
	if gone == [3]bool{true, true, true} {
		return -1, 0
	}
	steps := made[p.latest] - p.before // an execution may have made more than the turn had
	switch {
	case p.free:
		p.owed -= 3 * steps
	case !p.alone && best >= 0:
		p.given[p.latest] += steps
		p.owed += steps
	default:
		p.given[p.latest] += steps
	}
	if p.free = p.owed > 0 && best >= 0 && !gone[best] && !p.alone; p.free {
		p.latest, p.before = best, made[best]
		return best, made[best] + (p.owed+2)/3
	}
	for gone[p.at] || p.given[p.at] >= p.goals[p.at] {
		if p.at == 0 {
			p.alone = !gone[0] && expected()
		}
		if p.at++; p.at == len(p.goals) || p.alone {
			p.begin()
		}
	}
	p.latest, p.before = p.at, made[p.at]
	return p.at, made[p.at] + min(p.goals[p.at]-p.given[p.at], p.turn)
}

// begin begins the next round.
func (p *plan) begin() {
	p.at = 0
	p.round *= 2
	p.turn = max(p.turn, p.round/16)
	p.goals[0] += p.round
	if !p.alone {
		p.goals[1] += p.round / 4
		p.goals[2] += p.round / 4
	}
}

// yield is what an engine has found lately.
type yield struct {
	pairs, steps float64 // that were new, in so many steps that were looked at
	due          int64   // the step at which an execution is looked at next
	gap          int64   // how many steps there are at least between two that are
}

// turn begins a turn from a step to another one. What was found in those before counts for half
// as much as it did.
func (y *yield) turn(from, to int64) {
	y.pairs, y.steps = y.pairs/2, y.steps/2
	y.gap = (to - from) / looks
	y.due = min(y.due, from+y.gap)
}

// rate returns new pairs per step.
func (y *yield) rate() float64 {
	if y.steps == 0 {
		return 0
	}
	return y.pairs / y.steps
}

// pairs knows the pairs that were met. It looks at some executions only.
type pairs struct {
	past *trace.Tracker
	seen map[uint64]struct{}
}

// How many pairs are remembered, some 20 bytes each. If there are more, nothing counts as new any
// more, and all turns are given as it was decided in advance.
const mostPairs = 1 << 20

// An execution is looked at every so many parts of a turn, and not before what has been explored
// since the one before is so many times as long as it: to look at an execution is to run it once
// more.
const (
	looks  = 16
	rarely = 20
)

// add looks at the execution of a schedule of p, which must not be running, and returns how many of
// its pairs are new. It returns as many as there are up to where the execution is interrupted.
func (k *pairs) add(p trace.Program, s trace.Schedule) (found int) {
	if len(k.seen) >= mostPairs {
		return 0
	}
	run := p.Start()
	defer run.Close()
	k.past.Pop(0)
	for i, c := range s {
		ev, err := run.Step(c)
		if err != nil {
			return found
		}
		k.past.Push(int32(ev.G), ev.Accesses(), ev.Order)
		for _, first := range k.past.Races(i) {
			pair := k.name(int(first))*0x9e3779b97f4a7c15 ^ k.name(i)
			if _, there := k.seen[pair]; !there {
				k.seen[pair] = struct{}{}
				found++
			}
		}
	}
	return found
}

// name returns a number for event i that it has in other executions, too.
func (k *pairs) name(i int) uint64 { return uint64(k.past.G(i))<<32 | uint64(k.past.Seq(i)) }
