package por

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Minimising looks for the execution that shows a failure with the fewest
// preemptions, and among those with the fewest steps. A preemption is an event
// of another goroutine although the one that moved last is ready to go on.
//
// Two searches do it. Reductions edit the schedule at hand (bring two
// stretches of one goroutine together, leave a stretch out) and let the program
// run on without preemption where the edited schedule ends. A depth-first search
// bounded by the number of preemptions then tries 0, 1, 2, ... of them. Both
// have a budget, so a schedule is the shortest found, not always the shortest
// there is; the result says which.

const (
	minimiseRuns = 2000    // executions of one bound, or of the reductions
	glanceRuns   = 50      // ... of one bound, before the reductions
	glance       = 1 << 10 // steps between two looks at the clock
)

// trial is an execution that was run to its end step by step.
type trial struct {
	schedule  trace.Schedule
	kinds     []trace.Kind // of the events
	preempted []int        // the events that are preemptions, ascending
	failures  []trace.Failure
	primary   trace.Failure // the first failure by rank, zero if there is none

	// steps and preemptions measure the execution up to where the failure shows.
	steps, preemptions int

	delay sched.Delay // by lag, up to there, if that is known

	conflicts *conflicts // of the events, nil if they are not known
}

// simpler reports whether t is to be preferred to u.
func (t *trial) simpler(u *trial) bool {
	if t.preemptions != u.preemptions {
		return t.preemptions < u.preemptions
	}
	return t.steps < u.steps
}

// add appends a choice that performed an operation of that kind.
func (t *trial) add(c trace.Choice, kind trace.Kind, preempts bool) {
	if preempts {
		t.preempted = append(t.preempted, len(t.schedule))
	}
	t.schedule = append(t.schedule, c)
	t.kinds = append(t.kinds, kind)
}

// judge ends the trial with its failures.
func (t *trial) judge(failures []trace.Failure) {
	t.failures = slices.Clone(failures)
	t.steps, t.preemptions = len(t.schedule), len(t.preempted)
	if len(failures) == 0 {
		return
	}
	t.speakOf(primary(failures))
}

// speakOf makes a failure of the trial the one that it is about.
func (t *trial) speakOf(f trace.Failure) {
	t.primary = f
	t.steps, t.preemptions = len(t.schedule), len(t.preempted)
	if at := f.Step; at >= 0 && at < len(t.schedule) && shows(f.Kind) {
		t.steps = at + 1
		t.preemptions, _ = slices.BinarySearch(t.preempted, t.steps)
	}
}

// shows reports whether a failure of the trial is a certain one, and makes that the one
// that the trial is about.
func (t *trial) shows(same func(trace.Failure) bool) bool {
	if len(t.failures) > 0 && same(t.primary) {
		return true
	}
	i := slices.IndexFunc(t.failures, same)
	if i >= 0 {
		t.speakOf(t.failures[i])
	}
	return i >= 0
}

func isRace(f trace.Failure) bool { return f.Kind == trace.FailRace }

// shows reports whether a failure of that kind shows in the event that it
// names, rather than at the end of the execution.
func shows(k trace.FailureKind) bool {
	switch k {
	case trace.FailPanic, trace.FailFatal, trace.FailAssertion, trace.FailRace:
		return true
	}
	return false
}

// primary returns the failure to speak of: one that shows in an event before one
// that is only seen when nobody can run, which may be its consequence.
func primary(failures []trace.Failure) trace.Failure {
	for _, f := range failures {
		if shows(f.Kind) {
			return f
		}
	}
	return failures[0]
}

// noGoroutine stands for the goroutine that moved before the first step.
const noGoroutine trace.ID = -1

// guided runs an execution along a schedule. A choice that cannot be made is
// left out, and after the last one the goroutine that moved last goes on as long
// as it can, the lowest ready one after it. If limit is not nil and the execution
// is not simpler, the result is false, and the execution may have been given up.
// So it is when over, which may be nil, says true, and after an error in
// performing a step.
func guided(p trace.Program, want trace.Schedule, limit *trial, over func() bool) (*trial, bool) {
	r := p.Start()
	defer r.Close()
	t := &trial{schedule: make(trace.Schedule, 0, len(want))}
	last := noGoroutine
	for {
		ops := r.Pending()
		if len(ops) == 0 {
			break
		}
		if limit != nil && (len(t.preempted) > limit.preemptions || len(t.schedule) > 2*len(limit.schedule)) {
			return t, false
		}
		if len(t.schedule)%glance == glance-1 && over != nil && over() {
			return t, false
		}
		lastReady := pendingOf(ops, last)
		var op *trace.Op
		var c trace.Choice
		for op == nil && len(want) > 0 {
			c, want = want[0], want[1:]
			if op = chosen(r, ops, c); op != nil && c.Alt >= op.Alts {
				op = nil
			}
		}
		if op == nil {
			if op = lastReady; op == nil {
				op = firstOf(ops)
			}
			c = trace.Choice{G: op.G}
		}
		t.add(c, op.Kind, lastReady != nil && c.G != last)
		if _, err := r.Step(c); err != nil {
			return t, false
		}
		last = c.G
	}
	t.judge(r.Outcome())
	return t, limit == nil || t.simpler(limit)
}

