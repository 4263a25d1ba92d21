package machine

import (
	"context"

	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// This file has what contexts are in the key of a state. A context is known by the name of its Done
// channel, which its maker was the first to use. The errors of package context are known. Any other
// error goes by the event by which it was handed over. The cause that belongs to a deadline goes by
// the maker of the context, which has set both.

// appendKey appends what has become of the context, and how far away its deadline is. AsksDeadline
// sees to it that no goroutine learns of a deadline that has passed. The maker of the context has
// decided its parent, its timer and its function, and a parent has those children that are not
// cancelled. Which goroutines are to cancel it and to run its function is a matter of when it was
// made, which its maker may have forgotten. What is still being cancelled, and what comes after it,
// follows from the states of these and of the Done channels.
func (s *ContextState) appendKey(k *Keys, b []byte) []byte {
	b = append(b, 'X')
	if s.dated {
		b = k.moment(append(b, 'd'), s.deadline)
	}
	b = asbytes.Number(appendID(k.ended(b, s), s.Maker), int64(s.Number))
	return appendGs(appendID(b, s.Runner), s.waiters)
}

// ended appends the error and the cause of s.
func (k *Keys) ended(b []byte, s *ContextState) []byte {
	if s.Err == nil {
		return append(b, '-')
	}
	err, cause := wellKnown(s.Err), wellKnown(s.Cause)
	if b = append(b, err, cause); err == other || cause == other {
		b = k.writtenBy(k.object(s).by).append(b)
	}
	return b
}

// other is what wellKnown returns for errors that are not those of package context.
const other = 'o'

func wellKnown(err error) byte {
	switch err {
	case context.Canceled:
		return 'c'
	case context.DeadlineExceeded:
		return 'd'
	}
	return other
}

// cancels notes that g cancels s.
func (k *Keys) cancels(s *ContextState, g *Goroutine) {
	if k.Local != nil {
		return
	}
	e := k.object(s)
	switch {
	case g == s.agent, g.Op.Kind == trace.OpCtxNew: // the state of the parent says it as well
		e.by = k.object(s.origin).by
	case g.Op.Kind == trace.OpFire:
		e.by = e.uses[0].name
	default:
		if e.by = k.events[len(k.events)-1]; wellKnown(s.Err) == other || wellKnown(s.Cause) == other {
			k.hands(g, nil)
		}
	}
	k.publish(s.Done.ID, g)
}

// begets begins the history of g, which the machine lets run as a context is cancelled, or a
// connection is reset: by what that is for.
func (k *Keys) begets(o Object, g *Goroutine) {
	if k.Local == nil {
		b := k.object(o).uses[0].name.append(make([]byte, 0, 32))
		g.past.begin(k.identify(asbytes.Number(append(b, 'x'), int64(g.ID))))
	}
}

// Limit says when s will be cancelled, at the latest, for the key of a state.
func (s *ContextState) Limit(at int64) { s.deadline, s.dated = at, true }

// AsksDeadline notes that g is told the deadline of s.
func (s *ContextState) AsksDeadline(g *Goroutine) {
	k := g.M.Keys
	if k == nil || k.Local != nil || g.Library.quiet {
		return
	}
	if k.turning && s.deadline < k.m.Clock.elapsed {
		k.lacks("a deadline that is asked for after it has passed")
	}
	k.tells(g, s.deadline)
}

// Quietly calls f, which may ask for deadlines and does not let the program learn them.
func (g *Goroutine) Quietly(f func()) {
	l := g.InLibrary()
	was := l.quiet
	l.quiet = true
	defer func() { l.quiet = was }()
	f()
}

// HandsOn notes that g hands on whatever it has.
func (g *Goroutine) HandsOn() {
	if g.M.Keys != nil {
		g.M.Keys.hands(g, nil)
	}
}
