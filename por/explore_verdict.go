package por

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/unfold"
)

// verdict returns the one line that says what was covered and what was found.
func (s *session) verdict(res *Result) string {
	text := s.coverage(res)
	if s.foreign {
		text += "; POR_REPLAY holds the schedule of another program and was not used"
	}
	return text
}

func (s *session) coverage(res *Result) string {
	n := res.Stats.Executions
	engine := engineTitle(s.cfg.engine)
	took := roundTime(res.Stats.Elapsed)
	if k := len(res.Failures); k > 0 {
		found := "a failure was found"
		if k > 1 {
			found = fmt.Sprintf("%d distinct failures were found", k)
		}
		return fmt.Sprintf("%s explored in %s, %s (%s)", counted(n, "execution"), took, found, engine)
	}
	if res.Exhaustive {
		unit := countedBy(s.cfg.engine)
		if unit == "" {
			return fmt.Sprintf("%s explored, none fails (exhaustive; %s, %s)", counted(n, "execution"), engine, took)
		}
		if n == 1 {
			return fmt.Sprintf("the only %s explored, it does not fail (exhaustive; %s, %s)", strings.TrimSuffix(unit, "s"), engine, took)
		}
		return fmt.Sprintf("all %s explored, none fails (exhaustive; %s, %s)", counted(n, unit), engine, took)
	}
	why := "the engine does not cover everything"
	if text, _ := s.claim(&res.Stats); text != "" {
		why = "bounded"
	}
	if s.unfair > 0 && s.halted() == running {
		why = "some schedules are unfair"
	}
	if random, _ := samples(s.cfg.engine); random {
		why = "drawn at random"
	}
	switch s.halted() {
	case stopExecutions:
		why = "execution limit"
	case stopTime:
		why = "time limit"
	case stopDeadline:
		why = "the deadline of the test"
	}
	if s.unfair > 0 {
		why += fmt.Sprintf("; %s more cut short at the step limit, where a loop polled and others were kept waiting", group(s.unfair))
	}
	return fmt.Sprintf("%s explored in %s%s, none fails; NOT exhaustive (%s; %s)", counted(n, "execution"), took, s.covered(&res.Stats), why, engine)
}

// counting is an engine of a researcher's own that can say what its complete
// executions are when it has covered everything: "traces", "interleavings".
type counting interface{ Counts() string }

// countedBy names the complete executions of an exhaustive search by e, "" if
// some may show the same thing twice.
func countedBy(e sched.Engine) string {
	switch e := e.(type) {
	case DFS:
		return "interleavings"
	case DPOR, Source, Optimal:
		return "traces"
	case counting:
		return e.Counts()
	}
	return ""
}

// engineTitle returns how verdicts call an engine.
func engineTitle(e sched.Engine) string {
	switch e := e.(type) {
	case DFS:
		return "depth-first search"
	case DPOR:
		return "DPOR"
	case Source:
		return "source-DPOR"
	case Optimal:
		return "optimal DPOR"
	case unfold.QPOR:
		return fmt.Sprintf("quasi-optimal POR, k = %d", e.K)
	case unfold.Optimal:
		return "optimal POR by unfolding"
	}
	return e.Name()
}

// statsLine returns the statistics in one line.
func statsLine(st sched.Stats) string {
	rate := ""
	if sec := st.Elapsed.Seconds(); sec > 0 {
		rate = fmt.Sprintf(" (%s executions/s)", group(int64(float64(st.Executions)/sec)))
	}
	kept := ""
	if st.Kept > 0 {
		kept = ", at most " + counted(st.Kept, "event") + " kept"
	}
	return fmt.Sprintf("%s, %s blocked, %s pruned, %s and %s replayed, %s reversed, %s, longest %s%s, %s%s",
		counted(st.Executions, "execution"), group(st.Blocked), group(st.Pruned),
		counted(st.Steps, "step"), group(st.Replayed), counted(st.Races, "race"),
		counted(st.Checks, "dependence check"), counted(int64(st.MaxDepth), "step"), kept, roundTime(st.Elapsed), rate)
}

// counted returns a number with its noun.
func counted(n int64, noun string) string {
	noun = strings.TrimSuffix(noun, "s")
	if n != 1 {
		noun += "s"
	}
	return group(n) + " " + noun
}

// group writes a number with commas.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// roundTime writes a time with about three digits.
func roundTime(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}
