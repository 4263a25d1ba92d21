package trace_test

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// Peterson is a transition system: two processes that share a critical section by
// Peterson's algorithm, without any lock. Each process does in every round
//
//	flag[me] = true
//	turn = other
//	wait until !flag[other] || turn == me
//	enter the critical section
//	leave it
//	flag[me] = false
type Peterson struct {
	Rounds int
	Hasty  bool // the first two lines are exchanged, which is wrong
}

// The operations of a process.
const (
	raise = iota // flag[me] = true
	yield        // turn = other
	await        // wait
	enter
	leave
	lower // flag[me] = false
)

// The shared variables, by their numbers as objects. Objects that are there in every
// execution have even numbers.
const (
	flag    = 0 // and 2, of process 1
	turn    = 4
	section = 6
)

// Start implements [trace.Program].
func (p Peterson) Start() trace.Run {
	r := &run{steps: [...]int{raise, yield, await, enter, leave, lower}, rounds: p.Rounds}
	if p.Hasty {
		r.steps[0], r.steps[1] = yield, raise
	}
	r.publish(0)
	r.publish(1)
	return r
}

// run is an execution of Peterson.
type run struct {
	steps   [6]int // of a round
	rounds  int
	flag    [2]bool
	turn    trace.ID
	inside  int // how many processes are in the critical section
	process [2]process
	events  int // so far
	event   trace.Event
	outcome []trace.Failure
}

type process struct {
	done    int      // how many operations it has performed
	next    trace.Op // what it performs next
	waits   bool     // it has performed await in vain
	granted []int32  // the event that has let it go on
}

// publish sets what process me performs next, and what that touches.
func (r *run) publish(me trace.ID) {
	p := &r.process[me]
	p.next = trace.Op{G: me, Kind: trace.OpStore, Alts: 1,
		// Promises that need not be made: each operation touches the same in every
		// state, and waits for nothing but the variables that it touches.
		Footprint: trace.SteadyFootprint, WaitsOnUses: true}
	switch r.step(p) {
	case raise, lower:
		p.next.Touch(flag+2*int32(me), trace.ModeWrite)
	case yield:
		p.next.Touch(turn, trace.ModeWrite)
	case await:
		p.next.Kind = trace.OpLoad
		p.next.Touch(flag+2*int32(1-me), trace.ModeRead)
		p.next.TouchAlso(turn, trace.ModeRead)
	case enter, leave:
		p.next.Touch(section, trace.ModeWrite)
	}
	p.next.Obj = p.next.Accesses()[0].Obj // for reports
}

// step returns the operation that p performs next.
func (r *run) step(p *process) int { return r.steps[p.done%len(r.steps)] }

// over reports whether p has performed all its rounds.
func (r *run) over(p *process) bool { return p.done == r.rounds*len(r.steps) }

// mayEnter reports whether process me need not wait any longer.
func (r *run) mayEnter(me trace.ID) bool { return !r.flag[1-me] || r.turn == me }

// Pending implements [trace.Run]. A process that waits is not pending.
func (r *run) Pending() (ops []*trace.Op) {
	for i := range r.process {
		if p := &r.process[i]; !p.waits && !r.over(p) {
			ops = append(ops, &p.next)
		}
	}
	return ops
}

// Step implements [trace.Run].
func (r *run) Step(c trace.Choice) (*trace.Event, error) {
	me, other := c.G, 1-c.G
	p, q := &r.process[me], &r.process[other]
	r.event = trace.Event{Op: p.next, Alt: c.Alt, Order: p.granted}
	p.granted = nil
	switch r.step(p) {
	case raise:
		r.flag[me] = true
	case lower:
		r.flag[me] = false
	case yield:
		r.turn = other
	case await:
		p.waits = !r.mayEnter(me)
	case enter:
		if r.inside++; r.inside > 1 {
			r.outcome = append(r.outcome, trace.Failure{Kind: trace.FailAssertion, G: me, Step: r.events, Msg: "both are in the critical section"})
		}
	case leave:
		r.inside--
	}
	p.done++
	r.publish(me)
	if q.waits && r.mayEnter(other) { // what q does next comes after this event
		q.waits, q.granted = false, []int32{int32(r.events)}
	}
	r.events++
	return &r.event, nil
}

// Replay implements [trace.Run].
func (r *run) Replay(s trace.Schedule) error {
	for _, c := range s {
		if _, err := r.Step(c); err != nil {
			return err
		}
	}
	return nil
}

// Len implements [trace.Run].
func (r *run) Len() int { return r.events }

// Outcome implements [trace.Run].
func (r *run) Outcome() []trace.Failure {
	if len(r.Pending()) == 0 && (r.process[0].waits || r.process[1].waits) {
		return append(r.outcome, trace.Failure{Kind: trace.FailDeadlock, Msg: "a process waits for ever"})
	}
	return r.outcome
}

// Close implements [trace.Run].
func (r *run) Close() {}

// A transition system that keeps to the laws of [trace.Program] can be explored like a Go
// closure, with any engine.
func ExampleProgram() {
	// A search of all interleavings that checks the laws at every step.
	res, err := por.ExploreProgram(trace.CheckLaws(Peterson{Rounds: 1}), por.Engine(engine.DFS{}))
	if err != nil {
		fmt.Println(err) // which law is broken, where, and what to do
		return
	}
	fmt.Printf("%d %s, %d failures\n", res.Stats.Executions, res.Verdict.Unit, len(res.Failures))

	// The default engine runs one execution of every trace.
	res, err = por.ExploreProgram(Peterson{Rounds: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d %s, %d failures, exhaustive: %t\n", res.Stats.Executions, res.Verdict.Unit, len(res.Failures), res.Exhaustive)

	res, err = por.ExploreProgram(Peterson{Rounds: 1, Hasty: true}, por.Name("Peterson"))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, _, _ := strings.Cut(res.Failures[0].Report, "\n\nto replay it:")
	fmt.Println(report)
	// Output:
	// 94 interleavings, 0 failures
	// 6732 traces, 0 failures, exhaustive: true
	// assertion failed: both are in the critical section
	//
	// found in execution 9: 2 preemptions (fewer do not show it), 8 steps:
	//
	//   step  g0              g1
	//      0  store object 4
	//      1*                 store object 4
	//      2                  store object 2
	//      3                  load object 0
	//      4                  store object 6
	//      5* store object 0
	//      6  load object 2
	//      7  store object 6
	//         ==> assertion failed: both are in the critical section
	//         (and 4 steps after that)
	//   * a preemption: the goroutine before could have gone on
}
