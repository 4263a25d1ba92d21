package sched

import (
	"fmt"
	"path/filepath"
	"sync"

	"github.com/gopor/gopor/internal/machine"
)

// AssumptionKind says what kind of thing the result of a search takes for granted.
type AssumptionKind = machine.AssumptionKind

// What a search may have to take for granted. A program that never met any of them
// has none.
const (
	// AssumeClock: the order in which timers fire, or how much time code takes, was
	// fixed by the time mode; or states were taken for one that differ by the date alone, and
	// a time was told later.
	AssumeClock AssumptionKind = machine.AssumeClock
	// AssumeMapOrder: maps were ranged over in one order out of several, or loops did not
	// meet entries that were made meanwhile.
	AssumeMapOrder AssumptionKind = machine.AssumeMapOrder
	// AssumeRandom: random numbers came from a fixed source.
	AssumeRandom AssumptionKind = machine.AssumeRandom
	// AssumeModel: a primitive was used with a model that leaves something out which the
	// language allows, such as a Pool that drops what it holds, or an unfair Gosched.
	AssumeModel AssumptionKind = machine.AssumeModel
	// AssumeSource: a value came from where it may differ from run to run: an
	// address, a hash seed, the clock of the machine, the environment, a file.
	AssumeSource AssumptionKind = machine.AssumeSource
	// AssumeVariable: a variable that outlives executions was changed by them, and
	// could not be put back.
	AssumeVariable AssumptionKind = machine.AssumeVariable
	// AssumeCode: code ran that is not under control: an uncontrolled goroutine, a package that is
	// not rewritten, assembly.
	AssumeCode AssumptionKind = machine.AssumeCode
	// AssumeCount: more was in use at a time than is counted: primitives, or users of one of which
	// a copy was made.
	AssumeCount AssumptionKind = machine.AssumeCount
)

// An Assumption is something that was met in some execution, that could change the
// result, and that was not explored.
type Assumption struct {
	Kind AssumptionKind
	// What was met, in words that can follow "because of": "time.Sleep",
	// "range over a map[string]int", "crypto/rand.Read", "the variable pkg.hits".
	What string
	// File and Line are where it was met first; File is "" if that is nowhere in
	// particular.
	File string
	Line int
}

func (a Assumption) String() string {
	if a.File == "" {
		return a.What
	}
	return fmt.Sprintf("%s (%s:%d)", a.What, filepath.Base(a.File), a.Line)
}

// mostAssumptions is how many are kept of a kind, with a place each, and
// mostAssumed how often a kind is looked at for more of them: to find a place
// takes a walk over the stack.
const (
	mostAssumptions = 8
	mostAssumed     = 64
)

// assumptions are those of all executions of a Closure. They may be noted by uncontrolled
// goroutines, too.
type assumptions struct {
	mu     sync.Mutex
	looked [machine.NumAssumptions]int
	kept   [machine.NumAssumptions]int
	list   []Assumption
}

// Assume notes that the result of the search takes something for granted, at the
// first frame of the calling goroutine's stack that is the user's. Outside of
// executions it does nothing.
func Assume(k AssumptionKind, what string) {
	if co := machine.Callers.Find(); co != nil && !co.M.Closing {
		co.M.Ex.Assume(co.G, k, what)
	}
}

// assume is Assume, by g.
func (c *Closure) assume(g *machine.Goroutine, k AssumptionKind, what string) {
	a := &c.assumed
	a.mu.Lock()
	defer a.mu.Unlock()
	if k == AssumeCode {
		c.noteBeside(g, what)
	}
	if a.looked[k] == mostAssumed {
		return
	}
	a.looked[k]++
	file, line, _ := machine.Place(c.userPC(g))
	a.add(Assumption{Kind: k, What: what, File: file, Line: line})
}

// wants reports whether more of a kind are looked at.
func (c *Closure) wants(k AssumptionKind) bool {
	a := &c.assumed
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.looked[k] < mostAssumed
}

// note adds an assumption with a place of its own.
func (a *assumptions) note(x Assumption) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.add(x)
}

// Note adds an assumption that shows from outside of the executions.
func (c *Closure) Note(x Assumption) { c.assumed.note(x) }

func (a *assumptions) add(x Assumption) {
	for _, old := range a.list {
		if old == x {
			return
		}
	}
	if a.kept[x.Kind] == mostAssumptions {
		return
	}
	a.kept[x.Kind]++
	a.list = append(a.list, x)
}

// Assumptions returns what the executions so far take for granted, the first met
// first: at most eight of a kind, each with the place where it was met first.
func (c *Closure) Assumptions() []Assumption {
	if c.kept != nil && !c.live {
		c.settle()
	}
	c.assumed.mu.Lock()
	defer c.assumed.mu.Unlock()
	return append([]Assumption(nil), c.assumed.list...)
}
