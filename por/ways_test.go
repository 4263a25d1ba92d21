package por_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/math/rand/v2"
)

// There are too many executions in discrete time to come to those by lag after them.
func TestLagInTime(t *testing.T) {
	if effort.Race {
		t.Skip("makes 400,000 steps first")
	}
	res, err := por.Explore(func() {
		var n sched.Int64
		late := false
		for range 6 {
			sched.Go(func() {
				for range 6 {
					n.Add(1)
				}
			})
		}
		timer := sched.AfterFunc(50*time.Millisecond, func() { late = true })
		sched.Sleep(time.Millisecond)
		n.Add(1)
		timer.Stop()
		if late {
			panic("late")
		}
	}, por.Races(sched.RaceIgnore), por.MaxTime(10*time.Minute))
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Time != sched.TimeLag {
		t.Errorf("%v, %+v", err, res)
	}
}

// polls does something new in every round until a timer fires, and fails then. In discrete time it
// goes on for ever.
func polls() {
	done := sched.NewChan[bool](0)
	h := sched.Go(func() {
		sched.Sleep(time.Microsecond)
		done.Close()
	})
	var rounds sched.Int64
	for sched.Select(sched.RecvCase(done, nil, nil), sched.Default) != 0 {
		rounds.Add(1)
	}
	h.Join()
	panic("the timer has fired")
}

// The first execution in discrete time has no end. A look at those by lag comes all the same.
func TestLagWithoutEnd(t *testing.T) {
	effort.Computes(t)
	res, err := por.Explore(polls, por.MaxTime(time.Minute), por.MaxSteps(1e9))
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Time != sched.TimeLag {
		t.Errorf("%v, %+v", err, res)
	}
}

// rarely fails for three in ten of the numbers that it draws.
func rarely() {
	done := sched.NewChan[bool](0)
	sched.Go(func() { done.Send(true) })
	done.Recv()
	if rand.N(1000) < 300 {
		panic("a rare number")
	}
}

func TestOtherNumbers(t *testing.T) {
	res, err := por.Explore(rarely, por.MaxTime(30*time.Second))
	if err != nil || len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Msg, "a rare number") {
		t.Fatalf("%v, %+v", err, res)
	}
	f := res.Failures[0]
	if f.Diagnosis.Seed == 0 || !strings.Contains(f.Report, "with the random numbers of seed ") || !strings.Contains(res.Verdict.String(), "with the random numbers of seed ") {
		t.Errorf("no word of the seed: %s\n%s", res.Verdict, f.Report)
	}
	again, err := por.Explore(rarely, por.Replay(f.Replay))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != f.Msg {
		t.Errorf("the replay: %v, %+v", err, again)
	}
	for _, o := range []por.Option{por.RandSeed(0), por.Grant(sched.AssumeRandom), por.Engine(engine.Optimal{})} {
		if res, err := por.Explore(rarely, por.MaxTime(30*time.Second), o); err != nil || len(res.Failures) > 0 || res.Verdict.Seeds > 0 {
			t.Errorf("%v, %+v", err, res)
		}
	}
	if res, err := por.Explore(rarely, por.RandSeed(f.Diagnosis.Seed)); err != nil || len(res.Failures) != 1 {
		t.Errorf("with its seed: %v, %+v", err, res)
	}
	res, err = por.Explore(func() {
		done := sched.NewChan[bool](0)
		sched.Go(func() { done.Send(true) })
		done.Recv()
		rand.N(10)
	}, por.MaxTime(30*time.Second))
	if want := "random numbers come from one seed, and in 256 executions drawn at random from 16 others (a random number of package math/rand/v2, "; err != nil || !strings.Contains(res.Verdict.String(), want) {
		t.Errorf("%q is not in %q, %v", want, res.Verdict, err)
	}
	few := res.Verdict
	few.Seeds, few.Reseeded = 1, 1
	if want := "in 1 execution drawn at random from another ("; !strings.Contains(few.String(), want) {
		t.Errorf("%q is not in %q", want, few)
	}
}

// TestLookByLagCoversAll has a look at discrete time that gives up for lack of time, and one by lag that covers everything.
// There is time left for the rest in discrete time.
func TestLookByLagCoversAll(t *testing.T) {
	var runs int
	o := check(t, func() {
		if runs++; runs == 1 {
			time.Sleep(100 * time.Millisecond) // in real time: it takes more than a look may
		}
		n := sched.NewVar(0)
		h, k := sched.Go(func() { n.Store(1) }), sched.Go(func() { n.Store(3) })
		n.Store(2)
		sched.Sleep(time.Millisecond)
		h.Join()
		k.Join()
	}, por.MaxTime(900*time.Millisecond), por.Races(sched.RaceExplore))
	o.wantPass(t, "all 6 traces explored in discrete time, none fails; all 6 traces explored by lag of 100ms, none fails")
	if strings.Contains(o.text(), "its part of the time") || strings.Contains(o.text(), "time limit") {
		t.Errorf("a search stops, though there is time:\n%s", o.text())
	}
}
