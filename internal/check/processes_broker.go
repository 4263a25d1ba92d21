package check

import (
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/share"
)

// brokered is a crew that is behind the parent of this process, which keeps what is to be explored,
// and what has come of it, where both outlive this process.
type brokered struct {
	s          *sharer
	assignment share.Assignment
	heard      chan news
	out        chan []byte
	over       chan bool // closed at the end
	workers    int
	given      map[string]bool
}

// mostGiven is how many jobs wait for a worker, at the most, besides a few for each.
const mostGiven = 32

func newBrokered(s *sharer, a share.Assignment, hello *share.Hello) (crew, error) {
	a.Memory, a.Slice = s.Cfg.Limits.Memory, parent.Slice
	b := &brokered{s: s, assignment: a, heard: make(chan news, 16), out: make(chan []byte, 1024), over: make(chan bool), given: make(map[string]bool)}
	if err := parent.link.Send(&share.Message{Hello: hello}); err != nil {
		return nil, err
	}
	go func() {
		for {
			select {
			case m := <-b.out:
				parent.link.Write(m) // if that fails nothing is heard any more
			case <-b.over:
				return
			}
		}
	}()
	go b.listen()
	return b, nil
}

// listen tells what the parent says.
func (b *brokered) listen() {
	for {
		var body []byte
		ok := false
		select {
		case body, ok = <-parent.heard:
		case <-b.over:
			return
		}
		select {
		case b.heard <- func(by *coordinator) error { return b.hear(by, body, ok) }:
		case <-b.over:
			return
		}
		if !ok {
			return
		}
	}
}

// hear takes what the parent has said, or that it has hung up.
func (b *brokered) hear(by *coordinator, body []byte, ok bool) error {
	if !ok {
		by.lost = "por-cluster has ended"
		return nil
	}
	m, err := share.Decode(body)
	switch {
	case err != nil:
		return err
	case m.Result != nil:
		delete(b.given, m.Result.ID) // it may be of an earlier search
		return by.add(m.Result)
	case m.Lost != "":
		by.lost = m.Lost
	case m.Stop:
		b.s.Hurry.Store(true)
		b.s.Halt(explore.StopInterrupted)
	case m.Workers > 0:
		b.workers = m.Workers
	}
	return nil
}

// size implements [crew]. One worker counts even if none has come yet.
func (b *brokered) size() (workers, wanted int) {
	workers = max(b.workers, 1)
	return workers, min(4*workers+mostGiven-len(b.given), cap(b.out)-len(b.out))
}

// give implements [crew].
func (b *brokered) give(job *share.Job) error {
	b.given[job.ID] = true
	job.For = &b.assignment
	m, err := (&share.Message{Job: job}).Encode()
	if err == nil {
		b.out <- m
	}
	return err
}

// news implements [crew].
func (b *brokered) news() <-chan news { return b.heard }

// check implements [crew]. The parent looks after workers.
func (b *brokered) check() {}

// end implements [crew].
func (b *brokered) end(done bool) {
	close(b.over)
	if !done {
		return
	}
	said := make(chan bool)
	go func() {
		parent.link.Send(&share.Message{Done: true})
		close(said)
	}()
	select {
	case <-said:
	case <-time.After(endTime): // then it will be asked for once more, and there is nothing to do
	}
}
