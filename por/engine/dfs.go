package engine

import (
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// DFS explores every interleaving, depth first, without any reduction. It is
// the yardstick for the other engines and its correctness is plain.
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
	return d.Finish(d.Walk.Explore(&d))
}

type dfs struct {
	search.Walk
	frames search.Stack[dfsFrame]
}

// dfsFrame belongs to a state.
type dfsFrame struct {
	choices []trace.Choice // what can be done there, in the order of doing
	at      int            // the one that is being explored
}

// Enter begins with the goroutine that is the first to go on where nothing else
// decides, and with the next alternative of each goroutine.
func (d *dfs) Enter(k int, ops []*trace.Op) (trace.Choice, bool) {
	f, first, turn := d.frames.At(k), d.First(ops, nil), d.Turn()
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
	return f.choices[0], true
}

// Next turns to the next choice.
func (d *dfs) Next(k int) (trace.Choice, bool) {
	f := d.frames.At(k)
	if f.at++; f.at == len(f.choices) {
		return trace.Choice{}, false
	}
	d.Back(k)
	return f.choices[f.at], true
}
