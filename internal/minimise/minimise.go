// Package minimise looks for the execution that shows a failure with the fewest
// preemptions, and among those with the fewest steps. A preemption is an event
// of another goroutine although the one that moved last is ready to go on.
//
// Two searches do it. Reductions edit the schedule at hand (bring two
// stretches of one goroutine together, leave a stretch out) and let the program
// run on without preemption where the edited schedule ends. A depth-first search
// bounded by the number of preemptions then tries 0, 1, 2, ... of them. Both
// have a budget, so a schedule is the shortest found, not always the shortest
// there is; the result says which.
package minimise

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

const (
	minimiseRuns = 2000 // executions of one bound, or of the reductions
	glanceRuns   = 50   // executions of one bound, before the reductions
)

// minimiser looks for simpler executions that fail in the same way as best.
type minimiser struct {
	p    trace.Program
	same func(trace.Failure) bool
	stop func() bool // the caller's wish to end early
	best *trial.Trial
	most time.Duration // by lag, how late code may be; 0 for as late as it likes

	runs  int       // executions left in the budget
	until time.Time // when the budget ends
	end   time.Time // when every budget ends
	now   func() time.Time
}

// Execution returns the simplest execution found that fails as best does, and has code no
// later, and whether there is provably none with fewer preemptions. To look for a simpler one
// may take up to total, by the clock now.
//
// First it only glances at what few preemptions do: to find that none are needed saves the
// reductions of what has some, and of a long schedule these take the most time.
func Execution(p trace.Program, best *trial.Trial, total time.Duration, same func(trace.Failure) bool, stop func() bool, now func() time.Time) (*trial.Trial, bool) {
	m := &minimiser{p: p, same: same, stop: stop, best: best, most: best.Delay.By, end: now().Add(total), now: now}
	m.refill(minimiseRuns, total)
	if !m.spent() {
		m.try(nil)
	}
	none := m.bounds(0, glanceRuns, total/4) // so many preemptions that there are none with fewer
	m.refill(minimiseRuns, total/2)
	m.reduce()
	had := m.best.Preemptions
	if none = m.bounds(none, minimiseRuns, total); m.best.Preemptions < had {
		m.refill(minimiseRuns, total)
		m.reduce()
	}
	return m.best, none >= m.best.Preemptions
}

// bounds searches with each bound below what the best execution has of preemptions, from the first
// one on, until it has found one, of runs executions each and in as much time for all of them. It
// returns the number of preemptions that less do not do.
func (m *minimiser) bounds(first, runs int, all time.Duration) (none int) {
	end := m.now().Add(all)
	if end.After(m.end) {
		end = m.end
	}
	none = first
	for b := first; b < m.best.Preemptions; b++ {
		m.refill(runs, end.Sub(m.now())/time.Duration(m.best.Preemptions-b))
		found, complete := m.bounded(b)
		if found {
			break
		}
		if complete && none == b {
			none++
		}
	}
	return none
}

// refill gives a budget of some executions, and of some time.
func (m *minimiser) refill(runs int, d time.Duration) {
	m.runs, m.until = runs, m.now().Add(d)
	if m.until.After(m.end) {
		m.until = m.end
	}
}

// spent reports whether no further execution is to be run, and counts one.
func (m *minimiser) spent() bool {
	m.runs--
	return m.runs < 0 || m.over()
}

// over reports whether the time of the budget is up.
func (m *minimiser) over() bool { return m.stop() || m.now().After(m.until) }

// try runs the schedule and takes it over if it is simpler and fails alike.
func (m *minimiser) try(s trace.Schedule) bool {
	t, ok := trial.Guide(m.p, s, m.best, m.over)
	if !ok || !t.Shows(m.same) || !t.Simpler(m.best) || m.later(t) {
		return false
	}
	m.best = t
	return true
}

// later reports whether t, which has just been run, has code later than it may be.
func (m *minimiser) later(t *trial.Trial) bool {
	return trial.DelayOf(m.p, t.Primary, len(t.Schedule)).By > m.most
}

// reduce edits the best schedule until no edit makes it simpler.
func (m *minimiser) reduce() {
	for m.merge() || m.drop() {
	}
}

// merge tries to bring a stretch of a goroutine together with its next one, by
// moving either to the other. It reports whether that helped once.
func (m *minimiser) merge() bool {
	s := m.best.Schedule[:m.best.Steps]
	for i := 0; i < len(s); {
		end := trial.Stretch(s, i)
		next := end
		for next < len(s) && s[next].G != s[i].G {
			next++
		}
		if next < len(s) && next > end {
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

// drop tries to leave out parts of the schedule, large ones first. It reports
// whether that helped once.
func (m *minimiser) drop() bool {
	s := m.best.Schedule[:m.best.Steps]
	for size := len(s) / 2; size > 0; size /= 2 {
		for i := 0; i < len(s); i += size {
			if m.spent() {
				return false
			}
			if m.try(slices.Concat(s[:i], s[min(i+size, len(s)):])) {
				return true
			}
		}
	}
	return false
}
