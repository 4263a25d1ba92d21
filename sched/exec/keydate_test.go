package exec_test

import (
	"math"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// datesMatter are programs in which something else happens at another date, which no
// goroutine's history knows.
var datesMatter = map[string]struct {
	depth, ahead int // as of EqualFuturesTo, 0 for programs that end
	opts         exec.Options
	f            func()
}{
	"nobody goes round": {f: func() { // what a timer was reset to is known to it alone
		var x sched.Int64
		start := exec.DefaultStart()
		tm := sched.NewTimer(time.Hour)
		a := sched.Go(func() { tm.Reset(time.Millisecond) })
		b := sched.Go(func() { tm.Reset(5 * time.Millisecond) })
		a.Join()
		b.Join()
		tm.C.Drop()
		late := sched.Since(start) > 3*time.Millisecond
		x.Load()
		if late {
			x.Store(1)
		}
	}},
	"the clock has a limit": {depth: 20, ahead: 8, opts: exec.Options{MaxClock: 5 * time.Millisecond}, f: func() {
		for {
			sched.Loop()
			sched.Sleep(time.Millisecond)
		}
	}},
	"the clock has an end": {depth: 34, ahead: 8, f: func() { // there all timers fire at once
		var x sched.Int64
		x.Store(0)
		t1, t2 := sched.NewTimer(time.Hour), sched.NewTimer(time.Hour)
		for loop := int32(0); ; {
			loop = hook.Turn(1, nil, loop)
			t1.Reset(time.Millisecond)
			t2.Reset(2 * time.Millisecond)
			if sched.Select(sched.RecvCase(t1.C, nil, nil), sched.RecvCase(t2.C, nil, nil)) == 0 {
				x.Load()
				t2.C.Drop()
			} else {
				x.Swap(1)
				t1.C.Drop()
			}
			sched.Sleep([]time.Duration{time.Millisecond, math.MaxInt64}[sched.Choose(2)])
		}
	}},
	"a part of a time is in memory": {depth: 16, ahead: 6, f: func() {
		n := new(int64)
		for start := exec.DefaultStart(); ; {
			sched.Loop()
			sched.Sleep(time.Millisecond)
			if part := int64(sched.Since(start) / (3 * time.Millisecond)); hook.Load(n) == part {
				hook.Store(n, part)
			} else {
				hook.Swap(n, part)
			}
		}
	}},
	"a time is in a map": {f: kept(func() (func(any), func() any) {
		m := new(sched.Map)
		return func(v any) { m.Store("k", v) }, func() any { v, _ := m.Load("k"); return v }
	})},
	"a time is in a value": {f: kept(func() (func(any), func() any) {
		v := new(sched.Value)
		return v.Store, v.Load
	})},
	"a time is in a pool": {f: kept(func() (func(any), func() any) {
		p := new(sched.Pool)
		return p.Put, func() any { v := p.Get(); p.Put(v); return v }
	})},
	"who is not yet there was told a time before": {depth: 16, ahead: 6, f: func() {
		for {
			sched.Loop()
			sched.Sleep(time.Millisecond)
			if sched.Choose(2) == 1 {
				sched.Go(func() { sched.Now(); sched.Sleep(time.Millisecond) }).Join()
			}
		}
	}},
}

// kept is a program that has a time put somewhere, and waits in a loop until it is past.
func kept(place func() (put func(any), get func() any)) func() {
	return func() {
		put, get := place()
		sched.Go(func() { put(sched.Now()) }).Join()
		for {
			sched.Loop()
			sched.Sleep(time.Millisecond)
			if sched.Since(get().(time.Time)) > time.Millisecond {
				break
			}
		}
	}
}

// TestKeysOfDates: such states have keys of their own, whatever was executed before.
func TestKeysOfDates(t *testing.T) {
	for name, test := range datesMatter {
		for _, k := range []trace.Keying{{Tracked: true}, {Tracked: true, Exact: true}} {
			c := exec.New(test.f, test.opts)
			f, err := oracle.Futures{}, error(nil)
			if test.depth == 0 {
				f, err = oracle.EqualFutures(c, k, oracle.Limits{})
			} else {
				f, err = oracle.EqualFuturesTo(c, k, test.depth, test.ahead)
			}
			if err != nil || f.Keys == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
			c.Shutdown()
		}
	}
}

// TestDatesForgotten: loops come back to the states in which they were at other dates, where no
// goroutine knows those any more.
func TestDatesForgotten(t *testing.T) {
	for name, test := range map[string]struct {
		states int64
		f      func()
	}{
		"a time that is forgotten": {states: 4, f: func() {
			for {
				sched.Loop()
				sched.Sleep(time.Millisecond)
				sched.Now()
			}
		}},
		"who was told a time has ended": {states: 5, f: func() {
			sched.Go(func() { sched.Now() }).Join()
			for {
				sched.Loop()
				sched.Sleep(time.Millisecond)
			}
		}},
		"somebody sleeps for ever": {states: 6, f: func() {
			sched.Go(func() { sched.Sleep(math.MaxInt64) })
			for {
				sched.Loop()
				sched.Sleep(time.Millisecond)
			}
		}},
		"a cause of its own, at any time": {states: 12, f: func() {
			for {
				sched.Loop()
				if sched.Sleep(time.Millisecond); sched.Choose(2) == 1 {
					break
				}
			}
			ctx, _ := sched.WithTimeoutCause(sched.Background(), time.Millisecond, errA)
			ctx.Done().Recv()
			for {
				sched.Loop()
				sched.Sleep(time.Millisecond)
			}
		}},
		"a context that is cancelled in a turn": {states: 12, f: func() {
			ctx, cancel := sched.WithCancel(sched.Background())
			for loop := int32(0); ; {
				loop = hook.Turn(1, nil, loop)
				sched.Sleep(time.Millisecond)
				if sched.Choose(2) == 1 {
					cancel()
				}
				ctx.Err()
			}
		}},
	} {
		c := exec.New(test.f, exec.Options{MaxSteps: 1000})
		stats, err := engine.Stateful{Keying: trace.Keying{Tracked: true}}.Explore(c, func(*trace.Execution) bool { return true })
		if err != nil || !stats.Exhaustive || stats.Livelocks == 0 || stats.States != test.states {
			t.Errorf("%s: %+v, %v", name, stats, err)
		}
		c.Shutdown()
	}
}

// TestKeysOfTimes: two times are the same data if nothing tells them apart: no date, no reading of
// a clock, no place.
func TestKeysOfTimes(t *testing.T) {
	at := func(sec, nsec int64) time.Time { return time.Unix(sec, nsec).UTC() }
	now := time.Now()
	for name, pair := range map[string][2]time.Time{
		"seconds":            {at(1, 0), at(2, 0)},
		"parts of a second":  {at(1, 1), at(1, 2)},
		"places":             {at(1, 0), at(1, 0).Local()},
		"as of another zone": {at(1, 0).In(time.FixedZone("", 3600)), at(1, 0).In(time.FixedZone("", 7200))},
		"readings":           {now, now.Round(0)},
		"the same":           {at(1, 0), at(1, 0)},
	} {
		c := exec.New(func() {
			var v sched.Value
			var x sched.Int64
			for _, stored := range pair {
				sched.Go(func() { v.Store(stored) })
			}
			if d, ok := v.Load().(time.Time); ok && d == pair[0] { // that compares all
				x.Store(1)
			}
		}, exec.Options{})
		for _, k := range []trace.Keying{{Tracked: true}, {Tracked: true, Exact: true}} {
			f, err := oracle.EqualFutures(c, k, oracle.Limits{})
			if err != nil || f.Merged == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, f, err)
			}
		}
		c.Shutdown()
	}
}
