// Package leaks has programs that leave goroutines behind. Some of these are leaked: they wait for what nothing
// but goroutines that wait can reach.
package leaks

import (
	"context"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Variables of the package keep what they hold.
var (
	jobs     = make(chan int)
	byName   = make(map[string]chan int)
	pool     sync.Pool
	kept     sync.Map
	pointer  atomic.Pointer[worker]
	value    atomic.Value
	anything any
	call     func()
	mu       sync.Mutex
	held     sync.RWMutex
	group    sync.WaitGroup
	cond     = sync.NewCond(new(sync.Mutex))
	once     sync.Once
	registry = struct {
		sync.Mutex
		all []*worker
	}{}
	queue = make(chan chan int, 1)
	base  context.Context
	list  *worker
)

type worker struct {
	in   chan int
	mu   sync.Mutex
	next *worker
	wg   sync.WaitGroup
}

func (w *worker) run() {
	for range w.in {
	}
}

// settle lets the goroutines that were started come to where they wait.
func settle() { time.Sleep(time.Millisecond) }

// Loser sends on a channel from which no goroutine receives any more.
func Loser() {
	c := make(chan int)
	for i := range 2 {
		go func() { c <- i }()
	}
	<-c
}

// Unread receives from a channel that is forgotten.
func Unread() {
	c := make(chan int)
	go func() { <-c }()
}

// Ranged ranges over a channel that is never closed.
func Ranged() {
	c := make(chan int, 3)
	go func() {
		for range c {
		}
	}()
	c <- 1
}

// Variable receives from a channel in a package-level variable.
func Variable() {
	go func() { <-jobs }()
}

// InMap receives from a channel in a map at package level.
func InMap() {
	c := make(chan int)
	byName["a"] = c
	go func() { <-c }()
}

// GoneFromMap receives from one that was taken out of it.
func GoneFromMap() {
	c := make(chan int)
	byName["b"] = c
	go func() { <-c }()
	delete(byName, "b")
}

// InClosure receives from a channel that a function in a variable holds.
func InClosure() {
	c := make(chan int)
	call = func() { close(c) }
	go func() { <-c }()
}

// InInterface receives from a channel that a variable of an interface type holds.
func InInterface() {
	w := &worker{in: make(chan int)}
	anything = w
	go w.run()
}

// InAtomic receives from a channel that an atomic pointer leads to.
func InAtomic() {
	w := &worker{in: make(chan int)}
	pointer.Store(w)
	go w.run()
}

// InValue receives from a channel in an atomic.Value.
func InValue() {
	c := make(chan int)
	value.Store(c)
	go func() { <-c }()
}

// InSyncMap receives from a channel in a sync.Map.
func InSyncMap() {
	w := &worker{in: make(chan int)}
	kept.Store("w", w)
	go w.run()
}

// InPool receives from a channel in a sync.Pool.
func InPool() {
	w := &worker{in: make(chan int)}
	pool.Put(w)
	go w.run()
}

// InBuffer receives from a channel that is in the buffer of another one, which is at package level.
func InBuffer() {
	c := make(chan int)
	queue <- c
	go func() { <-c }()
}

// InLostBuffer receives from a channel that is in the buffer of another one, which is forgotten.
func InLostBuffer() {
	c := make(chan int)
	q := make(chan chan int, 1)
	q <- c
	go func() { <-c }()
}

// InRegistry waits in a registry that a mutex protects.
func InRegistry() {
	w := &worker{in: make(chan int)}
	registry.Lock()
	registry.all = append(registry.all, w)
	registry.Unlock()
	go w.run()
}

// InList waits for the second one of a list.
func InList() {
	w := &worker{in: make(chan int)}
	list = &worker{next: w}
	go w.run()
}

// Cut waits for one that was cut off a list.
func Cut() {
	w := &worker{in: make(chan int)}
	list = &worker{next: w}
	go w.run()
	settle()
	list.next = nil
}

// ByTimer waits for a function of a timer.
func ByTimer() {
	c := make(chan int)
	time.AfterFunc(time.Hour, func() { close(c) })
	go func() { <-c }()
}

// ByStoppedTimer waits for a function of a timer that was stopped.
func ByStoppedTimer() {
	c := make(chan int)
	t := time.AfterFunc(time.Hour, func() { close(c) })
	go func() { <-c }()
	t.Stop()
}

// ByTicker waits for a goroutine that serves a ticker.
func ByTicker() {
	c := make(chan int)
	tick := time.NewTicker(time.Hour)
	go func() {
		for n := 0; ; n++ {
			<-tick.C
			if n > 1000000 {
				c <- n
			}
		}
	}()
	go func() { <-c }()
	settle()
}

// BesideTicker waits for ever beside a goroutine that serves a ticker.
func BesideTicker() {
	tick := time.NewTicker(time.Hour)
	go func() {
		for range tick.C {
		}
	}()
	c := make(chan int)
	go func() { <-c }()
	settle()
}

// BySleeper waits for a goroutine that sleeps.
func BySleeper() {
	c := make(chan int)
	go func() {
		for {
			time.Sleep(time.Hour)
			select {
			case c <- 1:
			default:
			}
		}
	}()
	go func() {
		for range c {
		}
	}()
	settle()
}

// Cycle has goroutines that wait for each other.
func Cycle() {
	a, b := make(chan int), make(chan int)
	go func() { <-a; b <- 1 }()
	go func() { <-b; a <- 1 }()
}

// Chain has goroutines of which one is waited for by the next, and the first waits for a variable.
func Chain() {
	a, b := make(chan int), make(chan int)
	go func() { <-jobs; a <- 1 }()
	go func() { <-a; b <- 1 }()
	go func() { <-b }()
}

// LostChain is Chain without a variable.
func LostChain() {
	a, b, c := make(chan int), make(chan int), make(chan int)
	go func() { <-c; a <- 1 }()
	go func() { <-a; b <- 1 }()
	go func() { <-b }()
}

// Finalizer waits for a finalizer.
func Finalizer() {
	c := make(chan int)
	w := &worker{in: make(chan int)}
	runtime.SetFinalizer(w, func(*worker) { close(c) })
	anything = w
	go func() { <-c }()
	settle()
}

// NoFinalizer waits for one that was taken back.
func NoFinalizer() {
	c := make(chan int)
	w := &worker{in: make(chan int)}
	runtime.SetFinalizer(w, func(*worker) { close(c) })
	runtime.SetFinalizer(w, nil)
	anything = w
	go func() { <-c }()
	settle()
}

// Finalized waits for what an object with a finalizer points to, and that nothing else does.
func Finalized() {
	w := &worker{in: make(chan int), next: &worker{}}
	in := make(chan int)
	w.next.in = in
	runtime.SetFinalizer(w, func(w *worker) { close(w.next.in) })
	kept.Store("finalized", w)
	go func() { <-in }()
	settle()
}

// Context waits for a context that is forgotten.
func Context() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-ctx.Done() }()
	_ = cancel
}

