package bpor

import (
	"fmt"

	"github.com/gopor/gopor/sched/trace"
)

// about returns the description of an engine that has a bound to set.
func about(counts string, set func(Bound) trace.Engine) trace.About {
	return trace.About{Counts: counts, WithBound: func(kind string, n int) (trace.Engine, error) {
		b := Bound{max: n}
		switch kind {
		case "preemption":
			b.kind = preemptions
		case "delay":
			b.kind = delays
		default:
			return nil, fmt.Errorf("bpor: unknown kind of bound %q; preemption and delay are allowed", kind)
		}
		return set(b), b.valid()
	}}
}

// About implements [trace.About].
func (e Naive) About() trace.About {
	return about("traces", func(b Bound) trace.Engine { e.Bound = b; return e })
}

// About implements [trace.About].
func (e Classic) About() trace.About {
	return about("", func(b Bound) trace.Engine { e.Bound = b; return e })
}

// About implements [trace.About].
func (e Nidhugg) About() trace.About {
	return about("", func(b Bound) trace.Engine { e.Bound = b; return e })
}

// About implements [trace.About].
func (e Source) About() trace.About {
	return about("", func(b Bound) trace.Engine { e.Bound = b; return e })
}

// About implements [trace.About].
func (e Lazy) About() trace.About {
	return about("traces", func(b Bound) trace.Engine { e.Bound = b; return e })
}

// About implements [trace.About].
func (e Optimal) About() trace.About {
	a := about("traces", func(b Bound) trace.Engine { e.Bound = b; return e })
	a.FixedUses = true
	return a
}

// About implements [trace.About].
func (e Iterative) About() trace.About {
	return about("traces", func(b Bound) trace.Engine { e.UpTo = b; return e })
}

// claim sets the claim of a finished search: that it covered all or some of the traces within
// the bound. It sets no claim if the search covered everything.
func (b Bound) claim(s *trace.Stats, complete, everything bool) {
	switch {
	case !s.Exhaustive || b.kind == unbounded || everything:
	case complete:
		s.Claim = b.everyTrace()
	default:
		s.Claim = "some of the traces with " + b.String()
	}
}

// everyTrace returns the claim that every trace within the bound was covered, or "" for no
// bound.
func (b Bound) everyTrace() string {
	if b.kind == unbounded {
		return ""
	}
	return "every trace with " + b.String()
}
