package por

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
)

// This file has programs with a bug each. Golden texts have its lines in them.

type purse struct {
	mu      sched.Mutex
	balance *sched.Var[int]
}

func newPurse() *purse { return &purse{balance: sched.NewVar(100)} }

func (p *purse) lock() { p.mu.Lock() }

func Transfer(from, to *purse) {
	from.lock()
	defer from.mu.Unlock()
	to.lock()
	defer to.mu.Unlock()
	from.balance.Store(from.balance.Load() - 1)
	to.balance.Store(to.balance.Load() + 1)
}

func buggyTransfer() {
	alice, bob := newPurse(), newPurse()
	var wg sched.WaitGroup
	wg.Add(2)
	sched.Go(func() { Transfer(alice, bob); wg.Done() })
	sched.Go(func() { Transfer(bob, alice); wg.Done() })
	wg.Wait()
}

func buggyPhilosophers() {
	var forks [3]sched.Mutex
	var hs []sched.Handle
	for i := range forks {
		hs = append(hs, sched.Go(func() {
			eat(&forks[i], &forks[(i+1)%len(forks)])
		}))
	}
	for _, h := range hs {
		h.Join()
	}
}

func eat(left, right *sched.Mutex) {
	left.Lock()
	right.Lock()
	right.Unlock()
	left.Unlock()
}

func buggySelf() {
	p := newPurse()
	p.lock()
	Transfer(p, newPurse())
}

func buggyForgotten() {
	var mu sched.Mutex
	full := sched.NewVar(true)
	put := func() {
		mu.Lock()
		if full.Load() {
			return
		}
		mu.Unlock()
	}
	sched.Go(put).Join()
	put()
}

func buggyHeld() {
	var mu sched.Mutex
	jobs := sched.NewChan[int](0)
	sched.Go(func() { submit(&mu, jobs) })
	mu.Lock()
	mu.Unlock()
	jobs.Recv()
}

func submit(mu *sched.Mutex, jobs *sched.Chan[int]) {
	mu.Lock()
	defer mu.Unlock()
	jobs.Send(1)
}

func buggyWakeup() {
	var mu sched.Mutex
	filled := sched.NewCond(&mu)
	items := sched.NewVar(0)
	sched.Go(func() {
		mu.Lock()
		items.Store(1)
		mu.Unlock()
		filled.Signal()
	})
	mu.Lock()
	n := items.Load()
	mu.Unlock()
	if n == 0 {
		mu.Lock()
		filled.Wait()
		mu.Unlock()
	}
}

func buggyGroup() {
	var wg sched.WaitGroup
	for i := range 3 {
		wg.Add(1)
		sched.Go(func() {
			if i == 1 {
				return
			}
			wg.Done()
		})
	}
	wg.Wait()
}

func buggyUpgrade() {
	var rw sched.RWMutex
	h := sched.Go(func() { rw.Lock(); rw.Unlock() })
	rw.RLock()
	rw.RLock()
	rw.RUnlock()
	rw.RUnlock()
	h.Join()
}

func buggyLeak() {
	result := sched.NewChan[int](0)
	stop := sched.NewChan[bool](1)
	sched.Go(func() { compute(result) })
	sched.Go(func() { stop.Send(true) })
	sched.Select(sched.RecvCase(result, nil, nil), sched.RecvCase(stop, nil, nil))
}

func compute(result *sched.Chan[int]) { result.Send(42) }

func buggySend() {
	results := sched.NewChan[int](1)
	var mu sched.Mutex
	closed := false
	sched.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		results.Send(1)
	})
	mu.Lock()
	if !closed {
		closed = true
		results.Close()
	}
	mu.Unlock()
}

type server struct {
	mu      sched.Mutex
	stopped *sched.Var[bool]
	done    *sched.Chan[bool]
}

