package oracle_test

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

var keyings = []trace.Keying{{}, {Tracked: true}, {Exact: true}, {Tracked: true, Exact: true}}

// TestFuturesOfToys: states of random toy programs with one key have one future, as the
// programs know their states, as histories tell them apart, and as closures.
func TestFuturesOfToys(t *testing.T) {
	limits := oracle.Limits{Executions: 300, Depth: 12}
	var all [3]oracle.Futures
	for i, p := range toytest.Programs(t, 1500) {
		k := keyings[i%int64(len(keyings))]
		c := toy.NewClosure(p)
		for j, q := range []trace.Keyed{toy.New(p), toy.NewByHistory(p), c} {
			f, err := oracle.EqualFutures(q, k, limits)
			if errors.Is(err, oracle.ErrTooBig) || trace.IsUnkeyed(err) {
				break
			}
			if err != nil {
				t.Errorf("program %d, %d, %v: %v\n%v", i, j, k, err, p)
				c.Shutdown()
				return
			}
			all[j].Prefixes += f.Prefixes
			all[j].Keys += f.Keys
		}
		c.Shutdown()
	}
	for j, f := range all {
		if f.Prefixes == 0 || f.Keys == f.Prefixes {
			t.Errorf("%d: no two states were the same: %+v", j, f)
		}
		t.Logf("%+v", f)
	}
}

// TestHistoriesAreNoState is why the default mode has what goroutines learn from each
// other in their histories: an ordinary variable under a Mutex hands on a value that no
// operation returns.
func TestHistoriesAreNoState(t *testing.T) {
	c := exec.New(func() {
		var mu sched.Mutex
		n := 0
		write := func(v int) sched.Handle {
			return sched.Go(func() { mu.Lock(); n = v; mu.Unlock() })
		}
		g1, g2 := write(1), write(2)
		g1.Join()
		g2.Join()
		mu.Lock() // whichever of the two was last
		if n == 2 {
			mu.Unlock()
		}
	}, exec.Options{Races: sched.RaceIgnore})
	defer c.Shutdown()
	if _, err := oracle.EqualFutures(c, trace.Keying{Tracked: true}, oracle.Limits{}); !errors.Is(err, oracle.ErrUnequal) {
		t.Errorf("if all is taken to be tracked: %v", err)
	}
	f, err := oracle.EqualFutures(c, trace.Keying{}, oracle.Limits{})
	if err != nil || f.Merged == 0 {
		t.Errorf("by default: %+v, %v", f, err)
	}
}

// TestLateNames: objects that nobody has made have the same names whoever meets them
// first, and so the states in which both have been met are few.
func TestLateNames(t *testing.T) {
	c := exec.New(func() {
		var x, y sched.Int64
		for range 2 {
			sched.Go(func() { x.Add(1); y.Add(1) })
		}
		sched.Go(func() { y.Load(); x.Load() })
	}, exec.Options{})
	defer c.Shutdown()
	for _, k := range keyings {
		f, err := oracle.EqualFutures(c, k, oracle.Limits{})
		if err != nil || f.Prefixes != 271 || f.Keys != 101 {
			t.Errorf("%v: %+v, %v; want 271 prefixes with 101 keys", k, f, err)
		}
	}
}

// TestNamesBeforeUse: what the clock uses before anybody does has the name then by which it is known later. By another one
// nothing would depend on what the clock has done.
func TestNamesBeforeUse(t *testing.T) {
	p := toy.MustParse("ticker u0 1\nticker u1 1\nthread\n recv u0\n spawn 1\n stop u1\nthread\n reset u0 1\n recv u1\n")
	for _, k := range keyings {
		if _, err := oracle.EqualFutures(toy.NewByHistory(p), k, oracle.Limits{}); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
}

// TestNowIsPartOfHistory: who asks a model for the time keeps what it was told, when others are where they are at
// either time.
func TestNowIsPartOfHistory(t *testing.T) {
	p := toy.MustParse("chan c 0\nchan d 0\ncell x 0\nthread\n spawn 1\n spawn 2\n send c 7\n sleep 1\n send c 7\n sleep 1\n close d\n" +
		"thread\n recv c\nthread\n recv c\n r0 = now\n recv d\n unless r0 == 1 skip 1\n store x 1\n")
	for _, k := range keyings {
		f, err := oracle.EqualFutures(toy.NewByHistory(p), k, oracle.Limits{})
		if err != nil || k.Tracked && f.Merged == 0 {
			t.Errorf("%v: %+v, %v", k, f, err)
		}
	}
}
