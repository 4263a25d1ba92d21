package check

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// coordinator has a search explored by others, and explores it itself as long as there are none.
type coordinator struct {
	s        *sharer
	before   int64 // executions of the search before this one
	counted  int64 // executions of this search that the session counts
	begun    time.Time
	ledger   *share.Ledger
	here     *explorer
	crew     crew
	bounds   map[string]int64 // of executions, of jobs that were given out
	slice    time.Duration    // for how long workers explore a job, if there are enough
	share    time.Duration    // how long it may take, 0 for ever
	lost     string           // why it cannot be brought to its end
	madeHere int64            // steps, in this process
	aside    bool             // another engine explores in this process: see beside
	fails    bool             // an execution is known that fails
}

// crew is the workers that explore for a coordinator.
type crew interface {
	// size returns how many there are, negative if none will come, and how many more jobs they want
	// now.
	size() (workers, wanted int)
	give(*share.Job) error
	// news has what is new. The goroutine that waits for it calls check every [crewBeat].
	news() <-chan news
	// check looks after workers that have not been heard of.
	check()
	// end ends all, when nothing is left or anyhow.
	end(done bool)
}

// news is something that has happened to the workers. The goroutine that searches calls it,
// when no execution goes on.
type news func(*coordinator) error

// How long workers explore a job, if others wait for what it leaves, and if not.
var ShortSlice, LongSlice = 50 * time.Millisecond, time.Second

const (
	hereSlice = 20 * time.Millisecond // for a job that is explored here
	crewBeat  = 50 * time.Millisecond // how often limits are looked at
)

// newCoordinator returns one for a search of p that the session has begun.
func newCoordinator(s *sharer, p trace.Program, ledger *share.Ledger) *coordinator {
	c := &coordinator{s: s, ledger: ledger, here: &explorer{s: s, p: p}, begun: time.Now(), bounds: make(map[string]int64), slice: LongSlice}
	if parent.Assignment != nil && parent.Slice > 0 {
		c.slice = parent.Slice
	}
	return c
}

// run explores all that is left.
func (c *coordinator) run() (trace.Stats, error) {
	tick := time.NewTicker(crewBeat)
	defer tick.Stop()
	for c.goesOn() {
		if err := c.giveOut(); err != nil {
			return c.stats(), err
		}
		var busy chan bool // closed if there is something to do here
		if workers, _ := c.crew.size(); workers < 0 || workers == 0 && Helps {
			did, err := c.exploreHere()
			if err != nil {
				return c.stats(), err
			}
			if did {
				busy = always
			}
		}
		select {
		case <-busy:
		case n := <-c.crew.news():
			if err := n(c); err != nil {
				return c.stats(), err
			}
		case <-tick.C:
			c.crew.check()
		}
	}
	return c.conclude()
}

// always is closed.
var always = func() chan bool { c := make(chan bool); close(c); return c }()

// goesOn reports whether there is something left that is to be explored.
func (c *coordinator) goesOn() bool {
	all, _ := c.ledger.Open()
	return all > 0 && c.lost == "" && !c.s.Over() && (c.share == 0 || time.Since(c.begun) < c.share)
}

// giveOut gives workers what they want.
func (c *coordinator) giveOut() error {
	for workers, wanted := c.crew.size(); wanted > 0; wanted-- {
		job := c.take(workers)
		if job == nil {
			return nil
		}
		if err := c.crew.give(job); err != nil {
			return err
		}
	}
	return nil
}

// take returns the next job, nil if there is none now. Some are left for others to have, so that
// each of the workers finds something.
func (c *coordinator) take(workers int) *share.Job {
	room := int64(0)
	if limit := c.s.Cfg.Limits.Executions; limit > 0 {
		room = limit - c.s.Executions.Load()
		for _, n := range c.bounds {
			room -= n
		}
		if room <= 0 {
			return nil
		}
		room = max(room/int64(2*max(workers, 0)+1), 1)
	}
	job := c.ledger.Give()
	if job == nil {
		return nil
	}
	all, _ := c.ledger.Open()
	job.Time, job.Executions, job.Keep = c.slice, room, c.s.Cfg.Limits.Failures
	if want := 3 * max(workers, 1); all < want {
		job.Time, job.Parts = min(ShortSlice, c.slice), min(want-all+1, 16)
	}
	if room > 0 {
		c.bounds[job.ID] = room
	}
	return job
}

// exploreHere explores a job in this process. It returns false if there is none.
func (c *coordinator) exploreHere() (did bool, err error) {
	job := c.take(0)
	if job == nil {
		return false, nil
	}
	job.Time = min(job.Time, hereSlice)
	r, err := c.here.do(job)
	if err != nil {
		return false, err
	}
	c.madeHere += r.Stats.Steps + r.Stats.Replayed
	return true, c.add(r)
}

// takeBack notes that no worker explores a job any more.
func (c *coordinator) takeBack(id string) {
	delete(c.bounds, id)
	c.ledger.TakeBack(id)
}

