// Package minimise looks for the execution that shows a failure with the fewest preemptions,
// and among those for one with the fewest steps. A preemption is an event of another goroutine
// although the goroutine of the previous event is enabled.
//
// It combines three searches. The events of the current execution are performed with the fewest
// preemptions that their happens-before order allows: that is a search in a graph, and takes one
// execution to try. Reductions edit the schedule: they undo preemptions, many at once, merge two
// stretches of one goroutine, or drop a stretch, and continue without preemption where the edited
// schedule ends. A depth-first search then tries 0, 1, 2 and more preemptions. All have a budget,
// so the result is the shortest schedule found, not always the shortest that exists; the result
// says which.
package minimise

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

const (
	minimiseRuns = 2000 // executions per bound, or of the reductions
	glanceRuns   = 20   // executions without preemptions, before the reductions
	glance       = 8    // the part of the time for them, as a divisor
)

// minimiser looks for simpler executions that show the same failure as best.
type minimiser struct {
	p    trace.Program
	same func(trace.Failure) bool
	stop func() bool // the caller wants to end early
	best *trial.Trial
	most time.Duration // with TimeLag, the largest delay of code; 0 for no limit

	runs  int       // executions left in the budget
	until time.Time // end of the budget
	end   time.Time // end of all budgets
	now   func() time.Time

	last     time.Time // end of reductions as long as there are more than few preemptions
	reducing bool      // reductions are under way
}

// Budget is the time for minimising an execution.
type Budget struct {
	Enough time.Duration // for most executions
	Most   time.Duration // for those that have many preemptions after that, at least Enough
	// Long says that an execution without preemptions is good enough, however many steps it has.
	Long bool
}

// few is a number of preemptions that can be read.
const few = 2

// Execution returns the simplest execution found that shows the same failure as best and delays
// code no longer. The second result says whether it is proven that no execution has fewer
// preemptions. The budget is by the clock now.
//
// It begins with the executions that perform the same events in the same happens-before order.
// Then comes a short search without preemptions: if none is needed, that saves the reductions,
// which take most of the time for long schedules.
func Execution(p trace.Program, best *trial.Trial, b Budget, same func(trace.Failure) bool, stop func() bool, now func() time.Time) (*trial.Trial, bool) {
	begin := now()
	m := &minimiser{p: p, same: same, stop: stop, best: best, most: best.Delay.By,
		end: begin.Add(b.Enough), last: begin.Add(b.Most), now: now}
	m.refill(minimiseRuns, b.Enough)
	if !m.spent() {
		m.try(nil)
	}
	if b.Long && m.best.Preemptions == 0 {
		return m.best, true
	}
	m.reorder()
	none := 0 // proven lower bound of the number of preemptions
	if m.best.Preemptions > 0 {
		m.refill(glanceRuns, b.Enough/glance)
		none = m.bound(0, none)
	}
	part := b.Enough
	if m.best.Preemptions > 0 {
		part /= 2 // the search for fewer has the rest
	}
	m.refill(minimiseRuns, part)
	m.reduce()
	had := m.best.Preemptions
	if none = m.bounds(none, minimiseRuns, b.Enough); m.best.Preemptions < had {
		m.refill(minimiseRuns, b.Enough)
		m.reduce()
	}
	return m.best, none >= m.best.Preemptions
}

// Plain returns the execution without preemptions if it fails as t does and is simpler, else t.
// That is all that is done for a failure that shows whatever the schedule.
func Plain(p trace.Program, t *trial.Trial) *trial.Trial {
	same := func(f trace.Failure) bool { return f.Kind == t.Primary.Kind && f.Msg == t.Primary.Msg }
	if plain, ok := trial.Guide(p, nil, t, nil); ok && plain.Shows(same) && plain.Simpler(t) {
		return plain
	}
	return t
}

