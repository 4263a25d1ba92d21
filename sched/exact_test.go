package sched_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/sched"
)

// The happens-before relation of a primitive is right if every trace has
// exactly as many interleavings as its partial order has linear extensions.
// Random small programs are held against that.

var largest = flag.Int64("sched.largest", 3000, "interleavings of the largest random program")
var randomPrograms = flag.Int("sched.programs", 100, "random programs per test")

// world is what the operations of a random program work on.
type world struct {
	n      sched.Int32
	word   *uint32
	ptr    sched.Pointer[int]
	val    sched.Value
	m      sched.Map
	pool   sched.Pool
	c      *sched.Chan[int]
	mu     sched.Mutex
	rw     sched.RWMutex
	wg     sched.WaitGroup
	cond   *sched.Cond
	once   sched.Once
	ctx    sched.Context
	cancel sched.CancelFunc
	kid    sched.Context
	end    sched.CancelCauseFunc
	late   sched.Context
	group  sched.WaitGroup
	sib    sched.Context
	leave  sched.CancelFunc
	grand  sched.Context
	stop   func() bool
	timer  *sched.Timer
	after  *sched.Timer
	ticker *sched.Ticker
	fired  sched.Int64
	cells  [2]int
	bytes  [12]byte
}

// newWorld makes those parts that the operations need, so that programs stay
// small.
func newWorld(parts string) *world {
	w := &world{word: new(uint32), c: sched.NewChan[int](1)}
	w.cond = sched.NewCond(&w.mu)
	for _, p := range parts {
		switch p {
		case 'c':
			w.ctx, w.cancel = sched.WithCancel(sched.Background())
			w.kid, w.end = sched.WithCancelCause(w.ctx)
		case 's':
			w.sib, w.leave = sched.WithCancel(w.ctx)
			w.grand, _ = sched.WithTimeout(w.kid, time.Second)
		case 'a':
			w.stop = sched.ContextAfterFunc(w.ctx, func() { w.fired.Add(1) })
		case 'l':
			w.late, _ = sched.WithTimeout(w.ctx, time.Second)
		case 't':
			w.timer = sched.NewTimer(time.Second)
		case 'f':
			w.after = sched.AfterFunc(time.Second, func() { w.fired.Add(1) })
		case 'k':
			w.ticker = sched.NewTicker(time.Second)
		}
	}
	return w
}

// A step is one operation; what it returns goes into the outcome.
type step struct {
	name string
	do   func(w *world) any
}

func errName(err error) string {
	if err == nil {
		return "-"
	}
	return err.Error()[:9]
}

var errMine = errors.New("mine mine mine")

var atomicSteps = []step{
	{"add", func(w *world) any { return w.n.Add(1) }},
	{"load", func(w *world) any { return w.n.Load() }},
	{"cas", func(w *world) any { return w.n.CompareAndSwap(1, 3) }},
	{"or", func(w *world) any { return w.n.Or(4) }},
	{"swap", func(w *world) any { return w.n.Swap(7) }},
	{"addword", func(w *world) any { return sched.AddUint32(w.word, 1) }},
	{"casword", func(w *world) any { return sched.CompareAndSwapUint32(w.word, 1, 5) }},
	{"ptr", func(w *world) any { return w.ptr.CompareAndSwap(nil, &w.cells[0]) }},
	{"ptr2", func(w *world) any { return w.ptr.Swap(&w.cells[1]) == nil }},
	{"ptr3", func(w *world) any { return w.ptr.Load() == nil }},
	{"val", func(w *world) any { return w.val.CompareAndSwap(nil, 1) }},
	{"val2", func(w *world) any { w.val.Store(2); return nil }},
	{"val3", func(w *world) any { return w.val.Load() }},
	{"val4", func(w *world) any { return caught(func() string { w.val.Store("x"); return "ok" }) }},
}

// overlapping returns an access of some bytes of memory.
func overlapping(name string, write bool, from, to int) step {
	return step{fmt.Sprint(name, from, ":", to), func(w *world) any {
		part := w.bytes[from:to]
		if !write {
			readAll(part)
			return fmt.Sprint(part)
		}
		writeAll(part)
		for i := range part {
			part[i] = 2*part[i] + 1
		}
		return nil
	}}
}

