package exec_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/std/sync"
	"github.com/gopor/gopor/sched/std/sync/atomic"
	"github.com/gopor/gopor/sched/trace"
)

// latecomers are closures whose goroutines begin in many ways.
var latecomers = map[string]func(){
	"adds": func() {
		var x, y sched.Int64
		for i := range 5 {
			sched.Go(func() { x.Add(int64(i)); y.Add(1) })
		}
		x.Load()
	},
	"locks": func() {
		var mu sched.Mutex
		var wg sched.WaitGroup
		n := sched.NewVar(0)
		for range 4 {
			wg.Add(1)
			sched.Go(func() {
				defer wg.Done()
				mu.Lock()
				n.Store(n.Load() + 1)
				mu.Unlock()
			})
		}
		wg.Wait()
		mu.TryLock()
	},
	"channels": func() {
		c, done := sched.NewChan[int](1), sched.NewChan[bool](0)
		for i := range 3 {
			sched.Go(func() { c.Send(i); done.Send(true) })
		}
		sched.Go(func() {
			for {
				if _, ok := c.Recv2(); !ok {
					return
				}
			}
		})
		for range 3 {
			done.Recv()
		}
		c.Close()
	},
	"nested": func() {
		var x, z sched.Int64
		x.Store(1)
		for range 3 {
			sched.Go(func() {
				x.Add(1)
				sched.Go(func() { z.Add(1) }).Join()
			})
		}
	},
	"ends": func() {
		var x sched.Int64
		x.Store(0)
		sched.Go(func() { x.Add(1); runtime.Goexit() })
		sched.Go(func() { defer x.Add(3); x.Add(2); runtime.Goexit() })
		sched.Go(func() { defer func() { recover() }(); x.Add(4); panic("caught") })
		sched.Go(func() { x.Add(5) })
	},
	"kinds": func() {
		var x, n sched.Int64
		var once sched.Once
		n.Store(0)
		sched.Go(func() { x.CompareAndSwap(0, 1) })
		sched.Go(func() { sched.Gosched(); x.Add(1) })
		sched.Go(func() { once.Do(func() { x.Add(1) }) })
		sched.Go(func() { once.Do(func() { n.Add(1) }) })
		sched.Go(func() { n.Store(int64(sched.Choose(2))) })
		sched.Go(func() {})
		sched.Go(func() { n.Load(); n.Load() })
	},
	"yields": func() {
		var x sched.Int64
		x.Store(1)
		for range 4 {
			sched.Go(func() { x.Add(1) })
		}
		for range 3 {
			sched.Gosched()
		}
		sched.Go(func() { sched.NewVar(1) })
		x.Load()
	},
	"otherwise": otherwise,
	"fresh": func() { // each begins with what nobody has used, and goes on with what another one may have been the first to use
		own := make([]sched.Int64, 3)
		var x, y sched.Int64
		sched.Go(func() { x.Store(1); y.Add(1) })
		for i := range own {
			sched.Go(func() { own[i].Add(1); x.Add(1) })
		}
		sched.Go(func() { y.Load(); x.Load() })
	},
	"fresh in turn": func() { // who is the first to use what the next one begins with
		all := make([]sched.Int64, 5)
		for i := range 4 {
			sched.Go(func() { all[i].Add(1); all[i+1].Add(1) })
		}
		all[4].Load()
	},
	"fresh locks": func() {
		var mu [3]sched.Mutex
		var rw sched.RWMutex
		var n sched.Int64
		for i := range mu {
			sched.Go(func() {
				mu[i].Lock()
				rw.RLock()
				n.Add(1)
				rw.RUnlock()
				mu[i].Unlock()
			})
		}
		sched.Go(func() { rw.Lock(); rw.Unlock() })
		mu[1].Lock()
		mu[1].Unlock()
	},
	"fresh keys": func() { // of a map, and the map itself
		var m, o sched.Map
		var own [3]sched.Int64
		for i := range own {
			sched.Go(func() { own[i].Add(1); o.Store(i, i); m.Load(own[i].Load()) })
		}
		for i := range 3 {
			sched.Go(func() { m.Store(i, i); o.Load(2 - i); m.Load(1) })
		}
		sched.Go(func() { o.Store(1, 1) })
	},
	"fresh pairs": func() { // what uses two things, of which both or one are new
		v := make([]sched.Var[int], 5)
		sched.Go(func() { v[2].Load(); v[1].Load() })
		sched.Go(func() { v[4].Load(); v[3].Load() })
		for i := 3; i >= 0; i-- {
			sched.Go(func() { sched.Transfer(&v[i+1], &v[i], func(n int) int { return n + 1 }); v[4-i].Load() })
		}
	},
	"fresh memory": func() { // words and parts of words
		x := make([]int64, 4)
		p := unsafe.Pointer(&x[1])
		for i := range 3 {
			native.Go(func() { hook.Store(&x[i], 1); hook.Add(&x[3], 1) })
		}
		native.Go(func() { hook.Store((*int32)(unsafe.Add(p, 4)), 2); hook.Load(&x[2]) })
		native.Go(func() { hook.ReadMemory(p, 16) })
	},
	"fresh halves": func() { // of a word that another one uses as a whole
		x := make([]int64, 3)
		for i := range x {
			p := unsafe.Pointer(&x[i])
			half := func(n int) func() { return func() { hook.Store((*int32)(unsafe.Add(p, 4*n)), 1); hook.Load(&x[i]) } }
			word := func() { hook.Store(&x[i], 2); hook.Load((*int32)(unsafe.Add(p, 4))) }
			all := [][]func(){{half(0), word, half(1)}, {word, half(1), half(0)}, {half(1), half(0), word}}
			for _, f := range all[i] {
				native.Go(f)
			}
		}
	},
	"fresh or not": func() { // what one begins with, main may have used before
		var x, y, z sched.Int64
		w := sched.Go(func() { x.Add(1) })
		sched.Go(func() { y.Add(1); z.Add(1) })
		if x.Load() == 0 {
			z.Store(1)
		}
		sched.Go(func() { z.Add(1) })
		w.Join()
		y.Load()
	},
	"fresh goroutines": func() { // who are counted
		var x sched.Int64
		for range 2 {
			sched.Go(func() { sched.NumGoroutine(); x.Add(1) })
		}
		sched.Go(func() { x.Add(1); sched.NumGoroutine() })
	},
	"twins": func() {
		var mu sync.Mutex
		var rw sync.RWMutex
		var wg sync.WaitGroup
		var n, fresh atomic.Int64
		var free sync.Mutex
		n.Store(1)
		mu.Lock()
		rw.Lock()
		native.Go(func() { fresh.Add(1) })
		native.Go(func() { free.Lock(); free.Unlock() })
		for range 2 {
			wg.Add(1)
			native.Go(func() { mu.Lock(); n.Add(1); mu.Unlock(); wg.Done() })
		}
		native.Go(func() { rw.RLock(); n.CompareAndSwap(2, 5); rw.RUnlock() })
		native.Go(func() { n.Or(8) })
		mu.Unlock()
		rw.Unlock()
		wg.Wait()
	},
	"native channels": func() {
		c, done := native.Made(make(chan int)), native.Made(make(chan bool, 1))
		for i := range 3 {
			native.Go(func() { native.To(c).Send(i); native.To(done).Send(true) })
		}
		native.Go(func() { native.Recv(done) })
		for range 3 {
			native.Recv(c)
		}
	},
	"memory": func() { // in bytes of which some have been used before
		var x [4]int32
		all := (*int64)(unsafe.Pointer(&x[0]))
		p := unsafe.Pointer(&x[2])
		hook.Store(&x[1], 1)
		native.Go(func() { hook.Store(all, 2) })
		native.Go(func() { hook.Add(&x[1], 3) })
		native.Go(func() { hook.Add(&x[0], 4) })
		native.Go(func() { hook.Load((*int64)(unsafe.Pointer(&x[1]))) }) // x[2] is new
		hook.Store(&x[3], 5)
		hook.Store(&x[2], 5)
		native.Go(func() { hook.ReadMemory(p, 4); hook.Add(&x[1], 6) })
		native.Go(func() { hook.Load(&x[2]) })
		hook.Load(all)
	},
}