// bounds searches with each bound from first up to below the preemptions of the best execution,
// until it finds one. Each bound has a budget of runs executions, and all share the given time.
// It returns a proven lower bound of the number of preemptions.
func (m *minimiser) bounds(first, runs int, all time.Duration) (none int) {
	end := m.now().Add(all)
	if end.After(m.end) {
		end = m.end
	}
	none = first
	for b := first; b < m.best.Preemptions; b++ {
		m.refill(runs, end.Sub(m.now())/time.Duration(m.best.Preemptions-b))
		none = m.bound(b, none)
	}
	return none
}

// bound searches with a bound, where none is a proven lower bound of the number of preemptions. It
// returns the one that is proven now.
func (m *minimiser) bound(b, none int) int {
	if found, complete := m.bounded(b); complete && !found && none == b {
		none++
	}
	return none
}

// refill sets the budget of executions and time.
func (m *minimiser) refill(runs int, d time.Duration) {
	m.runs, m.until = runs, m.now().Add(d)
	if m.until.After(m.end) {
		m.until = m.end
	}
}

// spent reports whether the budget is spent, and counts one execution.
func (m *minimiser) spent() bool {
	m.runs--
	return m.runs < 0 || m.over()
}

// over reports whether the time of the budget is up.
func (m *minimiser) over() bool {
	now := m.now()
	goesOn := m.reducing && m.best.Preemptions > few && !now.After(m.last)
	return m.stop() || now.After(m.until) && !goesOn
}

// try runs the schedule and adopts it if it is simpler and shows the same failure.
func (m *minimiser) try(s trace.Schedule) bool {
	t, ok := trial.Guide(m.p, s, m.best, m.over)
	if !ok || !t.Shows(m.same) || !t.Simpler(m.best) || m.later(t) {
		return false
	}
	m.best = t
	return true
}

// later reports whether t, the latest execution, delays code longer than allowed.
func (m *minimiser) later(t *trial.Trial) bool {
	return trial.DelayOf(m.p, t.Primary, len(t.Schedule)).By > m.most
}

// reduce edits the best schedule until no edit makes it simpler.
func (m *minimiser) reduce() {
	m.reducing = true
	defer func() { m.reducing = false }()
	for m.undo() || m.merge(false) || m.drop() || m.merge(true) {
		m.reorder()
	}
}

// merge tries to merge a stretch of a goroutine with the goroutine's next one, by moving either to
// the other. Unless all is set, the stretch has to begin or end with a preemption. It reports
// whether one such edit has helped.
func (m *minimiser) merge(all bool) bool {
	s, preempted := m.best.Schedule[:m.best.Steps], m.best.Preempted[:m.best.Preemptions]
	for i := 0; i < len(s); {
		end := trial.Stretch(s, i)
		next := end
		for next < len(s) && s[next].G != s[i].G {
			next++
		}
		_, begins := slices.BinarySearch(preempted, i)
		_, ends := slices.BinarySearch(preempted, end)
		if (all || begins || ends) && next < len(s) && next > end {
			after := trial.Stretch(s, next)
			earlier := slices.Concat(s[:end], s[next:after], s[end:next], s[after:])
			later := slices.Concat(s[:i], s[end:next], s[i:end], s[next:])
			for _, c := range []trace.Schedule{earlier, later} {
				if m.spent() {
					return false
				}
				if m.try(c) {
					return true
				}
			}
		}
		i = end
	}
	return false
}

// fine is the part of a schedule that drop leaves out at least, as a divisor.
const fine = 16

// drop tries to leave out parts of the schedule, large ones first. It reports whether that has
// saved a preemption.
func (m *minimiser) drop() bool {
	had := m.best.Preemptions
	for size := m.best.Steps / 2; size > 0 && size >= m.best.Steps/fine; size /= 2 {
		for i := 0; i < m.best.Steps && !m.spent(); {
			if s := m.best.Schedule[:m.best.Steps]; !m.try(slices.Concat(s[:i], s[min(i+size, len(s)):])) {
				i += size
			}
		}
	}
	return m.best.Preemptions < had
}
