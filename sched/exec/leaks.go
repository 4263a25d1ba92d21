package exec

import (
	"encoding/binary"
	"reflect"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/reach"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/trace"
)

// This file tells goroutines that are leaked from others that are left behind, by the criterion of
// Go's own goroutineleak profile: a goroutine is leaked if it waits for primitives that nothing but
// waiting goroutines can reach. Package-level variables, goroutines that do not wait for a
// primitive, and timers that may fire can. The runtime closes a connection that nothing reaches,
// waiting goroutines included, so goroutines that wait for the other end of one are not leaked.

// Leaks decides which of the goroutines that executions leave behind are leaked. The closures of
// one search share it, if they are given it in [Options].
//
// To decide, the memory of the process is looked through, which takes far longer than most
// executions. So what was found for an execution serves for others that leave goroutines behind
// which run the same functions and wait in the same way for objects of the same numbers. It may be
// otherwise for them, if the program has put a primitive somewhere in the one and not in the other.
// So as long as all decisions take no more than a fifth of the time, or half a second, each
// execution has one of its own. A recorded execution always has, and so have the first few, so that
// what is said of a small search does not depend on how fast the machine is.
type Leaks struct {
	mu    sync.Mutex
	begun time.Time
	spent time.Duration
	// How often the memory was looked through, but for recorded executions.
	looks int64
	// Which goroutines were leaked, in the order of their signs.
	classes map[string][]bool
	examine func(look func(*reach.Memory)) error // looks through the memory; tests replace it
}

// NewLeaks returns what has decided nothing yet.
func NewLeaks() *Leaks {
	return &Leaks{begun: time.Now(), classes: make(map[string][]bool), examine: reach.Examine}
}

// Looks returns how often the memory was looked through so far, not counting recorded executions.
func (l *Leaks) Looks() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.looks
}

// Took returns how long looking through the memory has taken so far, all together.
func (l *Leaks) Took() time.Duration {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spent
}

// Spend counts d as time that looking through the memory has taken.
func (l *Leaks) Spend(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spent += d
}

// All decisions take a part of the time at most, or so long altogether: a fifth if the like was
// decided before, else a half.
const (
	againPart = 5
	againTime = 500 * time.Millisecond
	newPart   = 2
	newTime   = time.Second
)

// The first decisions are made in any case, so many of them, unless they take so long.
const (
	firstLooks = 8
	firstTime  = 10 * time.Second
)

// decision says which goroutines are leaked.
type decision struct {
	leaked []bool
	why    string // why it is not known, "" if it is
	alike  bool   // another execution of the same key has decided
	key    string // the same for executions that are decided alike
}

// decide returns which of the goroutines left behind are leaked.
func (l *Leaks) decide(c *Closure, left []machine.Left) (d decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.leaked = make([]bool, len(left))
	order, key := inOrder(left)
	d.key = key
	known := l.classes[key]
	switch {
	case l.affords(known != nil, c.m.Record):
	case known != nil:
		for i, at := range order {
			d.leaked[at] = known[i]
		}
		d.alike = true
		return d
	default:
		d.why = "goroutines are left behind in too many ways to look at all"
		return d
	}
	begin := time.Now()
	err := l.examine(func(m *reach.Memory) { d.leaked = m.Leaked(c.question(left)) })
	l.spent += time.Since(begin)
	if err != nil {
		d.why = err.Error()
		return d
	}
	if !c.m.Record {
		l.looks++
	}
	known = make([]bool, len(left))
	for i, at := range order {
		known[i] = d.leaked[at]
	}
	l.classes[key] = known
	return d
}

// affords reports whether there is time to look through the memory.
func (l *Leaks) affords(known, record bool) bool {
	took := time.Since(l.begun)
	switch {
	case record, l.looks < firstLooks && l.spent < firstTime:
		return true
	case known:
		return l.spent <= max(againTime, took/againPart)
	}
	return l.spent <= max(newTime, took/newPart)
}

// codeOf returns the code of the function that a goroutine was started with.
func codeOf(l *machine.Left) uintptr {
	if f := l.G.Origin.Body; f != nil {
		return **(**uintptr)(unsafe.Pointer(&f))
	}
	return 0
}

// inOrder returns in which order goroutines that are left behind are to be compared with those of
// other executions, and what is the same in executions that are alike.
func inOrder(left []machine.Left) (order []int, key string) {
	signs := make([]string, len(left))
	for i := range left {
		op := &left[i].G.Op
		b := binary.AppendUvarint(nil, uint64(codeOf(&left[i])))
		b = binary.AppendUvarint(b, uint64(op.Kind))
		signs[i] = string(binary.AppendVarint(b, int64(op.Obj)))
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if signs[a] == signs[b] {
			return 0
		} else if signs[a] < signs[b] {
			return -1
		}
		return 1
	})
	for _, i := range order {
		key += signs[i]
	}
	return order, key
}

