package exec_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// onward makes a choice as Coast does, by what is pending.
func onward(c *exec.Closure, run trace.Run, s trace.Schedule) (trace.Choice, bool) {
	ops := run.Pending()
	for _, at := range slices.Backward(s) {
		if slices.ContainsFunc(ops, func(op *trace.Op) bool { return op.G == at.G }) {
			return trace.Choice{G: at.G}, true
		}
	}
	if len(ops) == 0 {
		return trace.Choice{}, false
	}
	lowest := slices.MinFunc(ops, func(a, b *trace.Op) int { return slices.Compare(c.Path(a.G), c.Path(b.G)) })
	return trace.Choice{G: lowest.G}, true
}

// eventText shows what an engine is told of an event.
func eventText(e *trace.Event) string {
	return fmt.Sprint(e.Op.G, e.Op.Kind, e.Op.Obj, e.Op.Accesses(), e.Alt, e.Order)
}

// coasters are closures that go on by themselves in many ways.
func coasters() map[string]func() {
	all := maps.Clone(latecomers)
	all["crowd"] = crowd
	all["held"] = func() { // who begins late cannot go on
		var mu sched.Mutex
		var n sched.Int64
		n.Store(0)
		mu.Lock()
		for range 3 {
			sched.Go(func() { mu.Lock(); n.Add(1); mu.Unlock() })
		}
		sched.Go(func() { n.Add(2) })
		sched.Go(func() { n.Add(3); mu.Unlock() })
		sched.NewChan[int](0).Recv()
	}
	all["timers"] = func() {
		var n sched.Int64
		n.Store(0)
		for i := range 3 {
			sched.Go(func() { n.Add(1); sched.Sleep(time.Duration(3-i) * time.Second); n.Add(2) })
		}
		sched.AfterFunc(time.Second, func() { n.Add(4) })
		n.Load()
	}
	all["awaits"] = func() {
		var n, m sched.Int64
		n.Store(0)
		for range 2 {
			sched.Go(func() { m.Add(1) })
		}
		sched.Go(func() {
			for n.Load() == 0 {
				sched.Gosched()
			}
		})
		sched.Go(func() { n.Store(1) })
	}
	return all
}

// TestCoast has executions go on by themselves, after random schedules, as they do where every
// choice is made by what is pending and all goroutines begin at once.
func TestCoast(t *testing.T) {
	effort.Computes(t)
	for name, f := range coasters() {
		for _, time := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeAnyOrder, sched.TimeLag} {
			t.Run(fmt.Sprint(name, time), func(t *testing.T) {
				testCoast(t, f, fickle[name], exec.Options{Races: sched.RaceExplore, Time: time})
			})
		}
	}
}