// add adds what has come of a job.
func (c *coordinator) add(r *share.Result) error {
	s := c.s
	delete(c.bounds, r.ID)
	if why := useless(r); c.aside && why != "" {
		c.lost, s.apart = why, r.Felt
		return nil
	}
	if p, ok := c.here.p.(*exec.Closure); ok {
		for _, a := range r.Assumptions {
			p.Note(a)
		}
	}
	s.State.Timed = s.State.Timed || r.Timed
	switch {
	case r.Memory:
		s.Halt(explore.StopMemory)
		return nil
	case r.Contexts:
		s.check.contexts.Cancel(true)
		s.Halt(explore.StopAbandoned) // it begins anew
		return nil
	case s.Over(): // it may be cut off in the middle
		return nil
	}
	if r.Died != "" {
		r.Error = fmt.Sprintf("%d worker processes have ended within executions that begin with %s: %s", share.MostDeaths, s.beginning(c.ledger.Batch(r.ID)), r.Died)
	}
	counts, err := c.ledger.Add(r)
	if err != nil {
		return &report.NotDeterministicError{What: s.Subject.What(), Err: err}
	}
	if !counts {
		return nil
	}
	if s.Findings.Tally != nil && r.Long {
		s.Findings.Tally.Long = true
	}
	if r.Reason != "" {
		s.check.reason = r.Reason
	}
	if r.Undecided && s.check.judge != nil {
		s.check.judge.LeaveOpen()
	}
	c.endWithEnough()
	c.fails = c.fails || r.Failed != nil
	c.count(c.ledger.Total().Stats.Executions)
	if limit := s.Cfg.Limits.Executions; limit > 0 && s.Executions.Load() >= limit {
		if all, _ := c.ledger.Open(); all > 0 {
			s.Halt(explore.StopExecutions)
		}
	}
	return nil
}

// count has the session count n executions of this search.
func (c *coordinator) count(n int64) {
	c.s.Executions.Add(n - c.counted)
	c.counted = n
}

// endWithEnough ends the search with the execution that is the first one with which as many
// failures were found as are asked for, if all before it is known.
func (c *coordinator) endWithEnough() {
	found := c.ledger.Settled()
	if c.s.Cfg.Limits.Failures == 1 || len(found) == 0 {
		return
	}
	keys := maps.Clone(c.s.Findings.Keys)
	for i, f := range found {
		if f.Late {
			continue
		}
		if want, unknown := explore.UnknownOf(f.Failures, keys); unknown {
			keys[explore.KeyOf(want)] = true
		}
		if len(keys) >= c.s.Cfg.Limits.Failures {
			c.ledger.EndWith(i)
			return
		}
	}
}

// beginning says how the executions of a batch begin: by what replays that.
func (s *sharer) beginning(b search.Batch) string {
	paths, alts, err := b.Prefix()
	if err != nil || len(paths) == 0 {
		return "nothing in particular"
	}
	sc := replay.Script{Hash: replay.Hash(s.Where.Name), Time: s.Phase.Run.Time, Lag: s.Phase.Run.Lag, Start: s.Phase.Run.Start}
	for i, path := range paths {
		sc.Moves = append(sc.Moves, replay.Move{Path: path, Alt: alts[i], Kind: trace.OpNone})
	}
	return "POR_REPLAY_LENIENT=1 POR_REPLAY=" + sc.Encode()
}

// stats returns what was done so far that counts.
func (c *coordinator) stats() trace.Stats { return c.sum().Stats }

func (c *coordinator) sum() share.Totals {
	sum, _, _ := c.ledger.Sum()
	sum.Stats.Elapsed = time.Since(c.begun)
	return sum
}

// settle has the session count what was explored, and returns that.
func (c *coordinator) settle() trace.Stats {
	sum := c.sum()
	c.count(sum.Stats.Executions)
	c.s.State.Unfair += sum.Unfair
	c.s.check.ran += sum.Ran
	c.s.check.skipped += sum.Skipped
	return sum.Stats
}

// conclude reports what has come of the search.
func (c *coordinator) conclude() (trace.Stats, error) {
	s := c.s
	stats := c.settle()
	_, failed, text := c.ledger.Sum()
	for _, f := range c.ledger.Found() {
		x := c.finding(f.Failed, f.At.Stats.Executions)
		switch {
		case !f.Late:
			s.Take(x)
		case s.Findings.Tally.Late == nil:
			s.Findings.Tally.Late = x
		}
	}
	switch {
	case text != "":
		return stats, &explore.WorkerError{Text: text}
	case failed != nil:
		s.Take(c.finding(failed, stats.Executions))
		s.Halt(explore.StopFailures)
	case c.lost != "":
		s.lost = c.lost
		s.Halt(explore.StopLost)
	}
	return stats, nil
}

// finding returns what is to be known of an execution that has failed, the nth of this search.
func (c *coordinator) finding(f *share.Failed, n int64) *explore.Finding {
	schedule, failures := f.With(trial.PathsOf(c.here.p).Lookup)
	poisoned := c.s.Subject.Poisonable && slices.Contains(failures, explore.OuterFailure)
	return &explore.Finding{Schedule: schedule, Failures: failures, Execution: c.before + n, Poisoned: poisoned}
}
