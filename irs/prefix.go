package irs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// EventID names an event as the paper does (section 3.1): by its goroutine, and by how many
// events that has performed before.
type EventID struct {
	G trace.ID
	N int32 // from 0
}

// Event is an event of a prefix.
type Event struct {
	EventID
	Kind  trace.Kind
	Place string // folder/file:line of the call, "" if it is not known
	alt   int32
	obj   int32 // the number of its object in that execution, -1 if it has none
}

// Constraint is a scheduling constraint: After is not to be performed before Before was.
type Constraint struct{ Before, After EventID }

// Prefix is an admissible trace prefix o_adm (Metzler et al. 2018, algorithm 1): a
// configuration of events, and the constraints that an execution has to keep to. Every
// execution that does has the configuration as a prefix of its trace. It is not to be
// changed.
type Prefix struct {
	// Goroutines has the path of every goroutine that was met: its place among its parent's
	// children, after its parent's path. Main's is empty. It is nil if the program is no
	// closure.
	Goroutines [][]int32
	// Events is the configuration, in an order in which it was performed.
	Events []Event
	// Constraints says what has to wait for what. What comes before is an event of the
	// configuration, and what comes after may be one beyond it. None follows from the
	// others, from the order of a goroutine's events, and from what the program itself
	// waits for.
	Constraints []Constraint
	// Traces is how many Mazurkiewicz traces were verified that keep to the prefix.
	Traces int64
	// Complete says that the whole program is safe: the prefix is empty.
	Complete bool

	first []Event // the execution that Events begins
	races sched.RaceMode
	known [][]uint64 // by goroutine and number, the kinds of operations that were met there
	kinds uint64     // all of them
	free  bool       // whatever is not known is admitted

	disturb bool  // executions are disturbed, for tests
	plan    *plan // the constraints by who waits
}

// String returns a short description.
func (p *Prefix) String() string {
	return fmt.Sprintf("prefix of %s with %s, %s", counted(len(p.Events), "event"), counted(len(p.Constraints), "constraint"), counted(int(p.Traces), "trace"))
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Waiting returns how many goroutines wait for others.
func (p *Prefix) Waiting() int {
	gs := make(map[trace.ID]bool)
	for _, c := range p.Constraints {
		gs[c.After.G] = true
	}
	return len(gs)
}

// Name returns how reports call a goroutine: "main", "g2", "g2.1".
func (p *Prefix) Name(g trace.ID) string {
	if g == 0 {
		return "main"
	}
	if int(g) >= len(p.Goroutines) {
		return fmt.Sprintf("g#%d", g)
	}
	return pathName(p.Goroutines[g])
}

func pathName(path []int32) string {
	if len(path) == 0 {
		return "main"
	}
	var b strings.Builder
	for i, place := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, place+1)
	}
	return "g" + b.String()
}

// plan has the constraints as goroutines look them up: in the order of their own events,
// so that each needs no more than a cursor.
type plan struct {
	waits   [][]wait     // by goroutine, in ascending order of at
	awaited [][]int32    // by goroutine, the numbers of its events that others wait for, ascending
	kids    [][]trace.ID // by goroutine, those that it starts
	objects [][]int32    // by goroutine, the objects of its events in the configuration
	bound   int          // more than any of them
}

// wait says what event number at of a goroutine waits for.
type wait struct {
	at    int32
	preds []EventID
}

// compile makes the plan.
func (p *Prefix) compile() {
	n := len(p.known)
	for _, c := range p.Constraints {
		n = max(n, int(c.Before.G)+1, int(c.After.G)+1)
	}
	pl := &plan{waits: make([][]wait, n), awaited: make([][]int32, n)}
	slices.SortFunc(p.Constraints, func(c, d Constraint) int {
		return cmp.Or(cmp.Compare(c.After.G, d.After.G), cmp.Compare(c.After.N, d.After.N),
			cmp.Compare(c.Before.G, d.Before.G), cmp.Compare(c.Before.N, d.Before.N))
	})
	for _, c := range p.Constraints {
		ws := &pl.waits[c.After.G]
		if k := len(*ws); k == 0 || (*ws)[k-1].at != c.After.N {
			*ws = append(*ws, wait{at: c.After.N})
		}
		w := &(*ws)[len(*ws)-1]
		w.preds = append(w.preds, c.Before)
		pl.awaited[c.Before.G] = append(pl.awaited[c.Before.G], c.Before.N)
	}
	for g := range pl.awaited {
		slices.Sort(pl.awaited[g])
		pl.awaited[g] = slices.Compact(pl.awaited[g])
	}
	pl.kids = kidsOf(p.Goroutines)
	pl.objects = make([][]int32, n)
	for _, e := range p.Events {
		pl.objects[e.G] = append(pl.objects[e.G], e.obj)
		pl.bound = max(pl.bound, int(e.obj)+1)
	}
	p.plan = pl
}

// kidsOf returns, by goroutine, those that it starts, -1 where one is not known.
func kidsOf(paths [][]int32) [][]trace.ID {
	at := make(map[string]int)
	for g, path := range paths {
		at[fmt.Sprint(path)] = g
	}
	kids := make([][]trace.ID, len(paths))
	for g, path := range paths {
		if g == 0 || len(path) == 0 {
			continue
		}
		parent, ok := at[fmt.Sprint(path[:len(path)-1])]
		if !ok {
			continue
		}
		for place := path[len(path)-1]; int(place) >= len(kids[parent]); {
			kids[parent] = append(kids[parent], -1)
		}
		if place := path[len(path)-1]; place >= 0 {
			kids[parent][place] = trace.ID(g)
		}
	}
	return kids
}

// kid returns the goroutine that g starts at that place among its children, -1 if it has
// performed nothing in any execution that was verified.
func (p *Prefix) kid(g trace.ID, place int32) trace.ID {
	if g >= 0 && int(g) < len(p.plan.kids) && int(place) < len(p.plan.kids[g]) {
		return p.plan.kids[g][place]
	}
	return -1
}

// kindsAt says what the verifier has met as event number n of g.
func (p *Prefix) kindsAt(g trace.ID, n int32) string {
	if g < 0 || int(g) >= len(p.known) || int(n) >= len(p.known[g]) || p.known[g][n] == 0 {
		return "none"
	}
	return strings.Join(kindNames(p.known[g][n]), " or ")
}
