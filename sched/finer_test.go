package sched_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// A behaviour is something that the Go runtime does.
type behaviour struct {
	name  string
	model sched.Model // in which it is found; without it, it is not
	want  string      // among the outcomes
	f     func() string
}

// assumed returns what all executions of f take for granted.
func assumed(t *testing.T, o exec.Options, f func()) (text string) {
	t.Helper()
	c := exec.New(f, o)
	defer c.Shutdown()
	if _, err := (engine.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil {
		t.Fatal(err)
	}
	for _, a := range c.Assumptions() {
		text += fmt.Sprintf("%v: %v\n", a.Kind, a)
	}
	return text
}

// setting starts a goroutine that sets a flag.
func setting() (flag *sched.Bool, end func()) {
	flag = new(sched.Bool)
	h := sched.Go(func() { flag.Store(true) })
	return flag, h.Join
}

var finer = []behaviour{
	{"bounded poll", sched.ModelUnfair, "gave up", func() string {
		flag, end := setting()
		defer end()
		for range 4 {
			if flag.Load() {
				return "found"
			}
			sched.Gosched()
		}
		return "gave up"
	}},
	{"sleep of nothing", sched.ModelUnfair, "false", func() string {
		flag, end := setting()
		defer end()
		for range 3 {
			sched.Sleep(0)
		}
		return fmt.Sprint(flag.Load())
	}},
	{"gosched in a critical section", sched.ModelUnfair, "1132", func() string {
		var mu sched.Mutex
		n := 0
		add := func(d int, wait func()) { mu.Lock(); wait(); n = n*10 + d; mu.Unlock() }
		h := sched.Go(func() { add(2, func() {}) })
		for range 2 {
			add(1, sched.Gosched)
		}
		add(3, func() {})
		h.Join()
		return fmt.Sprint(n)
	}},
	{"pool loses", sched.ModelPool, "<nil>", func() string {
		var p sched.Pool
		p.Put(1)
		return fmt.Sprint(p.Get())
	}},
	{"pool in any order", sched.ModelPool, "1 3 0", func() string {
		p := sched.Pool{New: func() any { return 0 }}
		p.Put(1)
		p.Put(2)
		p.Put(3)
		return fmt.Sprint(p.Get(), p.Get(), p.Get())
	}},
	{"two tries fail", sched.ModelTryLock, "false false", func() string {
		var rw sched.RWMutex
		rw.RLock()
		a, b := false, false
		h := sched.Go(func() { a = rw.TryLock() })
		rw.RUnlock()
		b = rw.TryLock()
		h.Join()
		return fmt.Sprint(a, b)
	}},
	{"a group is used again too early", sched.ModelWaitGroup, "panic: sync: WaitGroup is reused before previous Wait has returned", func() string {
		var wg sched.WaitGroup
		wg.Add(1)
		sched.Go(func() { wg.Done(); wg.Add(1); wg.Done() })
		return closures.Caught(func() string { wg.Wait(); return "waited" })
	}},
	{"a group is used while its Wait ends", sched.ModelWaitGroup, "panic: sync: WaitGroup misuse: Add called concurrently with Wait", func() string {
		var wg sched.WaitGroup
		wg.Add(1)
		sched.Go(wg.Wait)
		sched.Go(func() { closures.Caught(func() string { wg.Done(); return "" }) })
		wg.Add(1)
		wg.Done()
		return closures.Caught(func() string { wg.Add(1); return "added" })
	}},
	{"a timer is stopped twice while it sends", sched.ModelTimer, "true true false false", func() string {
		t := sched.NewTimer(0)
		a, b, c, d := t.Stop(), t.Stop(), t.Stop(), t.Stop()
		return fmt.Sprint(a, b, c, d)
	}},
	{"a timer is reset while it sends, and stopped after it has sent again", sched.ModelTimer, "true true", func() string {
		t := sched.NewTimer(0)
		a := t.Reset(0)
		t.C.Recv()
		return fmt.Sprint(a, t.Stop())
	}},
	{"a lock is taken before it is announced", sched.ModelTryLock, "false true", func() string {
		var rw sched.RWMutex
		sched.Go(rw.Lock)
		a := rw.TryLock()
		b := rw.TryRLock()
		return fmt.Sprint(a, b)
	}},
}

// TestFiner has behaviours that are explored only if a finer model is asked for; the
// usual one says that it was met.
func TestFiner(t *testing.T) {
	for _, b := range finer {
		t.Run(b.name, func(t *testing.T) {
			clock := sched.TimeDiscrete
			if b.model == sched.ModelTimer {
				clock = sched.TimeAnyOrder
			}
			usual := closures.Outcomes(t, exec.Options{Time: clock, AllowLeaks: true, Races: sched.RaceIgnore}, b.f)
			if usual.Outcomes[b.want] {
				t.Errorf("the usual model has %s", usual.List())
			}
			fine := closures.Outcomes(t, exec.Options{Time: clock, AllowLeaks: true, Races: sched.RaceIgnore, Model: b.model}, b.f)
			if !fine.Outcomes[b.want] {
				t.Errorf("the finer model has %s, not %s", fine.List(), b.want)
			}
			for o := range usual.Outcomes {
				if !fine.Outcomes[o] {
					t.Errorf("the finer model lacks %s", o)
				}
			}
			closures.Exact(t, exec.Options{Time: clock, AllowLeaks: true, Races: sched.RaceIgnore, Model: sched.ModelFine}, b.f)
			f := func() { b.f() }
			if a := assumed(t, exec.Options{Time: clock, Races: sched.RaceIgnore, Model: sched.ModelFine &^ b.model}, f); !strings.Contains(a, "model: ") || !strings.Contains(a, "finer_test.go") {
				t.Errorf("the usual model assumes %q", a)
			}
			if a := assumed(t, exec.Options{Time: clock, Races: sched.RaceIgnore, Model: b.model}, f); strings.Contains(a, "model: ") {
				t.Errorf("the finer model assumes %q", a)
			}
		})
	}
}

// TestUsualEnough has programs in which the usual models leave nothing out.
func TestUsualEnough(t *testing.T) {
	for name, f := range map[string]func(){
		"alone": func() {
			var p sched.Pool
			p.Get()
			sched.Gosched()
			for range 3 {
				sched.Gosched()
			}
		},
		"group": func() {
			var wg sched.WaitGroup
			for range 2 {
				wg.Add(1)
				sched.Go(wg.Done)
				wg.Wait()
			}
		},
		"timers": func() {
			t := sched.NewTimer(0) // has sent before it is stopped
			t.C.Recv()
			t.Stop()
			t.Reset(0)
			t.C.Recv()
			sched.NewTimer(0).Reset(0)
			f := sched.AfterFunc(0, func() {})
			f.Stop()
			f.Stop()
		},
		"locks": func() {
			var rw sched.RWMutex
			sched.Go(func() { rw.Lock(); rw.Unlock() })
			rw.RLock()
			rw.TryLock()
			rw.RUnlock()
			var mu sched.Mutex
			mu.TryLock()
		},
	} {
		if a := assumed(t, exec.Options{Time: sched.TimeAnyOrder, Races: sched.RaceIgnore}, f); a != "" {
			t.Errorf("%s: assumes %s", name, a)
		}
	}
}

// TestGroupRaces uses a group again too early: where data races are failures it is one.
func TestGroupRaces(t *testing.T) {
	found := closures.Outcomes(t, exec.Options{}, finer[slices.IndexFunc(finer, func(b behaviour) bool { return b.model == sched.ModelWaitGroup })].f)
	if _, ok := found.Failures[trace.FailRace]; !ok {
		t.Errorf("no race: %s", found.List())
	}
}

// TestClockAssumed has what depends on how time passes.
func TestClockAssumed(t *testing.T) {
	for what, f := range map[string]func(){
		"time.Sleep": func() { sched.Sleep(1) },
		"a timer":    func() { sched.AfterFunc(1, func() {}) },
		"a ticker":   func() { sched.NewTicker(1).Stop() },
		"the deadline": func() {
			_, cancel := sched.WithTimeout(sched.Background(), time.Second)
			cancel()
		},
		"time.Now": func() { sched.Now() },
	} {
		f2 := func() { f(); f() }
		a := assumed(t, exec.Options{}, f2)
		if !strings.HasPrefix(a, "clock: ") || !strings.Contains(a, "finer_test.go") || strings.Count(a, "\n") > 2 {
			t.Errorf("%s: in discrete time %q is assumed", what, a)
		}
		if what != "the deadline" && !strings.Contains(a, what) {
			t.Errorf("%s: %q is assumed", what, a)
		}
		if what != "a ticker" {
			if a := assumed(t, exec.Options{Time: sched.TimeAnyOrder}, f); a != "" {
				t.Errorf("%s: in any order %q is assumed", what, a)
			}
		}
	}
	tick := func() { sched.NewTicker(1).Stop() }
	if a := assumed(t, exec.Options{Time: sched.TimeAnyOrder}, tick); !strings.HasPrefix(a, "model: a ticker") {
		t.Errorf("a ticker in any order: %q is assumed", a)
	}
}

// TestSelectSame has selects with cases that wait for the same thing.
func TestSelectSame(t *testing.T) {
	for name, want := range map[string]string{"recv": "0 | 1", "close": "0 | 1 | 2", "send": "10 | 20", "both": "0 | 1 | 2", "meet": "02 | 03 | 12 | 13"} {
		got := closures.Exact(t, exec.Options{}, func() string { return selectSame(name) })
		if got.List() != want {
			t.Errorf("%s: got %s, want %s", name, got.List(), want)
		}
	}
}

func selectSame(name string) string {
	c, d, r := sched.NewChan[int](0), sched.NewChan[int](0), -1
	recv := sched.RecvCase(c, nil, nil)
	waits := func(cases ...sched.Case) sched.Handle {
		return sched.Go(func() { r = sched.Select(cases...) })
	}
	switch name {
	case "recv":
		h := waits(recv, sched.RecvCase(c, nil, nil))
		c.Send(1)
		h.Join()
	case "close":
		h := waits(recv, sched.RecvCase(c, nil, nil), sched.SendCase(d, 1))
		if sched.Select(sched.RecvCase(d, nil, nil), sched.Default) == 1 {
			c.Close()
		}
		h.Join()
	case "send":
		waits(sched.SendCase(c, 10), sched.SendCase(c, 20))
		return fmt.Sprint(c.Recv())
	case "both": // a select does not meet itself
		h := waits(recv, sched.SendCase(c, 1), sched.RecvCase(c, nil, nil))
		if sched.Select(sched.SendCase(c, 1), sched.RecvCase(c, nil, nil)) == 1 {
			h.Join()
			return fmt.Sprint(r)
		}
		h.Join()
	case "meet":
		h := waits(recv, sched.RecvCase(c, nil, nil))
		i := sched.Select(sched.SendCase(c, 1), sched.SendCase(c, 2))
		h.Join()
		return fmt.Sprint(r, i+2)[:1] + fmt.Sprint(i+2)
	}
	return fmt.Sprint(r)
}
