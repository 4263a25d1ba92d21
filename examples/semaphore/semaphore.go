// Package semaphore rebuilds a bug that golang.org/x/sync/semaphore had until
// March 2020, from its public report (https://go.dev/issue/37852). A weighted
// semaphore serves requests in the order in which they came, so one that wants
// a lot keeps smaller ones behind it waiting. When it gave up because its
// context was cancelled, the others were not served, even if they fitted then.
//
// The code is written from the report, not taken from the library.
package semaphore

import (
	"slices"

	"github.com/gopor/gopor/sched"
)

// Weighted limits what is in use of something to a total.
type Weighted struct {
	total int64
	old   bool // the logic before the bug was fixed

	mu    sched.Mutex
	used  int64      // 0 <= used <= total
	queue []*request // not served, first come first
}

// request is a call of Acquire that waits.
type request struct {
	n      int64
	served bool // guarded by the semaphore's mutex
	ready  *sched.Chan[struct{}]
}

// New returns a semaphore with a total of n.
func New(n int64) *Weighted { return &Weighted{total: n} }

// NewOld returns one that has the bug.
func NewOld(n int64) *Weighted { return &Weighted{total: n, old: true} }

// TryAcquire takes n if that is free and no request waits, and reports whether
// it did.
func (s *Weighted) TryAcquire(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(n)
}

// take is TryAcquire for callers that hold the mutex.
func (s *Weighted) take(n int64) bool {
	if len(s.queue) > 0 || s.used+n > s.total {
		return false
	}
	s.used += n
	return true
}

// Acquire takes n, and waits until that is free and no request is before it. It
// returns an error, and has taken nothing, if ctx is done before.
func (s *Weighted) Acquire(ctx sched.Context, n int64) error {
	s.mu.Lock()
	if s.take(n) {
		s.mu.Unlock()
		return nil
	}
	if n > s.total {
		s.mu.Unlock()
		ctx.Done().Recv()
		return ctx.Err()
	}
	r := &request{n: n, ready: sched.NewChan[struct{}](0)}
	s.queue = append(s.queue, r)
	s.mu.Unlock()

	if sched.Select(sched.RecvCase(r.ready, nil, nil), sched.RecvCase(ctx.Done(), nil, nil)) == 0 {
		return nil
	}
	if s.giveUp(r) {
		return ctx.Err()
	}
	return nil // served at the last moment
}

// giveUp takes r out of the queue. It reports false if r was served already.
func (s *Weighted) giveUp(r *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.served {
		return false
	}
	i := slices.Index(s.queue, r)
	s.queue = slices.Delete(s.queue, i, i+1)
	if !s.old {
		s.serve() // those behind r may fit now
	}
	return true
}

// Release gives n back.
func (s *Weighted) Release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used -= n; s.used < 0 {
		panic("semaphore: more was released than was held")
	}
	s.serve()
}

// serve gives those at the front of the queue what they want, while there is
// enough.
func (s *Weighted) serve() {
	for len(s.queue) > 0 {
		r := s.queue[0]
		if s.used+r.n > s.total {
			return
		}
		s.used += r.n
		r.served = true
		s.queue = s.queue[1:]
		r.ready.Close()
	}
}

// Scenario uses a semaphore as a lock for readers and a writer, as the report
// did: a reader takes 1, a writer everything, and may give up. A reader holds
// the lock, a writer comes, and another reader; the writer gives up, and the
// first reader does not leave before the second has been let in, which nothing
// stands against.
func Scenario(newSemaphore func(n int64) *Weighted) func() {
	return func() {
		const everything = 2
		s := newSemaphore(everything)
		background := sched.Background()
		s.Acquire(background, 1)

		ctx, giveUp := sched.WithCancel(background)
		var writer, reader sched.WaitGroup
		writer.Go(func() {
			if s.Acquire(ctx, everything) == nil {
				s.Release(everything)
			}
		})
		reader.Go(func() {
			s.Acquire(background, 1)
			s.Release(1)
		})
		giveUp()
		reader.Wait()
		s.Release(1)
		writer.Wait()
		if !s.TryAcquire(everything) {
			panic("something is still held")
		}
	}
}
