package conformance

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
	"github.com/gopor/gopor/sched/trace"
)

// Instance is a program as a closure, with what its executions have returned.
type Instance struct {
	*exec.Closure
	env   env
	names []uint64 // of goroutines, by ID
}

// env is what the goroutines of an execution share.
type env struct {
	x       *Instance
	p       *Program
	slots   []any // global objects, and room for the others
	actors  []*actor
	n       int // actors of this execution
	made    [][]int
	targets targets
}

// actor is a goroutine.
type actor struct {
	env  *env
	id   trace.ID
	log  []int64 // what its steps have returned
	kids []sched.Handle
	conn *network.Conn // the latest that it has dialled or accepted
}

// mostSteps is how long executions may be. Longer ones are of no use to the
// judge.
const mostSteps = 64

// New returns p as a program to explore. The caller has to call Shutdown.
func New(p *Program) *Instance { return newWith(p, 0) }

// newWith is New with exec.Options.Prelude.
func newWith(p *Program, prelude int) *Instance {
	x := &Instance{}
	x.env = env{x: x, p: p, slots: make([]any, len(p.Objects)), made: make([][]int, len(p.Funcs))}
	for i := range p.Objects {
		if o := &p.Objects[i]; o.Home != Global {
			x.env.made[o.Home] = append(x.env.made[o.Home], i)
		} else {
			x.env.makeObject(i, x.env.slots)
		}
	}
	x.Closure = exec.New(x.env.main, exec.Options{Time: p.Time, Lag: span(p.Lag), Polls: int(p.Polls), Races: p.Races, Model: p.Model, MaxSteps: mostSteps, Coarser: exec.Coarser{OwnPools: p.Own, Needless: true, Prelude: prelude}})
	return x
}

func (e *env) main() {
	e.n = 0
	for _, o := range e.slots {
		if r, ok := o.(interface{ reset() }); ok {
			r.reset()
		}
	}
	e.newActor().run(0, e.slots)
}

// newActor makes the calling goroutine an actor.
func (e *env) newActor() *actor {
	if e.n == len(e.actors) {
		e.actors = append(e.actors, &actor{env: e})
	}
	a := e.actors[e.n]
	e.n++
	a.id, a.log, a.kids = hook.Current(), a.log[:0], a.kids[:0]
	a.conn = nil
	return a
}

// current returns the actor that the calling goroutine is.
func (e *env) current() *actor {
	id := hook.Current()
	for _, a := range e.actors[:e.n] {
		if a.id == id {
			return a
		}
	}
	return e.newActor()
}

func (e *env) makeObject(i int, slots []any) {
	o := &e.p.Objects[i]
	var ref any
	if o.Ref >= 0 {
		ref = slots[o.Ref]
	}
	slots[i] = o.Kind.make(e, o, ref, slots)
}

// run performs function fn, which sees the objects in slots.
func (a *actor) run(fn int, slots []any) {
	if made := a.env.made[fn]; len(made) > 0 {
		slots = slices.Clone(slots)
		for _, i := range made {
			a.env.makeObject(i, slots)
		}
	}
	steps := a.env.p.Funcs[fn]
	for i := range steps {
		s := &steps[i]
		if s.Defer {
			defer a.step(s, slots)
		} else {
			a.step(s, slots)
		}
	}
}

// step performs a step and notes what it returns.
func (a *actor) step(s *Step, slots []any) {
	var o any
	if s.Obj >= 0 {
		if o = slots[s.Obj]; o == nil {
			return
		}
	}
	if s.Try {
		a.log = append(a.log, a.attempt(s, o, slots))
	} else {
		a.log = append(a.log, s.Op.do(a, o, s, slots))
	}
}

// attempt is a step that returns what it has panicked with.
func (a *actor) attempt(s *Step, o any, slots []any) (r int64) {
	defer func() {
		if x := recover(); x != nil {
			r = -int64(hashText(fmt.Sprint(x)) >> 1)
		}
	}()
	return s.Op.do(a, o, s, slots)
}

// GoroutineName returns a number that tells a goroutine from others in every
// instance of the program.
func (x *Instance) GoroutineName(id trace.ID) uint64 {
	for int(id) >= len(x.names) {
		x.names = append(x.names, 0)
	}
	if x.names[id] == 0 {
		h := uint64(1)
		for _, place := range x.Path(id) {
			h = mix(h ^ uint64(place+2))
		}
		x.names[id] = h
	}
	return x.names[id]
}

// Results returns a number for what the steps of the execution have returned so
// far: two executions in which every goroutine has got the same have the same.
func (x *Instance) Results() (sum uint64) {
	for _, a := range x.env.actors[:x.env.n] {
		h := x.GoroutineName(a.id)
		for _, v := range a.log {
			h = mix(h ^ uint64(v))
		}
		sum += h
	}
	return sum
}

// ResultsText is Results for people.
func (x *Instance) ResultsText() string {
	var lines []string
	for _, a := range x.env.actors[:x.env.n] {
		lines = append(lines, fmt.Sprint(x.Name(a.id), a.log))
	}
	sort.Strings(lines)
	return strings.Join(lines, " ")
}

// mix is the finaliser of the splitmix64 generator, a bijection.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func hashText(s string) uint64 {
	h := uint64(len(s))
	for _, c := range []byte(s) {
		h = mix(h ^ uint64(c))
	}
	return h
}