var memorySteps = []step{
	overlapping("read", false, 0, 12),
	overlapping("read", false, 1, 3),
	overlapping("read", false, 2, 5),
	overlapping("read", false, 7, 9),
	overlapping("write", true, 0, 8),
	overlapping("write", true, 4, 12),
	overlapping("write", true, 2, 3),
	overlapping("write", true, 6, 7),
	{"addbytes", func(w *world) any { return sched.AddUint32((*uint32)(unsafe.Pointer(&w.bytes[4])), 1) }},
	{"casbytes", func(w *world) any {
		return sched.CompareAndSwapUint32((*uint32)(unsafe.Pointer(&w.bytes[4])), 0, 9)
	}},
	{"loadbytes", func(w *world) any { return sched.LoadUint64((*uint64)(unsafe.Pointer(&w.bytes[0]))) }},
}

func ranged(m *sched.Map) string {
	text := ""
	m.Range(func(k, v any) bool { text += fmt.Sprint(k, v, ";"); return true })
	return text
}

var mapSteps = []step{
	{"load1", func(w *world) any { v, ok := w.m.Load(1); return fmt.Sprint(v, ok) }},
	{"store1", func(w *world) any { w.m.Store(1, 1); return nil }},
	{"store2", func(w *world) any { w.m.Store(2, 2); return nil }},
	{"los1", func(w *world) any { v, ok := w.m.LoadOrStore(1, 3); return fmt.Sprint(v, ok) }},
	{"lad1", func(w *world) any { v, ok := w.m.LoadAndDelete(1); return fmt.Sprint(v, ok) }},
	{"del2", func(w *world) any { w.m.Delete(2); return nil }},
	{"swap2", func(w *world) any { v, ok := w.m.Swap(2, 5); return fmt.Sprint(v, ok) }},
	{"cas1", func(w *world) any { return w.m.CompareAndSwap(1, 1, 3) }},
	{"cad1", func(w *world) any { return w.m.CompareAndDelete(1, 3) }},
	{"range", func(w *world) any { return ranged(&w.m) }},
	{"clear", func(w *world) any { w.m.Clear(); return nil }},
	{"change", func(w *world) any { w.m.Store(1, 0); return ranged(&w.m) }},
	{"put", func(w *world) any { w.pool.Put(1); return nil }},
	{"get", func(w *world) any { return w.pool.Get() }},
}

var contextSteps = []step{
	{"cancel", func(w *world) any { w.cancel(); return nil }},
	{"end", func(w *world) any { w.end(errMine); return nil }},
	{"err", func(w *world) any { return errName(w.ctx.Err()) }},
	{"kiderr", func(w *world) any { return errName(sched.Cause(w.kid)) }},
	{"recv", func(w *world) any { w.ctx.Done().Recv(); return nil }},
	{"kidrecv", func(w *world) any { w.kid.Done().Recv(); return nil }},
	{"poll", func(w *world) any { return sched.Select(sched.RecvCase(w.ctx.Done(), nil, nil), sched.Default) }},
	{"either", func(w *world) any {
		return sched.Select(sched.RecvCase(w.kid.Done(), nil, nil), sched.RecvCase(w.c, nil, nil))
	}},
	{"both", func(w *world) any {
		return sched.Select(sched.RecvCase(w.ctx.Done(), nil, nil), sched.RecvCase(w.kid.Done(), nil, nil))
	}},
	{"send", func(w *world) any { w.c.Send(1); return nil }},
	{"derive", func(w *world) any {
		c, cancel := sched.WithCancel(w.kid)
		defer cancel()
		return errName(c.Err())
	}},
	{"after", func(w *world) any { sched.ContextAfterFunc(w.kid, func() { w.fired.Add(1) }); return nil }},
	{"fired", func(w *world) any { return w.fired.Load() }},
}