// fickle are those in which a goroutine that begins late may turn out not to be one that can.
var fickle = map[string]bool{"otherwise": true, "fresh or not": true, "fresh memory": true}

// otherwise starts a goroutine that in some executions uses what main has used, and is the first to
// use it in others.
func otherwise() {
	var a, x, y, z sched.Int64
	w := sched.Go(func() { a.Add(1) })
	if a.Load() == 0 {
		y.Store(1)
	}
	sched.Go(func() { y.Add(1); z.Add(1) })
	x.Load()
	w.Join()
	z.Load()
}

// Where an execution turns out to have parts, which part a goroutine belongs to depends on when it
// begins.
func TestLateParts(t *testing.T) {
	c := exec.New(func() {
		var a, x sched.Int64
		a.Load()
		x.Load()
		sched.Go(func() { a.Add(1) })
		w := sched.Go(func() { x.Add(1) })
		if a.Load() > 0 {
			before := hook.Phase("other")
			w.Join()
			hook.Phase(before)
		}
		x.Load()
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	c.Focus(0)
	main, g, w := trace.Choice{}, trace.Choice{G: 2}, trace.Choice{G: 3}
	seen, parted := trace.Schedule{main, main, main, g, w, main}, trace.Schedule{main, main, g, main, w, main, main}
	for i, s := range []trace.Schedule{seen, seen, parted, seen} {
		run := c.Start()
		if err := run.Replay(s); err != nil || run.Len() != len(s) {
			t.Fatalf("%d: %d steps of %d, %v", i, run.Len(), len(s), err)
		}
		if late, mistakes := c.Lateness(); late != (i == 1) || (mistakes > 0) != (i > 1) {
			t.Errorf("%d: late: %v, %d executions were run again", i, late, mistakes)
		}
		run.Close()
	}
}

// ready lists what is pending.
func ready(run trace.Run) (ops []string) {
	for _, op := range run.Pending() {
		ops = append(ops, fmt.Sprint(op.G, op.Kind, op.Obj, op.Accesses(), op.Alts))
	}
	return ops
}

// lateStep draws a choice among what is pending.
func lateStep(t *testing.T, run trace.Run, r *rand.Rand) (trace.Choice, string) {
	t.Helper()
	p := run.Pending()
	op := p[r.IntN(len(p))]
	choice := trace.Choice{G: op.G, Alt: r.Int32N(op.Alts)}
	e, err := run.Step(choice)
	if err != nil {
		t.Fatal(err)
	}
	return choice, eventText(e)
}

// Executions in which goroutines begin late are those in which they begin at once: the same
// operations on the same objects, ordered by the same events, and the same ends.
func TestLate(t *testing.T) {
	effort.Computes(t)
	for name, f := range latecomers {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			c := exec.New(f, exec.Options{Races: sched.RaceExplore})
			defer c.Shutdown()
			late, mistaken := 0, 0
			for i := range 300 {
				if i == 150 {
					c.Alone()
				}
				// A schedule, and what it does when all begin at once, from where it is left on.
				c.Prompt(true)
				run := c.Start()
				var s trace.Schedule
				var all []string
				pending := [][]string{ready(run)}
				for len(run.Pending()) > 0 {
					choice, event := lateStep(t, run, r)
					s, all, pending = append(s, choice), append(all, event), append(pending, ready(run))
				}
				outcome := slices.Clone(run.Outcome())
				objects, _ := c.Objects()
				run.Close()

				cut := r.IntN(len(s) + 1)
				c.Focus(r.IntN(2) - 1) // there is one part
				c.Prompt(false)
				run = c.Start()
				if err := run.Replay(s[:cut]); err != nil {
					t.Fatal(err)
				}
				was, mistakes := c.Lateness()
				if mistaken += mistakes; was {
					late++
				}
				for i := cut; i < len(s); i++ {
					if now := ready(run); !slices.Equal(now, pending[i]) {
						t.Fatalf("%v, after %d replayed: %v is pending at %d, was %v", s, cut, now, i, pending[i])
					}
					e, err := run.Step(s[i])
					if err != nil {
						t.Fatal(err)
					}
					if event := eventText(e); event != all[i] {
						t.Fatalf("%v, after %d replayed: event %d is %s, was %s", s, cut, i, event, all[i])
					}
				}
				if p := run.Pending(); len(p) > 0 {
					t.Fatalf("%v: %v is pending at the end", s, p)
				}
				now, _ := c.Objects()
				if diff := cmp.Diff(objects, now) + cmp.Diff(outcome, run.Outcome()); diff != "" {
					t.Fatalf("%v, after %d replayed (-before +now)\n%s", s, cut, diff)
				}
				run.Close()
			}
			if late < 50 || mistaken > 0 && !fickle[name] {
				t.Errorf("goroutines were late in %d executions, %d were run again", late, mistaken)
			}
		})
	}
}

