package exec_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// atPackage is what a library has at package level.
type atPackage struct {
	mu   sched.Mutex
	rw   sched.RWMutex
	once sched.Once
	wg   sched.WaitGroup
	pool sched.Pool
	m    sched.Map
	n    sched.Int64
	v    *sched.Var[int]
	c    *sched.Chan[int]
	cond *sched.Cond
	seq  int // guarded by mu
	log  []int
}

func newAtPackage() *atPackage {
	p := &atPackage{v: sched.NewVar(0), c: sched.NewChan[int](2)}
	p.cond = sched.NewCond(&p.mu)
	return p
}

// use uses everything there is.
func (p *atPackage) use(g int) {
	p.once.Do(func() { p.n.Store(1) })
	p.mu.Lock()
	p.seq++
	p.log = append(p.log[:0], g)
	p.v.Store(p.v.Load() + 1)
	p.cond.Signal()
	p.mu.Unlock()
	p.rw.RLock()
	p.m.Store(g, g)
	p.rw.RUnlock()
	p.pool.Put(g)
	p.c.Send(g)
}

// TestShared has several searches at a time that share objects. Each finds what it
// finds when it is alone; the race detector is to find nothing.
func TestShared(t *testing.T) {
	shared := newAtPackage()
	program := func() string {
		shared.wg.Go(func() { shared.use(1) })
		shared.use(0)
		shared.wg.Wait()
		return fmt.Sprint(shared.n.Load(), shared.v.Load(), shared.c.Recv()+shared.c.Recv())
	}
	want := closures.Outcomes(t, exec.Options{}, program)
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			if got := closures.Outcomes(t, exec.Options{}, program); got.Traces != want.Traces || got.List() != want.List() || len(got.Failures) > 0 {
				t.Errorf("%d traces, %s, want %d, %s; failures %v", got.Traces, got.List(), want.Traces, want.List(), got.Failures)
			}
		})
	}
	done.Wait()
}

// holding runs a first execution that holds objects of use while f runs, and ends
// it when f, which is to run n executions, has waited for that.
func holding(t *testing.T, shared *atPackage, n int, f func(c *exec.Closure)) {
	t.Helper()
	holder := exec.New(func() { shared.use(0) }, exec.Options{})
	defer holder.Shutdown()
	run := holder.Start()
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	begun := 0
	c := exec.New(func() {
		begun++
		var mu sched.Mutex
		h := sched.Go(func() { mu.Lock(); shared.use(1); mu.Unlock() })
		mu.Lock()
		mu.Unlock()
		h.Join()
	}, exec.Options{Record: true})
	defer c.Shutdown()
	finished := make(chan bool)
	go func() {
		defer close(finished)
		f(c)
	}()
	for c.Waited() < 5*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	run.Close()
	<-finished
	if begun != n+1 {
		t.Errorf("the closure was called %d times, want %d", begun, n+1)
	}
}

// TestSharedLate has an execution come upon an object of another one after some
// operations, in every way to drive it. It waits for the other's end and goes on as
// if nothing had been.
func TestSharedLate(t *testing.T) {
	var want []string
	step := func(run trace.Run) (events []string) {
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			ev, err := run.Step(trace.Choice{G: p[len(p)-1].G})
			if err != nil {
				t.Error(err)
				return nil
			}
			events = append(events, fmt.Sprint(ev.G, ev.Kind, ev.Obj, ev.Accesses(), ev.Order))
		}
		return events
	}
	shared := newAtPackage()
	var schedule trace.Schedule
	holding(t, shared, 2, func(c *exec.Closure) {
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			choice := trace.Choice{G: p[len(p)-1].G}
			schedule = append(schedule, choice)
			if _, err := run.Step(choice); err != nil {
				t.Error(err)
				return
			}
		}
		run.Close()
		want = step(c.Start()) // nobody else is there now
		run.Close()
		if n := len(c.Record()); n < len(want) {
			t.Errorf("%d events are recorded, there are %d", n, len(want))
		}
	})
	holding(t, shared, 1, func(c *exec.Closure) {
		if got := step(c.Start()); !slices.Equal(got, want) {
			t.Errorf("steps: got\n%v\nwant\n%v", got, want)
		}
		c.Close()
	})
	holding(t, shared, 1, func(c *exec.Closure) {
		run := c.Start()
		if err := run.Replay(schedule); err != nil || run.Len() != len(schedule) {
			t.Error("replay:", err, run.Len())
		}
		run.Close()
	})
	for prefix := range schedule {
		holding(t, shared, 1, func(c *exec.Closure) {
			run := c.Start()
			var got []string
			n := prefix
			err := run.(trace.Driver).Drive(schedule[:prefix], func(ev *trace.Event) (trace.Choice, bool) {
				if (ev == nil) != (n == prefix) {
					t.Errorf("an event is told before the first decision, or none is after it")
				} else if ev != nil {
					got = append(got, fmt.Sprint(ev.G, ev.Kind, ev.Obj, ev.Accesses(), ev.Order))
				}
				if n == len(schedule) {
					return trace.Choice{}, false
				}
				n++
				return schedule[n-1], true
			})
			if err != nil || !slices.Equal(got, want[prefix:]) {
				t.Errorf("driven after %d events: %v, got\n%v\nwant\n%v", prefix, err, got, want[prefix:])
			}
			run.Close()
		})
	}
}

