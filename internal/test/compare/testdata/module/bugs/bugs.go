// Package bugs has ten small programs. Each has a bug of another kind. A program returns what is
// wrong, if it comes to its end.
package bugs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// LostUpdate reads a balance and writes it in two critical sections.
func LostUpdate() error {
	var mu sync.Mutex
	balance := 0
	deposit := func() {
		mu.Lock()
		b := balance
		mu.Unlock()
		mu.Lock()
		balance = b + 1
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(deposit)
	wg.Go(deposit)
	if wg.Wait(); balance != 2 {
		return fmt.Errorf("balance is %d", balance)
	}
	return nil
}

// DataRace sets a flag that another goroutine may be reading.
func DataRace() error {
	ready, done := false, make(chan bool, 1)
	go func() { ready = true; done <- true }()
	if _ = ready; !<-done {
		return errors.New("not done")
	}
	return nil
}

// LockOrder takes two locks in both orders.
func LockOrder() error {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	wg.Wait()
	return nil
}

// LostWakeup signals a condition for which nothing may be waiting yet.
func LostWakeup() error {
	var mu sync.Mutex
	woken := sync.NewCond(&mu)
	go func() { mu.Lock(); woken.Signal(); mu.Unlock() }()
	mu.Lock()
	woken.Wait()
	mu.Unlock()
	return nil
}

// Leak leaves a goroutine behind that sends to a channel of which nothing receives, if the answer
// comes after the context has ended.
func Leak() error {
	ctx, cancel := context.WithCancel(context.Background())
	answer := make(chan int)
	go func() { answer <- 1 }()
	go cancel()
	select {
	case <-answer:
	case <-ctx.Done():
	}
	return nil
}

// DoubleStart looks whether a service runs, and then starts it.
func DoubleStart() error {
	var running atomic.Bool
	var starts atomic.Int32
	start := func() {
		if !running.Load() {
			running.Store(true)
			starts.Add(1)
		}
	}
	var wg sync.WaitGroup
	wg.Go(start)
	wg.Go(start)
	if wg.Wait(); starts.Load() != 1 {
		return fmt.Errorf("started %d times", starts.Load())
	}
	return nil
}

// ClosedChannel sends what may come after the receiver has closed the channel. The panic is caught.
func ClosedChannel() error {
	c := make(chan int, 2)
	var failed atomic.Value
	var wg sync.WaitGroup
	wg.Go(func() { close(c) })
	wg.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				failed.Store(r)
			}
		}()
		c <- 1
	})
	if wg.Wait(); failed.Load() != nil {
		return fmt.Errorf("panic: %v", failed.Load())
	}
	return nil
}

// LateResult takes a timeout for an error, though the result may have come.
func LateResult() error {
	result := make(chan int, 1)
	go func() { time.Sleep(2 * time.Millisecond); result <- 1 }()
	select {
	case <-result:
		return nil
	case <-time.After(10 * time.Millisecond):
		return errors.New("no result")
	}
}

// RecursiveRead takes a read lock again while a writer may wait.
func RecursiveRead() error {
	var mu sync.RWMutex
	var wg sync.WaitGroup
	wg.Go(func() { mu.RLock(); mu.RLock(); mu.RUnlock(); mu.RUnlock() })
	wg.Go(func() { mu.Lock(); mu.Unlock() })
	wg.Wait()
	return nil
}

// Stack is a stack without locks that reads the next node too late.
func Stack() error {
	type node struct {
		next  atomic.Pointer[node]
		value int
	}
	var top atomic.Pointer[node]
	push := func(n *node) {
		for {
			old := top.Load()
			n.next.Store(old)
			if top.CompareAndSwap(old, n) {
				return
			}
		}
	}
	pop := func() *node {
		for {
			old := top.Load()
			if old == nil {
				return nil
			}
			next := old.next.Load()
			if top.CompareAndSwap(old, next) {
				return old
			}
		}
	}
	a, b := &node{value: 1}, &node{value: 2}
	push(b)
	push(a)
	var taken atomic.Int32
	var wg sync.WaitGroup
	wg.Go(func() {
		if pop() != nil {
			taken.Add(1)
		}
	})
	wg.Go(func() {
		first, second := pop(), pop()
		if first != nil {
			push(first) // the node is used again: the other pop may put back what was taken
		}
		if second != nil {
			taken.Add(1)
		}
	})
	wg.Wait()
	left := int32(0)
	for pop() != nil && left < 10 {
		left++
	}
	if taken.Load()+left != 2 {
		return fmt.Errorf("%d nodes of 2", taken.Load()+left)
	}
	return nil
}
