package exec_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// clocked is what the goroutines of a random program have in common.
type clocked struct {
	x    sched.Int64
	when sched.Var[time.Time]
}

// turns is what one of them has for itself.
type turns struct {
	*clocked
	tick  *sched.Ticker
	timer *sched.Timer
	last  time.Time
}

// turnOps is what is done in loops that polls, by times that are far apart or near.
var turnOps = []struct {
	name string
	do   func(*turns)
}{
	{"sleep 1", func(*turns) { sched.Sleep(time.Millisecond) }},
	{"sleep 2", func(*turns) { sched.Sleep(2 * time.Millisecond) }},
	{"tick", func(t *turns) { t.tick.C.Recv() }},
	{"drop tick", func(t *turns) { t.tick.C.Drop() }},
	{"drop firing", func(t *turns) {
		t.note(sched.Select(sched.RecvCase(t.timer.C, nil, nil), sched.RecvCase(t.tick.C, nil, nil)) == 0)
	}},
	{"glance", func(t *turns) { sched.Select(sched.RecvCase(t.tick.C, &t.last, nil), sched.Default) }},
	{"late tick", func(t *turns) {
		var at time.Time
		if sched.Select(sched.RecvCase(t.tick.C, &at, nil), sched.Default) == 0 {
			t.note(sched.Since(at) > time.Millisecond/2)
		}
	}},
	{"later tick", func(t *turns) { t.note(t.tick.C.Recv().Sub(t.last) > 5*time.Millisecond/2) }},
	{"late firing", func(t *turns) {
		if sched.Choose(2) == 1 {
			t.note(sched.Since(t.timer.C.Recv()) > 5*time.Millisecond/2)
		}
	}},
	{"keep firing", func(t *turns) {
		if t.last.IsZero() {
			t.last = t.timer.C.Recv()
		} else {
			t.x.Load()
		}
	}},
	{"reset 1", func(t *turns) { t.timer.Reset(time.Millisecond) }},
	{"reset 3", func(t *turns) { t.timer.Reset(3 * time.Millisecond) }},
	{"expired", func(t *turns) { t.note(sched.Select(sched.RecvCase(t.timer.C, nil, nil), sched.Default) == 0) }},
	{"load", func(t *turns) { t.note(t.x.Load() == 0) }},
	{"now", func(t *turns) { t.last = sched.Now(); t.x.Load() }},
	{"keep now", func(t *turns) {
		if t.last.IsZero() {
			t.last = sched.Now()
		}
		t.x.Load()
	}},
	{"since", func(t *turns) { t.note(sched.Since(t.last) > 5*time.Millisecond/2) }},
	{"write", func(t *turns) { t.when.Store(t.last) }},
	{"write now", func(t *turns) { t.when.Store(sched.Now()) }},
	{"write once", func(t *turns) {
		if t.when.Load().IsZero() {
			t.when.Store(sched.Now())
		}
	}},
	{"read", func(t *turns) { t.last = t.when.Load() }},
	{"age", func(t *turns) { t.note(sched.Since(t.when.Load()) > 5*time.Millisecond/2) }},
	{"date", func(t *turns) { t.note(past(sched.Now())) }},
	{"date of tick", func(t *turns) { t.note(past(t.tick.C.Recv())) }},
	{"date of firing", func(t *turns) { t.note(past(t.timer.C.Recv())) }},
}

// past reports whether a date is past.
func past(date time.Time) bool { return date.Sub(exec.DefaultStart()) > 7*time.Millisecond/2 }

// note does one of two things.
func (t *turns) note(is bool) {
	if is {
		t.x.Swap(1)
	} else {
		t.x.Store(0)
	}
}

// roundabout is a goroutine that goes round for ever.
type roundabout struct {
	every time.Duration // of its ticker; its timer is reset to that at first
	keeps bool          // the time of the turn before
	ops   []string
}

// kept returns how many values it hands on from one turn to the next.
func (l roundabout) kept() int {
	if l.keeps {
		return 1
	}
	return 0
}

// uses reports whether l has one of some operations.
func (l roundabout) uses(ops ...string) bool {
	return slices.ContainsFunc(ops, func(op string) bool { return slices.Contains(l.ops, op) })
}

// goRound returns the program of some of these, which call Loop, or say that turns begin as
// rewritten code does.
func goRound(loops ...roundabout) func()     { return goes(false, loops) }
func goRewritten(loops ...roundabout) func() { return goes(true, loops) }

func goes(rewritten bool, loops []roundabout) func() {
	do := make([][]func(*turns), len(loops))
	for i, l := range loops {
		for _, name := range l.ops {
			for _, op := range turnOps {
				if op.name == name {
					do[i] = append(do[i], op.do)
				}
			}
		}
	}
	return func() {
		var c clocked
		c.x.Store(0) // gives it a name, which is else another one at every time
		c.when.Store(time.Time{})
		for i, l := range loops {
			sched.Go(func() {
				t := turns{clocked: &c}
				if l.uses("tick", "late tick", "later tick", "glance", "drop tick", "drop firing", "date of tick") { // one that nobody looks at makes a state of every tick
					t.tick = sched.NewTicker(l.every)
				}
				if l.uses("reset 1", "reset 3", "expired", "late firing", "keep firing", "drop firing", "date of firing") {
					t.timer = sched.NewTimer(l.every)
				}
				for loop := int32(0); ; {
					if !l.keeps {
						t.last = time.Time{}
					}
					if values := []any{t.last}[:l.kept()]; rewritten {
						loop = hook.Turn(uintptr(i)+1, values, loop)
					} else {
						sched.Loop(values...)
					}
					for _, f := range do[i] {
						f(&t)
					}
				}
			})
		}
		sched.NewChan[int](0).Recv()
	}
}

