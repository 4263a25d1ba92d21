package engine

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/sched/trace"
)

// Hunt looks for failures where there are too many traces to run them all. It goes
// bound by bound (0 preemptions, 1, 2, ...; by [bpor.Iterative], then by
// [bpor.Source]), since most bugs need few, and when half of the time is over it
// draws executions at random, by [PCT], [POS] and [Random] in turn. The verdict says
// which bound was completed, and what has not completed a single execution in its time:
// that is given up in the middle of one, so that there is time for the others.
type Hunt struct {
	// UpTo is the last bound; the zero Bound means that preemptions are bounded,
	// with no last bound. If there is time, everything is covered.
	UpTo bpor.Bound
	// Time is how long to go bound by bound. 0 means half the time of the search, or
	// five seconds if that has no limit.
	Time time.Duration
	Seed uint64 // of what is drawn at random
}

// boundless is more preemptions than any execution has.
const boundless = 1 << 30

// defaultTime is how long to go bound by bound in a search without a limit.
const defaultTime = 5 * time.Second

// bunch is how many executions are drawn by an engine before it is another one's
// turn.
const bunch = 256

// Name returns "hunt".
func (Hunt) Name() string { return "hunt" }

// Explore visits executions of p until visit returns false, or every trace was
// visited.
func (h Hunt) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	return (&hunt{Hunt: h, visit: visit}).explore(p)
}

// About implements [trace.About].
func (h Hunt) About() trace.About {
	return trace.About{
		Counts:   "traces",
		Endless:  true,
		WithSeed: func(seed uint64) trace.Engine { h.Seed = seed; return h },
		WithTime: func(d time.Duration) trace.Engine {
			if h.Time == 0 {
				h.Time = d / 2
			}
			return h
		},
	}
}

// hunt is a Hunt under way.
type hunt struct {
	Hunt
	visit   func(*trace.Execution) bool
	before  trace.Stats // of the engines that are done with
	stats   trace.Stats // of all
	stopped bool        // by visit
	covered *bpor.Bound // the largest bound that was completed, nil for none
	drawing bool        // executions at random
	empty   []string    // engines that have begun, and completed no execution yet
	full    []string    // engines that have completed an execution
}

func (h *hunt) explore(p trace.Program) (trace.Stats, error) {
	if exhausted, err := h.bounds(p); exhausted || h.stopped || err != nil {
		return h.stats, err
	}
	h.drawing = true
	for n, seed := int64(1), h.Seed; ; n, seed = bunch, seed+1 {
		for _, e := range []trace.Engine{PCT{Seed: seed, Executions: n}, POS{Seed: seed, Executions: n}, Random{Seed: seed, Executions: n}} {
			if _, err := h.phase(p, e, time.Time{}); h.stopped || err != nil {
				return h.stats, err
			}
		}
	}
}

// phase lets an engine explore until a time, unless that is zero. It adds what that has
// done to what was done before.
func (h *hunt) phase(p trace.Program, e trace.Engine, end time.Time) (trace.Stats, error) {
	d := deadline{end: end}
	d.program, _ = p.(trace.Interrupter)
	d.arm()
	stats, err := e.Explore(p, func(x *trace.Execution) bool {
		d.hold(true)
		defer d.hold(false)
		return h.pass(x) && !d.over()
	})
	if d.disarm() && errors.Is(err, trace.ErrInterrupted) {
		err = nil
	}
	h.add(&stats)
	h.stats.Exhaustive = false
	h.account(e.Name(), stats.Executions > 0 || stats.Exhaustive)
	return stats, err
}

// account notes whether an engine has completed an execution.
func (h *hunt) account(name string, any bool) {
	switch i := slices.Index(h.empty, name); {
	case slices.Contains(h.full, name):
	case any:
		h.full = append(h.full, name)
		if i >= 0 {
			h.empty = slices.Delete(h.empty, i, i+1)
		}
	case i < 0:
		h.empty = append(h.empty, name)
	}
	h.before.Fruitless = strings.Join(h.empty, ", ")
	h.stats.Fruitless = h.before.Fruitless
}

// deadline is a time at which a program's execution is interrupted, for the sake of an
// engine that is shown none for long. Executions that the visitor looks at are not.
type deadline struct {
	end     time.Time         // zero for never; guarded by mu once there is a timer, as that is
	program trace.Interrupter // nil if it cannot be interrupted
	timer   *time.Timer       // nil if it is not armed
	next    time.Time         // when the timer goes off, which may be too early

	mu       sync.Mutex
	held     bool // by the visitor, or another engine's turn
	due      bool // it came while that was so
	disarmed bool // written by the engine's goroutine only
	rung     bool // the program was interrupted
}

