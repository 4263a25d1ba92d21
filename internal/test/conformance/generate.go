package conformance

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gopor/gopor/sched"
)

// Family is a kind of program: what it is about.
type Family struct {
	Name string
	// Kinds are those of the objects, one or two of them; With those that there
	// may be as well. Both are names, separated by spaces; a name that is there
	// twice is drawn twice as often.
	Kinds, With string
	// Ops are steps that need no object.
	Ops   string
	Times []sched.TimeMode
	Races []sched.RaceMode
	// Fine says that half of its programs have the finer models.
	Fine bool
	// Stream says that Reads of connections join and split what was written.
	Stream bool
	// Less is how many steps less than others its programs have.
	Less int
}

var (
	discrete = []sched.TimeMode{sched.TimeDiscrete}
	byLag    = []sched.TimeMode{sched.TimeLag}
	anyOrder = []sched.TimeMode{sched.TimeAnyOrder}
	ignore   = []sched.RaceMode{sched.RaceIgnore}
	explore  = []sched.RaceMode{sched.RaceExplore}
)

// lags are in milliseconds, as durations are: some shorter, and one longer than all.
var lags = []int64{1, 2, 50}

// Families are those that programs are drawn from.
var Families = []Family{
	{Name: "atomics", Kinds: "atomic atomic atomic bool pointer value", Ops: "choose call repeat", Times: discrete, Races: ignore},
	{Name: "locks", Kinds: "mutex mutex rwmutex rwmutex", With: "atomic", Ops: "panic goexit join call", Times: discrete, Races: ignore, Fine: true},
	{Name: "cond", Kinds: "cond", With: "mutex rwmutex atomic", Ops: "goexit call", Times: discrete, Races: ignore},
	{Name: "waitgroup", Kinds: "waitgroup", With: "atomic mutex", Ops: "panic goexit call", Times: discrete, Races: ignore, Fine: true},
	{Name: "once", Kinds: "once once oncefunc", With: "atomic mutex", Ops: "panic goexit join", Times: discrete, Races: ignore},
	{Name: "map", Kinds: "map", With: "atomic", Ops: "repeat", Times: discrete, Races: ignore, Fine: true},
	{Name: "pool", Kinds: "pool", With: "map mutex", Ops: "repeat", Times: discrete, Races: ignore, Fine: true},
	{Name: "channels", Kinds: "chan chan chan chan chan nilchan", With: "chan mutex atomic", Ops: "select select select call repeat", Times: discrete, Races: ignore},
	{Name: "selects", Kinds: "chan chan chan cancelctx timer", With: "chan chan cancelctx atomic", Ops: "select select select select select select select repeat", Times: discrete, Races: ignore},
	{Name: "consumers", Kinds: "chan", With: "cancelctx cancelctx cancelctx atomic", Ops: "select select select select select select repeat", Times: discrete, Races: ignore},
	{Name: "contexts", Kinds: "cancelctx cancelctx valuectx ctxafter", With: "cancelctx cancelctx ctxafter chan atomic", Ops: "select select", Times: discrete, Races: ignore},
	{Name: "deadlines", Kinds: "timeoutctx", With: "cancelctx timeoutctx ctxafter chan", Ops: "select sleep now", Times: discrete, Races: ignore},
	{Name: "deadlines-any", Kinds: "timeoutctx", With: "cancelctx ctxafter chan", Ops: "select sleep now", Times: anyOrder, Races: ignore, Less: 1},
	{Name: "deadlines-lag", Kinds: "timeoutctx", With: "cancelctx ctxafter chan", Ops: "select sleep now", Times: byLag, Races: ignore, Less: 1},
	{Name: "timers", Kinds: "timer after", With: "timer after chan mutex atomic", Ops: "select sleep now", Times: discrete, Races: ignore, Fine: true},
	{Name: "timers-any", Kinds: "timer after", With: "timer chan mutex atomic", Ops: "select sleep now", Times: anyOrder, Races: ignore, Fine: true, Less: 1},
	{Name: "timers-lag", Kinds: "timer after", With: "timer chan mutex atomic", Ops: "select sleep now", Times: byLag, Races: ignore, Fine: true, Less: 1},
	{Name: "tickers", Kinds: "ticker", With: "timer chan atomic", Ops: "select sleep now", Times: discrete, Races: ignore},
	{Name: "tickers-any", Kinds: "ticker", With: "chan atomic", Ops: "select sleep", Times: anyOrder, Races: ignore, Fine: true, Less: 2},
	{Name: "tickers-lag", Kinds: "ticker", With: "chan atomic", Ops: "select sleep", Times: byLag, Races: ignore, Fine: true, Less: 2},
	{Name: "vars", Kinds: "vars", With: "mutex atomic chan", Ops: "choose repeat", Times: discrete, Races: []sched.RaceMode{sched.RaceExplore, sched.RaceFail}},
	{Name: "memory", Kinds: "memory", With: "mutex vars", Ops: "call", Times: discrete, Races: explore},
	{Name: "goroutines", Kinds: "atomic mutex", Ops: "go go join join goroutines gosched panic goexit choose call repeat", Times: discrete, Races: ignore, Fine: true},
	{Name: "histories", Kinds: "history", With: "atomic mutex", Ops: "call repeat", Times: discrete, Races: ignore},
	{Name: "connections", Kinds: "conn", With: "mutex chan", Ops: "sleep call repeat", Times: discrete, Races: ignore},
	{Name: "streams", Kinds: "conn", With: "mutex", Ops: "sleep", Times: discrete, Races: ignore, Stream: true, Less: 1},
	{Name: "listeners", Kinds: "listener", With: "listener mutex", Ops: "ownread ownwrite ownclose sleep", Times: discrete, Races: ignore},
	{Name: "packets", Kinds: "packets packets", With: "packets packets mutex", Ops: "sleep call", Times: discrete, Races: ignore},
	{Name: "sockets-any", Kinds: "conn listener packets", With: "conn listener packets", Ops: "ownread ownwrite sleep", Times: anyOrder, Races: ignore, Less: 1},
	{Name: "sockets-lag", Kinds: "conn listener packets", With: "conn listener packets", Ops: "ownread ownwrite sleep", Times: byLag, Races: ignore, Less: 1},
	{Name: "mixed", Kinds: "atomic mutex rwmutex waitgroup once cond map pool chan chan cancelctx timeoutctx ctxafter timer ticker after vars",
		With: "atomic mutex rwmutex waitgroup once map chan chan cancelctx timer after", Ops: "select select sleep now gosched choose go join call repeat panic goexit", Times: discrete, Races: explore, Fine: true},
	{Name: "mixed-any", Kinds: "atomic mutex rwmutex chan cancelctx timer after", With: "atomic mutex once map chan timer", Ops: "select sleep now choose go join", Times: anyOrder, Races: ignore, Less: 1},
	{Name: "mixed-lag", Kinds: "atomic mutex rwmutex chan cancelctx timer after", With: "atomic mutex once map chan timer", Ops: "select sleep now choose go join", Times: byLag, Races: ignore, Less: 1},
}