// ofDates is how many of them, the last ones, look at the date.
const ofDates = 3

// drawRound draws one that goes round.
func drawRound(r *rand.Rand, ops int) roundabout {
	l := roundabout{every: time.Duration(1+r.IntN(3)) * time.Millisecond, keeps: r.IntN(2) == 0}
	for range 1 + r.IntN(4) {
		l.ops = append(l.ops, turnOps[r.IntN(ops)].name)
	}
	return l
}

// timeMatters has loops that do something else when so much time has passed.
var timeMatters = []roundabout{
	{every: 3e6, ops: []string{"sleep 1", "expired"}},
	{every: 3e6, ops: []string{"sleep 2", "late tick"}},
	{every: 1e6, ops: []string{"write once", "sleep 1", "age"}},
	{every: 1e6, ops: []string{"keep now", "sleep 1", "since"}, keeps: true},
	{every: 1e6, ops: []string{"keep firing", "sleep 1", "since"}, keeps: true},
	{every: 1e6, ops: []string{"keep firing", "later tick"}, keeps: true},
	{every: 1e6, ops: []string{"sleep 1", "late firing"}},
}

// dateMatters has loops that do something else from a certain date on, which rewritten code may
// do, and a goroutine that calls Loop may not.
var dateMatters = []roundabout{
	{every: 1e6, ops: []string{"date", "sleep 1"}},
	{every: 1e6, ops: []string{"date of tick"}},
	{every: 1e6, ops: []string{"date of firing", "reset 1"}},
}

// TestKeysWhereDateMatters: who has been told a time in a turn of rewritten code keeps it.
func TestKeysWhereDateMatters(t *testing.T) {
	effort.Computes(t)
	for _, l := range append(dateMatters, timeMatters...) {
		for _, k := range []trace.Keying{{}, {Tracked: true}} {
			c := exec.New(goRewritten(l), exec.Options{Races: sched.RaceExplore})
			if f, err := oracle.EqualFuturesTo(c, k, 34, 14); err != nil {
				t.Errorf("%v, %v: %+v, %v", l, k, f, err)
			}
			c.Shutdown()
		}
	}
}

func TestKeysWhereTimeMatters(t *testing.T) {
	effort.Computes(t)
	for _, l := range timeMatters {
		c := exec.New(goRound(l), exec.Options{Races: sched.RaceExplore})
		if f, err := oracle.EqualFuturesTo(c, trace.Keying{Tracked: true}, 34, 14); err != nil {
			t.Errorf("%v: %+v, %v", l, f, err)
		}
		_, err := oracle.EqualFuturesTo(exec.Timeless{Closure: c}, trace.Keying{Tracked: true}, 34, 14)
		if errors.Is(err, oracle.ErrUnequal) == l.uses("late firing") { // what is in a channel has an age all the same
			t.Errorf("%v, if keys lack the time: %v", l, err)
		}
		c.Shutdown()
	}
}

// TestTimeIsPartOfHistory: when a goroutine has asked for the time matters later, however
// often it asks again.
func TestTimeIsPartOfHistory(t *testing.T) {
	c := exec.New(func() {
		letters, done := sched.NewChan[int](0), sched.NewChan[int](0)
		var x sched.Int64
		sched.Go(func() { letters.Recv() })
		sched.Go(func() {
			letters.Recv()
			start := sched.Now()
			done.Recv()
			if sched.Since(start) > 5*time.Millisecond/2 {
				x.Store(1)
			}
		})
		for range 2 {
			letters.Send(7)
			sched.Sleep(time.Millisecond)
		}
		sched.Sleep(time.Millisecond)
		done.Close()
	}, exec.Options{})
	defer c.Shutdown()
	if f, err := oracle.EqualFutures(c, trace.Keying{Tracked: true}, oracle.Limits{}); err != nil || f.Merged == 0 {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestKeysOfTime: states of random loops that meet again at another time have one future.
func TestKeysOfTime(t *testing.T) {
	effort.Computes(t)
	keysOfTime(t, goRound, len(turnOps)-ofDates, trace.Keying{Tracked: true}, trace.Keying{Tracked: true, Exact: true})
}

// TestKeysOfTurns: so have those of rewritten code.
func TestKeysOfTurns(t *testing.T) {
	effort.Computes(t)
	keysOfTime(t, goRewritten, len(turnOps), trace.Keying{Tracked: true}, trace.Keying{}, trace.Keying{Tracked: true, Exact: true}, trace.Keying{Exact: true})
}

func keysOfTime(t *testing.T, program func(...roundabout) func(), ops int, keyings ...trace.Keying) {
	var sum oracle.Futures
	n, source := toytest.Seeds(t, 1500)
	for i := range n {
		depth, ahead, many := 20, 9, 1
		if i%5 == 0 {
			depth, ahead, many = 10, 5, 2
		}
		r, loops := source(i), []roundabout(nil)
		for range many {
			loops = append(loops, drawRound(r, ops))
		}
		c := exec.New(program(loops...), exec.Options{Races: sched.RaceExplore})
		got, err := oracle.EqualFuturesTo(c, keyings[i%int64(len(keyings))], depth, ahead)
		c.Shutdown()
		if err != nil {
			t.Fatalf("program %d, %v: %v", i, loops, err)
		}
		sum.Prefixes, sum.Keys, sum.Merged = sum.Prefixes+got.Prefixes, sum.Keys+got.Keys, sum.Merged+got.Merged
	}
	t.Logf("%+v", sum)
}
