package sync_test

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	original "sync"
	"sync/atomic"
	"testing"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	schedexec "github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/sync"
	"github.com/gopor/gopor/sched/trace"
)

// primitives are what changes hands in place.
type primitives struct {
	before int32
	mu     sync.Mutex
	rw     sync.RWMutex
	wg     sync.WaitGroup
	once   sync.Once
	after  int32
}

// outside runs f in a goroutine that is not under control, to its end.
func outside(f func()) {
	done := make(chan bool)
	go func() { f(); close(done) }()
	<-done
}

// TestOutsiderBeside lets an outsider use what an execution is using: each has its own.
func TestOutsiderBeside(t *testing.T) {
	p, executions := new(primitives), int32(0)
	for range 3 {
		got := stdtest.Alone(t, func() string {
			executions++
			p.mu.Lock()
			p.rw.Lock()
			p.wg.Add(2)
			p.once.Do(func() {})
			outside(func() {
				p.mu.Lock()
				p.rw.RLock()
				p.wg.Add(1)
				p.once.Do(func() { p.after++ })
			})
			text := fmt.Sprint(p.mu.TryLock(), p.rw.TryRLock())
			outside(func() {
				text += fmt.Sprint(" outside ", p.mu.TryLock(), p.rw.TryLock(), p.rw.TryRLock())
				p.rw.RUnlock()
				p.rw.RUnlock()
				p.rw.Lock()
				p.rw.Unlock()
				p.rw.RLock()
			})
			p.mu.Unlock()
			p.rw.Unlock()
			p.wg.Done()
			p.wg.Done()
			p.wg.Wait()
			p.once.Do(func() { text += " once more" })
			text += fmt.Sprint(" inside ", p.mu.TryLock(), p.rw.TryRLock(), p.rw.TryLock())
			outside(func() {
				p.mu.Unlock()
				p.rw.RUnlock()
				p.wg.Done()
				p.wg.Wait()
				p.once = sync.Once{}
			})
			return text + fmt.Sprint(" still ", p.mu.TryLock(), p.rw.TryLock())
		})
		if want := "false false outside false false true inside true true false still false false"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	if p.after != executions || p.before != 0 {
		t.Errorf("done %d times outside, %d", p.after, p.before)
	}
}

// TestOutsiderUnlocks unlocks outside what was locked before the execution, to which that means nothing.
func TestOutsiderUnlocks(t *testing.T) {
	p := new(primitives)
	got := stdtest.Alone(t, func() string {
		outside(func() { p.mu.TryLock(); p.rw.TryLock() })
		text := fmt.Sprint(p.mu.TryLock(), p.rw.TryRLock())
		outside(func() { p.mu.Unlock(); p.rw.Unlock() })
		text += fmt.Sprint(" ", p.mu.TryLock(), p.rw.TryRLock())
		p.mu.Unlock()
		p.rw.Unlock()
		return text + fmt.Sprint(" ", p.mu.TryLock(), p.rw.TryLock())
	})
	if want := "false false false false true true"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOutsiderWaits waits outside for a group that was counted up outside, and that the execution uses.
func TestOutsiderWaits(t *testing.T) {
	p := new(primitives)
	got := stdtest.Alone(t, func() string {
		outside(func() { p.wg = sync.WaitGroup{}; p.wg.Add(1) })
		p.wg.Done()
		p.wg.Wait()
		var over atomic.Bool
		early, waited := false, make(chan bool)
		go func() { p.wg.Wait(); early = !over.Load(); close(waited) }()
		outside(func() {
			for range 100 {
				runtime.Gosched()
			}
			over.Store(true)
			p.wg.Done()
		})
		<-waited
		p.wg.Wait()
		return fmt.Sprint(early)
	})
	if got != "false" {
		t.Errorf("early: %s", got)
	}
}

// TestUnlockedOutside unlocks outside what only an execution has locked, which ends the process.
func TestUnlockedOutside(t *testing.T) {
	for _, name := range []string{"Mutex", "RWMutex"} {
		if os.Getenv("GOPOR_TEST_UNLOCK") == name {
			p := new(primitives)
			stdtest.Alone(t, func() string { p.mu.Lock(); p.rw.Lock(); return "" })
			if name == "Mutex" {
				p.mu.Unlock()
			} else {
				p.rw.Unlock()
			}
			return
		}
	}
	for name, want := range map[string]string{"Mutex": "sync: unlock of unlocked mutex", "RWMutex": "sync: Unlock of unlocked RWMutex"} {
		child := exec.Command(os.Args[0], "-test.run", "^TestUnlockedOutside$")
		child.Env = append(os.Environ(), "GOPOR_TEST_UNLOCK="+name)
		if out, err := child.CombinedOutput(); err == nil || !strings.Contains(string(out), "fatal error: "+want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestOutsideAgain uses outside what executions have left marks in: there is nothing of them.
func TestOutsideAgain(t *testing.T) {
	p := new(primitives)
	use := func() string {
		p.mu.Lock()
		p.rw.RLock()
		p.wg.Add(1)
		p.once.Do(func() {})
		return ""
	}
	for range 2 {
		stdtest.Alone(t, use)
		p.wg.Wait()
		called := false
		if p.once.Do(func() { called = true }); !called {
			t.Error("an execution has done what is done once")
		}
		p.once = sync.Once{}
		if !p.mu.TryLock() || !p.rw.TryLock() || p.mu.TryLock() || p.rw.TryRLock() {
			t.Error("locked by an execution")
		}
		p.mu.Unlock()
		p.rw.Unlock()
		stdtest.Alone(t, use)
		p.mu.Lock()
		p.rw.Lock()
		p.mu.Unlock()
		p.rw.Unlock()
		stdtest.Alone(t, use)
		if p.wg.Add(1); stdtest.Caught(func() { p.wg.Add(-2) }) != "sync: negative WaitGroup counter" {
			t.Error("the counter of an execution")
		}
		p.wg = sync.WaitGroup{}
	}
	if got, want := fmt.Sprintf("%+v", &p.mu), fmt.Sprintf("%+v", new(original.Mutex)); (got == want) != machine.Turns.Everyone.Load() {
		t.Error("there was no mark, or one is left of an execution that was alone")
	}
	if p.before != 0 || p.after != 0 {
		t.Error("what is next to a primitive was written")
	}
}

// TestZeroed sets primitives to zero that are in use, by the execution or since before it.
func TestZeroed(t *testing.T) {
	use := func(p *primitives) {
		p.mu.Lock()
		p.rw.Lock()
		p.wg.Add(1)
		p.once.Do(func() {})
	}
	for _, before := range []bool{false, true} {
		p := new(primitives)
		if before {
			use(p)
		}
		var all []string
		res, err := por.Explore(func() {
			if !before {
				use(p)
			}
			got := fmt.Sprint(p.mu.TryLock(), p.rw.TryRLock())
			p.once.Do(func() { got += " again" })
			reflect.ValueOf(p).Elem().SetZero() // as *p = primitives{} does
			p.once.Do(func() { got += " done" })
			p.wg.Wait()
			all = append(all, got+fmt.Sprint(" ", p.mu.TryLock(), p.rw.TryRLock(), p.rw.TryRLock(), p.mu.TryLock()))
		}, por.MaxExecutions(1))
		got := all[0] // what is in use before executions is so before the first one
		if want := "false false done true true true false"; got != want || err != nil || len(res.Failures) > 0 {
			t.Errorf("used before: %v\ngot  %s\nwant %s\n%v, %v", before, got, want, res, err)
		}
	}
}

// TestContention has outsiders wait for each other in primitives that executions begin to use, and
// go on using. Go's race detector is told by an RWMutex that its words are read, which executions write, and is
// not shown any.
func TestContention(t *testing.T) {
	const outsiders, rounds = 4, 300
	p := new(primitives)
	var all original.WaitGroup
	n, shared, done, finished := 0, 0, make(chan bool), 0
	for range outsiders {
		all.Go(func() {
			for range rounds {
				p.mu.Lock()
				n++
				p.mu.Unlock()
				if effort.Race { // package sync tells the race detector of words of others, which are looked at here
					continue
				}
				p.rw.Lock()
				shared++
				p.rw.Unlock()
				p.rw.RLock()
				p.rw.RUnlock()
				var own primitives
				own.wg.Go(func() { own.once.Do(func() {}) })
				own.once.Do(func() {})
				own.wg.Wait()
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	for over := false; !over; finished++ {
		select {
		case <-done:
			over = true
		default:
		}
		c := schedexec.New(func() {
			if p.mu.TryLock() {
				p.mu.Unlock()
			}
			if !effort.Race && p.rw.TryRLock() {
				p.rw.RUnlock()
			}
		}, schedexec.Options{})
		// Executions differ by who has a lock when they begin, which is an error and none that matters here.
		if _, err := (engine.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil && !strings.Contains(err.Error(), "not deterministic") {
			t.Error(err)
		}
		c.Shutdown()
	}
	if n != outsiders*rounds || shared != outsiders*rounds && !effort.Race {
		t.Errorf("%d and %d, want %d, after %d searches", n, shared, outsiders*rounds, finished)
	}
}