// Goroutines of one step, replayed one after the other, need no coroutine but main's.
func TestLateNeedsNoCoroutines(t *testing.T) {
	c := exec.New(func() {
		var x sched.Int64
		x.Store(0)
		for range 50 {
			sched.Go(func() { x.Add(1) })
		}
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	run := c.Start()
	s := make(trace.Schedule, 0, 51)
	for p := run.Pending(); len(p) > 0; p = run.Pending() {
		s = append(s, trace.Choice{G: p[len(p)-1].G})
		if _, err := run.Step(s[len(s)-1]); err != nil {
			t.Fatal(err)
		}
	}
	run.Close()
	for range 2 {
		c.Coroutines()
		run = c.Start()
		if err := run.Replay(s); err != nil || run.Len() != 51 {
			t.Fatalf("%d steps, %v", run.Len(), err)
		}
		run.Close()
	}
	if n := c.Coroutines(); n != 1 {
		t.Errorf("%d coroutines", n)
	}
}

// What a goroutine may do in one execution and not in another is found out when it does it.
func TestLateMistaken(t *testing.T) {
	c := exec.New(otherwise, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	w, main, g := trace.Choice{G: 2}, trace.Choice{}, trace.Choice{G: 3}
	seen := trace.Schedule{main, main, g, main, w, main, g, main}
	for i, s := range []trace.Schedule{seen, seen, seen, seen, {w, main, main, main, g, g, main}} {
		run := c.Start()
		if err := run.Replay(s); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if run.Len() != len(s) {
			t.Errorf("%d: %d steps of %d", i, run.Len(), len(s))
		}
		late, mistakes := c.Lateness()
		if i == 3 && (!late || mistakes != 0) || i == 4 && (late || mistakes != 1) {
			t.Errorf("%d: late: %v, %d executions were run again", i, late, mistakes)
		}
		run.Close()
	}
}

// A closure that is not deterministic is still called that, and where.
func TestLateNotDeterministic(t *testing.T) {
	runs := 0
	c := exec.New(func() {
		runs++
		var x, y sched.Int64
		x.Store(0)
		y.Store(0)
		sched.Go(func() { x.Add(1) })
		sched.Go(func() {
			x.Add(1)
			if runs > 4 {
				y.Add(1)
			} else {
				x.Add(1)
			}
		})
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	s := trace.Schedule{{}, {}, {G: 2}, {G: 3}, {G: 3}}
	for i := range 5 {
		run := c.Start()
		err := run.Replay(s)
		var d *trace.DivergenceError
		if i < 4 && err != nil || i == 4 && (!errors.As(err, &d) || d.Step != 4) {
			t.Errorf("%d: %v", i, err)
		}
		run.Close()
	}
	if runs != 6 {
		t.Errorf("%d runs: the fifth execution is to be run again before it is said to differ", runs)
	}
}

// A choice that cannot be made is refused, and the step limit holds, as where goroutines begin at
// once.
func TestLateRefused(t *testing.T) {
	adds := func() {
		var x sched.Int64
		x.Store(0)
		for range 3 {
			sched.Go(func() { x.Add(1) })
		}
	}
	for name, s := range map[string]trace.Schedule{
		"alternative": {{}, {G: 2}, {G: 3, Alt: 1}, {G: 4}},
		"goroutine":   {{}, {G: 2}, {G: 5}, {G: 4}},
		"number":      {{}, {G: 2}, {G: -1}},
		"steps":       {{}, {G: 4}, {G: 3}, {G: 2}},
	} {
		var was string
		for _, prompt := range []bool{true, false} {
			c := exec.New(adds, exec.Options{Races: sched.RaceExplore, MaxSteps: 3})
			for range 3 {
				run := c.Start()
				if err := run.Replay(trace.Schedule{{}, {G: 2}, {G: 3}}); err != nil {
					t.Fatal(err)
				}
				run.Close()
			}
			c.Prompt(prompt)
			run := c.Start()
			err := run.Replay(s)
			now := fmt.Sprint(err, run.Len(), ready(run), run.Outcome())
			if late, mistakes := c.Lateness(); !prompt && !late && mistakes == 0 {
				t.Errorf("%s: nobody was late", name)
			}
			if prompt {
				was = now
			} else if now != was || err == nil {
				t.Errorf("%s: %s, was %s", name, now, was)
			}
			run.Close()
			c.Shutdown()
		}
	}
}