// FamilyNamed returns the family of that name.
func FamilyNamed(name string) (*Family, bool) {
	for i := range Families {
		if Families[i].Name == name {
			return &Families[i], true
		}
	}
	return nil, false
}

// byKind are the steps that an object of a kind can take, each as often as it is
// to be drawn.
var byKind = func() map[*kind][]*op {
	m := make(map[*kind][]*op)
	for _, o := range allOps {
		for _, name := range strings.Fields(o.on) {
			for range cmp.Or(o.weight, 2) {
				m[kinds[name]] = append(m[kinds[name]], o)
			}
		}
	}
	return m
}()

// mostGoroutines are what main starts; helpers are functions beside theirs.
const mostGoroutines = 2

// Generate draws a program of a family.
func Generate(f *Family, r *rand.Rand) *Program {
	g := generator{Rand: r, family: f, p: &Program{Time: pick(r, f.Times), Races: pick(r, f.Races)}}
	if g.p.Time == sched.TimeLag {
		g.p.Lag = pick(r, lags)
	}
	// By lag package unfold visits some traces twice where looks may be polling.
	if g.p.Time != sched.TimeLag && r.IntN(4) == 0 {
		g.p.Polls = 1 + r.Int64N(2)
	}
	if f.Fine && r.IntN(2) == 0 {
		g.p.Model = sched.ModelFine
	}
	if f.Stream {
		g.p.Model = sched.ModelStream
	}
	// Main comes first, then what its goroutines do, then a function that any of
	// them may call, start, or have a primitive run.
	if g.goroutines = mostGoroutines; r.IntN(3) == 0 {
		g.goroutines = 1
	}
	g.p.Funcs = make([][]Step, g.goroutines+2)
	for range 1 + r.IntN(2) {
		g.object(pick(r, strings.Fields(f.Kinds)))
	}
	if f.With != "" {
		for range r.IntN(3) {
			g.object(pick(r, strings.Fields(f.With)))
		}
	}
	g.sort()
	g.steps()
	if slices.ContainsFunc(g.p.Objects, func(o Object) bool { return o.Kind.name == "pool" }) {
		g.p.Own = r.IntN(2) == 0
	}
	return g.p
}

