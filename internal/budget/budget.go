// Package budget says how long the report of a long execution may take, and how much of such an
// execution is recorded. To run one once more takes seconds, and to record it as a whole takes
// minutes. So there is time for some runs, and only a part is recorded: what follows each fault,
// and what leads to the failure.
package budget

import (
	"fmt"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/trace"
)

const (
	// Runs is for how many runs of a long execution minimising has time at least. The first one has
	// no preemptions, and the same faults.
	Runs = 5
	// Script is how many steps a schedule has that is run before it is recorded.
	Script = 20_000
	// recordTimes is how many times as long as to run an execution it takes to record it, at most.
	recordTimes = 20
	// recordedLast is how many steps are recorded up to the failure of a long execution.
	recordedLast = 2000
)

// Times is how long what is done for the report of one failure may take.
type Times struct {
	Every    time.Duration // of looking for a schedule that does not fail
	Least    time.Duration // of minimising, if the execution is short
	Minimise time.Duration // of minimising
	Total    time.Duration // of running the execution once more, and of recording it
	Near     time.Duration // of looking near a saved schedule that does not fit
}

// Minimising returns the time for minimising an execution that takes as long as took says, where
// there is no more time than total. It is enough for two dozen executions of that length: one is
// enough for a schedule in the same order, and most preemptions are undone many at a time.
func (t Times) Minimising(took, total time.Duration) minimise.Budget {
	most := min(total, max(t.Minimise, Runs*took))
	return minimise.Budget{Enough: min(most, max(t.Least, executions*took)), Most: most, Long: Runs*took > t.Minimise}
}

// executions is the number of executions for which minimising has time.
const executions = 24

// Long is what is known of the time that the latest execution has taken.
type Long struct {
	begun  time.Time     // when the execution that runs has begun, zero if that is not known
	latest time.Duration // of the latest execution that has ended
	Took   time.Duration // of running the failing one once more, 0 if that was not done
	From   int           // the first event to be recorded, 0 for all
}

// Begins notes that an execution begins.
func (l *Long) Begins() { l.begun = time.Now() }

// Ends notes that the execution that runs has ended.
func (l *Long) Ends() {
	if !l.begun.IsZero() {
		l.latest = time.Since(l.begun)
	}
}

// AtLeast returns d, or the time for some runs of the latest execution if that is longer.
func (l *Long) AtLeast(d time.Duration) time.Duration { return max(d, Runs*l.latest) }

// Decide decides how much of the execution of t is recorded, if recording is to take no longer than
// limit. A data race has to be recorded as a whole, since its first access may be anywhere.
func (l *Long) Decide(t *trial.Trial, limit time.Duration) {
	l.From = 0
	if recordTimes*l.Took > limit && t.Primary.Kind != trace.FailRace {
		l.From = max(0, t.Steps-recordedLast)
	}
}

// Note says what was recorded, "" for everything.
func (l *Long) Note() string {
	if l.From == 0 {
		return ""
	}
	return "Of this long execution only what follows each fault was recorded, and what comes from step " + format.Grouped(int64(l.From)) + " on."
}

// Planned says which faults a plan of executions of p has. Reports of executions that were not
// recorded say so.
func Planned(plan string, p trace.Program) (all []string) {
	list, err := faults.Parse(plan)
	if err != nil {
		return nil
	}
	n := trial.PathsOf(p)
	for _, f := range list {
		text := fmt.Sprintf("%v at use %d of a socket by %s", f.Kind, f.N+1, n.Name(n.Lookup(f.Path)))
		if f.For > 0 {
			text += fmt.Sprintf(", for %v", f.For)
		}
		all = append(all, text)
	}
	return all
}
