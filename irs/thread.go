package irs

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// thread is a goroutine of an execution: a [machine.Executor] for the goroutine of a machine of
// its own.
type thread struct {
	machine.NoExecutor // of what matters to a search only
	env                *env
	caller             machine.Caller
	m                  *machine.Machine
	g                  *machine.Goroutine

	id      trace.ID // in the prefix
	path    []int32  // the path of its goroutine in the execution
	kids    int32    // goroutines that it has started
	n       int32    // events that it has performed
	waits   []wait   // the rest of its part of the plan
	awaited []int32  // the rest of its awaited events
	objects []int32  // the objects that its events in the configuration use
	checked bool     // only known operations are allowed
	known   []uint64
	held    [2]*sync.Mutex // the locks of the objects that it uses
	pred    *EventID       // the event that it waits for because of a constraint, or nil

	// If not 0, the goroutine is slow at times, by random numbers.
	disturb uint64

	wake    chan struct{} // has an element if the thread may have to look again
	granted atomic.Bool   // the request that it waits for was granted
	joining sync.Mutex
	joined  []*thread // the threads that wait for its end
	ended   atomic.Bool
}

func newThread(e *env) *thread {
	t := &thread{env: e, wake: make(chan struct{}, 1)}
	t.m = machine.NewMachine(machine.Config{})
	t.m.Exec, t.m.Parallel = t, &e.shared
	t.g = t.m.Goroutines[machine.MainID]
	t.caller.M, t.caller.G = t.m, t.g // others look at these, even after t has ended
	return t
}

// begin makes t goroutine number n of an execution.
func (t *thread) begin(n int, id trace.ID, path []int32) {
	e := t.env
	t.m.Races = machine.RaceMode(e.prefix.races)
	t.m.Reset()
	t.m.Join(e.epochs)
	t.g.ID = trace.ID(n)
	t.caller.Serving = false
	t.id, t.path, t.kids, t.n = id, path, 0, 0
	t.waits, t.awaited, t.objects, t.known = nil, nil, nil, nil
	t.checked = !e.prefix.free
	if p := e.prefix.plan; id >= 0 && int(id) < len(p.waits) {
		t.waits, t.awaited, t.objects = p.waits[id], p.awaited[id], p.objects[id]
	}
	if id >= 0 && int(id) < len(e.prefix.known) {
		t.known = e.prefix.known[id]
	}
	t.held, t.pred = [2]*sync.Mutex{}, nil
	t.disturb = 0
	if e.prefix.disturb {
		t.disturb = rand.Uint64() | 1
	}
	t.granted.Store(false)
	t.joined = t.joined[:0]
	t.ended.Store(false)
	select {
	case <-t.wake:
	default:
	}
}

func (t *thread) name() string { return pathName(t.path) }

// run runs the goroutine to its end.
func (t *thread) run() {
	defer t.env.exits.Done()
	machine.Callers.Add(&t.caller)
	defer func() { t.end(recover()) }()
	t.g.Origin.Body()
}

// end is called when the goroutine has returned, called Goexit or panicked with r.
func (t *thread) end(r any) {
	if r != nil && !t.m.Closing {
		t.env.stop(t.failed(trace.FailPanic, format.Panic(r)))
	}
	t.done()
	machine.Callers.Remove(&t.caller)
	t.g.Origin.Body = nil
	e := t.env
	if len(t.awaited) > 0 && !e.stopped.Load() {
		e.stop(&UnknownEventError{Goroutine: t.name(), Event: int(t.n), Got: "its end", Want: fmt.Sprintf("event %d, which others wait for", t.awaited[0])})
	}
	t.joining.Lock()
	t.ended.Store(true)
	for _, w := range t.joined {
		e.running.Add(1)
		w.grant()
	}
	t.joined = t.joined[:0]
	t.joining.Unlock()
	e.events.Add(int64(t.n))
	e.live.Add(-1)
	e.waitsNow()
}

// failed returns the error that t makes the execution fail.
func (t *thread) failed(kind trace.FailureKind, msg string) error {
	return &ExecutionError{Kind: kind, Goroutine: t.name(), Event: int(t.n), Msg: msg, Stack: string(debug.Stack())}
}

