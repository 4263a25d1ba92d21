package por

import (
	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/sched/trace"
)

// engine returns the engine to search with. One that goes bound by bound is
// followed, so that the verdict can say how far it has come.
func (s *session) engine() trace.Engine {
	switch e := s.cfg.engine.(type) {
	case Hunt:
		if e.Time == 0 {
			e.Time = s.cfg.maxTime / 2
			if s.softEnd > 0 && (e.Time == 0 || s.softEnd/2 < e.Time) {
				e.Time = s.softEnd / 2
			}
		}
		h := &hunt{Hunt: e}
		s.sofar, s.drawn = h.sofar, func() int64 { return h.drawn }
		return h
	case bpor.Iterative:
		done, told := "", e.Covered
		e.Covered = func(b bpor.Bound, stats *trace.Stats) {
			done = everyTrace(b)
			if told != nil {
				told(b, stats)
			}
		}
		s.sofar = func() string { return done }
		return e
	}
	return s.cfg.engine
}

// everyTrace says that everything within a bound was covered, "" without one.
func everyTrace(b bpor.Bound) string {
	if b == (bpor.Bound{}) {
		return ""
	}
	return "every trace with " + b.String()
}

// claiming is an engine that may cover less than everything when it comes to its
// end, such as those with a bound.
type claiming interface {
	// Claim says in words what was covered, unless it was everything.
	Claim(*trace.Stats) (text string, all bool)
}

// claim says what a search has covered, as far as it can be said in words, and
// whether that is everything if it has come to its end.
func (s *session) claim(stats *trace.Stats) (text string, all bool) {
	if e, ok := s.cfg.engine.(claiming); ok {
		if s.halted() != running {
			return "", false
		}
		return e.Claim(stats)
	}
	text = s.sofar()
	return text, text == ""
}
