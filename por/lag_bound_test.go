package por

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// impatient is a random program: some goroutines set flags after they have slept, perhaps, and main, which sleeps
// or waits for a ticker now and then, does not wait for them.
func impatient(seed uint64) func() {
	return func() {
		r := rand.New(rand.NewPCG(seed, 0))
		short := func() time.Duration { return time.Duration(1+r.IntN(15)) * time.Millisecond }
		flags := make([]sched.Bool, 1+r.IntN(2))
		for i := range flags {
			d, sleeps, ticks, works := short(), r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(3)
			sched.Go(func() {
				if sleeps {
					sched.Sleep(d)
				}
				if ticks {
					sched.NewTimer(d).C.Recv()
				}
				var own sched.Bool
				for range works {
					own.Store(true)
				}
				flags[i].Store(true)
			})
		}
		for range 2 + r.IntN(2) {
			sched.Sleep(short())
		}
		for i := range flags {
			if !flags[i].Load() {
				panic(fmt.Sprint("flag ", i))
			}
		}
	}
}

// overtaken reports whether in the execution of schedule s the clock moves on while the goroutine of that name could go on.
func overtaken(f func(), s trace.Schedule, name string, lag time.Duration) bool {
	c := exec.New(f, exec.Options{Time: sched.TimeLag, Lag: lag})
	defer c.Shutdown()
	run := c.Start()
	defer run.Close()
	for _, choice := range s {
		ready := slices.ContainsFunc(run.Pending(), func(op *trace.Op) bool { return c.Name(op.G) == name })
		if ev, err := run.Step(choice); err != nil || ev.Kind == trace.OpAdvance && ready {
			return err == nil
		}
	}
	return false
}

// No failure by lag needs code to be later than the lag, as its report has it and as the execution itself has, and
// the clock moves on while the goroutine that is said to be late could go on.
func TestDelaysWithinLag(t *testing.T) {
	const lag = 20 * time.Millisecond
	failed, beyond := 0, 0
	defer func(old explore.ReportTimes) { explore.ReportTime = old }(explore.ReportTime)
	explore.ReportTime.Minimise = 20 * time.Millisecond
	for seed := range uint64(effort.Of(1000, 6)) {
		res, err := Explore(impatient(seed), Time(sched.TimeLag), Lag(lag), MaxExecutions(100), Direct())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range res.Failures {
			failed++
			if f.Delay.By > lag || f.Delay.By > 0 && !overtaken(impatient(seed), f.Schedule, f.Delay.Name, lag) {
				t.Errorf("seed %d: %s is late by %v: %s", seed, f.Delay.Name, f.Delay.By, f.Report)
			}
		}
		c := exec.New(impatient(seed), exec.Options{Time: sched.TimeLag, Lag: lag})
		engine.DFS{}.Explore(c, func(x *trace.Execution) bool {
			d := c.Delay(x.Run.Len()).By
			if d > lag {
				beyond++
				if fails := x.Run.Outcome(); len(fails) > 0 && trial.DelayOf(c, fails[0], x.Run.Len()).By > lag {
					t.Errorf("seed %d: fails though late by %v: %v", seed, d, fails)
				}
			}
			return x.Stats.Executions < 30
		})
		c.Shutdown()
	}
	if failed < 3 || beyond < 3 {
		t.Errorf("%d failures, %d executions beyond the lag: the test is weak", failed, beyond)
	}
}
