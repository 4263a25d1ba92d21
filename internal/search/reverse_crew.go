package search

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// ReverseBy is [Reverse] by several workers at a time, each of which has one of the programs.
// These do what p does, which is not run, but tells the numbers that goroutines have in the
// schedules that are shown: if the programs know names (see sched.Closure.Path), goroutines of the
// same name are the same, else those of the same number.
//
// Visit is called by one worker at a time, with executions in any order. Those that
// one worker would visit have an order though, and a visitor that returns false has the
// search end with that execution in this order: those that come before it are still
// visited, and nothing that comes after it counts. So the last one for which it returns false
// is the first one of all, and the count of executions is what it is with one worker, whatever
// the workers do. If Execution.Over reports true then, the search ends at once, and all that was
// visited counts.
//
// Most of what two workers have in common is the visitor. One that asks for failures only is
// called with what passes when some time is over ([pace]); the workers do not meet in between.
//
// # Segments
//
// A worker explores its stack of items from the top. Where another one has nothing to do, it
// gives away the item at the bottom, which is the last one in its order. So all that one worker
// does between two moments at which it had nothing to do is a segment of the order, in which
// nothing of others lies, and the one that is given away is the next segment after it.
func ReverseBy(p trace.Program, programs []trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	c := &crew{visit: visit, first: &segment{item: root}, begun: time.Now()}
	c.names, _ = p.(named)
	c.changed.L = &c.mu
	c.queue = []*segment{c.first}
	c.run(programs)
	stats, err := c.sum()
	stats.Elapsed = time.Since(c.begun)
	return stats, err
}

// crew is what the workers of a search share.
type crew struct {
	wanted atomic.Int32 // the workers that wait for something to do, less the segments that wait
	ended  atomic.Bool  // everything is to stop
	ticks  atomic.Int32 // how often pace has passed
	begun  time.Time

	mu      sync.Mutex // guards the rest
	names   named      // nil if numbers last
	visit   func(*trace.Execution) bool
	changed sync.Cond
	first   *segment
	queue   []*segment // that nobody explores yet
	busy    int        // workers that explore a segment
	waiting int        // workers that wait
	shown   trace.Stats
	panics  []any // of workers; nil stands for runtime.Goexit
	// interrupted says that an execution was.
	interrupted bool
}

// pace is how often a visitor sees an execution of a worker that passes, if it asks for failures only.
const pace = 10 * time.Millisecond

// segment is a part of the search that one worker explores: an item, and what it leads to. Goroutines
// have the numbers of the crew in it.
type segment struct {
	item
	steps     []step
	following *segment
	dropped   atomic.Bool // nothing of it counts
	cut       bool        // the search ends with it
	done      bool
	stats     trace.Stats
	err       error
}

// run has the workers explore everything.
func (c *crew) run(programs []trace.Program) {
	passing := make(chan struct{})
	defer close(passing)
	go c.tick(passing)
	var workers sync.WaitGroup
	for _, p := range programs {
		workers.Go(func() { c.work(p) })
	}
	workers.Wait()
	for _, v := range c.panics {
		if v == nil {
			runtime.Goexit()
		}
		panic(v)
	}
}

// tick counts until the search has ended how often pace has passed.
func (c *crew) tick(ended <-chan struct{}) {
	t := time.NewTicker(pace)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.ticks.Add(1)
		case <-ended:
			return
		}
	}
}

// work is what one worker does.
func (c *crew) work(p trace.Program) {
	w := worker{crew: c}
	returned := false
	defer func() {
		if !returned {
			c.abort(recover())
		}
	}()
	w.reverse = newReverse(p, w.show)
	w.Run.Close() // whoever waits for something to do is in nobody's way
	for w.segment = c.take(); w.segment != nil; w.segment = c.take() {
		w.do()
	}
	w.Finish(true)
	returned = true
}

// abort stops everything, because a worker has panicked.
func (c *crew) abort(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panics = append(c.panics, v)
	c.ended.Store(true)
	c.changed.Broadcast()
}

// take returns a segment to explore, when there is one, or nil if nothing is left.
func (c *crew) take() *segment {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for n := len(c.queue); n > 0 && !c.ended.Load(); n = len(c.queue) {
			s := c.queue[n-1]
			c.queue = c.queue[:n-1]
			if !s.dropped.Load() {
				c.busy++
				c.want()
				return s
			}
		}
		if c.busy == 0 || c.ended.Load() {
			c.changed.Broadcast()
			return nil
		}
		c.waiting++
		c.want()
		c.changed.Wait()
		c.waiting--
	}
}

// want says how many segments are wanted.
func (c *crew) want() { c.wanted.Store(int32(c.waiting - len(c.queue))) }

// finish notes that the segment was explored, and unites those next to each other that were.
func (w *worker) finish() {
	c, s := w.crew, w.segment
	c.mu.Lock()
	defer c.mu.Unlock()
	w.account()
	s.done, s.stats = true, w.Stats
	switch {
	case errors.Is(w.Err, trace.ErrInterrupted):
		c.ended.Store(true)
		c.interrupted = true
	case w.Err != nil:
		s.err = w.Err
		c.cut(s)
	}
	for s := c.first; s.following != nil; {
		if f := s.following; s.done && f.done {
			addStats(&s.stats, &f.stats)
			s.following, s.cut, s.err = f.following, f.cut, f.err
			continue
		}
		s = s.following
	}
	c.busy--
	c.changed.Broadcast()
}

// cut has the search end with s.
func (c *crew) cut(s *segment) {
	for f := s.following; f != nil; f = f.following {
		f.dropped.Store(true)
	}
	s.following, s.cut = nil, true
}

