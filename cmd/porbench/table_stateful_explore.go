package main

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/gopor/gopor/examples/datastructures/controlled"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// contestant is an engine, by what the paper calls it.
type contestant struct {
	label  string
	engine trace.Engine
}

// contestants are the engines, those of the paper first. What goroutines share in the clients
// is atomic or locked, so that states need not hold which goroutine has learnt from which.
func contestants() []contestant {
	s := engine.Stateful{Keying: trace.Keying{Tracked: true}}
	return []contestant{
		{"DFS (JPF)", s},
		{"S-POR", engine.SPOR{Stateful: s}},
		{"DE-S-POR", engine.DESPOR{Stateful: s}},
		{"DL-S-POR", engine.DLSPOR{Stateful: s}},
		{"DE (DE-JPF)", engine.DESPOR{Stateful: s, EverySafe: true}},
		{"DL (DL-JPF)", engine.DLSPOR{Stateful: s, EverySafe: true}},
		{"source", engine.Source{}},
		{"optimal", engine.Optimal{}},
	}
}

// hunters are the engines that look for what is wrong: those of the paper, without leaving out safe
// sets, as they are and beginning again in another order every so often, and ours.
func hunters() (list []contestant) {
	again := engine.Stateful{Keying: trace.Keying{Tracked: true}, Restarts: true}
	for _, x := range contestants() {
		if x.label != "DE (DE-JPF)" && x.label != "DL (DL-JPF)" {
			list = append(list, x)
		}
	}
	return append(list,
		contestant{"DFS, again", again},
		contestant{"S, again", engine.SPOR{Stateful: again}},
		contestant{"DE, again", engine.DESPOR{Stateful: again}},
		contestant{"DL, again", engine.DLSPOR{Stateful: again}})
}

// place returns where an engine is among the contestants.
func place(xs []contestant, label string) int {
	return slices.IndexFunc(xs, func(x contestant) bool { return x.label == label })
}

// statefulRun is what an engine has done to a client.
type statefulRun struct {
	Table       string  `json:"table"`
	Client      string  `json:"client"`
	Engine      string  `json:"engine"`
	Finished    bool    `json:"finished"`
	Executions  int64   `json:"executions"`
	States      int64   `json:"states"`
	Transitions int64   `json:"transitions"`
	Bytes       int64   `json:"graph_bytes"`
	PeakHeap    uint64  `json:"peak_heap_bytes"`
	Seconds     float64 `json:"seconds"`
	Wrong       bool    `json:"wrong"`
	Note        string  `json:"note,omitempty"`
}

// exploreClient runs an engine on a client, until the end, the limit of time, or, if first is set,
// the first outcome that is wrong.
func exploreClient(c controlled.Client, x contestant, right map[string]bool, limit time.Duration, first bool) (statefulRun, error) {
	return exploreSome(c, x, right, limit, first, math.MaxInt64)
}

// exploreSome is exploreClient, up to so many executions.
func exploreSome(c controlled.Client, x contestant, right map[string]bool, limit time.Duration, first bool, most int64) (statefulRun, error) {
	res := statefulRun{Table: statefulTable, Client: c.String(), Engine: x.label}
	var results [][]controlled.Result
	p := exec.New(func() {
		results = make([][]controlled.Result, len(c.Calls))
		s := c.Kind.New(c.Hasty)
		for g, calls := range c.Calls {
			sched.Go(func() {
				for _, call := range calls {
					results[g] = append(results[g], s.Do(call))
				}
			})
		}
	}, exec.Options{})
	defer p.Shutdown()
	runtime.GC()
	heap := watchHeap()
	begin := time.Now()
	timer := time.AfterFunc(limit, func() { p.Interrupt(true) })
	defer timer.Stop()
	stats, err := x.engine.Explore(p, func(e *trace.Execution) bool {
		if most--; e.Blocked || e.Pruned {
			return most > 0
		}
		f := e.Run.Outcome()
		switch {
		case len(f) > 0 && f[0].Kind == trace.FailStarved:
			return most > 0 // that says nothing
		case len(f) > 0: // a hasty list may come to have a node in it for ever that was removed
			res.Wrong, res.Note = true, f[0].String()
		case !right[controlled.Outcome(results)]:
			res.Wrong = true
		}
		return most > 0 && !(res.Wrong && first)
	})
	res.Seconds, res.PeakHeap = time.Since(begin).Seconds(), heap()
	if errors.Is(err, trace.ErrInterrupted) {
		err = nil
	}
	res.Finished = stats.Exhaustive || res.Wrong && first
	res.Executions, res.States, res.Transitions, res.Bytes = stats.Executions, stats.States, stats.Transitions, stats.Bytes
	if _, stateless := map[string]bool{"source": true, "optimal": true}[x.label]; !stateless && stats.States == 0 {
		res.Note = "states have no names: searched by source"
	}
	return res, err
}
