package witness

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Observer is told what the threads of a run observe. A thread calls it by itself.
type Observer interface {
	Begin(thread int)             // before its first step
	Pause()                       // before a step, and within some
	Note(thread int, what string) // the result of a step
	End(thread int)
}

// Outcome puts what the threads have noted into one text.
func Outcome(notes [][]string, ended []bool) string {
	var b strings.Builder
	for i, l := range notes {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(strings.Join(l, ", "))
		if !ended[i] {
			b.WriteString(" waits")
		}
	}
	return b.String()
}

// part is a set of parts of the world that have to be made before the first step.
type part uint16

const (
	ctxA   part = 1 << iota // a context
	ctxB                    // a child of a
	ctxS                    // another one
	ctxL                    // one with a deadline
	timer                   // sends on a channel
	after                   // calls a function
	ticker                  // sends again and again
	sleep                   // no object, but time passes
	native                  // a map of the language
	clock  = ctxL | timer | after | ticker | sleep
)

// moment is how long everything lasts that lasts some time. Nothing that is observed
// depends on how long it is.
const moment = 20 * time.Microsecond

// world is what the threads of one run share.
type world struct {
	watch Observer

	mu   sync.Mutex
	rw   sync.RWMutex
	wg   sync.WaitGroup
	once sync.Once
	cond *sync.Cond // with mu
	m    sync.Map
	pool sync.Pool

	n    atomic.Int64
	word uint32
	ptr  atomic.Pointer[int]
	val  atomic.Value
	x    int // plain, mostly guarded by mu

	c, d, z chan int // with no buffer, with a buffer of one, nil

	a, b, s, l       context.Context
	cancelA, cancelS context.CancelFunc
	cancelB          context.CancelCauseFunc
	cancelL          context.CancelFunc
	timer, after     *time.Timer
	ticker           *time.Ticker
	native           map[int]int
	memory
}

func newWorld(parts part, watch Observer) *world {
	w := &world{watch: watch, c: make(chan int), d: make(chan int, 1), memory: newMemory()}
	w.cond = sync.NewCond(&w.mu)
	if parts&(ctxA|ctxB|ctxS|ctxL) != 0 {
		w.a, w.cancelA = context.WithCancel(context.Background())
	}
	if parts&ctxB != 0 {
		w.b, w.cancelB = context.WithCancelCause(w.a)
	}
	if parts&ctxS != 0 {
		w.s, w.cancelS = context.WithCancel(w.a)
	}
	if parts&ctxL != 0 {
		w.l, w.cancelL = context.WithTimeout(w.a, moment)
	}
	if parts&timer != 0 {
		w.timer = time.NewTimer(moment)
	}
	if parts&after != 0 {
		w.after = time.AfterFunc(moment, func() { w.n.Add(100) })
	}
	if parts&ticker != 0 {
		w.ticker = time.NewTicker(moment)
	}
	if parts&native != 0 {
		w.native = map[int]int{1: 1, 2: 2, 3: 3}
	}
	return w
}

// Run is one run of a program.
type Run struct {
	*world
	program *Program
}

// New makes what a run of p uses. Timers begin to run.
func New(p *Program, watch Observer) Run { return Run{newWorld(p.needs(), watch), p} }

// Main starts the other threads and performs the steps of main. The others may still
// be at work when it returns, or ends by runtime.Goexit.
func (r Run) Main() {
	for i, steps := range r.program.Threads[1:] {
		go r.thread(i+1, steps)
	}
	r.thread(0, r.program.Threads[0])
}

// Stop stops what would go on for ever although all threads have ended.
func (r Run) Stop() {
	if r.ticker != nil {
		r.ticker.Stop()
	}
}

// thread performs steps, one of them after the other.
func (w *world) thread(number int, steps []*Step) {
	t := &thread{world: w, number: number}
	w.watch.Begin(number)
	defer w.watch.End(number)
	for i, s := range steps {
		t.value = 10*(number+1) + i
		w.watch.Pause()
		t.perform(s)
	}
}

// thread is a goroutine of the program.
type thread struct {
	*world
	number  int
	value   int         // what the step at work sends and stores
	unafter func() bool // what context.AfterFunc has returned last
}

// perform performs a step. What it panics with is what it observes.
func (t *thread) perform(s *Step) {
	defer func() {
		if r := recover(); r != nil {
			t.note(fmt.Sprint("panic: ", r))
		}
	}()
	t.note(s.do(t))
}

func (t *thread) note(what string) { t.watch.Note(t.number, what) }
