package report

import (
	"slices"

	"github.com/gopor/gopor/internal/stack"
)

// Calls are shown as headings: where several steps that a goroutine takes one after the
// other are made in the same call of a function, the call is above them, and they are below
// it with the lines of that function. A call that makes a single step has no heading of its
// own. A function of a line or two, such as one that locks, is left out: its caller's line
// says more.

// spotted is where a step is shown.
type spotted struct {
	at     Frame    // the line that is shown
	depth  int      // how many headings it is below
	before []string // the headings that come first
	from   int      // how many headings those are below
}

// maxHeadings is how deep headings are nested.
const maxHeadings = 3

// headings returns, for each of some steps, where it is shown, and the call in which a
// goroutine takes all of its steps, where there is one.
func (d *Diagnosis) headings(take []ranked) ([]spotted, map[string]string) {
	out := make([]spotted, len(take))
	by := make(map[string][]int) // the places in take of every goroutine's steps
	for k, r := range take {
		name := d.Steps[r.index].Goroutine
		by[name] = append(by[name], k)
	}
	all := make(map[string]string)
	for name, ks := range by {
		d.headingsOf(take, ks, out)
		if call := only(ks, out); call != "" {
			all[name] = call
		}
	}
	return out, all
}

// only takes the outermost heading off steps that are all below it, and returns it.
func only(ks []int, out []spotted) string {
	if len(ks) < 2 || len(out[ks[0]].before) == 0 {
		return ""
	}
	for _, k := range ks[1:] {
		if out[k].from == 0 {
			return ""
		}
	}
	for i, k := range ks {
		out[k].depth--
		if i > 0 {
			out[k].from--
		}
	}
	first := &out[ks[0]]
	call := first.before[0]
	first.before = first.before[1:]
	return call
}

// headingsOf does so for those of one goroutine.
func (d *Diagnosis) headingsOf(take []ranked, ks []int, out []spotted) {
	paths := make([][]Frame, len(ks)) // outermost first
	for i, k := range ks {
		path := slices.Clone(d.Steps[take[k].index].Stack)
		slices.Reverse(path)
		if n := len(path); n > 1 && path[n-1].brief && !stack.Standard(path[n-2].File) {
			path = path[:n-1]
		}
		paths[i] = path
	}
	var open []int // the depths, in the path of the step before, of the calls with headings
	for i, k := range ks {
		path := paths[i]
		p := &out[k]
		if len(path) > 0 {
			p.at = path[len(path)-1]
		}
		kept := 0
		for kept < len(open) && i > 0 && sameCall(paths[i-1], path, open[kept]) {
			kept++
		}
		open = open[:kept]
		p.from = kept
		for depth := 1; depth < len(path) && len(open) < maxHeadings; depth++ {
			if len(open) > 0 && depth <= open[len(open)-1] {
				continue
			}
			if i+1 < len(ks) && sameCall(path, paths[i+1], depth) && path[depth].Call != "" {
				p.before = append(p.before, path[depth].Call)
				open = append(open, depth)
			}
		}
		p.depth = len(open)
	}
}

// sameCall reports whether two steps that follow each other are made in the same call, at a
// depth, as far as their lines tell.
func sameCall(a, b []Frame, depth int) bool {
	if depth >= len(a) || depth >= len(b) || a[depth].Func != b[depth].Func {
		return false
	}
	for i := range depth {
		if a[i].Func != b[i].Func || a[i].File != b[i].File || a[i].Line != b[i].Line {
			return false
		}
	}
	return true
}
