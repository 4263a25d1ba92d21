package irs

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// env is the execution environment (Metzler et al. 2018, section 3.2 and 4). It runs one
// execution of a closure on goroutines of the Go runtime, in parallel, under a prefix. Later
// executions use it again.
//
// The primitives of package sched make their requests of it as they do under control. The same
// states of objects decide what is granted, in the order of requests, each performed while the
// object is locked. So every execution does what some interleaving of events does. A mutex
// therefore grants in the order of requests, and the k-th receive meets the k-th send. The
// counterparts in the standard library do not promise that.
//
// An event that does not wait for another goroutine reads nothing shared of the environment but
// the flag that the execution was stopped, which is written once.
type env struct {
	prefix   *Prefix
	shared   machine.Parallel
	presence machine.Presence
	epochs   *machine.Machine // numbers the executions
	counters []counter        // by goroutine of the prefix

	mu      sync.Mutex
	threads []*thread // of this execution, by the number of their goroutine
	pool    []*thread // of this execution and of earlier ones

	stopped atomic.Bool
	failure error        // why it was stopped, under mu
	live    atomic.Int32 // goroutines that have not ended
	running atomic.Int32 // goroutines that have not ended and do not wait for another one
	exits   sync.WaitGroup
	over    chan struct{} // has an element when no goroutine is live, or all wait

	events, waits, parks, parked atomic.Int64 // see Report
}

// counter counts the events of a goroutine that others wait for. It has a cache line of its
// own.
type counter struct {
	done     atomic.Int32 // events that it has performed
	asleep   atomic.Int32 // the length of sleepers
	mu       sync.Mutex
	sleepers []sleeper
	_        [16]byte
}

// sleeper is a thread that waits until need events were performed.
type sleeper struct {
	t    *thread
	need int32
}

// publish notes that n events were performed.
func (c *counter) publish(e *env, n int32) {
	c.done.Store(n)
	if e.prefix.disturb {
		runtime.Gosched()
	}
	if c.asleep.Load() == 0 {
		return
	}
	c.mu.Lock()
	keep := c.sleepers[:0]
	for _, s := range c.sleepers {
		if s.need > n {
			keep = append(keep, s)
			continue
		}
		e.running.Add(1)
		s.t.grant()
	}
	c.sleepers = keep
	c.asleep.Store(int32(len(keep)))
	c.mu.Unlock()
}

// Report has the measurements of an execution.
type Report struct {
	Events int64         // events that were performed
	Waits  int64         // events that had to wait for those of other goroutines in the prefix
	Parks  int64         // waits that were so long that the goroutine was parked
	Parked time.Duration // the time that goroutines were parked
	Time   time.Duration // from the start of the closure until all its goroutines have ended
}

// envs has the environments that are not in use.
var envs struct {
	sync.Mutex
	idle []*env
}

func takeEnv() *env {
	envs.Lock()
	defer envs.Unlock()
	if n := len(envs.idle); n > 0 {
		e := envs.idle[n-1]
		envs.idle = envs.idle[:n-1]
		return e
	}
	e := &env{epochs: machine.NewMachine(machine.Config{}), over: make(chan struct{}, 1)}
	e.shared.Fork, e.shared.Done, e.shared.Refuse = fork, done, refuse
	return e
}

func (e *env) giveBack() {
	envs.Lock()
	envs.idle = append(envs.idle, e)
	envs.Unlock()
}

// begin prepares an execution under a prefix.
func (e *env) begin(p *Prefix) {
	e.prefix = p
	e.shared.Begin(p.plan.bound)
	e.epochs.Turn()
	if n := len(p.known); n > len(e.counters) {
		e.counters = make([]counter, n)
	}
	for i := range e.counters {
		c := &e.counters[i]
		c.done.Store(0)
		c.asleep.Store(0) // those of a stopped execution are still there
		c.sleepers = c.sleepers[:0]
	}
	e.threads = e.threads[:0]
	select {
	case <-e.over: // a second element, from goroutines of a stopped execution
	default:
	}
	e.failure = nil
	e.stopped.Store(false)
	e.live.Store(1)
	e.running.Store(1)
	e.events.Store(0)
	e.waits.Store(0)
	e.parks.Store(0)
	e.parked.Store(0)
}

