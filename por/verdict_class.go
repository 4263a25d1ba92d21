package por

import "github.com/gopor/gopor/internal/record"

// Class returns the class of the verdict in the summary of por test: "under every schedule",
// "with assumptions", "stopped by a limit" or "fail". It is "" if there was no search.
func (v Verdict) Class() string {
	switch {
	case v.Failures > 0:
		return string(record.Fails)
	case v.Replayed:
		return ""
	case v.stopped() != nil:
		return string(record.Stopped)
	}
	for w := &v; w != nil; w = w.Then {
		if !w.Exhaustive {
			return string(record.Assuming)
		}
	}
	return string(record.Every)
}

// stopped returns the first of the searches that has not covered everything, nil if all have.
func (v *Verdict) stopped() *Verdict {
	for w := v; w != nil; w = w.Then {
		if !w.Covered {
			return w
		}
	}
	return nil
}

// Needs returns what has stopped a search that would cover more, and what sets it, such as
// "time: -check.time"; "" if the class is another one.
func (v Verdict) Needs() string {
	if v.Class() != string(record.Stopped) {
		return ""
	}
	w := v.stopped()
	if w.needs == noSetting {
		return w.Limit
	}
	return limitNames[w.needs] + ": " + w.from.name(w.needs)
}

// limitNames is what limits are called, by the setting that moves them.
var limitNames = [...]string{
	settingTime:       "time",
	settingExecutions: "executions",
	settingMemory:     "memory",
	settingSteps:      "steps",
	settingEngine:     "the engine",
	settingTimeout:    "the deadline of the test",
}
