package por

import (
	"github.com/gopor/gopor/internal/share"
)

// brokered is a crew that is behind the parent of this process, which keeps what is to be explored, and
// what has come of it, where both outlive this process.
type brokered struct {
	assignment share.Assignment
	heard      chan news
	out        chan *share.Message
	over       chan bool // closed at the end
	workers    int
	given      int
}

// mostGiven is how many jobs wait for a worker, at the most, besides a few for each.
const mostGiven = 32

func newBrokered(s *session, a share.Assignment) (crew, error) {
	a.Memory, a.Slice = s.cfg.maxMemory, parent.Slice
	b := &brokered{assignment: a, heard: make(chan news, 16), out: make(chan *share.Message, 1024), over: make(chan bool)}
	hello := share.Message{Hello: &share.Hello{Protocol: share.Protocol, Name: s.where.name, Options: s.options()}}
	if err := parent.link.Send(&hello); err != nil {
		return nil, err
	}
	go func() {
		for {
			select {
			case m := <-b.out:
				parent.link.Send(m) // if that fails nothing is heard any more
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
		n := news{lost: "por-cluster has ended"}
		var m *share.Message
		ok := false
		select {
		case m, ok = <-parent.heard:
		case <-b.over:
			return
		}
		switch {
		case !ok:
		case m.Result != nil:
			n = news{result: m.Result, other: nil}
		case m.Lost != "":
			n = news{lost: m.Lost}
		default:
			n = news{other: func() { b.workers = m.Workers }}
		}
		select {
		case b.heard <- n:
		case <-b.over:
			return
		}
		if !ok {
			return
		}
	}
}

// size implements [crew]. There is always somebody, even if nobody has come yet.
func (b *brokered) size() (workers, wanted int) {
	workers = max(b.workers, 1)
	return workers, max(4*workers+mostGiven-b.given, 0)
}

// give implements [crew].
func (b *brokered) give(job *share.Job) error {
	b.given++
	job.For = &b.assignment
	b.out <- &share.Message{Job: job}
	return nil
}

// news implements [crew].
func (b *brokered) news() <-chan news { return b.heard }

// check implements [crew]. The parent looks after workers.
func (b *brokered) check() {}

// end implements [crew].
func (b *brokered) end(done bool) {
	close(b.over)
	if done {
		parent.link.Send(&share.Message{Done: true})
	}
}