// fork is [machine.Parallel.Fork].
func fork(g *machine.Goroutine) *machine.Goroutine {
	t := g.M.Exec.(*thread)
	e := t.env
	t.checkStopped()
	place := t.kids
	t.kids++
	path := append(append(make([]int32, 0, len(t.path)+1), t.path...), place)
	id := e.prefix.kid(t.id, place)
	e.live.Add(1)
	e.running.Add(1)
	return e.thread(t, id, path).g
}

// Launch implements [machine.Executor].
func (t *thread) Launch(kid *machine.Goroutine) { go kid.M.Exec.(*thread).run() }

// checkStopped ends the goroutine if the execution was stopped.
func (t *thread) checkStopped() {
	if t.env.stopped.Load() {
		t.m.Close()
		runtime.Goexit()
	}
}

// refuse is [machine.Parallel.Refuse].
func refuse(g *machine.Goroutine, what string) {
	t := g.M.Exec.(*thread)
	t.env.stop(&UnorderedError{[]string{what}})
	t.checkStopped()
}

// stray stops the execution because t does what the verifier has not met. Another input than
// the verified one may be the reason.
func (t *thread) stray(got, want string) {
	t.env.stop(&UnknownEventError{Goroutine: t.name(), Event: int(t.n), Got: got, Want: want})
	t.checkStopped()
}

// Submit implements [machine.Executor]: it performs the request of g after all events that it
// has to wait for.
func (t *thread) Submit(g *machine.Goroutine) {
	t.checkStopped()
	n, kind := t.n, g.Op.Kind
	if orderable>>kind&1 == 0 {
		refuse(g, kind.String())
	}
	if t.checked && (int(n) >= len(t.known) || t.known[n]>>kind&1 == 0) {
		t.stray(kind.String(), t.env.prefix.kindsAt(t.id, n))
	}
	if len(t.waits) > 0 && t.waits[0].at == n {
		t.await(t.waits[0].preds)
		t.waits = t.waits[1:]
	}
	if t.disturb != 0 {
		t.disturbance()
	}
	if kind == trace.OpJoin {
		waits := t.join(t.env.threadOf(int(g.Req.Arg)))
		t.performed()
		t.waitGranted(waits)
		return
	}
	t.use(g)
	if int(n) < len(t.objects) && t.objects[n] >= 0 && !t.env.shared.Bind(g, t.objects[n]) {
		t.unlock()
		t.stray(kind.String()+" of another object", "of the one that it was when it was verified")
	}
	waits := g.PerformAlone()
	if kind <= trace.OpTransfer && kind >= trace.OpRead {
		return // the value is used under the lock, and done is called then
	}
	t.done()
	t.waitGranted(waits)
	if g.Reply.Fault != "" {
		t.blameFault(g)
	}
}

// disturbance yields at times, so that tests see rare schedules.
func (t *thread) disturbance() {
	t.disturb ^= t.disturb << 13
	t.disturb ^= t.disturb >> 7
	t.disturb ^= t.disturb << 17
	switch t.disturb % 8 {
	case 0, 1:
		runtime.Gosched()
	case 2:
		for begun := time.Now(); time.Since(begun) < time.Microsecond; {
		}
	case 3:
		for begun := time.Now(); time.Since(begun) < time.Microsecond; {
			runtime.Gosched()
		}
	}
}

// use locks the objects that g's request uses.
func (t *thread) use(g *machine.Goroutine) {
	a := t.env.shared.LockFor(g)
	var b *sync.Mutex
	if g.Op.Kind == trace.OpTransfer {
		if b = t.env.shared.Lock(g.TransferFrom()); b == a {
			b = nil
		} else if uintptr(unsafe.Pointer(b)) < uintptr(unsafe.Pointer(a)) {
			a, b = b, a
		}
	}
	a.Lock()
	if b != nil {
		b.Lock()
	}
	t.held = [2]*sync.Mutex{a, b}
}

// done is [machine.Parallel.Done].
func done(g *machine.Goroutine) { g.M.Exec.(*thread).done() }

// done ends the event that t performs, if any: it unlocks the objects, lets the released
// goroutines go on, and wakes those that wait for the event.
func (t *thread) done() {
	if t.held[0] == nil {
		return
	}
	t.unlock()
	if len(t.m.Released) > 0 {
		t.Advance()
	}
	t.performed()
}