// chosen returns the operation that c chooses, of those that are pending, or to let time pass; nil
// if there is none.
func chosen(r trace.Run, ops []*trace.Op, c trace.Choice) *trace.Op {
	op := pendingOf(ops, c.G)
	if op == nil && guard.Passes(r, c) {
		op = &trace.Op{G: c.G, Kind: trace.OpAdvance, Alts: 1}
	}
	return op
}

// firstOf returns the operation to go on with, where nothing says which: not the clock's
// next move, if there is another one.
func firstOf(ops []*trace.Op) *trace.Op {
	for _, op := range ops {
		if op.Kind != trace.OpAdvance {
			return op
		}
	}
	return ops[0]
}

// pendingOf returns the operation of goroutine g, nil if g is not ready.
func pendingOf(ops []*trace.Op, g trace.ID) *trace.Op {
	for _, op := range ops {
		if op.G == g {
			return op
		}
	}
	return nil
}

// minimiser looks for simpler executions that fail in the same way as best.
type minimiser struct {
	p    trace.Program
	same func(trace.Failure) bool
	stop func() bool // the caller's wish to end early
	best *trial
	most time.Duration // by lag, how late code may be; 0 for as late as it likes

	runs  int       // executions left in the budget
	until time.Time // when the budget ends
	end   time.Time // when every budget ends
	now   func() time.Time
}

// minimise returns the simplest execution found that fails as best does, and has code no
// later, and whether there is provably none with fewer preemptions. To run best took as long
// as took says; to look for a simpler one may take up to total, by the clock now.
//
// First it only glances at what few preemptions do: to find that none are needed saves the
// reductions of what has some, and of a long schedule these take the most time.
func minimise(p trace.Program, best *trial, took, total time.Duration, same func(trace.Failure) bool, stop func() bool, now func() time.Time) (*trial, bool) {
	total = min(total, reportTime.minimise)
	if took > reportTime.long() {
		total /= 2
	}
	m := &minimiser{p: p, same: same, stop: stop, best: best, most: best.delay.By, end: now().Add(total), now: now}
	m.refill(minimiseRuns, total)
	if !m.spent() {
		m.try(nil)
	}
	none := m.bounds(0, glanceRuns, total/4) // so many preemptions that there are none with fewer
	m.refill(minimiseRuns, total/2)
	m.reduce()
	had := m.best.preemptions
	if none = m.bounds(none, minimiseRuns, total); m.best.preemptions < had {
		m.refill(minimiseRuns, total)
		m.reduce()
	}
	return m.best, none >= m.best.preemptions
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
	for b := first; b < m.best.preemptions; b++ {
		m.refill(runs, end.Sub(m.now())/time.Duration(m.best.preemptions-b))
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
	t, ok := guided(m.p, s, m.best, m.over)
	if !ok || !t.shows(m.same) || !t.simpler(m.best) || m.later(t) {
		return false
	}
	m.best = t
	return true
}

// later reports whether t, which has just been run, has code later than it may be.
func (m *minimiser) later(t *trial) bool {
	return delayOf(m.p, t.primary, len(t.schedule)).By > m.most
}

// reduce edits the best schedule until no edit makes it simpler.
func (m *minimiser) reduce() {
	for m.merge() || m.drop() {
	}
}

// merge tries to bring a stretch of a goroutine together with its next one, by
// moving either to the other. It reports whether that helped once.
func (m *minimiser) merge() bool {
	s := m.best.schedule[:m.best.steps]
	for i := 0; i < len(s); {
		end := stretch(s, i)
		next := end
		for next < len(s) && s[next].G != s[i].G {
			next++
		}
		if next < len(s) && next > end {
			after := stretch(s, next)
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

// stretch returns where the stretch of one goroutine that begins at i ends.
func stretch(s trace.Schedule, i int) int {
	end := i + 1
	for end < len(s) && s[end].G == s[i].G {
		end++
	}
	return end
}

// drop tries to leave out parts of the schedule, large ones first. It reports
// whether that helped once.
func (m *minimiser) drop() bool {
	s := m.best.schedule[:m.best.steps]
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
