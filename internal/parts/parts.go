// Package parts explores a program that has parts, such as the subtests of a test, one part at a
// time.
package parts

import (
	"math"
	"time"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// Program is a program with parts.
type Program interface {
	// Parts returns the names of the parts that executions have met so far, at least one.
	Parts() []string
	// Focus lets executions to come be explored in the part of that number, or in all parts if it
	// is negative.
	Focus(part int)
}

// Engine lets another engine explore the parts of a program one at a time, the others under one
// schedule each. Then it has all of it explored together, if that is likely to come to an end.
// Subtests hardly ever have to do with each other; those that do not would multiply the executions
// of each other.
type Engine struct {
	Of    trace.Engine
	State *State
	Over  func() bool   // the search was stopped
	limit time.Duration // 0: none
}

// State is what an Engine has come to.
type State struct {
	Together bool // all parts were explored together, to the end, and one at a time before that
	Late     bool // the time was over for one of them
}

// Each is the claim of a search that was covered where parts were not explored together.
const Each = "every trace of each subtest, with one schedule of the others,"

// Divisible is an engine, or the [engine.Helper] of one, that explores a part of a program in
// another way than all of it.
type Divisible[T any] interface {
	// OfPart returns what explores the part of that name for so long, or all parts unless it is to
	// focus on one.
	OfPart(share time.Duration, focus bool, part string) T
}

// Suits reports whether an Engine is for e: one that finds out from events what could have come in
// another order.
func Suits(e trace.Engine) bool {
	switch e.(type) {
	case engine.Auto, engine.Optimal, engine.Reverse, engine.Source, engine.DPOR, Divisible[trace.Engine]:
		return true
	}
	return false
}

// Name implements [trace.Engine].
func (e Engine) Name() string { return e.Of.Name() }

// About implements [trace.About].
func (e Engine) About() trace.About {
	about := trace.Describe(e.Of)
	about.WithTime = func(d time.Duration) trace.Engine { e.limit = d; return e }
	return about
}

// Explore implements [trace.Engine].
func (e Engine) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	q, ok := p.(Program)
	if !ok {
		return e.timed(e.limit).Explore(p, visit)
	}
	defer q.Focus(-1)
	r := &run{Engine: e, p: p, q: q, visit: visit, begin: time.Now()}
	return r.explore()
}

// timed returns the engine that explores for so long, if there is a limit.
func (e Engine) timed(d time.Duration) trace.Engine {
	if with := trace.Describe(e.Of).WithTime; with != nil && e.limit > 0 {
		return with(d)
	}
	return e.Of
}

// run is a search of Engine.
type run struct {
	Engine
	p       trace.Program
	q       Program
	visit   func(*trace.Execution) bool
	begin   time.Time
	found   []int64     // by part: the executions of one that was explored to its end
	looks   bool        // parts are given only a look
	before  trace.Stats // of the parts that are done with
	stats   trace.Stats // of all
	stopped bool        // by visit
}

func (r *run) explore() (trace.Stats, error) {
	if done, err := r.first(); done || err != nil || r.stopped {
		return r.stats, err
	}
	for r.looks = r.hasLooks(); ; r.looks = false {
		if err := r.each(); err != nil || r.stopped {
			return r.stats, err
		}
		if !r.looks {
			break
		}
	}
	product := 1.0
	for _, n := range r.found {
		product *= float64(n)
	}
	if product > 0 {
		r.stats.Claim = Each
		r.before.Claim = Each
	}
	if product > 0 && r.worthwhile(product) {
		exhaustive, err := r.part(-1, always)
		r.State.Together = exhaustive
		if exhaustive {
			r.stats.Exhaustive, r.stats.Claim = true, ""
		}
		return r.stats, err
	}
	return r.stats, nil
}

// hasLooks reports whether each part is given a look before it is explored for its share of the
// time. So a large part gets the time that small ones leave, even if they come after it. There are
// no looks if executions are so long that a look would see a few only.
func (r *run) hasLooks() bool {
	now := time.Now()
	look := r.share(0, now) / lookShare
	return r.limit > 0 && len(r.q.Parts()) > 1 && look >= lookExecutions*now.Sub(r.begin)
}