// treeSteps are for a tree of contexts: kid and sib, and grand below kid.
var treeSteps = []step{
	{"cancel", func(w *world) any { w.cancel(); return nil }},
	{"end", func(w *world) any { w.end(errMine); return nil }},
	{"leave", func(w *world) any { w.leave(); return nil }},
	{"sees", func(w *world) any { return []bool{w.ctx.Err() != nil, w.kid.Err() != nil} }},
	{"siberr", func(w *world) any { return errName(w.sib.Err()) }},
	{"cause", func(w *world) any { return errName(sched.Cause(w.ctx)) }},
	{"kidcause", func(w *world) any { return errName(sched.Cause(w.kid)) }},
	{"granderr", func(w *world) any { return errName(w.grand.Err()) }},
	{"recv", func(w *world) any { w.kid.Done().Recv(); return nil }},
	{"which", func(w *world) any {
		return sched.Select(sched.RecvCase(w.sib.Done(), nil, nil), sched.RecvCase(w.grand.Done(), nil, nil))
	}},
	{"derive", func(w *world) any {
		c, cancel := sched.WithTimeout(w.kid, time.Millisecond)
		defer cancel()
		return errName(c.Err())
	}},
	{"after", func(w *world) any { return sched.ContextAfterFunc(w.sib, func() { w.fired.Add(1) })() }},
	{"fired", func(w *world) any { return w.fired.Load() }},
}

var deadlineSteps = []step{
	{"cancel", func(w *world) any { w.cancel(); return nil }},
	{"stop", func(w *world) any { return w.stop != nil && w.stop() }},
	{"lateerr", func(w *world) any { return errName(w.late.Err()) }},
	{"recv", func(w *world) any { w.late.Done().Recv(); return nil }},
	{"poll", func(w *world) any { return sched.Select(sched.RecvCase(w.late.Done(), nil, nil), sched.Default) }},
	{"sleep", func(w *world) any { sched.Sleep(time.Second); return nil }},
	{"fired", func(w *world) any { return w.fired.Load() }},
	{"now", func(w *world) any { return sched.Now().Second() }},
	{"timeout", func(w *world) any {
		c, cancel := sched.WithTimeout(w.late, time.Second/2)
		defer cancel()
		return errName(c.Err())
	}},
}

var timerSteps = []step{
	{"stop", func(w *world) any { return w.timer.Stop() }},
	{"reset", func(w *world) any { return w.timer.Reset(2 * time.Second) }},
	{"recv", func(w *world) any { return w.timer.C.Recv().Second() }},
	{"poll", func(w *world) any { return sched.Select(sched.RecvCase(w.timer.C, nil, nil), sched.Default) }},
	{"either", func(w *world) any {
		return sched.Select(sched.RecvCase(w.timer.C, nil, nil), sched.RecvCase(w.c, nil, nil))
	}},
	{"send", func(w *world) any { w.c.Send(1); return nil }},
	{"sleep", func(w *world) any { sched.Sleep(time.Second); return nil }},
	{"short", func(w *world) any { sched.Sleep(time.Millisecond); return nil }},
	{"stopf", func(w *world) any { return w.after != nil && w.after.Stop() }},
	{"resetf", func(w *world) any { return w.after != nil && w.after.Reset(time.Second) }},
	{"fired", func(w *world) any { return w.fired.Load() }},
	{"now", func(w *world) any { return sched.Now().Second() }},
}

var tickerSteps = []step{
	{"tick", func(w *world) any { return w.ticker.C.Recv().Second() }},
	{"poll", func(w *world) any { return sched.Select(sched.RecvCase(w.ticker.C, nil, nil), sched.Default) }},
	{"stop", func(w *world) any { w.ticker.Stop(); return nil }},
	{"reset", func(w *world) any { w.ticker.Reset(2 * time.Second); return nil }},
	{"sleep", func(w *world) any { sched.Sleep(1500 * time.Millisecond); return nil }},
}

