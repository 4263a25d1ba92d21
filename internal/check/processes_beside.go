package check

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// beside has all explored by [engine.Reverse], from the beginning, by this process and by workers,
// in the place of another engine. It is for searches that take long, of tests that do not say how
// many processes there are to be: nothing that these do may be felt by another process. If the
// workers come to nothing, or what they do could be felt after all, nothing is made of it, and the
// other engine goes on as if there had been none.
type beside struct {
	s     *sharer
	n     int
	focus bool // of a program that has several parts, one is to be explored,
	part  string
	only  bool // nothing else explores: the first failure in their order is what is looked for

	c     *coordinator // nil if there are no workers
	tick  *time.Ticker
	steps int64       // that were made here
	base  int64       // executions that do not count if those of the workers do
	begun bool        // they were asked once, which is enough
	over  bool        // they have covered everything, or found a failure
	stats trace.Stats // what they have done, at the end
}

// A worker process needs some memory, besides what the test needs, of the half of the limit that
// all have together.
const memoryOfWorker = 32 << 20

// What tests have otherwise.
var (
	Processors = func() int { return runtime.GOMAXPROCS(0) }
	SeesCode   = hook.Instrumented // and so what it does outside of this process
)

// inUse says that some session of this process has workers beside it. Those of parallel tests do
// not.
var inUse atomic.Bool

// besides returns how many worker processes may explore beside this one: none if an option says how
// many there are, or is for one process, if there is one processor, and where it is not known what
// the code does, or the process is looked at.
func (s *sharer) besides() int {
	c := &s.Cfg
	switch {
	case c.Says.Processes, parent.Assignment != nil, !SeesCode(), c.Direct, s.unable() != "",
		c.Workers > 1, c.Run.Alike, c.Limits.Executions > 0, c.Limits.Failures > 1, c.ShowOutput, isProfiled():
		return 0
	}
	n := Processors() - 1
	if c.Limits.Memory > 0 {
		n = min(n, int(c.Limits.Memory/2/(memoryOfWorker+heapInUse())))
	}
	return n
}

// heapInUse returns the size of the heap. A worker comes to need about as much of what the test has
// Made before the search.
func heapInUse() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// isProfiled reports whether go test is to tell something of this process that would be missing of
// others.
func isProfiled() bool {
	return testing.CoverMode() != "" || slices.ContainsFunc([]string{"cpuprofile", "memprofile", "blockprofile", "mutexprofile", "trace"}, func(name string) bool {
		return explore.FlagValue("test."+name) != ""
	})
}

// felt says what this process has done so far that others would feel, "" if nothing.
func felt() string {
	record, _ := syscall.Getenv(environ.CheckRecord) // by this package: see [record.Add]
	return hook.Felt(explore.FlagValue("test.testlogfile"), record)
}

// withBeside returns the engine that searches in the place of e, with workers beside it if these
// may be.
func (s *sharer) withBeside(e trace.Engine) trace.Engine {
	n := s.besides()
	if n == 0 {
		return e
	}
	switch x := e.(type) {
	case engine.Auto:
		return x.With(&beside{s: s, n: n}, nil)
	case engine.Optimal:
		if !s.Cfg.Usual { // as it is under Exhaustive
			return e
		}
	case engine.Reverse:
	default:
		return e
	}
	return engine.Auto{}.With(&beside{s: s, n: n}, e)
}

// Wanted implements [engine.Helper]: workers are asked once, and not for a look, after which the
// search begins anew. Nor are they where Optimal leaves races as they are: Reverse explores them in
// both orders.
func (b *beside) Wanted(p *exec.Closure) bool { return !b.begun && !b.isLook(p) && !p.Needless() }

// After implements [engine.Helper].
func (b *beside) After() time.Duration { return tuning.WorkersAfter }

// isLook reports whether the search is but a look, after which it begins anew.
func (b *beside) isLook(p *exec.Closure) bool {
	look := &b.s.Phase.Pause
	return !look.At.IsZero() && time.Until(look.At) < 2*tuning.WorkersAfter && (!look.Timed || p.Timed())
}

// OfPart returns the one of a search of a part of the program, or of all of it.
func (b *beside) OfPart(_ time.Duration, focus bool, part string) engine.Helper {
	return &beside{s: b.s, n: b.n, focus: focus, part: part}
}

// Begin starts workers for p, of which nothing may be running, unless there is a reason against it.
// So many executions do not count if those of the workers do.
func (b *beside) Begin(p *exec.Closure, base int64, only bool) {
	b.begun, b.only = true, only
	if b.s.apart = felt(); b.s.apart != "" || !b.s.Findings.Tally.IsOrdinary() || !inUse.CompareAndSwap(false, true) {
		return
	}
	if err := b.start(p, base); err != nil {
		b.giveUp()
	}
	if b.c == nil {
		inUse.Store(false)
	}
}

// start explores the first execution, and leaves the rest to workers.
func (b *beside) start(p *exec.Closure, base int64) error {
	first, fails := "", false
	x := search.NewExplorer(p)
	left, stats, err := x.Explore(search.RootBatch(), func(x *trace.Execution) bool {
		x.Over = b.s.Over
		fails = len(x.Run.Outcome()) > 0
		return !fails
	}, func() bool {
		first = x.Digest()
		return false
	})
	x.Close()
	if err != nil || left == nil || fails {
		return err
	}
	ledger, err := share.NewLedger(b.s.searchName(b.focus, b.part), stats, []search.Batch{left})
	if err != nil {
		return err
	}
	crew, err := b.s.newCrew(b.n, b.focus, b.part, first)
	if err != nil {
		return err
	}
	b.c = newCoordinator(b.s, p, ledger)
	b.c.crew, b.c.aside = crew, true
	if b.only {
		b.base = base
	}
	b.c.before, b.c.counted = b.s.Executions.Load()-b.base, b.base
	b.c.count(stats.Executions)
	b.tick = time.NewTicker(crewBeat)
	return nil
}

