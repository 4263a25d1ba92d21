package witness

import (
	"math/rand/v2"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// disturber observes one native run, and disturbs it.
type disturber struct {
	level   uint32 // how much, 0 for not at all
	threads []noteBook
	present atomic.Int32 // threads that have begun
	live    atomic.Int32 // threads that have not ended
	done    chan struct{}
}

// noteBook holds the notes of a thread. The notes of a thread that waits for ever are
// read by another goroutine.
type noteBook struct {
	mu    sync.Mutex
	notes []string
	ended bool
}

// Begin keeps a thread waiting for the others, so that they go on at the same time,
// but not for long.
func (d *disturber) Begin(int) {
	d.present.Add(1)
	if d.level == 0 {
		return
	}
	for i := 0; i < 2000 && int(d.present.Load()) < len(d.threads); i++ {
		if i%200 == 199 {
			runtime.Gosched()
		}
	}
	d.Pause()
}

// sink keeps the loops that only take time.
var sink atomic.Uint32

// Pause disturbs the thread that calls it, or does not.
func (d *disturber) Pause() {
	if d.level == 0 {
		return
	}
	r := rand.Uint32()
	choice, amount := r%64, r>>8
	switch {
	case choice < 20: // a moment that is well below that of an operation, or well above
		for range amount % (1 << (2 + amount>>20%9)) {
			sink.Load()
		}
	case choice < 28:
		runtime.Gosched()
	case choice < 29 && d.level > 1:
		time.Sleep(time.Duration(amount % 20_000))
	case r>>6%2000 == 0:
		runtime.GC()
	}
}

// Note adds what thread has observed.
func (d *disturber) Note(thread int, what string) {
	b := &d.threads[thread]
	b.mu.Lock()
	b.notes = append(b.notes, what)
	b.mu.Unlock()
}

// End says that thread is over.
func (d *disturber) End(thread int) {
	b := &d.threads[thread]
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	if d.live.Add(-1) == 0 {
		close(d.done)
	}
}

// outcome returns the outcome, and how much has been noted at all.
func (d *disturber) outcome() (text string, events int) {
	notes, ended := make([][]string, len(d.threads)), make([]bool, len(d.threads))
	for i := range d.threads {
		b := &d.threads[i]
		b.mu.Lock()
		notes[i], ended[i] = b.notes, b.ended
		events += len(b.notes)
		b.mu.Unlock()
	}
	return Outcome(notes, ended), events
}

// runNative runs p once. The outcome of a run in which threads wait is taken when no goroutine
// goes on at two looks, and nothing has happened between them. If time matters to p, the looks are
// the time of grace apart. Threads that wait stay.
func runNative(p *Program, level uint32, grace time.Duration) (outcome string, waits bool) {
	d := &disturber{level: level, threads: make([]noteBook, len(p.Threads)), done: make(chan struct{})}
	d.live.Store(int32(len(p.Threads)))
	r := New(p, d)
	defer r.Stop()
	go r.Main()
	patience := time.NewTimer(firstLook)
	defer patience.Stop()
	before, quiet := -1, time.Time{}
	for {
		select {
		case <-d.done:
			outcome, _ = d.outcome()
			return outcome, false
		case <-patience.C:
		}
		still := nobodyRuns()
		text, events := d.outcome()
		now := time.Now()
		switch {
		case !still:
			before = -1
		case events != before:
			before, quiet = events, now
		case (!p.Timed() || now.Sub(quiet) >= grace) && d.live.Load() > 0:
			return text, true
		}
		patience.Reset(firstLook)
	}
}

// firstLook is after how long a run is looked at that has not ended.
const firstLook = 300 * time.Microsecond

// goroutineState matches the first line of a goroutine in a dump.
var goroutineState = regexp.MustCompile(`^goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^,\]]*)`)

// waiting are the states of goroutines that others have to release.
var waiting = map[string]bool{
	"chan receive": true, "chan send": true, "chan receive (nil chan)": true, "chan send (nil chan)": true,
	"select": true, "select (no cases)": true, "sync.Cond.Wait": true,
	"sync.Mutex.Lock": true, "sync.RWMutex.Lock": true, "sync.RWMutex.RLock": true, "sync.WaitGroup.Wait": true,
}

// ofProgram matches goroutines of the program. One that calls Done for a WaitGroup's Go
// has no function of the program on its stack, nor has one that package context starts.
var ofProgram = regexp.MustCompile(`(?m)witness\.|^created by (sync|context)\.`)

// dump is where the goroutines are written to. One run is looked at at a time.
var dump = make([]byte, 1<<16)

// nobodyRuns reports whether all goroutines that the program has started, and those
// of earlier ones, wait for each other. All of them are stopped for a look.
func nobodyRuns() bool {
	n := runtime.Stack(dump, true)
	for n == len(dump) {
		dump = make([]byte, 2*len(dump))
		n = runtime.Stack(dump, true)
	}
	for i, g := range strings.Split(string(dump[:n]), "\n\n") {
		if i == 0 || !ofProgram.MatchString(g) {
			continue // the goroutine that looks, and those of the testing package and the runtime
		}
		if state := goroutineState.FindStringSubmatch(g); state == nil || !waiting[state[1]] {
			return false
		}
	}
	return true
}
