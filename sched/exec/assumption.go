package exec

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// An Assumption is something that was met in some execution, that could change the
// result, and that was not explored.
type Assumption struct {
	Kind sched.AssumptionKind
	// What was met, in words that can follow "because of": "time.Sleep",
	// "range over a map[string]int", "crypto/rand.Read", "the variable pkg.hits".
	What string
	// File and Line are where it was met first; File is "" if that is nowhere in
	// particular.
	File string
	Line int
}

// Is reports whether what was met is of the kind that a text identifies: one of the constants of
// package hook, or the path of a package with a dot. What begins with that; what follows is which
// one of the kind was met.
func (a Assumption) Is(identity string) bool { return strings.HasPrefix(a.What, identity) }

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

// assume is Assume, by g.
func (c *Closure) assume(g *machine.Goroutine, k sched.AssumptionKind, what string) {
	a := &c.assumed
	a.mu.Lock()
	defer a.mu.Unlock()
	if k == sched.AssumeCode {
		c.noteBeside(g, what)
	}
	if a.looked[k] == mostAssumed {
		return
	}
	a.looked[k]++
	file, line, _ := format.Place(c.userPC(g))
	a.add(Assumption{Kind: k, What: what, File: file, Line: line})
}

// wants reports whether more of a kind are looked at.
func (c *Closure) wants(k sched.AssumptionKind) bool {
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
	if c.kept != nil && !c.life.live {
		c.settle()
	}
	c.assumed.mu.Lock()
	defer c.assumed.mu.Unlock()
	return append([]Assumption(nil), c.assumed.list...)
}

// Assumes reports whether one of the assumptions that were noted so far is of that kind.
func (c *Closure) Assumes(is func(Assumption) bool) bool {
	c.assumed.mu.Lock()
	defer c.assumed.mu.Unlock()
	return slices.ContainsFunc(c.assumed.list, is)
}