var oldSteps = []step{
	{"lock", func(w *world) any { w.mu.Lock(); w.mu.Unlock(); return nil }},
	{"try", func(w *world) any {
		ok := w.mu.TryLock()
		if ok {
			w.mu.Unlock()
		}
		return ok
	}},
	{"wait", func(w *world) any { w.mu.Lock(); w.cond.Wait(); w.mu.Unlock(); return nil }},
	{"signal", func(w *world) any { w.cond.Signal(); return nil }},
	{"broadcast", func(w *world) any { w.cond.Broadcast(); return nil }},
	{"once", func(w *world) any { w.once.Do(func() { w.n.Add(1) }); return nil }},
	{"load", func(w *world) any { return w.n.Load() }},
	{"send", func(w *world) any { w.c.Send(1); return nil }},
	{"recv", func(w *world) any { return w.c.Recv() }},
	{"yield", func(w *world) any { sched.Gosched(); return nil }},
	{"choose", func(w *world) any { return sched.Choose(2) }},
}

var groupSteps = []step{
	{"add", func(w *world) any { return caught(func() string { w.group.Add(1); return "" }) }},
	{"done", func(w *world) any { return caught(func() string { w.group.Done(); return "" }) }},
	{"wait", func(w *world) any { return caught(func() string { w.group.Wait(); return "" }) }},
	{"both", func(w *world) any { return caught(func() string { w.group.Done(); w.group.Add(1); return "" }) }},
	{"go", func(w *world) any { w.group.Go(func() { w.n.Add(1) }); return nil }},
	{"load", func(w *world) any { return w.n.Load() }},
	{"trylock", func(w *world) any { return w.rw.TryLock() }},
	{"tryread", func(w *world) any { return w.rw.TryRLock() && w.rw.TryLock() }},
}

// runSteps is the random program: every goroutine does its steps in order.
func runSteps(parts string, program [][]step, results [][]any) {
	w := newWorld(parts)
	clear(results)
	for i, steps := range program[1:] {
		sched.Go(func() {
			for _, s := range steps {
				results[i+1] = append(results[i+1], s.do(w))
			}
		})
	}
	for _, s := range program[0] {
		results[0] = append(results[0], s.do(w))
	}
}

// stepsProgram is runSteps, which ends in the results.
func stepsProgram(parts string, steps [][]step, results [][]any, o sched.Options) *program {
	return programOf(func() string { runSteps(parts, steps, results); return "" }, func() string { return fmt.Sprint(results) }, o)
}

func describeProgram(program [][]step) string {
	text := ""
	for _, steps := range program {
		for _, s := range steps {
			text += s.name + " "
		}
		text += "/ "
	}
	return text
}

func testRandom(t *testing.T, parts string, steps []step, modes ...sched.TimeMode) {
	var opts []sched.Options
	for _, mode := range modes {
		opts = append(opts, sched.Options{Time: mode})
	}
	testRandomWith(t, parts, steps, opts...)
}

func testRandomWith(t *testing.T, parts string, steps []step, opts ...sched.Options) {
	n := *randomPrograms
	if testing.Short() {
		n /= 10
	}
	for _, o := range opts {
		t.Run(fmt.Sprintf("time%dmodel%d", o.Time, o.Model), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			skipped := 0
			for i := range n {
				program := make([][]step, 2+r.IntN(2))
				left := 8
				if o.Time == sched.TimeAnyOrder {
					left = 5 // and every timer adds an event
				}
				for g := range program {
					for range min(left, 1+r.IntN(4)) {
						program[g] = append(program[g], steps[r.IntN(len(steps))])
						left--
					}
				}
				results := make([][]any, len(program))
				_, err := stepsProgram(parts, program, results, o).by(oracle.Enumerate, *largest, true)
				if errors.Is(err, oracle.ErrTooBig) {
					skipped++
				} else if err != nil {
					t.Fatalf("program %d: %s: %v", i, describeProgram(program), err)
				}
			}
			if t.Logf("%d of %d programs were too large", skipped, n); 3*skipped > 2*n {
				t.Error("too few programs are left")
			}
		})
	}
}

