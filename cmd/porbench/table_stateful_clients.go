package main

import (
	"fmt"
	"math"

	"github.com/gopor/gopor/examples/datastructures/controlled"
)

// rightClient returns client i of the paper's first experiment: of all structures in turn, with
// up to five calls, and more or less contention.
func (o *statefulOptions) rightClient(i int) controlled.Client {
	kinds := controlled.Kinds
	calls := 2 + i/len(kinds)%4
	values := []int{1, 2, 3, 5}[i/(4*len(kinds))%4]
	return controlled.NewClient(&kinds[i%len(kinds)], controlled.Shape{Threads: o.threads, Calls: calls, Values: values}, uint64(i))
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

// compareMemory compares what the graphs of S-POR and DL-S-POR take with that of depth-first
// search, which has as many labels here as they have, unlike JPF.
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
