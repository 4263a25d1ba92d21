package iter

import (
	"iter"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// Seq is iter.Seq.
type Seq[V any] = iter.Seq[V]

// Seq2 is iter.Seq2.
type Seq2[K, V any] = iter.Seq2[K, V]

// Pull returns a function that yields the values of seq one by one, and a function that ends
// the iteration.
func Pull[V any](seq Seq[V]) (next func() (V, bool), stop func()) {
	if hook.Active() {
		p := newPuller(seq)
		return p.next, p.stop
	}
	return iter.Pull(seq)
}

// Pull2 is Pull for pairs of values.
func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func()) {
	if !hook.Active() {
		return iter.Pull2(seq)
	}
	type pair struct {
		k K
		v V
	}
	p := newPuller(func(yield func(pair) bool) {
		seq(func(k K, v V) bool { return yield(pair{k, v}) })
	})
	next = func() (K, V, bool) {
		x, ok := p.next()
		return x.k, x.v, ok
	}
	return next, p.stop
}

// puller runs a sequence in a goroutine of its own, from the first call of next on. It takes
// turns with the pulling goroutine: each sends the other a message and waits for the answer.
type puller[V any] struct {
	seq    Seq[V]
	resume *sched.Chan[bool] // to the sequence: go on, or end
	values *sched.Chan[V]    // from the sequence: a value, or closed at its end
	asked  bool              // it is the sequence's turn
	done   bool              // there are no more values
	ended  bool              // the sequence has returned
	raised any               // the value with which the sequence has panicked
	// Stands for the calls of next and stop, which must not overlap.
	calls byte

	// theirs returns the functions that uncontrolled goroutines use in place of next and stop.
	theirs func() outside[V]
}

// outside has the results of iter.Pull.
type outside[V any] struct {
	next func() (V, bool)
	stop func()
}

func newPuller[V any](seq Seq[V]) *puller[V] {
	return &puller[V]{seq: seq, theirs: sync.OnceValue(func() outside[V] {
		next, stop := iter.Pull(seq)
		return outside[V]{next, stop}
	})}
}

// called announces a call of next or stop. As for the race detector it is a write, and two of
// them must not race.
func (p *puller[V]) called() { hook.WriteMemory(unsafe.Pointer(&p.calls), 1) }

func (p *puller[V]) next() (v V, ok bool) {
	if !hook.Active() {
		return p.theirs().next()
	}
	p.called()
	if p.done {
		return v, false
	}
	if p.asked {
		panic("iter.Pull: next called again before yield")
	}
	p.asked = true
	if p.values == nil {
		p.resume, p.values = sched.NewChan[bool](0), sched.NewChan[V](0)
		sched.Go(p.run)
	} else {
		p.resume.Send(true)
	}
	return p.receive()
}

func (p *puller[V]) stop() {
	if !hook.Active() {
		p.theirs().stop()
		return
	}
	p.called()
	if p.done {
		return
	}
	p.done = true
	if p.values != nil {
		p.resume.Send(false)
		p.receive()
	}
}

// receive waits for the sequence, and ends as the sequence does.
func (p *puller[V]) receive() (V, bool) {
	v, ok := p.values.Recv2()
	switch {
	case ok:
	case p.raised != nil:
		panic(p.raised)
	case !p.ended:
		runtime.Goexit() // the sequence has called it, too
	}
	return v, ok
}

// run is the goroutine of the sequence.
func (p *puller[V]) run() {
	defer func() {
		p.raised = recover()
		p.done = true
		p.values.Close()
	}()
	p.seq(p.yield)
	p.ended = true
}

func (p *puller[V]) yield(v V) bool {
	if p.done {
		return false
	}
	if !p.asked {
		panic("iter.Pull: yield called again before next")
	}
	p.asked = false
	p.values.Send(v)
	return p.resume.Recv()
}
