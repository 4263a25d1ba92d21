package check

import (
	"cmp"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/sched/trace"
)

// What a process does of a search that it shares. Tests have it do nothing, as far as it can.
var (
	// AloneTime is for how long the search goes on before there are workers: most come to their
	// end.
	AloneTime = 100 * time.Millisecond
	// Helps says that it goes on until the first worker has come.
	Helps = true
)

// sharer has others explore for a session.
type sharer struct {
	*explore.Session
	check *harness // of the Check, nil if it is none

	alone  string      // why there is one process where several were asked for, or fewer
	apart  string      // what the process has done that others would feel, and so do not explore
	lost   string      // why a search that others explore cannot be brought to its end
	ending atomic.Bool // nothing is left to explore, and workers are being ended
}

// NewShared returns a session that others may explore for: that of a Check, unless h is nil.
func NewShared(c explore.Config, s explore.Subject, h *harness) *sharer {
	x := explore.NewSession(c, s)
	by := &sharer{Session: x, check: h}
	x.Sharing = by
	return by
}

// Alone implements [explore.Sharing].
func (s *sharer) Alone() string { return cmp.Or(s.oneWorker(), s.oneProcess()) }

// Lost implements [explore.Sharing].
func (s *sharer) Lost() string { return s.lost }

// Ending implements [explore.Sharing].
func (s *sharer) Ending() bool { return s.ending.Load() }

// oneProcess says why there is one process where several were asked for, "" if it is not so.
func (s *sharer) oneProcess() string {
	switch {
	case s.Cfg.Processes == 0:
		return ""
	case s.unable() != "":
		return "one process: " + s.unable()
	}
	return s.alone
}

// unable says why what the session explores cannot be explored by others, "" if it can.
func (s *sharer) unable() string {
	switch {
	case runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1":
		return "on " + runtime.GOOS + " a process is not given the files that workers need"
	case s.check == nil || !testing.Testing():
		return "only Check can be run again by others"
	case s.Where.Benchmark:
		return "it is a benchmark"
	}
	return ""
}

// Processes implements [explore.Sharing].
func (s *sharer) Processes(e trace.Engine) trace.Engine {
	switch {
	case s.Cfg.Processes == 0:
		return s.withBeside(e)
	case s.oneProcess() != "":
		return e
	}
	return byProcesses{Engine: e, s: s}
}

// byProcesses is an engine that explores for a session by several processes.
type byProcesses struct {
	trace.Engine
	s     *sharer
	focus bool          // one part of the program, of several, is explored: see part
	part  string        // the name of the part that is explored, where focus is set
	share time.Duration // how long the part may be explored; 0 for ever
}

// About implements [trace.About].
func (e byProcesses) About() trace.About { return trace.Describe(e.Engine) }

// OfPart returns the engine for a part of the program.
func (e byProcesses) OfPart(share time.Duration, focus bool, part string) trace.Engine {
	e.share = share
	if focus {
		e.focus, e.part = true, part
	}
	return e
}

// Explore explores as [engine.Reverse] does for a while, and leaves the rest to workers.
func (e byProcesses) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	begin, alone := time.Now(), AloneTime
	if parent.Assignment != nil && parent.Slice > 0 {
		alone = min(alone, parent.Slice)
	}
	before := e.s.Executions.Load()
	x := search.NewExplorer(p)
	defer x.Close()
	refused, first := false, ""
	left, stats, err := x.Explore(search.RootBatch(), func(x *trace.Execution) bool {
		refused = !visit(x)
		return !refused
	}, func() bool {
		if first == "" {
			first = x.Digest()
		}
		return time.Since(begin) < alone || !e.s.Findings.Tally.IsOrdinary()
	})
	stats.Elapsed = time.Since(begin)
	stats.Exhaustive = err == nil && !refused && left == nil
	if left == nil {
		return stats, err
	}
	ledger, err := share.NewLedger(e.s.searchName(e.focus, e.part), stats, []search.Batch{left})
	if err != nil {
		return stats, err
	}
	c := newCoordinator(e.s, p, ledger)
	c.before, c.counted, c.begun, c.share = before, e.s.Executions.Load()-before, begin, e.share
	c.here.Explorer = x
	if c.crew, err = e.s.newCrew(e.s.Cfg.Processes, e.focus, e.part, first); err != nil {
		return stats, err
	}
	stats, err = c.run()
	open, _ := ledger.Open()
	e.s.ending.Store(open == 0)
	c.crew.end(open == 0)
	e.s.ending.Store(false)
	return stats, err
}
