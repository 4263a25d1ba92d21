package exec

import (
	"slices"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// A record has no lines of what main has done alone, where that is no steps: see Coarser.Prelude.
// It says how many there were. A reader has to know where main has taken the locks that it still
// holds, too.

// heldLock is a lock that main has taken so.
type heldLock struct {
	of    machine.Object
	line  line
	shown bool // the record has the line
}

// leaveOut notes that main's latest operation is no step.
func (c *Closure) leaveOut(g *machine.Goroutine) {
	r := &c.record
	if !r.on {
		return
	}
	if int(g.ID) < len(r.latest) {
		r.latest[g.ID].line = -1
	}
	if !c.m.Record {
		return
	}
	r.skipped++
	switch kind := g.Op.Kind; kind {
	case trace.OpLock, trace.OpRLock, trace.OpTryLock, trace.OpTryRLock:
		if tries := kind == trace.OpTryLock || kind == trace.OpTryRLock; !tries || g.Reply.Ok {
			l := line{Entry: Entry{Step: -1, G: g.ID, Kind: kind, OK: true}}
			l.pc, l.stack = c.calls(g)
			r.held = append(r.held, heldLock{of: g.Req.Obj, line: l})
		}
	case trace.OpUnlock, trace.OpRUnlock:
		for i := range slices.Backward(r.held) {
			if h := &r.held[i]; h.of == g.Req.Obj {
				if h.shown {
					r.skipped--
					r.add(c, line{Entry: Entry{Step: -1, G: g.ID, Kind: kind, Obj: r.name(h.of)}})
				}
				r.held = slices.Delete(r.held, i, i+1)
				return
			}
		}
	}
}

// showHeld adds lines for the locks that main holds, before the line of a step.
func (r *recorder) showHeld(c *Closure) {
	for i := range r.held {
		if !r.held[i].shown {
			r.skipped--
		}
	}
	for i := range r.held {
		if h := &r.held[i]; !h.shown {
			h.shown, h.line.Obj = true, r.name(h.of)
			r.add(c, h.line)
		}
	}
}
