package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func main() {
	prog := flag.String("p", "ring", "")
	n := flag.Int("n", 15, "")
	m := flag.Int("m", 0, "")
	eng := flag.String("e", "source", "")
	prof := flag.String("prof", "", "")
	reps := flag.Int("r", 1, "")
	flag.Parse()
	p, _ := paper.Named(*prog)
	var engine trace.Engine
	if *eng != "replay" {
		engine, _ = por.EngineNamed(*eng)
	}
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	best := time.Hour
	var execs int64
	var last trace.Stats
	for range *reps {
		c := sched.New(p.Make(*n, *m), p.Options)
		if engine == nil { // replay what source visits, nothing else
			var all []trace.Schedule
			por.Source{}.Explore(c, func(x *trace.Execution) bool {
				if !x.Blocked {
					all = append(all, append(trace.Schedule(nil), x.Schedule...))
				}
				return true
			})
			t0 := cpu()
			for _, s := range all {
				r := c.Start()
				if err := r.Replay(s); err != nil {
					panic(err)
				}
				r.Outcome()
				r.Close()
			}
			best = min(best, cpu()-t0)
			execs = int64(len(all))
		} else {
			t0 := cpu()
			s, err := engine.Explore(c, func(x *trace.Execution) bool { return true })
			if err != nil {
				panic(err)
			}
			best = min(best, cpu()-t0)
			execs, last = s.Executions, s
		}
		c.Shutdown()
	}
	fmt.Printf("%s(%d,%d) %s: %d executions, pairs %d races %d unsat %d, %.2f us each\n", *prog, *n, *m, *eng, execs, last.PairChecks, last.RaceChecks, last.Unsatisfiable, float64(best.Nanoseconds())/1e3/float64(execs))
}
