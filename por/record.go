package por

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/sched"
)

// toRecord returns what por test is told of a failure.
func (rep *FailureReport) toRecord() *record.Failure {
	f := &record.Failure{
		Kind: rep.Kind.String(), Headline: rep.Diagnosis.Headline, Place: rep.Diagnosis.At.Where(),
		Time: "discrete", Execution: rep.Execution, Preemptions: rep.Preemptions, Steps: rep.Steps, Fewest: rep.Fewest,
		Saved: rep.Saved, Order: rep.order(), Report: rep.Report,
	}
	switch rep.Time {
	case sched.TimeLag:
		f.Time = "lag"
	case sched.TimeAnyOrder:
		f.Time = "any"
	}
	return f
}

// order returns two places in the program whose order matters: of the latest preemption, what
// the goroutine that was kept waiting would have done next, and what was done in its place.
// Without one it is the latest two operations of different goroutines on one object. The
// result is nil if nothing is known.
func (rep *FailureReport) order() []string {
	if n := len(rep.preempted); n > 0 {
		entry := make(map[int]int, len(rep.Entries)) // by step
		for i := range slices.Backward(rep.Entries) {
			entry[rep.Entries[i].Step] = i
		}
		for _, at := range slices.Backward(rep.preempted) {
			if order := rep.orderAt(entry, at); order != nil {
				return order
			}
		}
	}
	latest := make(map[string]*sched.Entry)
	var order []string
	for i := range rep.Entries {
		e := &rep.Entries[i]
		if e.Obj == "" || e.File == "" || strings.HasPrefix(e.Obj, "WaitGroup") {
			continue
		}
		if was := latest[e.Obj]; was != nil && was.G != e.G {
			order = []string{placeOf(was), placeOf(e)}
		}
		latest[e.Obj] = e
	}
	return order
}

// orderAt returns the places that have to do with the preemption by event number step.
// Entry holds the first entry of every step.
func (rep *FailureReport) orderAt(entry map[int]int, step int) []string {
	i, ok := entry[step]
	before, was := entry[step-1]
	if !ok || !was {
		return nil
	}
	kept := rep.Entries[before].G
	for j := i; j < len(rep.Entries); j++ {
		e := &rep.Entries[j]
		if e.G == kept && e.Step > step && e.File != "" && rep.Entries[i].File != "" {
			return []string{placeOf(e), placeOf(&rep.Entries[i])}
		}
	}
	return nil
}

// placeOf says where an entry is, what it does there, and where that was called.
func placeOf(e *sched.Entry) string {
	text := fmt.Sprintf("%s:%d: %s", e.File, e.Line, strings.TrimSpace(e.Op+" "+object(e)))
	if len(e.Stack) > 1 && e.Stack[1].File != "" {
		text += fmt.Sprintf(", called in line %d", e.Stack[1].Line)
		if e.Stack[1].File != e.File {
			text += " of " + filepath.Base(e.Stack[1].File)
		}
	}
	return text
}
