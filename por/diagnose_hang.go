package por

import (
	"strings"

	"github.com/gopor/gopor/sched/trace"
)

// This file is about executions that take more virtual time than the limit allows.

// hangs begins what package sched says of them.
const hangs = "hangs: "

// isHang reports whether the test had not returned in the time that it may take, see [MaxClock].
func isHang(f trace.Failure) bool {
	return f.Kind == trace.FailDeadlock && strings.HasPrefix(f.Msg, hangs)
}

// judgeHang says who waits for what in an execution that hangs, and what goes on. If goroutines wait
// for each other the bug has a name, and something to say about it.
func (x *examination) judgeHang(v *ruling, f trace.Failure, bug, about string) {
	v.bug, v.headline = "hang", f.Msg
	waits, goes, found := strings.Cut(strings.TrimPrefix(f.Msg, hangs), "; ")
	switch {
	case bug != "":
		v.bug = "deadlock" + bug
		waits = kindOf(f) + bug + ": " + about
	case f.Part != "":
		waits = "in " + f.Part + ", " + waits
	case !found: // main goes on itself
		if round := x.mainRepeats(); round != "" {
			waits = "main repeats " + round + ", for ever"
		}
	}
	v.headline = hangs + waits
	if found {
		v.headline += "; " + goes
		if at := x.latestWaiter(); at != "" {
			v.headline += " (" + at + ")"
		}
	}
}

// mainRepeats says what main does again and again at the end, "" if that is not known.
func (x *examination) mainRepeats() string {
	names, rounds := x.repeats()
	if len(names) == 0 || names[0] != "main" {
		return ""
	}
	return x.roundInWords(rounds["main"].last())
}

// latestWaiter returns where the goroutine waits that was the last to move.
func (x *examination) latestWaiter() string {
	latest := -1
	for _, i := range x.waits.last {
		latest = max(latest, i)
	}
	if latest < 0 || x.entries[latest].File == "" {
		return ""
	}
	return position(&x.entries[latest])
}
