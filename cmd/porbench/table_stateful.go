package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gopor/gopor/examples/datastructures/controlled"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// This file does the evaluation of the paper on stateful partial order reduction (Cirisci et
// al., section 4.1) anew: clients of data structures, each run by every engine until all of
// it is explored, and buggy ones until what is wrong is found. Wrong is what calls return that
// they never return one at a time.

// statefulTable is the name of the table.
const statefulTable = "stateful"

// The sizes of the paper's benchmark.
const (
	rightClients  = 75
	buggyClients  = 310
	clientThreads = 3
)

// contestant is an engine, by what the paper calls it.
type contestant struct {
	label  string
	engine trace.Engine
}

// contestants are the engines, those of the paper first. What goroutines share in the clients
// is atomic or locked, so that states need not hold who has learnt from whom.
func contestants() []contestant {
	s := por.Stateful{Keying: trace.Keying{Tracked: true}}
	return []contestant{
		{"DFS (JPF)", s},
		{"S-POR", por.SPOR{Stateful: s}},
		{"DE-S-POR", por.DESPOR{Stateful: s}},
		{"DL-S-POR", por.DLSPOR{Stateful: s}},
		{"DE (DE-JPF)", por.DESPOR{Stateful: s, EverySafe: true}},
		{"DL (DL-JPF)", por.DLSPOR{Stateful: s, EverySafe: true}},
		{"source", por.Source{}},
		{"optimal", por.Optimal{}},
	}
}

