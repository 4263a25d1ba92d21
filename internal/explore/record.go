package explore

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// ToRecord returns what por test is told of a failure.
func ToRecord(rep *report.Failure) *record.Failure {
	f := &record.Failure{
		Kind: rep.Kind.String(), Headline: rep.Diagnosis.Headline, Place: rep.Diagnosis.At.Where(),
		Time: "discrete", Execution: rep.Execution, Preemptions: rep.Preemptions, Steps: rep.Steps, Fewest: rep.Fewest, Always: rep.Always != "",
		Saved: rep.Saved, Order: rep.Order, Report: rep.Report,
	}
	switch rep.Time {
	case sched.TimeLag:
		f.Time = "lag"
	case sched.TimeAnyOrder:
		f.Time = "any"
	}
	return f
}

// Order returns two places in the program for which the order matters, of operations that conflict
// and could have come in the other order. In this execution the second has come first: since the
// latest preemption for which there are two, in the place of the first, which the goroutine that
// was kept waiting did later. Without such a preemption they are the latest two. The result is nil
// if there are none.
func Order(entries []exec.Entry, steps int, preempted []int, c *trial.Conflicts) []string {
	if c == nil {
		return nil
	}
	entry := make(map[int]int, len(entries)) // the first of every step
	for i := range slices.Backward(entries) {
		entry[entries[i].Step] = i
	}
	end := min(c.Past().Len(), steps) // what comes after the failure has not led to it
	for _, at := range slices.Backward(preempted) {
		if at == 0 || at >= end {
			continue
		}
		kept := c.Past().G(at - 1)
		for m := at + 1; m < end; m++ {
			if c.Past().G(m) != kept {
				continue
			}
			if order := places(entries, entry, m, c.Reversed(at, m)); order != nil {
				return order
			}
		}
	}
	for m := end - 1; m > 0; m-- {
		for _, r := range c.Past().Races(m) {
			if order := places(entries, entry, m, int(r)); order != nil {
				return order
			}
		}
	}
	return nil
}

// places returns the places of two events, nil if they are of no use: one is not in the program's
// source, or they count goroutines that are waited for, in an order that makes no difference.
func places(entries []exec.Entry, entry map[int]int, later, earlier int) []string {
	i, ok := entry[later]
	j, known := entry[earlier]
	if !ok || !known {
		return nil
	}
	e, was := &entries[i], &entries[j]
	if e.File == "" || was.File == "" {
		return nil
	}
	switch e.Kind {
	case trace.OpWGAdd, trace.OpWGDone, trace.OpWGWait:
		return nil
	}
	return []string{placeOf(e), placeOf(was)}
}

// placeOf says where an entry is, what it does there, and where that was called.
func placeOf(e *exec.Entry) string {
	text := fmt.Sprintf("%s:%d: %s", e.File, e.Line, strings.TrimSpace(e.Op()+" "+naming.Object(e)))
	if len(e.Stack) > 1 && e.Stack[1].File != "" {
		text += fmt.Sprintf(", called in line %d", e.Stack[1].Line)
		if e.Stack[1].File != e.File {
			text += " of " + filepath.Base(e.Stack[1].File)
		}
	}
	return text
}
