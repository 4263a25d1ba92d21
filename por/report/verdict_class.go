package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/sched"
)

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
		if !w.Covered || w.Faults != nil && !w.Faults.Exhausted() {
			return w
		}
	}
	return nil
}

// Took returns how long the search took, with its later phases.
func (v Verdict) Took() (d time.Duration) {
	for w := &v; w != nil; w = w.Then {
		d += w.Stats.Elapsed
	}
	return d
}

// Needs returns what has stopped a search that would cover more, and what sets it, such as
// "time: -check.time"; "" if the class is another one.
func (v Verdict) Needs() string {
	if v.Class() != string(record.Stopped) {
		return ""
	}
	w := v.stopped()
	if w.Covered {
		return w.Faults.Needs
	}
	return cmp.Or(w.Cause.Needs, w.Limit)
}

// Assumed returns what a search takes for granted that has explored everything and is not
// exhaustive, in a line each, with the setting that explores it, if there is one: "maps are ranged
// over in one order: -check.maps=explore". It is nil if the class is another one. [Verdict.Details]
// says where each was met.
func (v Verdict) Assumed() []string {
	if v.Class() != string(record.Assuming) {
		return nil
	}
	var texts []string
	for w := &v; w != nil; w = w.Then {
		for _, a := range w.Open() {
			t := advice.Of(a)
			text := t.Short
			switch {
			case a.Kind == sched.AssumeCode || a.Kind == sched.AssumeSource || a.Kind == sched.AssumeVariable:
				text += " (" + a.What + ")"
			case a.Kind == sched.AssumeClock && t.What == "" || w.isSet(t.Set):
				// Most programs fail if timers fire at any moment, so that flag is no advice.
			default:
				if set := cmp.Or(t.SetTo(w.from()), w.from().Name(t.Set)); set != "" {
					text += ": " + set
				}
			}
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// isSet reports whether the options explore what a setting explores, as far as that can be done.
func (v *Verdict) isSet(set advice.Setting) bool {
	return set == advice.SettingRand && v.Options.Rand == sched.RandExplore || set == advice.SettingMaps && v.Options.Maps == sched.MapExplore
}

// Late returns how a test fails by lag that knows nothing of package por, when that is no failure
// since code has to be late by more than is usual: "when g1 is late by 50ms: ...". It is "" if
// there is no such failure.
func (v Verdict) Late() string {
	for w := &v; w != nil; w = w.Then {
		if w.Slow != "" {
			return strings.TrimPrefix(w.Slow, "but ")
		}
	}
	return ""
}
