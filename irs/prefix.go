package irs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// EventID names an event as the paper does (section 3.1): by its goroutine and its number in
// that goroutine.
type EventID struct {
	G trace.ID
	N int32 // from 0
}

// Event is an event of a prefix.
type Event struct {
	EventID
	Kind  trace.Kind
	Place string // folder/file:line of the call, "" if not known
	alt   int32
	obj   int32 // the number of its object in that execution, or -1
}

// Constraint is a scheduling constraint: After must not be performed before Before.
type Constraint struct{ Before, After EventID }

// Prefix is an admissible trace prefix o_adm (Metzler et al. 2018, algorithm 1): a
// configuration of events, and the constraints on executions. Every execution that keeps them
// has the configuration as a prefix of its trace. A Prefix must not be changed.
type Prefix struct {
	// Goroutines has the path of every goroutine that was met: the path of its parent, followed
	// by its index among its parent's children. Main's is empty. It is nil if the program is
	// not a closure.
	Goroutines [][]int32
	// Events is the configuration, in an order in which it was performed.
	Events []Event
	// Constraints has the constraints of the prefix. Before is an event of the configuration,
	// and After may be one beyond it. No constraint follows from the others, from the order of
	// a goroutine's events, and from what the program itself waits for.
	Constraints []Constraint
	// Traces is the number of verified Mazurkiewicz traces that keep to the prefix.
	Traces int64
	// Complete says that the whole program is safe: the prefix is empty.
	Complete bool

	first []Event // the execution that Events begins
	races sched.RaceMode
	// By goroutine and number, the set of kinds of operations that were met there.
	known [][]uint64
	kinds uint64 // the union of known
	free  bool   // unknown operations are admitted

	disturb bool  // executions are disturbed, for tests
	plan    *plan // the constraints by goroutine
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

// Waiting returns the number of goroutines that wait for others.
func (p *Prefix) Waiting() int {
	gs := make(map[trace.ID]bool)
	for _, c := range p.Constraints {
		gs[c.After.G] = true
	}
	return len(gs)
}

// Name returns the name of a goroutine in reports: "main", "g2", "g2.1".
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

// plan has the constraints as goroutines look them up: in the order of their own events, so
// that each needs only a cursor.
type plan struct {
	waits [][]wait // by goroutine, in ascending order of at
	// By goroutine, the numbers of its events that others wait for, ascending.
	awaited [][]int32
	kids    [][]trace.ID // by goroutine, the goroutines that it starts
	objects [][]int32    // by goroutine, the objects of its events in the configuration
	bound   int          // exceeds the number of every object
}

// wait has the events that event number at of a goroutine waits for.
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

// kidsOf returns, by goroutine, the goroutines that it starts, -1 where one is not known.
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

// kid returns the goroutine that g starts as its child number place. It returns -1 if that
// child has performed no event in any verified execution.
func (p *Prefix) kid(g trace.ID, place int32) trace.ID {
	if g >= 0 && int(g) < len(p.plan.kids) && int(place) < len(p.plan.kids[g]) {
		return p.plan.kids[g][place]
	}
	return -1
}

// kindsAt returns the kinds of operations that the verifier has met as event number n of g, as
// text.
func (p *Prefix) kindsAt(g trace.ID, n int32) string {
	if g < 0 || int(g) >= len(p.known) || int(n) >= len(p.known[g]) || p.known[g][n] == 0 {
		return "none"
	}
	return strings.Join(kindNames(p.known[g][n]), " or ")
}