// sort declares what runs a function after the others, so that the function sees
// those.
func (g *generator) sort() {
	var list, last []Object
	to := make([]int, len(g.p.Objects))
	for i, o := range g.p.Objects {
		if o.Kind.fn {
			last = append(last, o)
			continue
		}
		to[i] = len(list)
		list = append(list, o)
	}
	g.p.Objects = append(list, last...)
	for i := range g.p.Objects {
		if o := &g.p.Objects[i]; o.Ref >= 0 {
			o.Ref = to[o.Ref]
		}
	}
}

type generator struct {
	*rand.Rand
	family     *Family
	p          *Program
	goroutines int
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// object declares an object of a kind, and what it is of, and returns its index.
func (g *generator) object(name string) int {
	k := kinds[name]
	o := Object{Kind: k, Ref: -1}
	helper := len(g.p.Funcs) - 1
	switch g.IntN(8) {
	case 0:
		if k.global {
			o.Home = Global
		}
	case 1:
		o.Home = g.IntN(helper)
	}
	if k.n != nil {
		o.N = pick(g.Rand, k.n)
	}
	if k.fn {
		o.Fn = helper
	}
	if k.ref != "" && (!k.root || g.IntN(2) == 0) {
		if o.Ref = g.reference(k, o.Home); o.Home == Global && g.p.Objects[o.Ref].Home != Global {
			o.Home = 0
		}
	}
	o.Name = fmt.Sprintf("%c%d", name[0], len(g.p.Objects))
	g.p.Objects = append(g.p.Objects, o)
	return len(g.p.Objects) - 1
}

// reference returns an object for one of kind k to be made of.
func (g *generator) reference(k *kind, home int) int {
	for i := range g.p.Objects {
		if o := &g.p.Objects[i]; among(k.ref, o.Kind.name) && (o.Home <= 0 || o.Home == home) {
			return i
		}
	}
	return g.object(strings.Fields(k.ref)[0])
}

// steps draws what the functions do.
func (g *generator) steps() {
	left := 4 + g.IntN(4) - g.family.Less
	if left < 2 {
		left = 2
	}
	helper := len(g.p.Funcs) - 1
	for range 1 + g.IntN(2) {
		g.p.Funcs[helper] = append(g.p.Funcs[helper], g.step(helper)...)
	}
	for fn := 1; fn <= g.goroutines; fn++ {
		for n := 1 + g.IntN(3); n > 0 && left > 0; left, n = left-1, n-1 {
			g.p.Funcs[fn] = append(g.p.Funcs[fn], g.step(fn)...)
		}
	}
	// Main starts them: at once, later, or one starts the next.
	var main []Step
	for fn := 1; fn <= g.goroutines; fn++ {
		start := Step{Op: ops["go"], Obj: -1, Args: [3]int64{int64(fn)}}
		if fn > 1 && g.IntN(4) == 0 {
			at := g.IntN(len(g.p.Funcs[fn-1]) + 1)
			g.p.Funcs[fn-1] = append(g.p.Funcs[fn-1][:at:at], append([]Step{start}, g.p.Funcs[fn-1][at:]...)...)
			continue
		}
		if main = append(main, start); left > 0 && g.IntN(4) == 0 {
			main = append(main, g.step(0)...)
			left--
		}
	}
	for n := 1 + g.IntN(2); left > 0 && n > 0; left, n = left-1, n-1 {
		main = append(main, g.step(0)...)
	}
	g.p.Funcs[0] = main
}

// step draws what function fn does next: a step, or some that belong together.
func (g *generator) step(fn int) []Step {
	free := strings.Fields(g.family.Ops)
	if len(free) > 0 && g.IntN(5) == 0 {
		return []Step{g.fill(ops[pick(g.Rand, free)], -1, fn)}
	}
	for range 20 {
		i := g.IntN(len(g.p.Objects))
		if home := g.p.Objects[i].Home; home > 0 && home != fn && fn != len(g.p.Funcs)-1 {
			continue
		}
		k := g.p.Objects[i].Kind
		if len(byKind[k]) == 0 {
			continue
		}
		return g.around(pick(g.Rand, byKind[k]), i, fn)
	}
	return []Step{g.fill(ops["choose"], -1, fn)}
}

// pairs are steps that are seldom of use without another one after them.
var pairs = map[string]string{"lock": "unlock", "trylock": "unlock", "rlock": "runlock", "tryrlock": "runlock"}

// around draws a step of an object, with what belongs to it.
func (g *generator) around(o *op, i, fn int) []Step {
	s := g.fill(o, i, fn)
	switch o.name {
	case "lock", "rlock":
		if g.IntN(8) == 0 {
			return []Step{s}
		}
		end := g.fill(ops[pairs[o.name]], i, fn)
		if g.IntN(4) == 0 {
			end.Defer = true
			return []Step{s, end}
		}
		if g.IntN(2) == 0 {
			return []Step{s, g.fill(pick(g.Rand, byKind[g.p.Objects[i].Kind]), i, fn), end}
		}
		return []Step{s, end}
	case "unlock", "runlock":
		if g.IntN(4) > 0 {
			return g.around(ops["trylock"], i, fn)
		}
	case "wait":
		if g.IntN(4) > 0 {
			return g.around(ops["waitlocked"], i, fn)
		}
	}
	return []Step{s}
}

// fill draws the arguments of a step.
func (g *generator) fill(o *op, i, fn int) Step {
	s := Step{Op: o, Obj: i}
	last := len(g.p.Funcs) - 1
	for k, a := range o.args {
		s.Args[k] = a.low + g.Int64N(a.high-a.low+1)
		if a.fn {
			if s.Args[k] = int64(last); fn == last {
				return Step{Op: ops["choose"], Obj: -1, Args: [3]int64{2}}
			}
		}
	}
	s.Try = o.panics && g.IntN(4) > 0
	s.Defer = g.IntN(24) == 0
	if o == ops["select"] {
		g.cases(&s)
	}
	return s
}

// cases draws the cases of a select, two of them at times of one channel.
func (g *generator) cases(s *Step) {
	for range 4 {
		i := g.IntN(len(g.p.Objects))
		name := g.p.Objects[i].Kind.name
		if !among(sources, name) || len(s.Cases) == 3 {
			continue
		}
		k := Case{Obj: i, Send: among(chans, name) && g.IntN(2) == 0}
		if k.Send {
			k.Val = g.Int64N(4)
		}
		s.Cases = append(s.Cases, k)
	}
	s.Default = len(s.Cases) == 0 || g.IntN(3) == 0
}
