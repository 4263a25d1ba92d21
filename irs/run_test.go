package irs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
)

// admissible verifies f and returns the shortest prefix.
func admissible(t testing.TB, f func(), o Options) (*Prefix, *Result) {
	t.Helper()
	r, err := Verify(context.Background(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return r.Prefix, r
}

func TestRunThreeEvents(t *testing.T) {
	p, _ := admissible(t, threeEvents, explored)
	for range 2000 {
		if err := Run(p, threeEvents); err != nil {
			t.Fatal(err)
		}
	}
	failed := 0
	for range 2000 {
		var e *ExecutionError
		if err := Run(p.Unconstrained(), threeEvents); errors.As(err, &e) {
			failed++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 2000 executions fail without constraints", failed)
}

// everyPrimitive uses all that Run orders. Under any schedule it ends, and leaves 0.
func everyPrimitive() {
	var (
		mu   sched.Mutex
		rw   sched.RWMutex
		wg   sched.WaitGroup
		once sched.Once
		n    sched.Int64
		v    sched.Var[int]
		w    sched.Var[int]
		p    sched.Pointer[int]
		c    = sched.NewChan[int](0)
		d    = sched.NewChan[string](1)
		cond = sched.NewCond(&mu)
		set  bool
	)
	wg.Add(2)
	h := sched.Go(func() {
		defer wg.Done()
		once.Do(func() { n.Add(1) })
		mu.Lock()
		set = true
		cond.Broadcast()
		mu.Unlock()
		c.Send(1)
		rw.RLock()
		d.Send("x")
		rw.RUnlock()
	})
	sched.Go(func() {
		defer wg.Done()
		once.Do(func() { n.Add(1) })
		mu.Lock()
		for !set {
			cond.Wait()
		}
		mu.Unlock()
		v.Update(func(x int) int { return x + 1 })
		sched.Transfer(&w, &v, func(x int) int { return -x })
		rw.Lock()
		p.Store(new(int))
		rw.Unlock()
		d.Close()
	})
	if got := c.Recv(); got != 1 {
		panic(got)
	}
	for range d.All() {
	}
	h.Join()
	wg.Wait()
	if rw.TryLock() {
		rw.Unlock()
	}
	if n.Load() != 1 || v.Load()+w.Load() != 0 || p.Load() == nil {
		panic("wrong")
	}
}

// TestEveryPrimitive runs under a prefix that is not relaxed to the end: a send may come
// after the close otherwise.
func TestEveryPrimitive(t *testing.T) {
	o := explored
	o.MaxExecutions = 50
	var prefixes []*Prefix
	o.Relaxed = func(p *Prefix) { prefixes = append(prefixes, p) }
	admissible(t, everyPrimitive, o)
	for _, p := range prefixes {
		for range 200 {
			if err := Run(p, everyPrimitive); err != nil {
				t.Fatalf("%v under %v", err, p)
			}
		}
	}
}

func TestRunDeadlock(t *testing.T) {
	abba := func() {
		var a, b sched.Mutex
		h := sched.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
		h.Join()
	}
	p, r := admissible(t, abba, explored)
	if r.Failure == nil {
		t.Fatal("no deadlock was found")
	}
	for range 1000 {
		if err := Run(p, abba); err != nil {
			t.Fatal(err)
		}
	}
	// Both hold one before they ask for the other: this is sure to deadlock.
	sure := func() {
		var a, b sched.Mutex
		c := sched.NewChan[int](0)
		sched.Go(func() { a.Lock(); c.Send(1); b.Lock() })
		b.Lock()
		c.Recv()
		a.Lock()
	}
	err := Run(p.Unconstrained(), sure)
	if err == nil || !strings.Contains(err.Error(), "deadlock") || !strings.Contains(err.Error(), "g1 in lock") {
		t.Errorf("the error is %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	p, _ := admissible(t, func() { sched.Choose(2) }, explored)
	var u *UnorderedError
	ran := false
	if err := Run(p, func() { ran = true }); !errors.As(err, &u) || ran {
		t.Errorf("the error is %v", err)
	}
	// What was not met may not be done.
	p, _ = admissible(t, threeEvents, explored)
	var unknown *UnknownEventError
	if err := Run(p, func() {
		var mu sched.Mutex
		mu.Lock()
	}); !errors.As(err, &unknown) {
		t.Errorf("the error is %v", err)
	}
	if err := Run(p.Unconstrained(), func() { sched.Choose(2) }); !errors.As(err, &u) {
		t.Errorf("the error is %v", err)
	}
}

// TestRunOtherInput runs under a prefix a program in which a goroutine ends before an event
// that another one waits for.
func TestRunOtherInput(t *testing.T) {
	p, _ := admissible(t, threeEvents, explored)
	var unknown *UnknownEventError
	err := Run(p, func() {
		var a sched.Var[int]
		sched.Go(func() {})
		sched.Go(func() { a.Load() })
	})
	if !errors.As(err, &unknown) {
		t.Errorf("the error is %v", err)
	}
	// The same operations on other objects.
	for _, same := range []bool{false, true} {
		var seen int
		err := Run(p, func() {
			var a, b sched.Var[int]
			c := &a
			if !same {
				c = &b
			}
			sched.Go(func() {
				a.Store(1)
				a.Store(2)
			})
			sched.Go(func() { seen = c.Load() })
		})
		if same && (err != nil || seen != 1) || !same && (!errors.As(err, &unknown) || !strings.Contains(err.Error(), "another object")) {
			t.Errorf("same %v: the error is %v, and %d was read", same, err, seen)
		}
	}
}

func TestRunPanic(t *testing.T) {
	p := (&Prefix{Goroutines: [][]int32{nil}}).Unconstrained()
	deferred := false
	var e *ExecutionError
	err := Run(p, func() {
		defer func() { deferred = true }()
		var wg sched.WaitGroup
		wg.Add(1)
		sched.Go(func() { panic(fmt.Sprint("oh", 1)) })
		wg.Wait()
	})
	if !errors.As(err, &e) || e.Msg != "oh1" || e.Goroutine != "g1" || !deferred {
		t.Errorf("the error is %v", err)
	}
	err = Run(p, func() {
		var mu sched.Mutex
		mu.Unlock()
	})
	if !errors.As(err, &e) || !strings.Contains(e.Msg, "unlock of unlocked") {
		t.Errorf("the error is %v", err)
	}
	err = Run(p, func() {
		c := sched.NewChan[int](0)
		c.Close()
		c.Close()
	})
	if !errors.As(err, &e) || !strings.Contains(e.Msg, "close of closed") {
		t.Errorf("the error is %v", err)
	}
	err = Run(p, func() { sched.Go(func() { sched.Goexit() }) })
	if err != nil {
		t.Error(err)
	}
	err = Run(p, func() {
		c := sched.NewChan[int](0)
		sched.Go(func() { c.Recv() })
	})
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "leak") {
		t.Errorf("the error is %v", err)
	}
}

func TestExecuteEnds(t *testing.T) {
	p := (&Prefix{Goroutines: [][]int32{nil}}).Unconstrained()
	ctx, cancel := context.WithCancel(context.Background())
	var n sched.Int32
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := Execute(ctx, p, func() {
		for {
			n.Add(1)
		}
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestRunStuck runs under a prefix a program that keeps a lock, so that an event never comes
// that another one has to wait for.
func TestRunStuck(t *testing.T) {
	f := func(keep bool) func() {
		return func() {
			var mu sched.Mutex
			var a sched.Var[int]
			mu.Lock()
			sched.Go(func() {
				mu.Lock()
				a.Store(1)
				a.Store(2)
			})
			sched.Go(func() { assert(a.Load() == 1) })
			if !keep {
				mu.Unlock()
			}
		}
	}
	p, _ := admissible(t, f(false), explored)
	for range 20 {
		if err := Run(p, f(false)); err != nil {
			t.Fatal(err)
		}
		var unknown *UnknownEventError
		if err := Run(p, f(true)); !errors.As(err, &unknown) || unknown.Goroutine != "g1" || !strings.Contains(err.Error(), "never to come") {
			t.Fatalf("the error is %v", err)
		}
	}
}

// TestLost ends an execution of which a goroutine waits for something real.
func TestLost(t *testing.T) {
	defer func(d time.Duration) { grace = d }(grace)
	grace = 10 * time.Millisecond
	p := (&Prefix{Goroutines: [][]int32{nil}}).Unconstrained()
	ctx, cancel := context.WithCancel(context.Background())
	real := make(chan int)
	var done sync.WaitGroup
	done.Add(1)
	_, err := Execute(ctx, p, func() {
		defer done.Done()
		sched.Go(cancel)
		<-real
	})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "makes no requests: main") {
		t.Errorf("the error is %v", err)
	}
	close(real)
	done.Wait()
	// Others are not disturbed.
	if err := Run(p, func() { new(sched.Mutex).Lock() }); err != nil {
		t.Error(err)
	}
}

// TestOverTwice executes in an environment whose latest execution was said to be over twice,
// as one is that is stopped while goroutines wait.
func TestOverTwice(t *testing.T) {
	f := func() {
		var x sched.Int64
		h := sched.Go(func() { x.Add(1) })
		x.Load()
		h.Join()
	}
	r, err := Verify(context.Background(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		e := takeEnv()
		e.finish()
		e.giveBack()
		if _, err := Execute(context.Background(), r.Prefix, f); err != nil {
			t.Fatal(err)
		}
	}
}