func testCoast(t *testing.T, f func(), fickle bool, o exec.Options) {
	r := rand.New(rand.NewPCG(3, 4))
	c := exec.New(f, o)
	defer c.Shutdown()
	late, mistaken := 0, 0
	for i := range 200 {
		if i == 100 {
			c.Alone()
		}
		c.Prompt(true)
		run := c.Start()
		var s trace.Schedule
		var all []string
		cut, events := r.IntN(12), r.IntN(30)
		for len(run.Pending()) > 0 && len(s) < max(cut, events) {
			choice, event := trace.Choice{}, ""
			if len(s) < cut {
				choice, event = lateStep(t, run, r)
			} else {
				choice, _ = onward(c, run, s)
				e, err := run.Step(choice)
				if err != nil {
					t.Fatal(err)
				}
				event = eventText(e)
			}
			s, all = append(s, choice), append(all, event)
		}
		pending, outcome := ready(run), slices.Clone(run.Outcome())
		run.Close()

		cut = min(cut, len(s))
		from := r.IntN(cut + 1)
		c.Prompt(false)
		run = c.Start()
		var told []string
		_, before := c.Lateness()
		tell := func(e *trace.Event) bool {
			if run.Len() != from+len(told)+1 {
				t.Fatalf("told of event %d after %d", from+len(told), run.Len())
			}
			told = append(told, eventText(e))
			return true
		}
		err := run.(trace.Coaster).Coast(s[:cut], from, events, tell)
		if err == trace.ErrTold {
			run.Close()
			run, told = c.Start(), nil
			err = run.(trace.Coaster).Coast(s[:cut], from, events, tell)
		}
		if err != nil {
			t.Fatalf("%v, %d told after %d: %v", s, cut, from, err)
		}
		was, after := c.Lateness()
		if mistaken += after - before; was {
			late++
		}
		if !slices.Equal(told, all[from:]) || run.Len() != len(s) {
			t.Fatalf("%v, told of what comes after %d of %d:\n%q, not\n%q", s, from, cut, told, all[from:])
		}
		if now := ready(run); !slices.Equal(now, pending) {
			t.Fatalf("%v: %v is pending, not %v", s, now, pending)
		}
		if diff := cmp.Diff(outcome, run.Outcome()); diff != "" {
			t.Fatalf("%v (-before +now)\n%s", s, diff)
		}
		run.Close()
	}
	t.Logf("goroutines were late in %d executions, %d were run again", late, mistaken)
	if late < 20 && o.Time == sched.TimeDiscrete || mistaken > 0 && !fickle {
		t.Errorf("goroutines were late in %d executions, %d were run again", late, mistaken)
	}
}

