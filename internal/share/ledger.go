package share

import (
	"fmt"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// A Ledger knows what has come of a search so far, and what is still to be explored, in the order
// in which one process would come to it. So an execution that fails has a place, and nothing
// after it counts: the first one and the count of executions are what they are with one process, whoever
// explores what, when and how often.
//
// It is a list of segments, each of which is a batch that is still to be explored, or what has come
// of some that follow each other.
type Ledger struct {
	search string
	first  *segment
	open   map[string]*segment // that are not done, by identity
	given  int                 // of them, those that were given out
	total  Totals              // of all that was explored, counted or not
}

// Totals is what was explored.
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
	found         []Found // what was found on the way, each with what the segment had done
	failed        *Failed // the search ends with it
	err           string  // or with that
	enough        bool    // or with what was found
}

// NewLedger returns that of a search, of which so much was done, and the rest is left.
func NewLedger(name string, done trace.Stats, left []search.Batch) (*Ledger, error) {
	l := &Ledger{search: name, open: make(map[string]*segment)}
	l.first = &segment{done: true, sum: Totals{Stats: done}}
	l.total = l.first.sum
	return l, l.insert(l.first, left)
}

// insert adds what is left after a segment.
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

// Open returns how many batches are still to be explored, and how many of them were given out.
func (l *Ledger) Open() (all, given int) { return len(l.open), l.given }

// Total returns what was explored so far, also what does not count.
func (l *Ledger) Total() Totals { return l.total }

// Give returns the first batch that was not given out, and takes it to be now. It returns nil if
// there is none.
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

// Batch returns one that is still to be explored, nil if there is none of that identity.
func (l *Ledger) Batch(id string) search.Batch {
	if s := l.open[id]; s != nil {
		return s.job.Batch
	}
	return nil
}

// TakeBack says that nobody explores a batch any more that was given out. It returns false if that
// makes no difference.
func (l *Ledger) TakeBack(id string) bool {
	s := l.open[id]
	if s == nil || !s.given {
		return false
	}
	s.given = false
	l.given--
	return true
}

// Add adds what has come of a batch. It returns false if that does not count, since it was known, or
// comes after an execution that fails. The error says that what is left makes no sense.
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

// endWith has the search end with a segment.
func (l *Ledger) endWith(s *segment) {
	for x := s.after; x != nil; x = x.after {
		l.close(x)
	}
	s.after = nil
}

// Settled returns what was found on the way, up to the first batch that is still to be explored.
func (l *Ledger) Settled() []Found { return l.first.found }

// EndWith has the search end with one of Settled.
func (l *Ledger) EndWith(i int) {
	s := l.first
	l.endWith(s)
	s.sum, s.found, s.failed, s.err, s.enough = s.found[i].At, s.found[:i+1], nil, "", true
}

// close says that a segment is no longer to be explored.
func (l *Ledger) close(s *segment) {
	if l.open[s.job.ID] != s {
		return
	}
	delete(l.open, s.job.ID)
	if s.given {
		l.given--
	}
}

// unite makes one segment of s and those next to it that are done, as s is.
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

// foundAfter returns what was found in s, if so much was done before it.
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
	s, x := &t.Stats, &o.Stats
	s.Executions += x.Executions
	s.Steps += x.Steps
	s.Replayed += x.Replayed
	s.Races += x.Races
	s.Checks += x.Checks
	s.MaxDepth = max(s.MaxDepth, x.MaxDepth)
	t.Unfair += o.Unfair
	t.Ran += o.Ran
	t.Skipped += o.Skipped
}

// Sum returns what counts of what was explored, the execution that the search ends with if
// one fails, or else the error that it ends with. It is exhaustive if there is nothing left
// and neither of them, nor enough was found.
func (l *Ledger) Sum() (sum Totals, failed *Failed, err string) {
	enough := false
	for s := l.first; s != nil; s = s.after {
		sum.add(&s.sum)
		failed, err, enough = s.failed, s.err, s.enough
	}
	sum.Stats.Exhaustive = len(l.open) == 0 && failed == nil && err == "" && !enough
	return sum, failed, err
}

// Found returns what was found on the way in all that was explored and counts, in order, each with what was
// done by then.
func (l *Ledger) Found() (found []Found) {
	var sum Totals
	for s := l.first; s != nil; s = s.after {
		found = append(found, s.foundAfter(&sum)...)
		sum.add(&s.sum)
	}
	return found
}