// hunters are the engines that look for what is wrong: those of the paper, without leaving out safe
// sets, as they are and beginning again in another order every so often, and ours.
func hunters() (list []contestant) {
	again := por.Stateful{Keying: trace.Keying{Tracked: true}, Restarts: true}
	for _, x := range contestants() {
		if x.label != "DE (DE-JPF)" && x.label != "DL (DL-JPF)" {
			list = append(list, x)
		}
	}
	return append(list,
		contestant{"DFS, again", again},
		contestant{"S, again", por.SPOR{Stateful: again}},
		contestant{"DE, again", por.DESPOR{Stateful: again}},
		contestant{"DL, again", por.DLSPOR{Stateful: again}})
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

// exploreClient runs an engine on a client, until the end, the limit of time, or, if first is set, the
// first outcome that is wrong.
func exploreClient(c controlled.Client, x contestant, right map[string]bool, limit time.Duration, first bool) (statefulRun, error) {
	return exploreSome(c, x, right, limit, first, math.MaxInt64)
}

// exploreSome is exploreClient, up to so many executions.
func exploreSome(c controlled.Client, x contestant, right map[string]bool, limit time.Duration, first bool, most int64) (statefulRun, error) {
	res := statefulRun{Table: statefulTable, Client: c.String(), Engine: x.label}
	var results [][]controlled.Result
	p := sched.New(func() {
		results = make([][]controlled.Result, len(c.Calls))
		s := c.Kind.New(c.Hasty)
		for g, calls := range c.Calls {
			sched.Go(func() {
				for _, call := range calls {
					results[g] = append(results[g], s.Do(call))
				}
			})
		}
	}, sched.Options{})
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

// rightClient returns client i of the paper's first experiment: of all structures in turn, with
// up to five calls, and more or less contention.
func (o *statefulOptions) rightClient(i int) controlled.Client {
	kinds := controlled.Kinds
	calls := 2 + i/len(kinds)%4
	values := []int{1, 2, 3, 5}[i/(4*len(kinds))%4]
	return controlled.NewClient(&kinds[i%len(kinds)], controlled.Shape{Threads: o.threads, Calls: calls, Values: values}, uint64(i))
}

// statefulTime is how long a client is run by an engine, unless the command line says so.
const statefulTime = time.Second

// statefulOptions says how much of the evaluation is to be done.
type statefulOptions struct {
	right, buggy int // clients; a quarter as many more are drawn like the buggy ones and are right
	threads      int // of each
	limit        time.Duration
	json         bool
	pictures     string // the folder of the quantile plots, "" for none
}

// runStateful does the evaluation.
func runStateful(o statefulOptions, e command.Env) int {
	w := &evaluation{statefulOptions: o, Env: e}
	err := w.phase(fmt.Sprintf("%d clients", o.right), w.all)
	if err == nil && o.pictures != "" {
		err = w.draw()
	}
	var list []buggyClient
	if err == nil {
		err = w.phase("drawing clients that have something wrong", func() (err error) {
			list, err = w.drawBuggies()
			return err
		})
	}
	if err == nil {
		err = w.phase(fmt.Sprintf("hunts of %d clients", len(list)), func() error { return w.bugs(list) })
	}
	if err == nil && !o.json && o.buggy > 0 {
		err = w.phase("orders", func() error { return w.orders(list) })
	}
	switch {
	case err == errInterrupted:
		return command.Interrupted
	case err != nil:
		return e.Failedf("bench: %v", err)
	}
	return command.OK
}

var errInterrupted = errors.New("interrupted")

type evaluation struct {
	statefulOptions
	command.Env
	runs [][]statefulRun // of the first experiment, by client and engine
	name string          // what is being done
}

// phase does a part of the evaluation, and says how long that has taken.
func (w *evaluation) phase(name string, do func() error) error {
	begin := time.Now()
	w.name = name
	err := do()
	w.show("")
	if err == nil && !w.json {
		fmt.Fprintf(w.Out, "(%s: %v)\n", name, time.Since(begin).Round(time.Second))
	}
	return err
}

// show shows on a terminal how far a phase is.
func (w *evaluation) show(format string, args ...any) {
	switch {
	case !w.Progress:
	case format == "":
		fmt.Fprint(w.Err, "\r\x1b[K")
	default:
		fmt.Fprintf(w.Err, "\r\x1b[K%s: %s", w.name, fmt.Sprintf(format, args...))
	}
}

// run explores a client, and prints what has come of it.
func (w *evaluation) run(c controlled.Client, x contestant, right map[string]bool, first bool) (statefulRun, error) {
	if w.Interrupted() {
		return statefulRun{}, errInterrupted
	}
	r, err := exploreClient(c, x, right, w.limit, first)
	if err == nil && w.json {
		err = json.NewEncoder(w.Out).Encode(r)
	}
	return r, err
}

const statefulFormat = "%-12s %8s %10s %10s %12s %9s %7s %7s\n"

// all does the first experiment: everything is explored.
func (w *evaluation) all() error {
	xs := contestants()
	for i := range w.right {
		c := w.rightClient(i)
		right := c.Outcomes()
		w.show("%d done", i)
		var runs []statefulRun
		if !w.json {
			fmt.Fprintf(w.Out, "%v\n"+statefulFormat, c, "engine", "runs", "states", "edges", "seconds", "graph KB", "heap MB", "")
		}
		for _, x := range xs {
			r, err := w.run(c, x, right, false)
			if err != nil {
				return err
			}
			if r.Wrong {
				return fmt.Errorf("%v, %s: an outcome that is wrong; %s", c, x.label, r.Note)
			}
			runs = append(runs, r)
			if !w.json {
				end := ""
				if !r.Finished {
					end = "not finished"
				} else if r.Note != "" {
					end = r.Note
				}
				fmt.Fprintf(w.Out, "%-12s %8d %10d %10d %12.4f %9d %7d %s\n", x.label, r.Executions, r.States, r.Transitions, r.Seconds, r.Bytes>>10, r.PeakHeap>>20, end)
			}
		}
		w.runs = append(w.runs, runs)
	}
	if !w.json {
		w.conclude(xs)
	}
	return nil
}

// place returns where an engine is among the contestants.
func place(xs []contestant, label string) int {
	return slices.IndexFunc(xs, func(x contestant) bool { return x.label == label })
}

// conclude compares the engines, and prints what the paper has beside that.
func (w *evaluation) conclude(xs []contestant) {
	fmt.Fprintf(w.Out, "\n%d clients, within %v each:\n", len(w.runs), w.limit)
	for k, x := range xs {
		n, seconds, states := 0, 0.0, int64(0)
		for _, runs := range w.runs {
			if runs[k].Finished {
				n++
				seconds += runs[k].Seconds
				states += runs[k].States
			}
		}
		fmt.Fprintf(w.Out, "%-12s finished %3d, in %.3f s", x.label, n, seconds)
		if states > 0 { // stateless engines know of none
			fmt.Fprintf(w.Out, ", with %d states", states)
		}
		fmt.Fprintln(w.Out)
	}
	s, l := place(xs, "S-POR"), place(xs, "DL-S-POR")
	for _, part := range []struct {
		name        string
		least, most float64 // states of DL-S-POR over those of S-POR
	}{{"all", 0, 2}, {"high potential for reduction: at most 0.6 of the states", 0, 0.6}, {"the rest", 0.6, 2}} {
		n, sum, least, states := 0, 0.0, math.Inf(1), 0.0
		for _, runs := range w.runs {
			a, b := runs[s], runs[l]
			if !b.Finished || b.States == 0 {
				continue // S-POR, if it has not finished, would have taken longer
			}
			ratio := float64(b.States) / float64(max(a.States, 1))
			if ratio <= part.least && part.least > 0 || ratio > part.most {
				continue
			}
			speedup := a.Seconds / b.Seconds
			n++
			sum += speedup
			states += ratio
			least = min(least, speedup)
		}
		if n > 0 {
			fmt.Fprintf(w.Out, "DL-S-POR against S-POR, %s: %d clients, %.1f times as fast on average (the paper: 2.6 on all of its), %.2f at least, with %.3f of the states\n",
				part.name, n, sum/float64(n), least, states/float64(n))
		}
	}
	w.compareMemory(xs)
	fmt.Fprintln(w.Out, "the paper: optimal DPOR (without wakeup trees) timed out on 39 of 46 clients, and no stateless variant ended on any within 30 minutes")
}

// printedMemory is what section 4.2 of the paper says of figure 7: the heap over that of JPF, and
// how many times as fast as JPF, for S-POR and DL-S-POR.
var printedMemory = []struct {
	name        string
	least, most float64 // heap of DL-S-POR over that of JPF
	text        string
}{
	{"at most twice the bytes", 0, 2, "32 % of the clients, 1.00 and 1.34 times the heap, 2.54 and 6.67 times as fast"},
	{"two to four times", 2, 4, "50 %, 2.20 and 2.63 times, 2.86 and 7.81 times as fast"},
	{"more", 4, math.Inf(1), "18 %, 4.11 and 5.39 times (7.79 at most), 3.28 and 5.31 times as fast"},
}

// compareMemory compares what the graphs of S-POR and DL-S-POR take with that of depth-first search,
// which has as many labels here as they have, unlike JPF.
func (w *evaluation) compareMemory(xs []contestant) {
	d, s, l := place(xs, "DFS (JPF)"), place(xs, "S-POR"), place(xs, "DL-S-POR")
	all := 0
	for _, class := range printedMemory {
		n, bytes, speed := 0, [2]float64{}, [2]float64{}
		all = 0
		for _, runs := range w.runs {
			if !runs[d].Finished || !runs[s].Finished || !runs[l].Finished || runs[d].Bytes == 0 {
				continue
			}
			all++
			if ratio := float64(runs[l].Bytes) / float64(runs[d].Bytes); ratio <= class.least && class.least > 0 || ratio > class.most {
				continue
			}
			n++
			for i, k := range [2]int{s, l} {
				bytes[i] += float64(runs[k].Bytes) / float64(runs[d].Bytes)
				speed[i] += runs[d].Seconds / runs[k].Seconds
			}
		}
		if n == 0 {
			fmt.Fprintf(w.Out, "memory against DFS, %s: none of %d clients (the paper: %s)\n", class.name, all, class.text)
			continue
		}
		m := float64(n)
		fmt.Fprintf(w.Out, "memory against DFS, %s: %d of %d clients, %.2f and %.2f times the bytes for S-POR and DL-S-POR, %.2f and %.2f times as fast (the paper: %s)\n",
			class.name, n, all, bytes[0]/m, bytes[1]/m, speed[0]/m, speed[1]/m, class.text)
	}
}

// draw writes the quantile plots of figures 5 to 8.
func (w *evaluation) draw() error {
	if err := os.MkdirAll(w.pictures, 0o777); err != nil {
		return err
	}
	xs := contestants()
	for _, p := range []struct {
		file, title string
		labels      []string
		value       func(statefulRun) float64
	}{
		{"time.svg", "seconds", []string{"DFS (JPF)", "S-POR", "DE-S-POR", "DL-S-POR", "source", "optimal"}, func(r statefulRun) float64 { return r.Seconds }},
		{"time-every.svg", "seconds", []string{"DE (DE-JPF)", "DL (DL-JPF)", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return r.Seconds }},
		{"states.svg", "states", []string{"DFS (JPF)", "S-POR", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return float64(r.States) }},
		{"memory.svg", "bytes of the graph", []string{"DFS (JPF)", "S-POR", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return float64(r.Bytes) }},
		{"memory-every.svg", "bytes of the graph", []string{"DE (DE-JPF)", "DL (DL-JPF)", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return float64(r.Bytes) }},
	} {
		var curves []curve
		for _, label := range p.labels {
			k := place(xs, label)
			c := curve{label: label}
			for _, runs := range w.runs {
				if v := p.value(runs[k]); runs[k].Finished && v > 0 {
					c.values = append(c.values, v)
				}
			}
			slices.Sort(c.values)
			curves = append(curves, c)
		}
		if err := os.WriteFile(filepath.Join(w.pictures, p.file), quantilePlot(p.title, len(w.runs), w.limit, curves), 0o666); err != nil {
			return err
		}
	}
	return nil
}
