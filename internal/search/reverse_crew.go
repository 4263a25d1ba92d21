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

// ReverseBy is [Reverse] by several workers at a time. Each worker has one of the programs,
// which do the same as p. The program p is not run. It gives goroutines their numbers in the
// schedules that are shown: if the programs know names (see exec.Closure.Path), goroutines of
// the same name are the same, else those of the same number.
//
// One worker at a time calls visit, with executions in any order. The executions that a single
// worker would visit have an order. A visitor that returns false ends the search with that
// execution in this order: earlier executions are still visited, and no later execution counts.
// So the last execution for which visit returns false is the first such one in the order, and
// the count of executions is that of a single worker, whatever the workers do. If
// Execution.Over reports true then, the search ends at once, and all visited executions count.
//
// The visitor is most of what two workers share. A visitor that asks for failures only sees a
// passing execution of a worker once in a while ([pace]). In between the workers do not meet.
//
// # Segments
//
// A worker explores its stack of items from the top. When another worker is idle, the worker
// gives away the item at the bottom, which is the last one in its order. So the work of one
// worker between two idle moments is a segment of the order without parts of other segments,
// and the item given away is the next segment after it.
func ReverseBy(p trace.Program, programs []trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	c := &crew{visit: visit, first: &segment{item: root}, begun: time.Now()}
	c.names, _ = p.(trace.Named)
	c.changed.L = &c.mu
	c.queue = []*segment{c.first}
	c.run(programs)
	stats, err := c.sum()
	stats.Elapsed = time.Since(c.begun)
	return stats, err
}

// crew is the state that the workers of a search share.
type crew struct {
	wanted atomic.Int32 // idle workers, less the segments in queue
	ended  atomic.Bool  // everything is to stop
	ticks  atomic.Int32 // the number of times that pace has passed
	begun  time.Time

	mu      sync.Mutex  // guards the rest
	names   trace.Named // nil if numbers last
	visit   func(*trace.Execution) bool
	changed sync.Cond
	first   *segment
	queue   []*segment // not taken by a worker yet
	busy    int        // workers that explore a segment
	waiting int        // idle workers
	shown   trace.Stats
	panics  []any // of workers; nil stands for runtime.Goexit
	// interrupted says that an execution was interrupted.
	interrupted bool
}

// pace is the interval at which a visitor that asks for failures only sees a passing execution
// of a worker.
const pace = 10 * time.Millisecond

// segment is a part of the search that one worker explores: an item and everything that it
// leads to. Its goroutines have the numbers of the crew.
type segment struct {
	item
	steps     []step
	following *segment
	dropped   atomic.Bool // the segment does not count
	cut       bool        // the search ends with it
	done      bool
	stats     trace.Stats
	err       error
}

// run lets the workers explore everything, and returns when they are done.
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

// tick counts how often pace passes, until the search has ended.
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

// work is the life of one worker.
func (c *crew) work(p trace.Program) {
	w := worker{crew: c}
	returned := false
	defer func() {
		if !returned {
			c.abort(recover())
		}
	}()
	w.reverse = newReverse(p, w.show)
	w.Run.Close() // an idle worker holds no run
	for w.segment = c.take(); w.segment != nil; w.segment = c.take() {
		w.do()
	}
	w.Finish(true)
	returned = true
}

// abort stops all workers because one has panicked.
func (c *crew) abort(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panics = append(c.panics, v)
	c.ended.Store(true)
	c.changed.Broadcast()
}

// take returns a segment to explore. It waits for one, and returns nil if none is left.
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

// want sets the number of segments that are wanted.
func (c *crew) want() { c.wanted.Store(int32(c.waiting - len(c.queue))) }

// finish notes that the segment was explored, and merges explored segments that are neighbours.
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
			AddStats(&s.stats, &f.stats)
			s.following, s.cut, s.err = f.following, f.cut, f.err
			continue
		}
		s = s.following
	}
	c.busy--
	c.changed.Broadcast()
}

// cut ends the search with s.
func (c *crew) cut(s *segment) {
	for f := s.following; f != nil; f = f.following {
		f.dropped.Store(true)
	}
	s.following, s.cut = nil, true
}

// sum returns the statistics of all segments.
func (c *crew) sum() (stats trace.Stats, err error) {
	stats.Exhaustive = !c.ended.Load()
	for s := c.first; s != nil; s = s.following {
		AddStats(&stats, &s.stats)
		stats.Exhaustive = stats.Exhaustive && !s.cut && s.done
		err = s.err
	}
	if err == nil && c.interrupted {
		err = trace.ErrInterrupted
	}
	return stats, err
}

// AddStats adds the statistics of a segment.
func AddStats(sum, s *trace.Stats) {
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
	shown    trace.Stats // the part of the statistics that the crew has
	shownAt  int32       // the ticks at that time
	failures bool        // the visitor asks for failures only
	over     func() bool // the visitor's, see trace.Execution
	// Per goroutine here, its number in the crew; -1 if not known.
	ours     []trace.ID
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

// account adds the work since the last call to the statistics of the crew, which is locked.
func (w *worker) account() {
	c, now, last := w.crew, &w.Stats, &w.shown
	c.shown.Executions += now.Executions - last.Executions
	c.shown.Blocked += now.Blocked - last.Blocked
	c.shown.Steps += now.Steps - last.Steps
	c.shown.Replayed += now.Replayed - last.Replayed
	c.shown.Races += now.Races - last.Races
	c.shown.Checks += now.Checks - last.Checks
	if now.MaxDepth > c.shown.MaxDepth { // else the line stays in the caches of other workers
		c.shown.MaxDepth = now.MaxDepth
	}
	w.shown, w.shownAt = w.Stats, c.ticks.Load()
}

// counter returns the counter for executions like x.
func counter(s *trace.Stats, x *trace.Execution) *int64 {
	if x.Blocked {
		return &s.Blocked
	}
	return &s.Executions
}

// stopped reports whether the work of the worker does not count any more.
func (w *worker) stopped() bool { return w.segment.dropped.Load() || w.crew.ended.Load() }

// goOn gives away an item if a worker is idle. It returns false if the worker is to stop.
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

// tell returns a schedule with the numbers of the crew, valid until the next call. It locks the
// crew only to number new goroutines.
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

// number returns the number of a goroutine in the crew, which is locked.
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

// meet replaces the crew's numbers of goroutines in a segment by the numbers here.
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
