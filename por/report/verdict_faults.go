package report

import (
	"fmt"
	"strings"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched"
)

// FaultCover says what a search with faults has covered; see por.Faults.
type FaultCover struct {
	Kinds  sched.Faults
	Seen   sched.Faults // kinds for which there was a place
	Most   int          // faults of an execution
	Needs  string       // what would let the search cover more, "time: por.MaxTime"
	Again  faults.Again // what earlier searches have kept
	Mixed  faults.Mixed // plans that were drawn where there are too many
	Levels []FaultLevel
	// Trouble says what is wrong with the files of what is kept, "" for nothing.
	Trouble string
}

// FaultLevel says what a search has covered of the executions with a number of faults.
type FaultLevel = faults.Level

// Exhausted reports whether everything was covered with as many faults as there may be.
func (c *FaultCover) Exhausted() bool {
	for i := range c.Levels {
		if !c.Levels[i].Exhausted() {
			return false
		}
	}
	n := len(c.Levels)
	return n == c.Most || n > 0 && c.Levels[n-1].Plans == 0
}

// kinds names the kinds of faults.
func (c *FaultCover) kinds() string {
	if c.Kinds == sched.FaultsAll {
		return "any kind"
	}
	return strings.ReplaceAll(c.Kinds.String(), ",", ", ")
}

// text says what was covered, beginning with a semicolon.
func (c *FaultCover) text() string {
	text := c.again()
	if n := c.Mixed.Plans; n > 0 {
		text = fmt.Sprintf("; %s drawn with up to %s (%s), by mixes of kinds, none fails", format.Counted(c.Mixed.Executions, "execution"), format.Counted(int64(c.Most), "fault"), c.kinds())
	}
	for i := range c.Levels {
		l := &c.Levels[i]
		if l.Plans == 0 {
			continue
		}
		text += fmt.Sprintf("; with %s (%s): ", format.Counted(int64(l.Faults), "fault"), c.kinds())
		plans := format.Counted(int64(l.Plans), "plan")
		done := max(l.Drawn, l.Covered)
		switch {
		case l.Exhausted():
			text += fmt.Sprintf("all executions of %s explored, %s, none fails", plans, format.Grouped(l.Executions))
		case l.Executions == 0:
			text += "NOT explored"
		case done == l.Plans && l.All:
			text += fmt.Sprintf("%s, some of each of %s, all of %s, none fails; NOT exhaustive", format.Counted(l.Executions, "execution"), plans, format.Grouped(int64(l.Covered)))
		default:
			text += fmt.Sprintf("%s, of %s of %s%s, none fails; NOT exhaustive", format.Counted(l.Executions, "execution"), format.Grouped(int64(done)), plans, earlier(l))
		}
	}
	switch n := len(c.Levels); {
	case n > 0 && c.Levels[0].Plans == 0:
		text += "; there is no place for a fault (" + c.kinds() + ")"
	case n < c.Most && (n == 0 || c.Levels[n-1].Plans > 0):
		text += "; with more faults NOT explored"
	}
	if text += c.unseen(); c.Trouble != "" {
		text += "; what is kept of searches: " + c.Trouble
	}
	return text
}

// earlier says how many other plans earlier searches have tried, with a space before it.
func earlier(l *FaultLevel) string {
	if l.Earlier == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s others on earlier runs)", format.Grouped(int64(l.Earlier)))
}

// again says what has come of executions that earlier searches have kept, beginning with a
// semicolon.
func (c *FaultCover) again() string {
	a := &c.Again
	if a.Kept+a.Left == 0 {
		return ""
	}
	text := fmt.Sprintf("; %s of earlier runs again, and %s near these, none fails", format.Counted(a.Executions, "execution"), format.Grouped(a.Near))
	if a.Lost > 0 {
		text += fmt.Sprintf(" (%s of %s no longer reach what they did)", format.Grouped(int64(a.Lost)), format.Grouped(int64(a.Kept)))
	}
	if a.Left > 0 {
		text += fmt.Sprintf(" (no time for %s)", format.Grouped(int64(a.Left)))
	}
	return text
}

// unseen says which of the kinds of faults of files had no place, and why. It is not said if all
// kinds were asked for.
func (c *FaultCover) unseen() (text string) {
	if c.Kinds == sched.FaultsAll {
		return ""
	}
	for _, x := range []struct {
		kind sched.Faults
		why  string
	}{
		{sched.FaultSync, "no Sync of a changed file that the test has made"},
		{sched.FaultFull, "no Write to a file that the test has made"},
		{sched.FaultTorn, "no node has unsynced changes of files that the test has made; see por.NewNode"},
	} {
		if c.Kinds&x.kind != 0 && c.Seen&x.kind == 0 {
			text += fmt.Sprintf("; no place for %v (%s)", x.kind, x.why)
		}
	}
	return text
}

// without says that there were no faults, if others have them, beginning with a space.
func (v *Verdict) without() string {
	if v.Faults == nil {
		return ""
	}
	return " without faults"
}

// planned says how many faults the executions of a search have, beginning with a space.
func (v *Verdict) planned() string {
	if v.Options.Plan == "" {
		return ""
	}
	return " with " + format.Counted(int64(1+strings.Count(v.Options.Plan, ",")), "fault")
}
