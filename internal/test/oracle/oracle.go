// Package oracle judges engines, and the dependence relation, by brute force: it
// enumerates all interleavings of a small program and sorts them into trace
// classes. It shares nothing with the engines but the seam (trace.Program) and
// the relation, and is written to be obviously right.
package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/gopor/gopor/sched/trace"
)

// ErrTooBig says that a program has more interleavings than the caller wants.
var ErrTooBig = errors.New("oracle: too many interleavings")

// Stateful is a Run that can tell the state that it has reached, as a text that
// is the same for two executions exactly if nothing tells them apart.
type Stateful interface {
	AppendState([]byte) []byte
}

// Class is a Mazurkiewicz trace: a set of executions.
type Class struct {
	Fingerprint uint64
	Executions  int64          // that were enumerated
	Linear      int64          // linear extensions of the partial order, if all were
	Schedule    trace.Schedule // one of the executions
	State       string         // the state that it ends in
	Failures    []string       // what is wrong with it, sorted
	OtherState  string         // the state that another one ends in, if it differs
	Other       trace.Schedule // that other one
	Preemptions int            // the least that an execution of the class has
	Delays      int            // the same of delays
}

// Result is all there is to know of a program.
type Result struct {
	Executions int64
	Depth      int // events of the longest execution
	Classes    map[uint64]*Class
}

// Limits say when to give up.
type Limits struct {
	Executions int64 // 0 for no limit
	Depth      int
}

// Enumerate performs all interleavings of p. It returns ErrTooBig if there are
// more, or longer ones, than the limits allow.
func Enumerate(p trace.Program, limits Limits) (*Result, error) {
	return EnumerateWith(p, limits, trace.Dependence)
}

// EnumerateWith is Enumerate with another relation of dependence.
func EnumerateWith(p trace.Program, limits Limits, rel *trace.Relation) (*Result, error) {
	return enumerate(p, limits, rel, nil)
}

// Traces performs one interleaving of every trace of p: it does not go on where an
// execution becomes equivalent to the beginning of an earlier one. So it relies on the
// relation, and says nothing of linear extensions, preemptions and delays.
func Traces(p trace.Program, limits Limits) (*Result, error) {
	return enumerate(p, limits, trace.Dependence, make(map[uint64]bool))
}

func enumerate(p trace.Program, limits Limits, rel *trace.Relation, seen map[uint64]bool) (*Result, error) {
	e := enumerator{limits: limits, result: &Result{Classes: make(map[uint64]*Class)}, hb: trace.NewTracker(rel), seen: seen}
	e.run = p.Start()
	defer func() { e.run.Close() }()
	e.program = p
	return e.result, e.explore(0, 0)
}

type enumerator struct {
	program  trace.Program
	run      trace.Run
	limits   Limits
	result   *Result
	hb       *trace.Tracker
	schedule trace.Schedule
	frames   [][]trace.Choice // by depth, what can be done there
	ready    [][]trace.ID     // by depth, the goroutines that are ready
	state    []byte
	seen     map[uint64]bool // prefixes of executions, if equivalent ones are cut
}

// explore enumerates what follows the current state, which was reached with so
// many preemptions and delays.
func (e *enumerator) explore(preemptions, delays int) error {
	k := len(e.schedule)
	if e.seen != nil {
		fp := e.fingerprint()
		if e.seen[fp] {
			return nil
		}
		e.seen[fp] = true
	}
	if e.limits.Depth > 0 && k > e.limits.Depth {
		return ErrTooBig
	}
	ops := e.run.Pending()
	if len(ops) == 0 {
		return e.count(preemptions, delays)
	}
	for k >= len(e.frames) {
		e.frames, e.ready = append(e.frames, nil), append(e.ready, nil)
	}
	e.frames[k], e.ready[k] = e.frames[k][:0], e.ready[k][:0]
	for _, op := range ops {
		e.ready[k] = append(e.ready[k], op.G)
		for alt := range op.Alts {
			e.frames[k] = append(e.frames[k], trace.Choice{G: op.G, Alt: alt})
		}
	}
	last := trace.ID(0)
	if k > 0 {
		last = e.schedule[k-1].G
	}
	for i, c := range e.frames[k] {
		if i > 0 {
			if err := e.rewind(k); err != nil {
				return err
			}
		}
		ev, err := e.run.Step(c)
		if err != nil {
			return err
		}
		e.schedule = append(e.schedule, c)
		e.hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
		preempted := 0
		if k > 0 {
			preempted = Preempts(e.ready[k], last, c.G)
		}
		if err := e.explore(preemptions+preempted, delays+Delays(e.ready[k], last, c.G)); err != nil {
			return err
		}
	}
	return nil
}

// rewind brings the run back to where the first n choices have led.
func (e *enumerator) rewind(n int) error {
	e.schedule = e.schedule[:n]
	e.hb.Pop(n)
	e.run.Close()
	e.run = e.program.Start()
	return e.run.Replay(e.schedule)
}

func (e *enumerator) fingerprint() uint64 {
	return e.hb.Fingerprint(func(i int) int32 { return e.schedule[i].Alt })
}

