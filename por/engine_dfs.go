package por

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// DFS explores every interleaving, depth first, without any reduction. It is
// the yardstick for the other engines and the one whose correctness is plain.
type DFS struct{}

// Name returns "dfs".
func (DFS) Name() string { return "dfs" }

// About implements [trace.About].
func (DFS) About() trace.About {
	return trace.About{Title: "depth-first search", Counts: "interleavings"}
}

// Explore visits every maximal execution of p once.
func (DFS) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	d := dfs{Walk: search.NewWalk(p, visit)}
	return d.Finish(d.explore())
}

type dfs struct {
	search.Walk
	frames search.Stack[dfsFrame]
	depth  int // frames in use
}

// dfsFrame belongs to a state.
type dfsFrame struct {
	choices []trace.Choice // what can be done there, in the order of doing
	at      int            // the one that is being explored
}

// explore visits all executions. It returns false if the search is to stop.
func (d *dfs) explore() bool {
	decide := d.next
	for {
		d.Drive(decide)
		if !d.Report(false) {
			return false
		}
		if !d.retreat() {
			return true
		}
	}
}

// next notes the latest event and decides what to do then. It returns false at
// the end of the execution.
func (d *dfs) next(ev *trace.Event) (trace.Choice, bool) {
	if ev != nil {
		f := d.frames[len(d.Schedule)]
		d.Note(f.choices[f.at])
	}
	k := len(d.Schedule)
	f := d.frames.At(k)
	if k == d.depth {
		ops := d.Run.Pending()
		if len(ops) == 0 {
			return trace.Choice{}, false
		}
		f.enter(ops, d.First(ops, nil), d.Turn())
		d.depth++
	}
	return f.choices[f.at], true
}

// enter begins the frame of a state, in which goroutine first is the first to go
// on, and every goroutine with alternative number turn.
func (f *dfsFrame) enter(ops []*trace.Op, first trace.ID, turn int) {
	f.choices, f.at = f.choices[:0], 0
	for _, stay := range [2]bool{true, false} {
		for _, op := range ops {
			if (op.G == first) == stay {
				for i := range op.Alts {
					f.choices = append(f.choices, trace.Choice{G: op.G, Alt: int32(turn+int(i)) % op.Alts})
				}
			}
		}
	}
}

// retreat goes back to the latest state in which something remains to be done.
func (d *dfs) retreat() bool {
	for k := d.depth - 1; k >= 0; k-- {
		if f := d.frames[k]; f.at+1 < len(f.choices) {
			f.at++
			d.Back(k)
			d.depth = k + 1
			return true
		}
	}
	return false
}
