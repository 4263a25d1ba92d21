package machine

import (
	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// HistoryState is a History as an object: how many calls of each goroutine have returned.
// What a history is about is which calls have returned before another one begins. So a
// call looks at all that have returned, and a return adds to them: returns commute, and so
// do the beginnings of calls.
type HistoryState struct {
	header
	returned []int32 // by goroutine
}

func (s *HistoryState) reset()                { s.returned = s.returned[:0] }
func (s *HistoryState) Kind() string          { return "History" }
func (s *HistoryState) blame(*Machine) string { return "" }

func (s *HistoryState) describe(m *Machine, g *Goroutine) bool {
	mode := trace.ModeScan
	if g.Op.Kind == trace.OpReturn {
		mode = trace.ModeKeyWrite
	}
	g.Op.Touch(s.ID, mode)
	return true
}

func (s *HistoryState) perform(m *Machine, g *Goroutine, alt int32) {
	if g.Op.Kind == trace.OpCall {
		return
	}
	for int(g.ID) >= len(s.returned) {
		s.returned = append(s.returned, 0)
	}
	s.returned[g.ID]++
}

// appendReturned appends how many calls have returned, for each goroutine that has made such calls.
func (s *HistoryState) appendReturned(b []byte) []byte {
	for id, n := range s.returned {
		if n > 0 {
			b = asbytes.Number(asbytes.Number(b, int64(id)), int64(n))
		}
	}
	return append(b, 0)
}

func (s *HistoryState) appendKey(k *Keys, b []byte) []byte {
	return s.appendReturned(append(b, 'h'))
}

// NoteCall says that what g knows now is looked at when the execution is over.
func (g *Goroutine) NoteCall() {
	if k := g.M.Keys; k != nil && k.Local == nil {
		k.called(g, nil)
	}
}