// Less reports whether s comes before t, in the order of goroutines and alternatives.
func Less(s, t trace.Schedule) bool {
	return slices.CompareFunc(s, t, func(a, b trace.Choice) int {
		return cmp.Or(cmp.Compare(a.G, b.G), cmp.Compare(a.Alt, b.Alt))
	}) < 0
}

// Preempts returns 1 if moving next is a preemption of last: last is ready, and
// not the one to move.
func Preempts(ready []trace.ID, last, next trace.ID) int {
	for _, g := range ready {
		if g == last && next != last {
			return 1
		}
	}
	return 0
}

// Delays returns how often the default scheduler, which goes on with last if it
// can and else round robin in the order of goroutines, has to be delayed for
// next to move. The ready goroutines are in ascending order.
func Delays(ready []trace.ID, last, next trace.ID) (delays int) {
	first := 0 // the first one, from last on
	for first < len(ready) && ready[first] < last {
		first++
	}
	for ready[(first+delays)%len(ready)] != next {
		delays++
	}
	return delays
}

// count puts the execution that has ended here into its class.
func (e *enumerator) count(preemptions, delays int) error {
	r := e.result
	r.Executions++
	if e.limits.Executions > 0 && r.Executions > e.limits.Executions {
		return ErrTooBig
	}
	r.Depth = max(r.Depth, len(e.schedule))
	fp := e.fingerprint()
	failures := e.run.Outcome()
	e.state = e.state[:0]
	if s, ok := e.run.(Stateful); ok {
		e.state = s.AppendState(e.state)
	}
	c := r.Classes[fp]
	if c == nil {
		c = &Class{Fingerprint: fp, Schedule: append(trace.Schedule(nil), e.schedule...),
			State: string(e.state), Failures: FailureTexts(failures),
			Preemptions: preemptions, Delays: delays}
		if e.seen == nil {
			c.Linear = LinearExtensions(e.hb)
		}
		r.Classes[fp] = c
	}
	c.Executions++
	c.Preemptions = min(c.Preemptions, preemptions)
	c.Delays = min(c.Delays, delays)
	if c.State != string(e.state) && c.OtherState == "" {
		c.OtherState, c.Other = string(e.state), append(trace.Schedule(nil), e.schedule...)
	}
	return nil
}

// FailureTexts returns what is wrong with an execution, sorted.
func FailureTexts(fs []trace.Failure) []string {
	var texts []string
	for _, f := range fs {
		texts = append(texts, fmt.Sprintf("g%d %v", f.G, f))
	}
	sort.Strings(texts)
	return texts
}

// LinearExtensions counts the orders of t's events that respect happens-before.
// A set of events that is closed downwards is given by how many events of each
// goroutine it has; the number of ways to complete it is the sum over the
// events that can come next.
func LinearExtensions(t *trace.Tracker) int64 {
	var of [][]int // events by goroutine, in order
	for i := range t.Len() {
		for int(t.G(i)) >= len(of) {
			of = append(of, nil)
		}
		of[t.G(i)] = append(of[t.G(i)], i)
	}
	known := make(map[string]int64)
	var completions func(done []byte, n int) int64
	completions = func(done []byte, n int) (sum int64) {
		if n == t.Len() {
			return 1
		}
		if sum, ok := known[string(done)]; ok {
			return sum
		}
		for g := range of {
			if int(done[g]) == len(of[g]) {
				continue
			}
			if next := of[g][done[g]]; enabled(t, next, done) {
				done[g]++
				sum += completions(done, n+1)
				done[g]--
			}
		}
		known[string(done)] = sum
		return sum
	}
	return completions(make([]byte, len(of)), 0)
}

// enabled reports whether all that happens before event i is done.
func enabled(t *trace.Tracker, i int, done []byte) bool {
	for g, n := range t.Clock(i) {
		if g < len(done) && g != int(t.G(i)) && n > int32(done[g]) {
			return false
		}
	}
	return true
}

// Check is the exact test of happens-before: every class has one final state,
// and as many executions as its partial order has linear extensions.
func (r *Result) Check() error {
	for _, c := range r.Classes {
		switch {
		case c.OtherState != "":
			return fmt.Errorf("two executions of trace %016x end in different states:\n%s\n%v\n%s\n%v",
				c.Fingerprint, c.State, c.Schedule, c.OtherState, c.Other)
		case c.Executions != c.Linear:
			return fmt.Errorf("trace %016x has %d executions, but its happens-before relation has %d linear extensions; one execution:\n%s\n%v",
				c.Fingerprint, c.Executions, c.Linear, c.State, c.Schedule)
		}
	}
	return nil
}

// Sample performs n random executions of p. It returns the first error.
func Sample(p trace.Program, r *rand.Rand, n int) error {
	for range n {
		run := p.Start()
		for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
			op := ops[r.IntN(len(ops))]
			if _, err := run.Step(trace.Choice{G: op.G, Alt: r.Int32N(op.Alts)}); err != nil {
				run.Close()
				return err
			}
		}
		run.Close()
	}
	return nil
}
