package por_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// hunting is an Auto whose estimate never says that the time suffices, since it is over.
var hunting = engine.Auto{Time: time.Nanosecond, Alone: 50}

// Beside those that hunt, Optimal covers everything, and visits no trace twice.
func TestAutoCoversAll(t *testing.T) {
	effort.Computes(t)
	program := adds(3, 2)
	all, err := por.Explore(program, por.Engine(engine.Optimal{}), por.Races(sched.RaceExplore))
	if err != nil || !all.Exhaustive {
		t.Fatal(all, err)
	}
	c := exec.New(program, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	var visits [2][]string
	for i := range visits {
		stats, err := hunting.Explore(c, func(x *trace.Execution) bool {
			if !x.Blocked && !x.Pruned {
				visits[i] = append(visits[i], fmt.Sprint(x.Schedule))
			}
			return true
		})
		if err != nil || !stats.Exhaustive || stats.Executions != int64(len(visits[i])) || stats.Executions-stats.Again != all.Stats.Executions {
			t.Errorf("%+v, %v; %d traces", stats, err, all.Stats.Executions)
		}
		if stats.Claim != "" || stats.Fruitless != "" {
			t.Errorf("only %s was covered; nothing by %s", stats.Claim, stats.Fruitless)
		}
		if stats.Drawn == 0 || stats.Drawn >= stats.Again {
			t.Errorf("%d were drawn at random, of %d", stats.Drawn, stats.Again)
		}
	}
	if !slices.Equal(visits[0], visits[1]) {
		t.Error("other executions the second time")
	}
	res, err := por.Explore(program, por.Engine(hunting), por.Races(sched.RaceExplore), por.MaxTime(time.Hour))
	if err != nil || !res.Exhaustive || res.Stats.Again > 0 {
		t.Errorf("%+v, %v: no estimate of an hour", res, err)
	}
	stopped, err := hunting.Explore(c, func(x *trace.Execution) bool { return x.Stats.Executions < 400 || x.Stats.Claim == "" })
	if err != nil || stopped.Exhaustive || !strings.HasPrefix(stopped.Claim, "every trace with at most ") {
		t.Errorf("%+v, %v: no bound was completed", stopped, err)
	}
}

// Where somebody awaits something, nothing is said of what was covered within a bound.
func TestAutoClaimsNothingOfLoops(t *testing.T) {
	effort.Computes(t)
	for _, loops := range []bool{false, true} {
		c := exec.New(func() {
			var flag sched.Bool
			adds(3, 2)()
			sched.Go(func() { flag.Store(true) })
			for {
				if loops {
					sched.Loop()
				}
				if !loops || flag.Load() {
					break
				}
			}
		}, exec.Options{Races: sched.RaceExplore, Awaits: true})
		claimed := false
		_, err := hunting.Explore(c, func(x *trace.Execution) bool {
			claimed = claimed || x.Stats.Claim != ""
			return x.Stats.Executions < 2000
		})
		if c.Shutdown(); err != nil || claimed == loops {
			t.Errorf("loops %v: claimed %v, %v", loops, claimed, err)
		}
	}
}

// A failure that depth-first search meets late is found at random or with few preemptions.
func TestAutoFindsEarly(t *testing.T) {
	effort.Computes(t)
	program := func() {
		var first, n sched.Int64
		sched.Go(func() { // the search gets there when it has been through all orders of the others
			if n.Load() == 1 {
				panic("in between")
			}
		})
		first.Add(1)
		for range 5 {
			sched.Go(func() {
				for range 3 {
					n.Add(1)
				}
			})
		}
	}
	found := func(e trace.Engine) int64 {
		res, err := por.Explore(program, por.Engine(e), por.MaxExecutions(20_000), por.MaxTime(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Failures) == 0 {
			return 20_000
		}
		return res.Failures[0].Execution
	}
	if a, b := found(engine.Optimal{}), found(engine.Auto{Alone: 1000}); a < 20_000 || b > 2000 {
		t.Errorf("found after %d executions by depth-first search, after %d by Auto", a, b)
	}
}

// SURW makes all orders of interesting events about equally likely. At random, the
// single event would come after the fourth of the others once in 32 executions.
func TestSURWUniform(t *testing.T) {
	place := 0
	c := exec.New(func() {
		var n sched.Int64
		place = 0
		sched.Go(func() {
			for range 4 {
				n.Add(1)
			}
		})
		sched.Go(func() { place = int(n.Add(10)) - 10 })
	}, exec.Options{})
	defer c.Shutdown()
	var times [5]int
	const executions = 2000
	if _, err := (engine.SURW{Executions: executions}).Explore(c, func(*trace.Execution) bool { times[place]++; return true }); err != nil {
		t.Fatal(err)
	}
	for _, n := range times {
		if n < executions/5*8/10 || n > executions/5*12/10 {
			t.Errorf("the places of the single event: %v times", times)
			break
		}
	}
}

// TestAutoIsAloneWhereOneTraceIs: nobody hunts in a test of one trace, however long it is.
func TestAutoIsAloneWhereOneTraceIs(t *testing.T) {
	for goroutines, by := range map[int]string{0: "", 1: "optimal DPOR and hunt"} {
		c := exec.New(func() {
			var x sched.Int64
			for range goroutines {
				sched.Go(func() { x.Add(1) })
			}
			for range 200 {
				x.Add(1)
			}
		}, exec.Options{})
		stats, err := engine.Auto{Time: time.Hour, Alone: 100}.Explore(c, func(*trace.Execution) bool { return true })
		c.Shutdown()
		if err != nil || !stats.Exhaustive || stats.By != by {
			t.Errorf("%d goroutines beside: %+v, %v", goroutines, stats, err)
		}
	}
}
