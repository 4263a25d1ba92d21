package por

import "github.com/gopor/gopor/sched"

// DFS explores every interleaving, depth first, without any reduction. It is
// the yardstick for the other engines and the one whose correctness is plain.
type DFS struct{}

// Name returns "dfs".
func (DFS) Name() string { return "dfs" }

// Explore visits every maximal execution of p once.
func (DFS) Explore(p sched.Program, visit func(*sched.Execution) bool) (sched.Stats, error) {
	d := dfs{walk: newWalk(p, visit)}
	return d.finish(d.explore(0))
}

type dfs struct {
	walk
	choices stack[[]sched.Choice] // per state, what can be done there, in the order of doing
}

// explore visits what follows the current state, of depth k. It returns false
// if the search is to stop.
func (d *dfs) explore(k int) bool {
	ops := d.pending()
	if len(ops) == 0 {
		return d.report(false)
	}
	choices := d.choices.at(k)
	*choices = (*choices)[:0]
	last := sched.ID(-1)
	if k > 0 {
		last = d.schedule[k-1].G
	}
	for _, stay := range [2]bool{true, false} {
		for _, op := range ops {
			if (op.G == last) == stay {
				for alt := range op.Alts {
					*choices = append(*choices, sched.Choice{G: op.G, Alt: alt})
				}
			}
		}
	}
	for _, c := range *choices {
		d.back(k)
		if d.step(c) == nil || !d.explore(k+1) {
			return false
		}
	}
	return true
}
