package explore

import (
	"slices"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// This file has the phase that follows where a caller may have taken for a message what a Read of a
// connection has returned. In all other phases a Read returns what one Write has written. Here
// Reads join and split that, see sched.ModelStream. A search that takes longer than a look is left
// for it, and begins anew.

// drawnForStream is how many executions each engine draws.
const drawnForStream = 64

// isMessage reports whether an assumption is that of a Read that may have been taken for a message.
func isMessage(a exec.Assumption) bool {
	return a.Kind == sched.AssumeModel && a.Is(hook.SeveralMessages)
}

// streamsMatter reports whether the options want Reads that join and split where an execution has
// read what may be taken for messages.
func (s *Session) streamsMatter() bool {
	return s.isAuto() && !IsWorker() && !s.Subject.Borrowed && !s.Cfg.Exhaustive && s.Cfg.Limits.Executions == 0 &&
		!slices.Contains(s.Cfg.Granted, sched.AssumeModel)
}

// streamIsNext reports whether Reads are to join and split what was written.
func (w *phases) streamIsNext() bool {
	return w.streamsMatter() && slices.ContainsFunc(w.res.Verdict.Last().Assumptions, isMessage) &&
		len(w.res.Failures) == 0 && w.Halted() == Running && w.tallied().unfit == nil
}

// withStream lets Reads join and split. First it draws executions. Then it searches all of them, if
// everything else was covered and that is not too much for a part of the time.
func (w *phases) withStream() {
	p := w.usual
	p.name, p.Share, p.Run.Library = " with Reads that join and split", 0, sched.LibraryAll
	p.Run.Model |= sched.ModelStream
	end := time.Now().Add(DefaultShortTime)
	if limit := w.Cfg.Limits.Time; limit > 0 {
		end = time.Now().Add((limit - time.Since(w.since())) / lookPart)
	}
	p.Pause.At = end
	w.drawFrom(p, drawnForStream)
	if w.err != nil || len(w.res.Failures) > 0 || !w.res.Verdict.Covered || w.timed || w.res.Verdict.Then != nil || w.Halted() != Running {
		return
	}
	before, usual := w.record(), w.Phase
	p.Pause.At = time.Now().Add(time.Until(end) / 2)
	w.Executions.Store(0)
	o := w.explore(p, 0)
	switch {
	case o.err != nil || o.res == nil:
		w.err = o.err
	case len(o.res.Failures) > 0:
		w.addLast(o.res)
	case o.res.Verdict.Covered && !o.timed:
		w.res = o.res
	default:
		w.Phase = usual
		w.restore(before)
	}
}
