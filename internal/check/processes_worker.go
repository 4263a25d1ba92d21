package check

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// parent is the process that has started this one for a search that they share, if one has.
var parent struct {
	*share.Assignment
	link    *share.Link
	heard   chan []byte                     // closed when the parent has hung up
	err     error                           // why there is no link, though there is to be one
	served  atomic.Bool                     // a Check of this process is the one that is served
	session atomic.Pointer[explore.Session] // of the worker
}

// init begins to listen to the parent, after the init of instrumented.go, which may replace the
// process. From then on the process does not outlive its parent.
func init() {
	if !testing.Testing() {
		return
	}
	parent.Assignment, parent.err = share.Assigned()
	if explore.Assigned = parent.Assignment; explore.Assigned == nil || parent.err != nil {
		return
	}
	if parent.link, parent.err = share.Parent(); parent.err != nil {
		return
	}
	if parent.Nice {
		share.BeNice()
	}
	signal.Ignore(os.Interrupt) // it is for the parent to say when it is over
	parent.heard = make(chan []byte, 1024)
	go func() {
		for {
			m, err := parent.link.Read()
			if err != nil {
				break
			}
			parent.heard <- m
		}
		close(parent.heard)
		if s := parent.session.Load(); s != nil {
			s.Halt(explore.StopAbandoned)
		}
		time.Sleep(endTime)
		os.Exit(1)
	}()
	go func() {
		for parent.link.Write(share.Alive) == nil {
			time.Sleep(share.Beat)
		}
	}()
}

// passesOver reports whether this process is to have another Check served than the one of that
// name.
func passesOver(name string) bool {
	if parent.Assignment == nil || !parent.Serve {
		return false
	}
	return parent.Name != "" && parent.Name != name || !parent.served.CompareAndSwap(false, true)
}

// work explores for the parent, if the Check at that place is the one that it wants to have
// explored, until the parent hangs up. Then the test ends.
func (h *harness) work(t testing.TB, c explore.Config, where explore.Place) {
	t.Helper()
	l, leaves := t.(leaver)
	_, exists := t.(explore.Existing)
	switch {
	case parent.err != nil:
		t.Fatalf("por: this process was started as a worker: %v", parent.err)
	case (where.Name != parent.Name || exists && !parent.Existing) && leaves:
		l.Leave() // it has the Check
		return
	case where.Name != parent.Name:
		return
	}
	c.Limits.Time, c.Limits.Executions, c.Limits.Memory, c.Limits.Failures, c.Processes = 0, 0, parent.Memory, 1, 0
	c.Progress, c.Limits.Ctx, c.Exhaustive, c.NoSave, c.Replay = nil, nil, false, true, ""
	c.Run.Time = parent.Time
	c.Run.Library, c.Run.OwnPools = parent.Library, parent.Pools
	if parent.Locks {
		c.Run.Model |= sched.ModelLock
	}
	w := &working{h: h}
	c.Engine = w
	if parent.Contexts {
		h.contexts.Cancel(false)
	}
	by := NewShared(c, h.Subject(), h)
	s := by.Session
	s.Where = where
	if exists {
		s.Existing()
	}
	w.s, h.session = by, by
	parent.session.Store(s)
	switch _, err := s.Run(); {
	case err == nil:
	case w.job != nil:
		parent.link.Send(&share.Message{Result: &share.Result{ID: w.job.ID, Error: err.Error()}})
	default:
		t.Fatalf("por: %v", err)
	}
	t.SkipNow()
}

// working is an engine that explores what the parent says.
type working struct {
	h   *harness
	s   *sharer
	job *share.Job // that is being explored
}

// Name implements [trace.Engine].
func (*working) Name() string { return engine.Reverse{}.Name() }

// About implements [trace.About].
func (*working) About() trace.About { return engine.Reverse{}.About() }

// ForParent says that what this engine has to explore comes from another process.
func (*working) ForParent() {}

// Explore explores the first execution twice, so that what the standard library keeps from the
// first one is there, and then what the parent says.
func (w *working) Explore(p trace.Program, _ func(*trace.Execution) bool) (trace.Stats, error) {
	e := &explorer{Explorer: search.NewExplorer(p), s: w.s, p: p, worker: w.h}
	defer e.Close()
	e.begin(new(share.Job))
	_, stats, err := e.Explore(search.RootBatch(), e.visit, never)
	if err == nil {
		err = focusOn(p)
	}
	if err == nil {
		_, _, err = e.Explore(search.RootBatch(), e.visit, never)
	}
	if err == nil {
		err = parent.link.Send(&share.Message{Hello: w.s.hello(e.Digest())})
	}
	for err == nil && !w.s.Over() {
		body, ok := <-parent.heard
		if !ok {
			w.s.Halt(explore.StopAbandoned)
			break
		}
		var m *share.Message
		if m, err = share.Decode(body); err == nil && m.Job != nil {
			w.job = m.Job
			err = w.explore(e)
		}
	}
	return stats, err
}

// never says that nothing more is to be explored.
func never() bool { return false }

// explore explores the job, and says what has come of it.
func (w *working) explore(e *explorer) error {
	h := w.h
	h.ran, h.skipped, h.reason = 0, 0, ""
	r, err := e.do(w.job)
	if err == nil {
		err = w.s.Faults.Doubt // of a judge
	}
	if err != nil {
		return err
	}
	r.Ran, r.Skipped, r.Reason = h.ran, h.skipped, h.reason
	w.job = nil
	// If that fails the parent has gone, and nothing is heard.
	parent.link.Send(&share.Message{Result: r})
	if r.Failed != nil && w.s.Subject.Poisonable && h.outerFailed() {
		w.s.Halt(explore.StopAbandoned) // another process has to explore the rest
	}
	return nil
}

// focusOn has the part explored that the parent wants to be.
func focusOn(p trace.Program) error {
	q, ok := p.(parts.Program)
	if !ok || !parent.Focus {
		return nil
	}
	for i, name := range q.Parts() {
		if name == parent.Part {
			q.Focus(i)
			return nil
		}
	}
	return fmt.Errorf("the first execution of the worker has not come to the part %q", parent.Part)
}