// sum returns what was done in all.
func (c *crew) sum() (stats trace.Stats, err error) {
	stats.Exhaustive = !c.ended.Load()
	for s := c.first; s != nil; s = s.following {
		addStats(&stats, &s.stats)
		stats.Exhaustive = stats.Exhaustive && !s.cut && s.done
		err = s.err
	}
	if err == nil && c.interrupted {
		err = trace.ErrInterrupted
	}
	return stats, err
}

// addStats adds what was done in a segment.
func addStats(sum, s *trace.Stats) {
	sum.Executions += s.Executions
	sum.Steps += s.Steps
	sum.Replayed += s.Replayed
	sum.Races += s.Races
	sum.Checks += s.Checks
	sum.MaxDepth = max(sum.MaxDepth, s.MaxDepth)
}

// worker explores segments.
type worker struct {
	*reverse
	crew     *crew
	segment  *segment
	shown    trace.Stats // what was added to that of the crew
	shownAt  int32       // ticks, then
	failures bool        // the visitor asks for failures only
	over     func() bool // the visitor's, see trace.Execution
	ours     []trace.ID  // the numbers that goroutines have with the crew, by their numbers here; -1 if not known
	schedule trace.Schedule
}

// do explores a segment.
func (w *worker) do() {
	w.Stats, w.shown, w.Err = trace.Stats{}, trace.Stats{}, nil
	w.items.clear()
	w.stale = true
	if s := w.segment; len(s.steps) > 0 {
		w.meet(s)
		w.resume(s.item, s.steps)
	}
	w.explore(w.goOn)
	w.Run.Close()
	w.finish()
}

// show shows an execution to the visitor.
func (w *worker) show(x *trace.Execution) bool {
	c := w.crew
	passes := x.Blocked || len(x.Run.Outcome()) == 0
	if passes && w.failures && w.shownAt == c.ticks.Load() {
		x.Over = w.over
		return true
	}
	schedule := w.tell(x.Schedule)
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.stopped() {
		*counter(&w.Stats, x)--
		return false
	}
	w.account()
	if c.shown.Executions&63 == 0 || w.failures {
		c.shown.Elapsed = time.Since(c.begun)
	}
	x.Stats, x.Schedule = &c.shown, schedule
	goOn := c.visit(x)
	w.failures, w.over = x.FailuresOnly, x.Over
	if goOn {
		return true
	}
	if w.Over() {
		c.ended.Store(true)
		c.changed.Broadcast()
	} else {
		c.cut(w.segment)
	}
	return false
}

// account adds what the worker has done since it did so last. The crew is locked.
func (w *worker) account() {
	c, now, last := w.crew, &w.Stats, &w.shown
	c.shown.Executions += now.Executions - last.Executions
	c.shown.Blocked += now.Blocked - last.Blocked
	c.shown.Steps += now.Steps - last.Steps
	c.shown.Replayed += now.Replayed - last.Replayed
	c.shown.Races += now.Races - last.Races
	c.shown.Checks += now.Checks - last.Checks
	if now.MaxDepth > c.shown.MaxDepth { // else nobody else's cache has to give that up
		c.shown.MaxDepth = now.MaxDepth
	}
	w.shown, w.shownAt = w.Stats, c.ticks.Load()
}

// counter returns what counts such executions as x.
func counter(s *trace.Stats, x *trace.Execution) *int64 {
	if x.Blocked {
		return &s.Blocked
	}
	return &s.Executions
}

// stopped reports whether nothing that the worker does counts any more.
func (w *worker) stopped() bool { return w.segment.dropped.Load() || w.crew.ended.Load() }

// goOn gives away an item if somebody waits for one. It returns false if the worker is to stop.
func (w *worker) goOn() bool {
	if w.stopped() {
		return false
	}
	c := w.crew
	if c.wanted.Load() <= 0 {
		return true
	}
	it, steps, ok := w.items.giveOldest()
	if !ok {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.stopped() {
		return false
	}
	s := &segment{item: it, steps: slices.Clone(steps)}
	for i := range steps {
		s.steps[i].G = w.number(steps[i].G)
	}
	if it.next >= 0 {
		s.next = w.number(it.next)
	}
	s.following, w.segment.following = w.segment.following, s
	c.queue = append(c.queue, s)
	c.want()
	c.changed.Signal()
	return true
}

// tell returns a schedule with the numbers of the crew, valid until the next call. The crew is locked for new ones only.
func (w *worker) tell(s trace.Schedule) trace.Schedule {
	if w.crew.names == nil || w.names.program == nil {
		return s
	}
	w.schedule = append(w.schedule[:0], s...)
	for i := range w.schedule {
		at := &w.schedule[i]
		if int(at.G) >= len(w.ours) || w.ours[at.G] < 0 {
			w.crew.mu.Lock()
			w.number(at.G)
			w.crew.mu.Unlock()
		}
		at.G = w.ours[at.G]
	}
	return w.schedule
}

// number returns the number that a goroutine has with the crew, which is locked.
func (w *worker) number(g trace.ID) trace.ID {
	if w.crew.names == nil || w.names.program == nil {
		return g
	}
	for int(g) >= len(w.ours) {
		w.ours = append(w.ours, -1)
	}
	if w.ours[g] < 0 {
		w.ours[g] = w.crew.names.Lookup(w.names.path(g))
	}
	return w.ours[g]
}

// meet gives the goroutines in a segment the numbers that they have here.
func (w *worker) meet(s *segment) {
	c := w.crew
	if c.names == nil || w.names.program == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range s.steps {
		s.steps[i].G = w.names.program.Lookup(c.names.Path(s.steps[i].G))
	}
	if s.next >= 0 {
		s.next = w.names.program.Lookup(c.names.Path(s.next))
	}
}