// TestSharedAbandoned gives up an execution that is stuck: nobody waits for it.
func TestSharedAbandoned(t *testing.T) {
	shared := newAtPackage()
	holding(t, shared, 1, func(c *exec.Closure) { closures.Walk(t, c, 1, -1) })
	stuck, release := make(chan bool), make(chan bool)
	ended := make(chan bool)
	holder := exec.New(func() { shared.use(0); close(stuck); <-release }, exec.Options{})
	go func() {
		defer close(ended)
		closures.Walk(t, holder, 1, -1)
		holder.Shutdown()
	}()
	<-stuck
	c := exec.New(func() { shared.use(1) }, exec.Options{})
	defer c.Shutdown()
	time.AfterFunc(20*time.Millisecond, holder.Abandon)
	closures.Walk(t, c, 1, -1)
	if c.Waited() == 0 {
		t.Error("nobody has waited")
	}
	close(release)
	<-ended
}

// TestAbandonedEnds lets an execution that was given up go on to its end while another one,
// which is alone, goes on: it is unwound, and what it has changed is put back, after that.
func TestAbandonedEnds(t *testing.T) {
	exec.SetExclusive(true)
	defer exec.SetExclusive(false)
	stuck, release, inside, goOn := make(chan bool), make(chan bool), make(chan bool), make(chan bool)
	var done sync.WaitGroup
	ended := make(chan bool)
	run := func(f func()) *exec.Closure {
		c := exec.New(f, exec.Options{})
		done.Go(func() {
			closures.Walk(t, c, 1, -1)
			c.Shutdown()
		})
		return c
	}
	holder := run(func() {
		defer close(ended)
		sched.Go(func() { sched.NewChan[int](0).Recv() })
		close(stuck)
		<-release
		sched.NewChan[int](0).Recv()
	})
	<-stuck
	holder.Abandon()
	run(func() { close(inside); <-goOn })
	<-inside
	close(release)
	select {
	case <-ended:
		t.Error("unwound beside an execution that is alone")
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	done.Wait()
	<-ended
}

// TestAbandonedWhileUnwound gives up an execution again, in the middle of what it has deferred:
// another one goes on then, and what the first has changed is put back after that.
func TestAbandonedWhileUnwound(t *testing.T) {
	exec.SetExclusive(true)
	defer exec.SetExclusive(false)
	stuck, release, unwinding, goOn := make(chan bool), make(chan bool), make(chan bool), make(chan bool)
	ended := make(chan bool)
	holder := exec.New(func() {
		defer func() { close(unwinding); <-release }()
		close(stuck)
		sched.NewChan[int](0).Recv()
	}, exec.Options{})
	go func() {
		defer close(ended)
		closures.Walk(t, holder, 1, -1)
		holder.Shutdown()
	}()
	<-stuck
	<-unwinding // in its turn
	if holder.Abandoned() {
		t.Error("unwound out of its turn")
	}
	holder.Abandon()
	var done sync.WaitGroup
	inside := make(chan bool)
	c := exec.New(func() { close(inside); <-goOn }, exec.Options{})
	done.Go(func() {
		closures.Walk(t, c, 1, -1)
		c.Shutdown()
	})
	<-inside
	close(release)
	select {
	case <-ended:
		t.Error("over beside an execution that is alone")
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	done.Wait()
	<-ended
}

// TestExclusive runs executions that exclude each other, some of them nested.
func TestExclusive(t *testing.T) {
	exec.SetExclusive(true)
	defer exec.SetExclusive(false)
	plain := 0
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			inner := exec.New(func() { plain++ }, exec.Options{})
			defer inner.Shutdown()
			c := exec.New(func() {
				plain = 0
				sched.Go(func() { plain++ })
				closures.Walk(t, inner, 1, -1)
			}, exec.Options{})
			defer c.Shutdown()
			for range 100 {
				run := c.Start()
				for p := run.Pending(); len(p) > 0; p = run.Pending() {
					if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
						t.Error(err)
						return
					}
				}
				closures.Walk(t, inner, 1, -1) // beside the one that is not closed yet
				if plain != 3 {
					t.Errorf("others have interfered: %d", plain)
				}
				run.Close()
			}
		})
	}
	done.Wait()
}

