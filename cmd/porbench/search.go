package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// search is one run of an engine on a program.
type search struct {
	program paper.Program
	n, m    int
	setting setting
	engine  trace.Engine

	maxExecutions int64 // 0: no limit
	timeout       time.Duration
	traces        bool
	watch         *progress // nil to be silent
	grace         time.Duration

	interrupted bool
	stop        atomic.Bool
	classes     *classes
	failures    atomic.Int64

	mu     sync.Mutex
	latest trace.Stats // as of the latest visit
}

// defaultGrace is how long a search may take to come to an end of an execution
// after it was told to stop. It is left alone then.
const defaultGrace = 3 * time.Second

// closure makes a closure of the program.
func (s *search) closure() *exec.Closure {
	return exec.New(s.program.Make(s.n, s.m), s.program.Options)
}

// outcome is how an exploration ends.
type outcome struct {
	stats trace.Stats
	met   []exec.Assumption
	err   error
}

// run explores until the end, a limit, or an interrupt, and measures it. There is
// a result even if there is an error.
func (s *search) run(interrupt <-chan os.Signal) (*result, error) {
	if s.traces {
		s.classes = newClasses(s.closure(), s.setting.limit(), s.stop.Load)
	}
	if s.grace == 0 {
		s.grace = defaultGrace
	}
	runtime.GC()
	heap := watchHeap()
	if s.watch != nil {
		s.watch.start()
	}
	begin, cpu := time.Now(), cpuTime()
	done := make(chan outcome, 1)
	go func() {
		c := s.closure()
		engine, all := s.crew(c)
		stats, err := engine.Explore(c, s.visitor(c))
		var met []exec.Assumption
		for _, w := range *all {
			met = append(met, w.Assumptions()...)
		}
		done <- outcome{stats, met, err}
		for _, w := range *all {
			w.Shutdown()
		}
	}()
	end, abandoned := s.await(done, interrupt)
	seconds, used := time.Since(begin).Seconds(), cpuTime()-cpu
	if s.watch != nil {
		s.watch.end()
	}
	res := s.result(end.stats, end.met)
	res.Seconds, res.CPUSeconds, res.PeakHeap = seconds, used.Seconds(), heap()
	if res.CPUSeconds > 0 {
		res.Rate = float64(res.Executions) / res.CPUSeconds
	}
	err := end.err
	if s.classes != nil && !abandoned {
		n := int64(len(s.classes.seen))
		res.Traces = &n
		err = errors.Join(err, s.classes.err)
		s.classes.close()
	}
	if err != nil {
		err = fmt.Errorf("%s with engine %s: %w", s.program.Name, s.setting.name, err)
	}
	return res, err
}

// crew returns the engine with as many workers as there are to be, and all closures that
// are explored, c and those that it will make for them.
func (s *search) crew(c *exec.Closure) (trace.Engine, *[]*exec.Closure) {
	all := []*exec.Closure{c}
	if s.setting.workers == nil {
		return s.engine, &all
	}
	return trace.Describe(s.engine).WithWorkers(*s.setting.workers, func() trace.Program {
		w := s.closure()
		all = append(all, w)
		return w
	}), &all
}

// await waits for the end of the exploration. One that does not stop when it is
// told to is abandoned, with what it had reached at the latest visit.
func (s *search) await(done <-chan outcome, interrupt <-chan os.Signal) (end outcome, abandoned bool) {
	var late, expired <-chan time.Time
	if s.timeout > 0 {
		expired = time.After(s.timeout)
	}
	for {
		select {
		case end := <-done:
			if s.stop.Load() {
				end.stats.Exhaustive = false
			}
			return end, false
		case <-expired:
		case <-interrupt:
			if s.interrupted {
				late = time.After(0) // asked for twice
				continue
			}
			s.interrupted = true
		case <-late:
			s.mu.Lock()
			defer s.mu.Unlock()
			s.latest.Exhaustive = false
			return outcome{stats: s.latest}, true
		}
		s.stop.Store(true)
		expired = nil
		if late == nil {
			late = time.After(s.grace)
		}
	}
}

// visitor returns what the engine is to call for every execution.
func (s *search) visitor(c *exec.Closure) func(*trace.Execution) bool {
	over := s.stop.Load
	return func(x *trace.Execution) bool {
		if !x.Blocked && !x.Pruned {
			if len(x.Run.Outcome()) > 0 {
				s.failures.Add(1)
			}
			if s.classes != nil {
				s.classes.add(c, x.Schedule)
			}
			if x.Stats.Executions == s.maxExecutions {
				s.stop.Store(true)
			}
		}
		s.mu.Lock()
		s.latest = *x.Stats
		s.mu.Unlock()
		x.Over = over
		x.FailuresOnly = s.classes == nil && s.maxExecutions == 0
		return !s.stop.Load()
	}
}

// reached returns what the engine had done at the latest visit.
func (s *search) reached() trace.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latest
}

func (s *search) result(st trace.Stats, met []exec.Assumption) *result {
	r := &result{
		subject: subject{Program: s.program.Name, Engine: s.setting.name, K: s.setting.k, Bound: s.setting.bound, Workers: s.setting.workers},
		work: work{
			Executions: st.Executions, Blocked: st.Blocked, Pruned: st.Pruned,
			Steps: st.Steps, Replayed: st.Replayed, Races: st.Races, Checks: st.Checks,
			PairChecks: st.PairChecks, RaceChecks: st.RaceChecks, Unsatisfiable: st.Unsatisfiable,
			MaxDepth: st.MaxDepth,
		},
		Covered: st.Exhaustive, Exhaustive: st.Exhaustive && len(met) == 0, Failures: s.failures.Load(),
		Assumptions: newAssumptions(met),
	}
	if s.program.N != (paper.Size{}) {
		r.N = &s.n
	}
	if s.program.M != (paper.Size{}) {
		r.M = &s.m
	}
	if s.setting.bound != nil {
		kind := s.setting.boundKind
		if kind == "" {
			kind = boundKinds[0]
		}
		r.BoundKind = &kind
	}
	if st.Basis != "" {
		r.Basis, r.States, r.Transitions, r.GraphBytes = &st.Basis, &st.States, &st.Transitions, &st.Bytes
	}
	if st.Kept > 0 {
		r.Kept = &st.Kept
	}
	if count, known := s.program.Traces(s.n, s.m); known {
		r.Expected = &count
	}
	return r
}