// question asks which of the goroutines left behind are leaked.
func (c *Closure) question(left []machine.Left) reach.Question {
	q := reach.Question{Explores: explores, IsOurs: isOurs, Begins: begins, Roots: c.m.Armed(), Finalized: c.m.Finalized()}
	at := make(map[*machine.Goroutine]int)
	for i := range left {
		at[left[i].G] = i
	}
	for i := range left {
		l := &left[i]
		g := reach.Goroutine{Waits: l.Waits, On: l.On, Peer: l.Peer, For: -1, Holds: []unsafe.Pointer{*(*unsafe.Pointer)(unsafe.Pointer(&l.G.Origin.Body))}}
		if co := c.coroutine(l.G); co != nil {
			g.Stack = co.Stack()
		}
		if l.For != nil {
			if n, ok := at[l.For]; ok {
				g.For = n
			}
		}
		q.Goroutines = append(q.Goroutines, g)
	}
	c.m.StandsFor(func(what uintptr, state unsafe.Pointer) { q.Edges = append(q.Edges, reach.Edge{From: what, To: state}) })
	q.Walls = []unsafe.Pointer{unsafe.Pointer(c), unsafe.Pointer(c.m)}
	for _, g := range c.m.Goroutines {
		q.Walls = append(q.Walls, unsafe.Pointer(g))
	}
	for _, co := range machine.Callers.All() {
		q.Ours = append(q.Ours, co.Stack())
		q.Walls = append(q.Walls, unsafe.Pointer(co), unsafe.Pointer(co.M))
	}
	return q
}

// isOurs reports whether a function is not one of the program.
func isOurs(function string) bool {
	f := stack.Frame{Function: function}
	return f.Ours() || stack.Testing(function)
}

// explores reports whether a stack that a function is on is that of a search.
var explores = reach.HasPrefix(stack.Module+"/por.", stack.Module+"/por/engine.", stack.Module+"/por/history.", stack.Module+"/internal/explore.", stack.Module+"/internal/check.",
	reflect.TypeFor[Closure]().PkgPath()+".(*Closure)", stack.Module+"/irs.", stack.Module+"/internal/search.",
	stack.Module+"/internal/share.", stack.Module+"/internal/terminal.")

// begins reports whether a function is the one that a coroutine runs a goroutine in. After a Goexit
// the coroutine serves the next goroutine on top of the frames of the one before.
func begins(function string) bool {
	return function == reflect.TypeFor[Closure]().PkgPath()+".(*coroutine).body"
}

// Remains is what an execution has left behind that is no failure.
type Remains struct {
	// The goroutines that something still reaches, and what they do; empty values if that is not
	// recorded.
	Reached []trace.Wait
	Why     string // why it is not known which of them are leaked, "" if it is
	// The memory was not looked through: an execution decides that leaves goroutines behind which
	// wait alike.
	Alike bool
	// The same for executions of which all or none are decided, by the same look.
	Key string
}

// Remains returns what the latest execution has left behind, once its outcome is told, and that
// something still reaches. It is empty without [Options.Leaks].
func (c *Closure) Remains() Remains { return c.remains }

// remain judges what the execution has left behind, in which main has ended.
func (c *Closure) remain() {
	left := judged(c.m.LeftBehind())
	if len(left) == 0 {
		c.remains = Remains{}
		return
	}
	d := decision{leaked: make([]bool, len(left))}
	if c.m.Outside.Surveyed != c.m.Epoch { // else the test has rules of its own, as with goleak
		d = c.opt.Leaks.decide(c, left)
	}
	c.remains.Why, c.remains.Alike, c.remains.Key = d.why, d.alike, d.key
	var leaked []*machine.Goroutine
	waits := new(trace.Waits)
	for i := range left {
		g := left[i].G
		if !d.leaked[i] {
			var w trace.Wait
			if c.m.Record {
				w = c.m.WaitOf(g)
				w.Born = machine.PositionOf(g.Origin.PC)
			}
			c.remains.Reached = append(c.remains.Reached, w)
			continue
		}
		leaked, waits.Goroutines = append(leaked, g), append(waits.Goroutines, c.m.WaitOf(g))
		waits.Outside = c.m.Outsiders(g, waits.Outside)
	}
	if len(leaked) > 0 {
		c.m.FailLeak(leaked, waits)
	}
}