// TestSharedNested has two executions of one goroutine use an object: neither can
// wait for the other, so each has a state of its own.
func TestSharedNested(t *testing.T) {
	shared := newAtPackage()
	holder := exec.New(func() { shared.once.Do(func() {}) }, exec.Options{})
	defer holder.Shutdown()
	run := holder.Start()
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	done := 0
	for range 2 {
		if fails := closures.Once(t, exec.Options{}, func() { shared.once.Do(func() { done++ }) }); len(fails) > 0 {
			t.Error(fails)
		}
		run.Close()
	}
	if done != 2 {
		t.Errorf("done %d times, want 2", done)
	}
}

// TestAliveTogether steps two executions of one closure in turn, each by a schedule
// of its own. Either does what it does alone, and so do the next ones.
func TestAliveTogether(t *testing.T) {
	type result struct {
		out    string
		events []string
	}
	shared := newAtPackage()
	shared.v = sched.NewVar(10)
	var ptr sched.Pointer[int]
	var val sched.Value
	var flag sched.Bool
	var m sched.Map
	var out string
	program := func() {
		done := sched.NewChan[string](0)
		for g := range 2 {
			sched.Go(func() {
				shared.mu.Lock()
				shared.v.Update(func(v int) int { return 2*v + g })
				flag.CompareAndSwap(false, g == 1)
				shared.cond.Broadcast()
				shared.mu.Unlock()
				shared.once.Do(func() { shared.n.Store(int64(g)); ptr.Store(&[]int{g}[0]); val.Store(g) })
				shared.rw.RLock()
				m.LoadOrStore("first", g)
				shared.rw.RUnlock()
				shared.pool.Put(g)
				shared.c.Send(g)
				shared.wg.Wait()
				done.Send(fmt.Sprint(g, shared.c.Len()))
			})
		}
		first, _ := m.Load("first")
		text := fmt.Sprint(first, done.Recv(), done.Recv(), shared.v.Load(), shared.n.Load(), flag.Load(), *ptr.Load(), val.Load())
		out = text + fmt.Sprint(shared.c.Recv(), shared.c.Recv(), shared.pool.Get())
	}
	options := exec.Options{Races: sched.RaceExplore}
	// step lets the goroutine with the lowest number move, or that with the highest.
	step := func(run trace.Run, high bool, r *result) bool {
		p := run.Pending()
		if len(p) == 0 {
			if fails := run.Outcome(); len(fails) > 0 {
				t.Error(fails)
			}
			return false
		}
		g := p[0].G
		if high {
			g = p[len(p)-1].G
		}
		ev, err := run.Step(trace.Choice{G: g})
		if err != nil {
			t.Fatal(err)
		}
		r.events = append(r.events, fmt.Sprint(ev.G, ev.Kind, ev.Obj, ev.Accesses(), ev.Order))
		r.out, out = r.out+out, ""
		return true
	}
	var want [2]result
	for i := range want {
		c := exec.New(program, options)
		run := c.Start()
		for step(run, i == 1, &want[i]) {
		}
		run.Close()
		c.Shutdown()
	}
	if want[0].out == want[1].out || want[0].out == "" {
		t.Fatalf("the schedules make no difference: %q", want[0].out)
	}
	c := [2]*exec.Closure{exec.New(program, options), exec.New(program, options)}
	for range 3 {
		var got [2]result
		runs := [2]trace.Run{c[0].Start(), c[1].Start()}
		for alive := true; alive; {
			alive = false
			for i, run := range runs {
				alive = step(run, i == 1, &got[i]) || alive
			}
		}
		for i := range got {
			if got[i].out != want[i].out || !slices.Equal(got[i].events, want[i].events) {
				t.Errorf("execution %d: %q\n%v\nwant %q\n%v", i, got[i].out, got[i].events, want[i].out, want[i].events)
			}
			runs[i].Close()
		}
		c[0], c[1] = c[1], c[0] // the other one is the first to meet what they share
		runs[0], runs[1] = runs[1], runs[0]
	}
	c[0].Shutdown()
	c[1].Shutdown()
}

// BenchmarkExecution is of an execution without operations.
func BenchmarkExecution(b *testing.B) {
	run := func(b *testing.B) {
		c := exec.New(func() {}, exec.Options{Races: sched.RaceIgnore})
		defer c.Shutdown()
		for b.Loop() {
			c.Start().Pending()
			c.Close()
		}
	}
	b.Run("free", run)
	b.Run("exclusive", func(b *testing.B) {
		exec.SetExclusive(true)
		defer exec.SetExclusive(false)
		run(b)
	})
}