// run executes f and waits for its end.
func (e *env) run(ctx context.Context, f func()) (r Report, err error) {
	e.presence.Enter(e.epochs.Epoch)
	defer e.presence.Leave()
	begun := time.Now()
	main := e.thread(nil, 0, nil)
	main.g.Origin.Body = f
	go main.run()
	// Short executions are over before sleeping would pay.
	for i := 0; i < turns && len(e.over) == 0; i++ {
		runtime.Gosched()
	}
	select {
	case <-e.over:
	case <-ctx.Done():
		e.stop(fmt.Errorf("irs: the execution was ended: %w", context.Cause(ctx)))
		if err := e.settle(); err != nil {
			return r, err // the environment cannot be used again
		}
	}
	if e.live.Load() == 0 {
		e.exits.Wait()
	}
	r = Report{e.events.Load(), e.waits.Load(), e.parks.Load(), time.Duration(e.parked.Load()), time.Since(begun)}
	if e.live.Load() > 0 {
		if !e.stopped.Load() { // all live goroutines wait
			e.stop(e.stuck())
		}
		if err := e.settle(); err != nil {
			return r, err
		}
	}
	return r, e.failure
}

// turns is how often the caller of an execution yields before it sleeps.
const turns = 20

// grace is the time that goroutines of a stopped execution have for their code between two
// operations.
var grace = time.Second

// settle waits until all goroutines of a stopped execution have ended.
func (e *env) settle() error {
	deadline := time.Now().Add(grace)
	for e.live.Load() > 0 {
		if time.Now().After(deadline) {
			return e.lost()
		}
		e.rouseAll()
		runtime.Gosched()
		if time.Until(deadline) < grace-time.Millisecond {
			time.Sleep(50 * time.Microsecond)
		}
	}
	e.exits.Wait()
	select {
	case <-e.over:
	default:
	}
	return nil
}

// lost returns the error that names the goroutines that have not stopped.
func (e *env) lost() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	names := ""
	for _, t := range e.threads {
		if !t.ended.Load() {
			names += " " + t.name()
		}
	}
	return fmt.Errorf("%w; it has left behind, in code that makes no requests:%s", e.failure, names)
}

// stop makes every goroutine end at its next operation. The failure is err unless there was one
// before.
func (e *env) stop(err error) {
	e.mu.Lock()
	if e.failure == nil {
		e.failure = err
	}
	e.mu.Unlock()
	e.stopped.Store(true)
	e.rouseAll()
}

func (e *env) rouseAll() {
	e.mu.Lock()
	for _, t := range e.threads {
		t.rouse()
	}
	e.mu.Unlock()
}

// stuck returns the error that all live goroutines wait. In a verified execution no goroutine
// waits because of a constraint then.
func (e *env) stuck() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := &ExecutionError{Kind: trace.FailLeak, Goroutine: "main", Msg: "goroutines wait for ever:"}
	for _, t := range e.threads {
		if t.ended.Load() {
			continue
		}
		if t.pred != nil {
			return &UnknownEventError{Goroutine: e.prefix.Name(t.pred.G), Event: int(t.pred.N), Got: "never to come", Want: "one that " + t.name() + " waits for"}
		}
		if t.g.ID == machine.MainID {
			err.Kind = trace.FailDeadlock
		}
		err.Msg += fmt.Sprintf(" %s in %v (event %d),", t.name(), t.g.Op.Kind, t.n)
	}
	err.Msg = err.Msg[:len(err.Msg)-1]
	return err
}

// waitsNow notes that a goroutine begins to wait for another one.
func (e *env) waitsNow() {
	if e.running.Add(-1) == 0 {
		e.finish()
	}
}

func (e *env) finish() {
	select {
	case e.over <- struct{}{}:
	default:
	}
}

// thread returns a thread for the next goroutine that parent starts, ready to run.
func (e *env) thread(parent *thread, id trace.ID, path []int32) *thread {
	e.mu.Lock()
	defer e.mu.Unlock()
	var t *thread
	if n := len(e.threads); n < len(e.pool) {
		t = e.pool[n]
	} else {
		t = newThread(e)
		e.pool = append(e.pool, t)
	}
	t.begin(len(e.threads), id, path)
	e.exits.Add(1)
	e.threads = append(e.threads, t)
	return t
}