func (t *thread) unlock() {
	t.held[0].Unlock()
	t.held[0] = nil
	if t.held[1] != nil {
		t.held[1].Unlock()
		t.held[1] = nil
	}
}

// performed counts the event and wakes the goroutines that wait for it.
func (t *thread) performed() {
	n := t.n
	t.n++
	if len(t.awaited) > 0 && t.awaited[0] == n {
		t.awaited = t.awaited[1:]
		t.env.counters[t.id].publish(t.env, n+1)
	}
}

// Advance implements [machine.Executor].
func (t *thread) Advance() {
	for _, g := range t.m.Released {
		t.env.running.Add(1)
		g.M.Exec.(*thread).grant()
	}
	t.m.Released = t.m.Released[:0]
}

// grant lets t go on. It may be called before t waits.
func (t *thread) grant() {
	t.granted.Store(true)
	t.rouse()
}

// rouse makes t look again if it is parked.
func (t *thread) rouse() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// waitGranted waits until t's request is granted, if waits is set.
func (t *thread) waitGranted(waits bool) {
	if !waits {
		return
	}
	t.env.waitsNow()
	for !t.granted.Load() {
		<-t.wake
		t.checkStopped()
	}
	t.granted.Store(false)
}

// Park implements [machine.Executor].
func (t *thread) Park(g *machine.Goroutine) { t.waitGranted(true) }

// join registers t for the end of target. It reports whether t has to wait for it.
func (t *thread) join(target *thread) (waits bool) {
	target.joining.Lock()
	defer target.joining.Unlock()
	if waits = !target.ended.Load(); waits {
		target.joined = append(target.joined, t)
	}
	return waits
}

// threadOf returns the thread of goroutine number n.
func (e *env) threadOf(n int) *thread {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.threads[n]
}

// spins is how often a goroutine polls for the event that it waits for before it yields: about
// 100 ns. It is parked after yielding for patient. That is the time that waking an idle core
// may take (measured: 200 µs on a virtual one). So the lost time is at most twice the least
// possible.
var (
	spins   = 40
	patient = 200 * time.Microsecond
)

// await waits until the events preds were performed.
func (t *thread) await(preds []EventID) {
	waited := false
	for i, p := range preds {
		c := &t.env.counters[p.G]
		if c.done.Load() > p.N {
			continue
		}
		if !waited {
			waited = true
			t.env.waits.Add(1)
		}
		t.pred = &preds[i]
		t.awaitOne(c, p.N+1)
		t.pred = nil
	}
}

func (t *thread) awaitOne(c *counter, need int32) {
	for range spins {
		if c.done.Load() >= need {
			return
		}
	}
	begun := time.Now()
	for time.Since(begun) < patient {
		runtime.Gosched()
		if c.done.Load() >= need {
			return
		}
	}
	begun = time.Now()
	c.mu.Lock()
	c.sleepers = append(c.sleepers, sleeper{t, need})
	c.asleep.Store(int32(len(c.sleepers)))
	if c.done.Load() >= need { // published before it could see asleep
		c.sleepers = c.sleepers[:len(c.sleepers)-1]
		c.asleep.Store(int32(len(c.sleepers)))
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	if t.disturb != 0 {
		t.disturbance()
	}
	t.waitGranted(true) // not for the count: the publisher counts it as running again
	t.env.parks.Add(1)
	t.env.parked.Add(int64(time.Since(begun)))
}

// blameFault ends g's operation with the panic or fatal error that it caused.
func (t *thread) blameFault(g *machine.Goroutine) {
	text := g.Reply.Fault
	g.Reply.Fault = ""
	if g.Reply.Fatal {
		g.Reply.Fatal = false
		t.env.stop(t.failed(trace.FailFatal, text))
		t.checkStopped()
	}
	if strings.HasPrefix(text, "sync") {
		panic(text) // these packages panic with strings
	}
	panic(machine.Misuse(text))
}

// Use implements [machine.Executor].
func (t *thread) Use(g *machine.Goroutine, p unsafe.Pointer, size uintptr, kind trace.Kind) {
	if t.m.Races == machine.RaceExplore {
		refuse(g, "plain memory at an address, of which nothing tells when its use ends")
	}
}