// Deadline waits for a context with a deadline.
func Deadline() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	go func() { <-ctx.Done() }()
	_ = cancel
}

// KeptContext waits for a context in a variable.
func KeptContext() {
	ctx, cancel := context.WithCancel(context.Background())
	base = ctx
	go func() { <-ctx.Done() }()
	_ = cancel
}

// ChildContext waits for a context whose parent is in a variable.
func ChildContext() {
	parent, stop := context.WithCancel(context.Background())
	base = parent
	ctx, cancel := context.WithCancel(parent)
	go func() { <-ctx.Done() }()
	_, _ = stop, cancel
}

// ParentDeadline waits for a context whose parent has a deadline.
func ParentDeadline() {
	parent, stop := context.WithTimeout(context.Background(), time.Hour)
	ctx, cancel := context.WithCancel(parent)
	go func() { <-ctx.Done() }()
	_, _ = stop, cancel
}

// AfterContext waits for a function that is to run when a context is done, which has a deadline.
func AfterContext() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	c := make(chan int)
	context.AfterFunc(ctx, func() { close(c) })
	go func() { <-c }()
	_ = cancel
}

// Signal waits for a signal.
func Signal() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	go func() { <-c }()
	settle()
}

// SignalStopped waits for a signal that does not come any more.
func SignalStopped() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	go func() { <-c }()
	settle()
	signal.Stop(c)
}

// DeadStack waits for a channel that only a variable held of a function which has returned.
func DeadStack() {
	func() {
		c := make(chan int)
		go func() { <-c }()
		settle()
	}()
}

// Locked waits for a lock at package level.
func Locked() {
	mu.Lock()
	go func() { mu.Lock() }()
}

// LostLock waits for a lock that was forgotten.
func LostLock() {
	w := new(worker)
	w.mu.Lock()
	go func() { w.mu.Lock() }()
}

// KeptLock waits for a lock in something at package level.
func KeptLock() {
	w := new(worker)
	list = w
	w.mu.Lock()
	go func() { w.mu.Lock() }()
}

// LostRead waits to read under a lock that was forgotten.
func LostRead() {
	w := new(sync.RWMutex)
	w.Lock()
	go func() { w.RLock() }()
}

// Read waits to read under a lock at package level.
func Read() {
	held.Lock()
	go func() { held.RLock() }()
}

// LostGroup waits for a WaitGroup that was forgotten.
func LostGroup() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() { wg.Wait() }()
}