// Works reports whether workers explore, or are about to.
func (b *beside) Works() bool { return b.c != nil }

// Ended reports whether they have brought the search to its end.
func (b *beside) Ended() bool { return b.over }

// Hears reports whether there is something for hear to do.
func (b *beside) Hears() bool {
	return b.Works() && (len(b.c.crew.news()) > 0 || len(b.tick.C) > 0)
}

// Hear takes what is new, and gives out what workers ask for. No execution may be running.
func (b *beside) Hear() {
	for b.Hears() {
		b.next()
	}
}

// next waits for the next thing that is new, for a beat at the most.
func (b *beside) next() {
	select {
	case n := <-b.c.crew.news():
		b.take(n)
	case <-b.tick.C:
		b.c.crew.check()
		b.consider()
	}
}

// Explore explores here what is left, as workers do, until so many steps were made here in all, or
// it is over.
func (b *beside) Explore(steps int64) bool {
	if !b.Works() {
		return !b.s.Over()
	}
	x := search.NewExplorer(b.c.here.p)
	defer x.Close()
	b.c.here.Explorer = x
	for b.Works() && b.steps < steps && !b.s.Over() {
		did, err := false, error(nil)
		if Helps {
			did, err = b.c.exploreHere()
		}
		switch {
		case err != nil:
			b.c.lost = err.Error()
		case did:
			b.steps = b.c.madeHere
		default: // others explore all that is left
			b.next()
			continue
		}
		b.consider()
		b.Hear()
	}
	return !b.s.Over()
}

// Made returns how many steps were made by Explore.
func (b *beside) Made() int64 { return b.steps }

func (b *beside) take(n news) {
	err := n(b.c)
	if err == nil {
		err = b.c.giveOut()
	}
	if err != nil {
		b.c.lost = err.Error()
	}
	b.consider()
}

// consider ends the workers if they have come to an end, or to nothing.
func (b *beside) consider() {
	c := b.c
	open, _ := c.ledger.Open()
	workers, _ := c.crew.size()
	switch {
	case c.lost != "" || workers < 0 || b.isFelt():
		b.giveUp()
	case open > 0 && (b.only || !c.fails):
	case c.fails && !b.shows():
		b.giveUp()
	default:
		b.dismiss(true)
		stats, err := c.conclude()
		b.stats, b.over = stats, err == nil
	}
}

// isFelt reports whether workers may feel by now what this process does, and it them.
func (b *beside) isFelt() bool {
	what := felt()
	if what != "" {
		b.s.apart = what
	}
	return what != ""
}

// shows reports whether the execution that a worker says fails does so here.
func (b *beside) shows() bool {
	_, failed, _ := b.c.ledger.Sum()
	if failed == nil {
		return false
	}
	p := b.c.here.p
	schedule, failures := failed.With(trial.PathsOf(p).Lookup)
	run, ok := p.Start().(interface {
		trace.Run
		Replay(trace.Schedule) error
	})
	if !ok {
		return false
	}
	defer run.Close()
	if err := run.Replay(schedule); err != nil {
		return false
	}
	return slices.ContainsFunc(run.Outcome(), func(f trace.Failure) bool { return f.Kind == trial.Primary(failures).Kind })
}

// giveUp makes nothing of what workers have done.
func (b *beside) giveUp() {
	if c := b.c; c != nil {
		b.dismiss(false)
		c.count(b.base)
	}
}

// End ends the search of the workers as it is.
func (b *beside) End() {
	if !b.Works() {
		return
	}
	c := b.c
	b.dismiss(false)
	if b.isFelt() {
		c.count(b.base)
		return
	}
	if len(b.s.Findings.Found) > 0 {
		b.stats = c.settle()
		return
	}
	// An execution that fails is known, perhaps, which may not be the first.
	stats, err := c.conclude()
	if err == nil {
		b.stats = stats
	}
}

func (b *beside) dismiss(done bool) {
	b.tick.Stop()
	b.s.ending.Store(done)
	b.c.crew.end(done)
	b.s.ending.Store(false)
	b.c = nil
	inUse.Store(false)
}

// Stats returns what workers have done.
func (b *beside) Stats() trace.Stats {
	if b.Works() {
		return b.c.ledger.Total().Stats
	}
	return b.stats
}

// Pace returns how many executions were explored, and how many are a second, if one process
// explores so many.
func (b *beside) Pace(one float64) (n, rate float64) {
	n = float64(b.Stats().Executions)
	if took := time.Since(b.c.begun); took > tuning.WorkersAfter {
		return n, n / took.Seconds()
	}
	return n, one * float64(b.n+1) // they are about to begin
}

// useless says why nothing can be made of a result, "" if that is not so.
func useless(r *share.Result) string {
	switch {
	case r.Memory:
		return errMemory.Error()
	case r.Felt != "":
		return r.Felt
	case r.Died != "":
		return r.Died
	}
	return r.Error
}

var errMemory = errors.New("the limit of memory")

// Title is how verdicts call what was done by n workers.
func (b *beside) Title() string {
	return fmt.Sprintf("%s of %d processes", engine.Reverse{}.About().Title, b.n+1)
}