// TestExactByHand has programs in which rarely used rules matter.
func TestExactByHand(t *testing.T) {
	programs := map[string]func() string{
		// Cancelling takes a select off its other channels.
		"cancel or send": func() string {
			ctx, cancel := sched.WithCancel(sched.Background())
			c := sched.NewChan[int](1)
			sched.Go(cancel)
			sched.Go(func() { c.Send(1) })
			return fmt.Sprint(sched.Select(sched.RecvCase(ctx.Done(), nil, nil), sched.RecvCase(c, nil, nil)))
		},
		"two contexts": func() string {
			a, cancelA := sched.WithCancel(sched.Background())
			b, cancelB := sched.WithCancel(sched.Background())
			sched.Go(cancelA)
			sched.Go(cancelB)
			return fmt.Sprint(sched.Select(sched.RecvCase(a.Done(), nil, nil), sched.RecvCase(b.Done(), nil, nil)))
		},
		"children cancelled and removed": func() string {
			a, cancelA := sched.WithCancelCause(sched.Background())
			b, cancelB := sched.WithCancelCause(a)
			c, cancelC := sched.WithCancelCause(b)
			sched.Go(func() { cancelB(errMine) })
			sched.Go(func() { cancelC(errMine) })
			cancelA(nil)
			return fmt.Sprint(sched.Cause(b), sched.Cause(c))
		},
	}
	for name, f := range programs {
		found := exact(t, sched.Options{AllowLeaks: true}, f)
		if len(found.Outcomes) < 2 {
			t.Errorf("%s: only %s", name, found.list())
		}
	}
}

func TestExactAtomics(t *testing.T) { testRandom(t, "", atomicSteps, sched.TimeDiscrete) }
func TestExactMapPool(t *testing.T) {
	testRandomWith(t, "", mapSteps, sched.Options{}, sched.Options{Model: sched.ModelFine})
}
func TestExactGroup(t *testing.T) {
	usual := sched.Options{AllowLeaks: true, Races: sched.RaceIgnore}
	fine := usual
	fine.Model = sched.ModelFine
	testRandomWith(t, "", groupSteps, usual, fine)
}
func TestExactContext(t *testing.T) { testRandom(t, "c", contextSteps, sched.TimeDiscrete) }
func TestExactOld(t *testing.T)     { testRandom(t, "", oldSteps, sched.TimeDiscrete) }
func TestExactMemory(t *testing.T) {
	testRandomWith(t, "", memorySteps, sched.Options{Races: sched.RaceExplore})
}
func TestExactTree(t *testing.T) {
	testRandom(t, "csa", treeSteps, sched.TimeDiscrete)
	testRandom(t, "cs", treeSteps, sched.TimeAnyOrder)
}
func TestExactDeadline(t *testing.T) {
	testRandom(t, "cal", deadlineSteps, sched.TimeDiscrete, sched.TimeAnyOrder)
}
func TestExactTimers(t *testing.T) {
	testRandom(t, "tf", timerSteps, sched.TimeDiscrete, sched.TimeAnyOrder)
}

// mixedSteps have primitives meet in one select or wait for each other.
var mixedSteps = append([]step{
	{"three", func(w *world) any {
		return sched.Select(sched.RecvCase(w.timer.C, nil, nil), sched.RecvCase(w.late.Done(), nil, nil), sched.SendCase(w.c, 1))
	}},
	{"four", func(w *world) any {
		return sched.Select(sched.RecvCase(w.kid.Done(), nil, nil), sched.RecvCase(w.c, nil, nil), sched.RecvCase(w.late.Done(), nil, nil), sched.Default)
	}},
	{"locksleep", func(w *world) any { w.mu.Lock(); sched.Sleep(time.Second); w.mu.Unlock(); return nil }},
}, append(append(append(append([]step(nil), oldSteps...), contextSteps...), deadlineSteps...), timerSteps...)...)

func TestExactMixed(t *testing.T) {
	testRandom(t, "caltf", mixedSteps, sched.TimeDiscrete)
	testRandom(t, "clt", mixedSteps, sched.TimeAnyOrder)
}
func TestExactTicker(t *testing.T) {
	testRandom(t, "k", tickerSteps, sched.TimeDiscrete)
}