// Group waits for a WaitGroup at package level.
func Group() {
	group.Add(1)
	go func() { group.Wait() }()
}

// LostCond waits for a Cond that was forgotten.
func LostCond() {
	c := sync.NewCond(new(sync.Mutex))
	go func() {
		c.L.Lock()
		c.Wait()
	}()
}

// Cond waits for a Cond at package level.
func Cond() {
	go func() {
		cond.L.Lock()
		cond.Wait()
	}()
}

// LostOnce waits for the function of a Once, which waits for what was forgotten.
func LostOnce() {
	o, c := new(sync.Once), make(chan int)
	go func() { o.Do(func() { <-c }) }()
	settle()
	go func() { o.Do(func() {}) }()
}

// Once waits for the function of a Once at package level.
func Once() {
	c := make(chan int)
	go func() { once.Do(func() { <-c }) }()
	settle()
	go func() { once.Do(func() {}) }()
}

// NilChannel waits for a nil channel.
func NilChannel() {
	var c chan int
	go func() { <-c }()
}

// NoCases waits in a select without cases.
func NoCases() {
	go func() { select {} }()
}

// NilCases waits in a select with nil channels.
func NilCases() {
	var a, b chan int
	go func() {
		select {
		case <-a:
		case b <- 1:
		}
	}()
}

// OneCase waits in a select of which one case is for a variable.
func OneCase() {
	c := make(chan int)
	go func() {
		select {
		case <-c:
		case <-jobs:
		}
	}()
}

// OtherCase waits for a channel that another goroutine has in a select with one for a variable.
func OtherCase() {
	c := make(chan int)
	go func() {
		select {
		case c <- 1:
		case <-jobs:
		}
	}()
	go func() {
		select {
		case c <- 1:
		}
	}()
	settle()
}

// LostCases waits in a select of channels that were forgotten.
func LostCases() {
	a, b := make(chan int), make(chan string, 1)
	b <- ""
	go func() {
		select {
		case <-a:
		case b <- "":
		}
	}()
}

// ByValue sends a channel to a variable, and another goroutine waits for it.
func ByValue() {
	all := make(chan chan int)
	go func() {
		c := make(chan int)
		go func() { <-c }()
		all <- c
	}()
	queue2 = all
	settle()
}

var queue2 chan chan int

// Deferred holds a channel by a function that a goroutine has deferred, which waits for a variable.
func Deferred() {
	c := make(chan int)
	go func() {
		for range 1 {
			defer close(c)
		}
		<-jobs
	}()
	go func() { <-c }()
}

// OnStack holds a channel by a variable on the stack of a goroutine whose address is taken.
func OnStack() {
	c := make(chan int)
	go func() {
		var w [4]chan int
		w[2] = c
		use(&w)
	}()
	go func() { <-c }()
}

//go:noinline
func use(w *[4]chan int) {
	<-jobs
	close(w[2])
}

// Worker is the goroutine of a server that the program neither stops nor reaches.
func Worker() {
	w := &worker{in: make(chan int, 1)}
	go w.run()
	w.in <- 1
}

// connect returns the two ends of a connection.
func connect() (client, server net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		panic(err)
	}
	if server, err = l.Accept(); err != nil {
		panic(err)
	}
	return client, server
}

// DroppedEnd reads from a connection whose other end nothing reaches, so that the runtime closes it.
func DroppedEnd() {
	client, server := connect()
	client.Write([]byte("hello"))
	go func() {
		for b := make([]byte, 8); ; {
			if _, err := server.Read(b); err != nil {
				return
			}
		}
	}()
}

// CollectedEnd is DroppedEnd after a collection.
func CollectedEnd() {
	_, server := connect()
	for range 3 {
		runtime.GC()
	}
	go func() { server.Read(make([]byte, 8)) }()
}

// UnreadEnd writes more to such a connection than is read.
func UnreadEnd() {
	_, server := connect()
	go func() {
		for b := make([]byte, 1<<16); ; {
			if _, err := server.Write(b); err != nil {
				return
			}
		}
	}()
}

// DroppedBehind waits for a goroutine that reads from such a connection.
func DroppedBehind() {
	_, server := connect()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		server.Read(make([]byte, 8))
	}()
	go func() { <-ended }()
}

// WaitingEnd reads from a connection whose other end a goroutine holds that waits for ever.
func WaitingEnd() {
	client, server := connect()
	go func() { server.Read(make([]byte, 8)) }()
	go func() {
		<-make(chan int)
		client.Close()
	}()
}

// BothEnds reads from both ends of a connection.
func BothEnds() {
	client, server := connect()
	go func() { server.Read(make([]byte, 8)) }()
	go func() { client.Read(make([]byte, 8)) }()
}
