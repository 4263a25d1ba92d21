package share

import (
	"fmt"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// A Ledger has the results of a search so far, and the batches that are still to be explored,
// in the order in which a single process would explore them. So every failing execution has a
// place in that order, and nothing after it counts. The first failure and the number of
// executions are the same as with one process, no matter which workers explore which batches,
// when and how often.
//
// The Ledger is a list of segments. Each is a batch that is still to be explored, or the result
// of consecutive batches.
type Ledger struct {
	search string
	first  *segment
	open   map[string]*segment // segments that are not done, by ID
	given  int                 // number of open segments that were given out
	total  Totals              // of everything explored, whether it counts or not
}

// Totals is the extent of an exploration.
type Totals struct {
	Stats                trace.Stats
	Unfair, Ran, Skipped int64
}

type segment struct {
	before, after *segment
	job           Job
	given         bool
	done          bool
	sum           Totals
	found         []Found // found on the way, each with the totals of the segment
	failed        *Failed // the execution that ends the search
	err           string  // the error that ends the search
	enough        bool    // the executions found end the search
}

// NewLedger returns the ledger of a search with the result and the batches left by its first
// part.
func NewLedger(name string, done trace.Stats, left []search.Batch) (*Ledger, error) {
	l := &Ledger{search: name, open: make(map[string]*segment)}
	l.first = &segment{done: true, sum: Totals{Stats: done}}
	l.total = l.first.sum
	return l, l.insert(l.first, left)
}

// insert adds the batches left after a segment.
func (l *Ledger) insert(s *segment, left []search.Batch) error {
	for _, b := range left {
		if err := b.Check(); err != nil {
			return err
		}
		id := ID(l.search, b)
		if l.open[id] != nil {
			return fmt.Errorf("one and the same part of the search was left twice: what is explored is not deterministic")
		}
		x := &segment{before: s, after: s.after, job: Job{ID: id, Batch: b}}
		if s.after != nil {
			s.after.before = x
		}
		s.after = x
		l.open[id] = x
		s = x
	}
	return nil
}

// Open returns the number of batches still to be explored, and how many of them were given out.
func (l *Ledger) Open() (all, given int) { return len(l.open), l.given }

// Total returns the extent of all exploration so far, including results that do not count.
func (l *Ledger) Total() Totals { return l.total }

// Give returns the first batch that was not given out, and marks it as given out. It returns
// nil if there is none.
func (l *Ledger) Give() *Job {
	for s := l.first; s != nil && l.given < len(l.open); s = s.after {
		if !s.done && !s.given {
			s.given = true
			l.given++
			job := s.job
			return &job
		}
	}
	return nil
}

// Batch returns the open batch with an ID, nil if there is none.
func (l *Ledger) Batch(id string) search.Batch {
	if s := l.open[id]; s != nil {
		return s.job.Batch
	}
	return nil
}

// TakeBack marks a batch as no longer given out, after its worker has stopped. It returns false
// if the batch was not given out.
func (l *Ledger) TakeBack(id string) bool {
	s := l.open[id]
	if s == nil || !s.given {
		return false
	}
	s.given = false
	l.given--
	return true
}

// Add adds the result of a batch. It returns false if the result does not count, since it was
// known before or comes after a failing execution. The error says that the batches left are
// invalid.
func (l *Ledger) Add(r *Result) (counts bool, err error) {
	s := l.open[r.ID]
	if s == nil {
		return false, nil
	}
	l.close(s)
	s.done, s.failed, s.err, s.found, s.enough = true, r.Failed, r.Error, r.Found, r.Enough
	s.sum = Totals{r.Stats, r.Unfair, r.Ran, r.Skipped}
	l.total.add(&s.sum)
	if r.Failed != nil || r.Error != "" || r.Enough {
		l.endWith(s)
	} else if err := l.insert(s, r.Left); err != nil {
		return true, err
	}
	l.unite(s)
	return true, nil
}

// endWith ends the search with a segment.
func (l *Ledger) endWith(s *segment) {
	for x := s.after; x != nil; x = x.after {
		l.close(x)
	}
	s.after = nil
}

// Settled returns the executions found before the first batch that is still to be explored.
func (l *Ledger) Settled() []Found { return l.first.found }

// EndWith ends the search with one of the executions of Settled.
func (l *Ledger) EndWith(i int) {
	s := l.first
	l.endWith(s)
	s.sum, s.found, s.failed, s.err, s.enough = s.found[i].At, s.found[:i+1], nil, "", true
}

// close removes a segment from the open ones.
func (l *Ledger) close(s *segment) {
	if l.open[s.job.ID] != s {
		return
	}
	delete(l.open, s.job.ID)
	if s.given {
		l.given--
	}
}

// unite merges s, which is done, with adjacent segments that are done.
func (l *Ledger) unite(s *segment) {
	if s.before != nil && s.before.done {
		s = s.before
	}
	for x := s.after; x != nil && x.done; x = s.after {
		s.found = append(s.found, x.foundAfter(&s.sum)...)
		s.sum.add(&x.sum)
		s.failed, s.err, s.enough, s.after = x.failed, x.err, x.enough, x.after
		if x.after != nil {
			x.after.before = s
		}
	}
}

// foundAfter returns the executions found in s, given the totals before it.
func (s *segment) foundAfter(before *Totals) (found []Found) {
	for _, f := range s.found {
		at := *before
		at.add(&f.At)
		f.At = at
		found = append(found, f)
	}
	return found
}

func (t *Totals) add(o *Totals) {
	search.AddStats(&t.Stats, &o.Stats)
	t.Unfair += o.Unfair
	t.Ran += o.Ran
	t.Skipped += o.Skipped
}

// Sum returns the totals that count. If a failing execution or an error ends the search, it
// returns that, too. The search is exhaustive if no batch is open and none of a failure, an
// error and found executions has ended it.
func (l *Ledger) Sum() (sum Totals, failed *Failed, err string) {
	enough := false
	for s := l.first; s != nil; s = s.after {
		sum.add(&s.sum)
		failed, err, enough = s.failed, s.err, s.enough
	}
	sum.Stats.Exhaustive = len(l.open) == 0 && failed == nil && err == "" && !enough
	return sum, failed, err
}

// Found returns the executions found on the way that count, in order, each with the totals at
// that time.
func (l *Ledger) Found() (found []Found) {
	var sum Totals
	for s := l.first; s != nil; s = s.after {
		found = append(found, s.foundAfter(&sum)...)
		sum.add(&s.sum)
	}
	return found
}
