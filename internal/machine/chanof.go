package machine

import "github.com/gopor/gopor/sched/trace"

// ChanOf is a Chan as an object, with the values under way.
type ChanOf[T any] struct {
	ChanState
	slots []T
	free  []int32 // slots that are not in use
}

func (s *ChanOf[T]) reset() {
	s.ChanState.reset()
	clear(s.slots)
	s.slots, s.free = s.slots[:0], s.free[:0]
	s.values = s
}

func (s *ChanOf[T]) at(slot int64) any { return s.slots[slot] }

// Put stores v until it is received.
func (s *ChanOf[T]) Put(v T) int64 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		s.slots[i] = v
		return int64(i)
	}
	s.slots = append(s.slots, v)
	return int64(len(s.slots) - 1)
}

// Take returns the value in a slot, the zero value if ok is false.
func (s *ChanOf[T]) Take(slot int64, ok bool) (v T) {
	if ok {
		var zero T
		v, s.slots[slot] = s.slots[slot], zero
		s.free = append(s.free, int32(slot))
	}
	return v
}

// Forever makes g wait: it sends on a nil channel, or receives from one. That is a select
// without a case that can ever be taken.
func (g *Goroutine) Forever(send bool) {
	g.Req.Cases = append(g.Req.Cases[:0], SelectCase{Send: send})
	g.AskNumbers(trace.OpSelect, nil, 0, noSelect)
}

// noSelect is arg2 of an OpSelect that is not a select statement of the program.
const noSelect = 1

// OnNil reports whether g sends on a nil channel or receives from one, and which.
func (g *Goroutine) OnNil() (is bool, op trace.Kind) {
	if g.Op.Kind != trace.OpSelect || g.Req.arg2 != noSelect {
		return false, 0
	}
	if g.Req.Cases[0].Send {
		return true, trace.OpSend
	}
	return true, trace.OpRecv
}

func (g *Goroutine) NoteReceived(v any, ok bool) {
	if ok {
		g.NoteResult(v)
	} else {
		g.NoteResult("closed")
	}
}