// TestCoastTold has a goroutine be the first to use something that main has used in all executions
// before: main's own use of something else was told of as one of the object that this is.
func TestCoastTold(t *testing.T) {
	c := exec.New(otherwise, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	w, main, g := trace.Choice{G: 2}, trace.Choice{}, trace.Choice{G: 3}
	for range 3 {
		run := c.Start()
		if err := run.Replay(trace.Schedule{main, main, g, main, w, main, g, main}); err != nil {
			t.Fatal(err)
		}
		run.Close()
	}
	var told [2][]string
	for i := range told {
		run := c.Start().(trace.Coaster)
		err := run.Coast(trace.Schedule{w}, 1, 100, func(e *trace.Event) bool {
			told[i] = append(told[i], eventText(e))
			return true
		})
		if late, mistakes := c.Lateness(); i == 0 && err != trace.ErrTold || i == 1 && (err != nil || late || mistakes != 1) {
			t.Errorf("execution %d: %v; late: %v, %d were run again", i, err, late, mistakes)
		}
		run.Close()
	}
	if len(told[0]) == 0 || slices.Equal(told[0], told[1][:len(told[0])]) || len(told[1]) != 6 {
		t.Errorf("told of %q, and then of %q", told[0], told[1])
	}
	// A search has been told what is so, all the same.
	executions := 0
	stats, err := (engine.Reverse{}).Explore(c, func(*trace.Execution) bool { executions++; return true })
	want, _ := (engine.Optimal{}).Explore(c, func(*trace.Execution) bool { return true })
	if err != nil || stats.Executions != want.Executions || executions != int(want.Executions) {
		t.Errorf("%d executions, not %d: %v", stats.Executions, want.Executions, err)
	}
}

// TestCoastSteps has the step limit end an execution in which a goroutine could go on, in what is told
// of a schedule and after it.
func TestCoastSteps(t *testing.T) {
	c := exec.New(func() {
		var n sched.Int64
		sched.Go(func() { n.Add(1) })
		for range 9 {
			n.Add(2)
		}
	}, exec.Options{Races: sched.RaceExplore, MaxSteps: 5})
	defer c.Shutdown()
	for _, s := range []trace.Schedule{nil, {{G: 2}, {}}, {{G: 2}, {}, {}, {}, {}, {}, {}}} {
		for from := range min(len(s), 5) + 1 {
			run := c.Start().(trace.Coaster)
			told := 0
			err := run.Coast(s, from, 100, func(*trace.Event) bool { told++; return true })
			if err != nil || run.Len() != 5 || told != 5-from || len(run.Pending()) > 0 || len(run.Outcome()) != 1 || !strings.Contains(run.Outcome()[0].Msg, "longer than 5 steps") {
				t.Errorf("%v, told from event %d on: %v, %d events, told of %d, %v", s, from, err, run.Len(), told, run.Outcome())
			}
			run.Close()
		}
	}
}

// TestCoastEnds checks how Coast ends before it is done.
func TestCoastEnds(t *testing.T) {
	c := exec.New(coasters()["held"], exec.Options{Races: sched.RaceExplore, MaxSteps: 6})
	defer c.Shutdown()
	always := func(*trace.Event) bool { return true }
	for range 2 { // the second time, goroutines are late
		run := c.Start().(trace.Coaster)
		if err := run.Coast(nil, 0, 100, always); err != nil || run.Len() != 6 || len(run.Pending()) > 0 || len(run.Outcome()) != 1 {
			t.Errorf("the step limit: %v, %d events, %v", err, run.Len(), run.Outcome())
		}
		run.Close()

		run = c.Start().(trace.Coaster)
		told := 0
		if err := run.Coast(nil, 1, 100, func(*trace.Event) bool { told++; return told < 3 }); err != nil || run.Len() != 4 || told != 3 {
			t.Errorf("told to stop: %v, %d events, told of %d", err, run.Len(), told)
		}
		run.Close()
		if err := run.Coast(nil, 0, 100, always); err != trace.ErrClosed {
			t.Errorf("closed: %v", err)
		}

		var d *trace.DivergenceError
		var wrong *trace.ChoiceError
		for from := range 4 {
			run = c.Start().(trace.Coaster)
			s := trace.Schedule{{}, {}, {G: 99}}
			err := run.Coast(s, from, 100, always)
			if err == trace.ErrTold { // goroutines that begin late might have been the reason
				run.Close()
				run = c.Start().(trace.Coaster)
				err = run.Coast(s, from, 100, always)
			}
			if errors.As(err, &wrong) != (from < 3) || !errors.As(err, &d) || d.Step != 2 {
				t.Errorf("no such goroutine, told from event %d on: %v", from, err)
			}
			run.Close()
		}

		run = c.Start().(trace.Coaster)
		func() {
			defer func() {
				if p, ok := recover().(*trace.DecidePanic); !ok || p.Value != "no more" {
					t.Errorf("tell has panicked, and Coast did so with %v", p)
				}
			}()
			run.Coast(nil, 0, 100, func(*trace.Event) bool {
				if run.Len() > 3 {
					panic("no more")
				}
				return true
			})
			t.Error("tell has panicked, and Coast has not")
		}()
		run.Close()
	}
}

// TestCoastNeedsNoCoroutines has goroutines of two steps run one after the other on main's
// coroutine, with nothing replayed or, if they are the first to use something, the first one
// replayed.
func TestCoastNeedsNoCoroutines(t *testing.T) {
	for replayed, f := range []func(){
		func() {
			var x sched.Int64
			x.Store(0)
			for range 50 {
				sched.Go(func() { x.Add(1); x.Add(2) })
			}
		},
		func() { // all begin with something of their own
			own := make([]sched.Int64, 50)
			var x sched.Int64
			for i := range own {
				sched.Go(func() { own[i].Add(1); x.Add(2) })
			}
			x.Add(3)
		},
	} {
		testCoastNeedsNoCoroutines(t, f, 2*replayed)
	}
}

func testCoastNeedsNoCoroutines(t *testing.T, f func(), replayed int) {
	c := exec.New(f, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	var s, first trace.Schedule
	for i := range 4 {
		c.Coroutines()
		run := c.Start().(trace.Coaster)
		if err := run.Coast(s, len(s), 1000, func(e *trace.Event) bool {
			if i == 0 {
				first = append(first, e.Choice())
			}
			return true
		}); err != nil || run.Len() != 101 {
			t.Fatalf("%d steps, %v", run.Len(), err)
		}
		run.Close()
		if n := c.Coroutines(); i > 1 && n != 1 {
			t.Errorf("%d coroutines", n)
		}
		s = first[:replayed]
	}
}

// TestLateShared has an execution in which goroutines are late come upon what another one uses that
// goes on. It is run again when that has ended, replayed or going on by itself: then it is as if
// nothing had been, but for what was told.
func TestLateShared(t *testing.T) {
	var n sched.Int64
	use := func() { n.Add(1) }
	for name, drive := range map[string]func(run trace.Coaster, s trace.Schedule) (int, error){
		"replayed": func(run trace.Coaster, s trace.Schedule) (int, error) { return len(s), run.Replay(s) },
		"told": func(run trace.Coaster, s trace.Schedule) (told int, err error) {
			return told, run.Coast(s, len(s), 100, func(*trace.Event) bool { told++; return true })
		},
		"going on": func(run trace.Coaster, s trace.Schedule) (told int, err error) {
			err = run.Coast(s[:1], 0, 100, func(*trace.Event) bool { told++; return true })
			return told, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := exec.New(func() {
				var x sched.Int64
				x.Store(0)
				for range 3 {
					sched.Go(func() { x.Add(1); use() })
				}
			}, exec.Options{Races: sched.RaceExplore})
			defer c.Shutdown()
			s := trace.Schedule{{}, {G: 2}, {G: 2}, {G: 3}, {G: 3}, {G: 4}, {G: 4}}
			for range 2 {
				run := c.Start()
				if err := run.Replay(s); err != nil {
					t.Fatal(err)
				}
				run.Close()
			}
			holder := exec.New(use, exec.Options{Races: sched.RaceExplore})
			defer holder.Shutdown()
			held := holder.Start()
			held.Pending()

			run := c.Start().(trace.Coaster)
			ended := make(chan bool)
			var told int
			var err error
			go func() {
				defer close(ended)
				if told, err = drive(run, s); err == trace.ErrTold {
					run.Close()
					run = c.Start().(trace.Coaster)
					told, err = drive(run, s)
				} else if name == "going on" {
					t.Errorf("something was told of an execution that was run again, and the error is %v", err)
				}
			}()
			for c.Waited() < 5*time.Millisecond {
				time.Sleep(time.Millisecond)
			}
			held.Close()
			<-ended
			if err != nil || run.Len() != len(s) || name == "going on" && told != len(s) || len(run.Outcome()) > 0 {
				t.Errorf("%d events, told of %d, %v: %v", run.Len(), told, run.Outcome(), err)
			}
			run.Close()
		})
	}
}

// TestLateBesideTimer has the function of a timer, which no go statement has started, be the first
// to use something while a goroutine is late that was met before it.
func TestLateBesideTimer(t *testing.T) {
	c := exec.New(func() {
		var own, n, y, fresh sched.Int64
		n.Store(0)
		wake := sched.NewChan[int](1)
		sched.Go(func() {
			n.Add(1)
			sched.AfterFunc(time.Second, func() { wake.Recv(); fresh.Add(1) })
		})
		y.Load()
		if n.Load() > 0 {
			sched.Sleep(2 * time.Second)
		}
		sched.Go(func() { own.Add(1) })
		wake.Send(1)
	}, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	for _, first := range []trace.ID{0, 2} { // main, so that the timer is met last; or who makes it
		var s trace.Schedule
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			choice := trace.Choice{G: p[0].G}
			for _, op := range p {
				if len(s) > 0 && op.G == first {
					choice.G = first
				}
			}
			s = append(s, choice)
			if _, err := run.Step(choice); err != nil {
				t.Fatal(err)
			}
		}
		run.Close()
		for range 2 {
			run = c.Start()
			if err := run.Replay(s); err != nil || len(run.Outcome()) > 0 || len(run.Pending()) > 0 {
				t.Errorf("%v: %v, %v", s, err, run.Outcome())
			}
			if late, mistakes := c.Lateness(); !late || mistakes > 0 {
				t.Errorf("%v: late: %v, %d executions were run again", s, late, mistakes)
			}
			run.Close()
		}
	}
}
