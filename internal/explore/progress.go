package explore

import (
	"fmt"
	"math"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/internal/estimate"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/terminal"
	"github.com/gopor/gopor/internal/written"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// When progress is shown.
const (
	quietTime  = 2 * time.Second       // nothing is shown before
	screenTime = time.Second           // how often on a terminal
	LogTime    = 10 * time.Second      // how often in a log, under -v
	probeTime  = 20 * time.Millisecond // for estimating how many executions there are
)

// Reporter prints the lines of the option Progress, and shows on a terminal, or in the log
// of the test, how far the search is.
type Reporter struct {
	s     *Session
	begin time.Time
	last  time.Time
	seen  int64 // executions at last
	any   bool

	screen        *terminal.Screen
	interrupts    chan os.Signal // Ctrl-C, once a search has taken a while
	asked         bool           // for the screen
	shown, logged time.Time
}

// onScreen is held by the session that is shown: there is one line for all.
var onScreen sync.Mutex

func init() { stack.Register(stack.Reporting, (*Reporter).Tick, (*Reporter).Leave) }

func newReporter(s *Session) *Reporter {
	now := time.Now()
	return &Reporter{s: s, begin: now, last: now}
}

// line prints how far the search is and how fast it went since the line before.
func (r *Reporter) line() {
	if r.s.Cfg.Progress == nil {
		return
	}
	now := time.Now()
	n := r.s.Executions.Load()
	rate := float64(n-r.seen) / now.Sub(r.last).Seconds()
	fmt.Fprintf(r.s.Cfg.Progress, "por: %s: %s, %s blocked in %v (%s/s)\n", r.s.Where.Name,
		format.Counted(n, "execution"), format.Grouped(r.s.blocked.Load()), now.Sub(r.begin).Round(time.Second), format.Grouped(int64(rate)))
	r.last, r.seen, r.any = now, n, true
}

// final prints the last line, if there was one before.
func (r *Reporter) final() {
	if r.any {
		r.line()
	}
}

// Tick shows how far the search is, if that is due. What it takes to estimate the whole is done
// between executions, when progress is asked for.
func (r *Reporter) Tick(now time.Time) {
	if now.Sub(r.begin) < quietTime || IsWorker() {
		return
	}
	if !r.asked && onScreen.TryLock() {
		r.asked = true
		if r.screen = terminal.Open(); r.screen == nil {
			onScreen.Unlock()
		}
	}
	if r.interrupts == nil && Assigned == nil { // else it is for the parent to say so
		r.interrupts = make(chan os.Signal, 1)
		signal.Notify(r.interrupts, os.Interrupt)
	}
	if r.screen != nil && now.Sub(r.shown) >= screenTime {
		r.shown = now
		r.s.Pulse.Wanted.Store(true)
		r.screen.Show(r.s.Where.Name + ": " + r.s.Status(now, true))
	}
	if r.logged.IsZero() {
		r.logged = r.begin
	}
	if r.s.Tell != nil && now.Sub(r.logged) >= LogTime-quietTime/10 {
		r.logged = now
		r.s.Tell("por: " + r.s.Status(now, false))
	}
	if r.s.Tell != nil && now.Sub(r.logged) >= LogTime-quietTime {
		r.s.Pulse.Wanted.Store(true) // for the next line
	}
}

// Leave gives the terminal back.
func (r *Reporter) Leave() {
	if r.interrupts != nil {
		signal.Stop(r.interrupts)
	}
	if r.screen == nil {
		return
	}
	r.screen.Wipe()
	onScreen.Unlock()
}

// pulse is what a session tells of itself while it searches.
type pulse struct {
	Wanted     atomic.Bool // an estimate, before the next execution
	Drawing    atomic.Bool // executions at random
	Minimising atomic.Bool
	phase      atomic.Pointer[stage]
	guess      atomic.Pointer[guess]
	Covered    atomic.Pointer[string] // what the engine has come to the end of, such as a bound

	claimed   string              // the same, of the goroutine that searches
	Estimator *estimate.Estimator // of the goroutine that searches
	failed    bool                // there is no estimate
}

// stage is a phase of the search, as progress tells it.
type stage struct {
	name  string
	since time.Time
	seen  int64 // executions before it
}

// guess is an estimate of how many executions there are, with its standard error.
type guess struct{ count, deviation float64 }

// begin begins a phase after so many executions.
func (p *pulse) begin(name string, seen int64) {
	p.end()
	p.phase.Store(&stage{name, time.Now(), seen})
	p.guess.Store(nil)
	p.failed = false
}

// end ends the program of the estimates.
func (p *pulse) end() {
	if p.Estimator != nil {
		p.Estimator.Close()
		p.Estimator = nil
	}
}

// between makes a few probes, before an execution of the search, if they are wanted: never
// while another execution goes on, since both may share what is outside of the closure.
func (s *Session) between() {
	p := &s.Pulse
	if !p.Wanted.Load() || p.failed || s.Halted() != Running {
		return
	}
	p.Wanted.Store(false)
	if trace.Describe(s.Phase.engine).Random || s.Subject.Poisonable {
		p.failed = true
		return
	}
	if p.Estimator == nil {
		o := s.Phase.Run
		o.Output = written.Discard
		c, ok := s.Subject.Program(o).(*exec.Closure)
		if !ok {
			p.failed = true
			return
		}
		p.Estimator = estimate.New(c, s.Phase.engine.Name() != engine.DFS{}.Name(), 1)
	}
	for begin := time.Now(); time.Since(begin) < probeTime; {
		if err := p.Estimator.Probe(); err != nil {
			p.end()
			p.failed = true
			return
		}
	}
	count, deviation := p.Estimator.Mean()
	p.guess.Store(&guess{count, deviation})
}

// Status says how far the search is, in short for a line of a terminal.
func (s *Session) Status(now time.Time, short bool) string {
	n, blocked := s.Executions.Load(), s.blocked.Load()
	text := format.Counted(n, "execution")
	if s.Pulse.Minimising.Load() {
		return text + ", and a failure, which is being minimised"
	}
	ph := s.Pulse.phase.Load()
	if ph == nil {
		return text + ", none of the search yet"
	}
	rate := float64(n-ph.seen) / now.Sub(ph.since).Seconds()
	if blocked > 0 {
		text += fmt.Sprintf(" and %s blocked", format.Grouped(blocked))
	}
	text += ph.name
	if !short {
		text += fmt.Sprintf(" in %v", now.Sub(s.Begun).Round(time.Second))
	}
	text += fmt.Sprintf(", %s/s", format.Grouped(int64(rate)))
	if c := s.Pulse.Covered.Load(); c != nil && *c != "" {
		text += "; done: " + *c
	}
	left := math.Inf(1)
	switch g := s.Pulse.guess.Load(); {
	case s.Pulse.Drawing.Load():
		text += "; drawn at random"
	case g == nil:
	case math.IsInf(g.deviation, 0) || g.count == 0:
		text += "; no estimate of the whole yet"
	default:
		done := min(float64(n-ph.seen), g.count)
		what := "about"
		if s.about.WithBound != nil {
			what = "at most about" // since a bound can only make it less
		}
		text += fmt.Sprintf("; %.2g%% of %s %.3g ± %.0f%%", 100*done/g.count, what, g.count, 100*g.deviation/g.count)
		left = (g.count - done) / rate
	}
	if limit := s.Cfg.Limits.Executions; limit > 0 {
		left = min(left, float64(limit-n)/rate)
	}
	if limit := s.Cfg.Limits.Time; limit > 0 {
		left = min(left, (limit - now.Sub(s.since())).Seconds())
	}
	if !math.IsInf(left, 1) && left > 0 {
		text += "; " + estimate.Left(left)
	}
	return text
}