func (s *server) stop() {
	s.mu.Lock()
	stopped := s.stopped.Load()
	s.mu.Unlock()
	if stopped {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped.Store(true)
	s.done.Close()
}

func buggyClose() {
	s := &server{stopped: sched.NewVar(false), done: sched.NewChan[bool](0)}
	h := sched.Go(s.stop)
	s.stop()
	h.Join()
}

func buggyRace() {
	var mu sched.Mutex
	hits := sched.NewVar(0)
	h := sched.Go(func() {
		mu.Lock()
		count(hits)
		mu.Unlock()
	})
	count(hits)
	h.Join()
}

func count(hits *sched.Var[int]) {
	hits.Store(hits.Load() + 1)
}

func buggyCounter(t testing.TB) {
	var n sched.Int32
	add := func() { n.Store(n.Load() + 1) }
	h := sched.Go(add)
	add()
	h.Join()
	if n.Load() != 2 {
		t.Fatalf("n = %d, want 2", n.Load())
	}
}

func buggyOrder(t testing.TB) {
	var log sched.Int32
	h := sched.Go(func() { log.Store(1) })
	log.Store(2)
	h.Join()
	if log.Load() != 1 {
		t.Error("the last word is main's")
	}
}

// equal reports as package testify does.
func equal(t testing.TB, want, got any, said string) {
	t.Helper()
	if want != got {
		t.Errorf("\n\tError Trace:\tbugs_test.go:1\n\tError:      \tNot equal: \n\t            \texpected: %v\n\t            \tactual  : %v\n\tTest:       \tTestX\n\tMessages:   \t%s\n", want, got, said)
	}
}

func buggyTestify(t testing.TB) {
	var sum sched.Int32
	h := sched.Go(func() { sum.Add(1) })
	checkSum(t, &sum)
	h.Join()
}

func checkSum(t testing.TB, sum *sched.Int32) {
	equal(t, int32(1), sum.Load(), "the sum of all")
}

func buggyPanic() {
	var last sched.Int32
	items := []int{1}
	h := sched.Go(func() { last.Add(1) })
	first(items, &last)
	h.Join()
}

func first(items []int, last *sched.Int32) int {
	return items[last.Load()]
}

func buggyLivelock() {
	turn, moves := sched.NewVar(0), sched.NewVar(0)
	news := sched.NewChan[int](0)
	wait := func(me int) {
		for turn.Load() != me {
			moves.Update(func(n int) int { return 1 - n })
		}
	}
	sched.Go(func() { wait(1) })
	sched.Go(func() { news.Recv() })
	wait(2)
}

func buggyPoll() {
	var done sched.Bool
	results := sched.NewChan[int](0)
	sched.Go(func() {
		results.Recv()
		done.Store(true)
	})
	for !done.Load() {
		sched.Gosched()
	}
}

func buggyTicker() {
	alice, bob := newPurse(), newPurse()
	tick := sched.NewTicker(time.Second)
	var beats sched.Int32
	sched.Go(func() {
		for beats.Load() < 1_000_000 {
			tick.C.Recv()
			beats.Add(1)
		}
	})
	var wg sched.WaitGroup
	wg.Add(2)
	sched.Go(func() { Transfer(alice, bob); wg.Done() })
	sched.Go(func() { Transfer(bob, alice); wg.Done() })
	wg.Wait()
	beats.Store(1_000_000)
}

func buggyLong(t testing.TB) {
	var mu sched.Mutex
	var n sched.Int32
	var wg sched.WaitGroup
	for range 3 {
		wg.Add(1)
		sched.Go(func() {
			defer wg.Done()
			for range 100 {
				mu.Lock()
				n.Add(1)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if n.Load() == 300 {
		t.Errorf("n = %d", n.Load())
	}
}

func buggyMany() {
	gate := sched.NewChan[int](0)
	for range 20 {
		sched.Go(func() { pass(gate) })
	}
}

func pass(gate *sched.Chan[int]) {
	enter(gate)
}

func enter(gate *sched.Chan[int]) {
	gate.Recv()
}

func buggyUnlock() {
	var mu sched.Mutex
	h := sched.Go(func() { mu.Lock(); mu.Unlock() })
	mu.Unlock()
	h.Join()
}

func buggyDone() {
	var wg sched.WaitGroup
	wg.Add(1)
	h := sched.Go(wg.Done)
	wg.Done()
	h.Join()
}

func buggyLog(t testing.TB) {
	for i := range 100 {
		t.Log("line", i)
	}
	t.Error("enough")
}

func buggyDeep() {
	n := sched.NewVar(0)
	h := sched.Go(func() { down(n, 10) })
	down(n, 10)
	h.Join()
}

func down(n *sched.Var[int], depth int) {
	if depth > 0 {
		down(n, depth-1)
		return
	}
	n.Store(1)
}

func buggyNested(t testing.TB) {
	var n sched.Int32
	h := sched.Go(func() { work(&n, 3) })
	work(&n, 2)
	h.Join()
	if got := n.Load(); got != 5 {
		t.Error(fmt.Sprintf("%d steps of work, want 5", got), strings.Repeat("!", 3))
	}
}

func work(n *sched.Int32, times int) {
	for range times {
		increment(n)
	}
}

func increment(n *sched.Int32) {
	before := n.Load()
	n.Store(before + 1)
	if after := n.Load(); after <= before {
		sched.Gosched()
	}
}