const (
	lookShare      = 8 // a look takes so small a part of a share
	lookExecutions = 4 // and is as long as so many executions at least
)

// each explores each part that has not been explored to its end.
func (r *run) each() error {
	for k := 0; k < len(r.q.Parts()); k++ {
		if k == len(r.found) {
			r.found = append(r.found, 0)
		}
		if r.found[k] > 0 {
			continue
		}
		n, late := r.before.Executions, r.State.Late
		exhaustive, err := r.part(k, always)
		if err != nil || r.stopped {
			return err
		}
		if exhaustive {
			r.found[k] = r.before.Executions - n
		}
		if r.looks {
			r.State.Late = late
		}
	}
	return nil
}

// first explores all together, and reports whether it came to the end. It goes no further than the
// first execution if that has several parts, unless it is the only one: many tests have subtests
// that start no goroutine. By parts there would be an execution for each of them.
func (r *run) first() (done bool, err error) {
	n, several, late := 0, false, r.State.Late
	done, err = r.part(-1, func(x *trace.Execution) bool {
		if n++; n == 1 {
			several = len(r.q.Parts()) > 1 && !IsOnly(x)
		}
		return !several
	})
	r.stats.Exhaustive = done
	r.State.Late = late || r.State.Late && !several
	return !several, err
}

// always lets a part be explored to its end.
func always(*trace.Execution) bool { return true }

// part explores a part, or all of them together if it is negative, as long as goOn says so.
func (r *run) part(k int, goOn func(*trace.Execution) bool) (exhaustive bool, err error) {
	r.q.Focus(k)
	begin := time.Now()
	e := r.timed(r.share(k, begin))
	part := ""
	if k >= 0 {
		part = r.q.Parts()[k]
	}
	by, shared := e.(Divisible[trace.Engine])
	if shared {
		e = by.OfPart(r.share(k, begin), k >= 0, part)
	}
	if auto, ok := e.(engine.Auto); ok {
		if h, ok := auto.Helper().(Divisible[engine.Helper]); ok {
			e = auto.With(h.OfPart(0, k >= 0, part), auto.Only())
		}
	}
	stats, err := e.Explore(r.p, func(x *trace.Execution) bool {
		r.stats = r.before.Then(x.Stats)
		x.Stats = &r.stats
		late := time.Since(begin) >= r.share(k, begin) && !IsOnly(x)
		more := goOn(x)
		if k >= 0 { // there are other parts
			x.Only = nil
		}
		r.stopped = !r.visit(x)
		r.State.Late = r.State.Late || late
		return !r.stopped && !late && more
	})
	r.stopped = r.stopped || r.Over()
	r.State.Late = r.State.Late || shared && err == nil && !stats.Exhaustive && !r.stopped
	r.before = r.before.Then(&stats)
	r.stats = r.before
	r.stats.Exhaustive = false
	return stats.Exhaustive, err
}

// share returns how long a part may be explored that was begun at a time: those that are left get
// as long each. It is for ever if there is no limit.
func (r *run) share(k int, begin time.Time) time.Duration {
	if r.limit == 0 {
		return math.MaxInt64
	}
	left := r.limit - begin.Sub(r.begin)
	if k < 0 {
		return left
	}
	waiting := 1
	for i := k + 1; i < len(r.q.Parts()); i++ {
		if i >= len(r.found) || r.found[i] == 0 {
			waiting++
		}
	}
	if r.looks {
		return left / time.Duration(waiting) / lookShare
	}
	return left / time.Duration(waiting)
}

// worthwhile reports whether n executions, of all parts together, are likely to come to an
// end in half of the time that is left.
func (r *run) worthwhile(n float64) bool {
	took := time.Since(r.begin)
	left := math.Inf(1)
	if r.limit > 0 {
		left = (r.limit - took).Seconds()
	}
	return n <= mostTogether && n*took.Seconds()/float64(r.before.Executions) <= left/2
}

// mostTogether is how many executions, of all parts together, are worth the time.
const mostTogether = 100_000

// IsOnly reports whether the engine would end after x, since there is nothing else to explore.
func IsOnly(x *trace.Execution) bool { return x != nil && x.Only != nil && x.Only() }