func (d *deadline) arm() {
	if d.program != nil && !d.end.IsZero() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.timer, d.next = time.AfterFunc(time.Until(d.end), d.expire), d.end
	}
}

// expire is called at the deadline, or at what was the deadline before it was moved.
func (d *deadline) expire() {
	d.mu.Lock()
	left := time.Until(d.end)
	if d.timer != nil && left > 0 {
		d.timer.Reset(left)
		d.next = d.end
	}
	d.mu.Unlock()
	if left <= 0 {
		d.ring()
	}
}

// ring interrupts the program, at once or when the visitor is done.
func (d *deadline) ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.due = d.held; d.held || d.disarmed {
		return
	}
	d.rung = true
	d.program.Interrupt(true)
}

// move moves the deadline, unless it has rung. If it was due while it was held, it is due at the
// new time. If there was none, there is one now.
func (d *deadline) move(end time.Time) {
	if d.program == nil || d.disarmed {
		return
	}
	if d.timer == nil {
		d.end = end
		d.arm()
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.end = end; d.due || end.Before(d.next) {
		d.timer.Reset(time.Until(end))
		d.due, d.next = false, end
	}
}

// forgive lets the program go on after the deadline has rung, until a later time. It returns false
// if it has not.
func (d *deadline) forgive(end time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.rung || d.disarmed {
		return false
	}
	d.rung, d.end, d.next = false, end, end
	d.program.Interrupt(false)
	d.timer.Reset(time.Until(end))
	return true
}

// hold has ring wait until hold(false). If it has rung, the program goes on until then.
func (d *deadline) hold(on bool) {
	if d.timer == nil {
		return
	}
	d.mu.Lock()
	if d.held = on; on && d.rung && !d.disarmed {
		d.rung, d.due = false, true
		d.program.Interrupt(false)
	}
	late := d.due && !on
	d.mu.Unlock()
	if late {
		d.ring()
	}
}

// over reports whether it is time.
func (d *deadline) over() bool { return !d.end.IsZero() && !time.Now().Before(d.end) }

// disarm lets the program go on again, and reports whether it was interrupted: also when it is
// called once more, as an engine may come to say so later.
func (d *deadline) disarm() bool {
	if d.timer != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.timer.Stop()
		d.timer, d.disarmed = nil, true
		if d.rung {
			d.program.Interrupt(false)
		}
	}
	return d.rung
}

// bounds goes bound by bound until the time is over. It returns true if nothing is
// left. For a part of the time it does so in the way that visits no trace twice, and
// would cover everything. But that covers a bound only after going far beyond it; so
// the rest of the time is for an engine that keeps to its bound, and runs what a
// smaller one has run again.
func (h *hunt) bounds(p trace.Program) (exhausted bool, err error) {
	limit := h.Time
	if limit == 0 {
		limit = defaultTime
	}
	begin := time.Now()
	e := bpor.Iterative{UpTo: h.UpTo, Covered: func(b bpor.Bound, _ *trace.Stats) { h.covered = &b }}
	if e.UpTo == (bpor.Bound{}) {
		e.UpTo = bpor.Preemptions(boundless)
	}
	_, err = h.phase(p, e, begin.Add(limit/4))
	h.stats.Exhaustive = h.covered != nil && *h.covered == bpor.Bound{}
	end := begin.Add(limit)
	for b := e.UpTo.After(h.covered); err == nil && !h.stopped && !h.stats.Exhaustive && b.Max() <= e.UpTo.Max() && time.Now().Before(end); b = b.After(&b) {
		var stats trace.Stats
		if stats, err = h.phase(p, bpor.Source{Bound: b, Complete: true}, end); stats.Exhaustive {
			h.covered = &b
		}
	}
	return h.stats.Exhaustive, err
}

// pass shows an execution to the visitor.
func (h *hunt) pass(x *trace.Execution) bool {
	h.stats = h.with(x.Stats)
	x.Stats = &h.stats
	h.stopped = !h.visit(x)
	return !h.stopped
}

// add notes what an engine has done that is done with.
func (h *hunt) add(s *trace.Stats) {
	h.before = h.with(s)
	h.stats = h.before
}

// with returns the sum of what was done before and of s.
func (h *hunt) with(s *trace.Stats) trace.Stats {
	sum := h.before.Then(s)
	if h.drawing {
		sum.Drawn += s.Executions
	}
	return sum
}
