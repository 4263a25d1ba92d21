package por

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// This file writes numbers for people.

// statsLine returns the statistics in one line.
func statsLine(st trace.Stats) string {
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
