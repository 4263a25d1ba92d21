package por_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/trace"
)

// TestSymmetricCounts has one trace of those that differ by an exchange.
func TestSymmetricCounts(t *testing.T) {
	effort.Computes(t)
	for _, x := range []struct {
		name      string
		n, m      int
		all, some int64
	}{{"pi", 5, 0, 120, 1}, {"pi", 8, 0, 40320, 1}, {"locks", 3, 2, 90, 15}, {"locks", 3, 3, 1680, 280}} {
		p, _ := paper.Named(x.name)
		for _, symmetric := range []bool{true, false} {
			o, want := p.Options, x.all
			if o.Symmetric = symmetric; symmetric {
				want = x.some
			} else if want > 2000 {
				continue
			}
			for _, e := range []trace.Engine{engine.Optimal{}, engine.Source{}, engine.Reverse{}} {
				c := exec.New(p.Make(x.n, x.m), o)
				stats, err := e.Explore(c, func(*trace.Execution) bool { return true })
				c.Shutdown()
				if err != nil || !stats.Exhaustive || stats.Executions != want {
					t.Errorf("%s(%d, %d), symmetric %t, %s: %d executions, want %d (%v)", x.name, x.n, x.m, symmetric, e.Name(), stats.Executions, want, err)
				}
			}
		}
	}
}

// TestSymmetricLines exchanges only what was started with one function: by Go, by a WaitGroup and
// by the go statements of native code.
func TestSymmetricLines(t *testing.T) {
	for name, start := range map[string]func(f func()){
		"Go": func(f func()) { sched.Go(f) }, "WaitGroup.Go": func(f func()) { new(sched.WaitGroup).Go(f) }, "native": native.Go,
	} {
		res, err := por.Explore(func() {
			var x sched.Int64
			for range 2 {
				start(func() { x.Add(1) })
			}
			for range 2 {
				start(func() { x.Add(2) })
			}
		}, por.Symmetric())
		if err != nil || res.Stats.Executions != 6 {
			t.Errorf("%s: %d executions of 24, want 6 (%v)", name, res.Stats.Executions, err)
		}
	}
}

// TestSymmetricOrbits compares, on random programs, the traces that are explored with those that
// there are, up to exchange of goroutines: one of each is explored at least, and exactly one if
// the first operations of the goroutines depend on each other.
func TestSymmetricOrbits(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 1))
	programs, fewer := 150, 0
	if effort.Race {
		programs = 15
	}
	for i := range programs {
		p := drawAlike(rng)
		all, n, fails := p.orbits(t, engine.Optimal{}, false)
		p.exact(t)
		for _, e := range []trace.Engine{engine.Optimal{}, engine.Source{}, engine.DPOR{}, engine.Reverse{}} {
			some, m, failsToo := p.orbits(t, e, true)
			switch {
			case fails != failsToo:
				t.Errorf("program %d, %s: fails %t, but %t\n%v", i, e.Name(), failsToo, fails, p)
			case p.among: // where who is started later knows more, the traces do differ
			case len(some) != len(all):
				t.Errorf("program %d, %s: %d traces up to exchange of %d\n%v", i, e.Name(), len(some), len(all), p)
			case m > n && e.Name() == "optimal", p.conflicts() && m != len(all) && e.Name() == "optimal":
				t.Errorf("program %d: %d traces of %d, %d up to exchange\n%v", i, m, n, len(all), p)
			}
			for orbit := range some {
				if !all[orbit] && !p.among {
					t.Fatalf("program %d, %s: what is explored is no trace\n%v", i, e.Name(), p)
				}
			}
		}
		if len(all) < n {
			fewer++
		}
	}
	if fewer < programs/3 {
		t.Errorf("%d programs have traces that differ by an exchange only", fewer)
	}
}

// TestSymmetricBounds holds what verdicts say of a search within a bound: of the traces that have an execution
// within it, one of each is explored up to exchange.
func TestSymmetricBounds(t *testing.T) {
	effort.Computes(t)
	rng := rand.New(rand.NewPCG(18, 2))
	outside := 0
	for i := range effort.Of(60, 25) {
		p := drawAlike(rng)
		if p.among {
			continue
		}
		for _, b := range []bpor.Bound{bpor.Preemptions(0), bpor.Preemptions(1), bpor.Delays(0), bpor.Delays(1)} {
			within := p.orbitsWithin(t, b)
			for _, e := range []trace.Engine{bpor.Source{Bound: b, Complete: true}, bpor.Classic{Bound: b}, bpor.Lazy{Bound: b, Slack: bpor.Enough}, bpor.Optimal{Bound: b, Slack: bpor.Enough}, bpor.Iterative{UpTo: b}} {
				explored, _, _ := p.orbits(t, e, true)
				for orbit, in := range within {
					switch {
					case in && !explored[orbit]:
						t.Errorf("program %d, %s, %v: a trace is missing\n%s\n%v", i, e.Name(), b, orbit, p)
					case !in && !explored[orbit]:
						outside++
					}
				}
			}
		}
	}
	if outside == 0 {
		t.Error("everything is within the bounds")
	}
}

// orbitsWithin returns all traces up to exchange, and which of them have an execution within a bound.
func (p alike) orbitsWithin(t *testing.T, b bpor.Bound) map[string]bool {
	c, plain := exec.New(p.run, exec.Options{}), exec.New(p.run, exec.Options{})
	defer c.Shutdown()
	defer plain.Shutdown()
	orbits := make(map[string]bool)
	if _, err := (engine.Optimal{}).Explore(c, func(x *trace.Execution) bool {
		least, err := bpor.Minimum(plain, x.Schedule, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		orbit := orbitOf(t, plain, x.Schedule, p.copies)
		orbits[orbit] = orbits[orbit] || b.Allows(least)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return orbits
}

// alike is a program with a few goroutines that do the same, one that does something else,
// and main.
type alike struct {
	copies            int
	same, other, main string // operations, a letter each
	among             bool   // main does the first of its operations before the last copy is started
}

func drawAlike(rng *rand.Rand) alike {
	draw := func(low, high int) string {
		var b strings.Builder
		for range low + rng.IntN(high-low+1) {
			b.WriteByte("larwsoif"[rng.IntN(8)])
		}
		return b.String()
	}
	copies := 2 + rng.IntN(2)
	return alike{copies, draw(1, 5-copies), draw(0, 1), draw(0, 2), rng.IntN(3) == 0}
}

// conflicts reports whether what the same goroutines begin with depends on each other.
func (p alike) conflicts() bool { return strings.ContainsRune("lawsif", rune(p.same[0])) }

// run runs p.
func (p alike) run() {
	var mu sched.Mutex
	var x, y sched.Int64
	ch := sched.NewChan[int](8)
	does := func(ops string) {
		var own sched.Int64
		for _, op := range ops {
			switch op {
			case 'l':
				mu.Lock()
				mu.Unlock()
			case 'a':
				x.Add(1)
			case 'r':
				x.Load()
			case 'w':
				y.Store(1)
			case 's':
				ch.Send(1)
			case 'o':
				own.Add(1)
			case 'i':
				if x.Add(1) == 2 {
					y.Load()
				}
			case 'f':
				if x.Add(1) == 2 && y.Load() == 1 {
					panic("two and one")
				}
			}
		}
	}
	main := p.main
	for i := range p.copies {
		if i == p.copies-1 && p.among && main != "" {
			does(main[:1])
			main = main[1:]
		}
		sched.Go(func() { does(p.same) })
	}
	sched.Go(func() { does(p.other) })
	does(main)
}

// orbits returns the traces that an engine visits, up to exchange, how many there are, and
// whether one fails.
func (p alike) orbits(t *testing.T, e trace.Engine, symmetric bool) (orbits map[string]bool, n int, fails bool) {
	c := exec.New(p.run, exec.Options{Exchange: exec.Exchange{Symmetric: symmetric}})
	plain := exec.New(p.run, exec.Options{})
	defer c.Shutdown()
	defer plain.Shutdown()
	orbits = make(map[string]bool)
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		fails = fails || len(x.Run.Outcome()) > 0
		if !x.Blocked {
			orbits[orbitOf(t, plain, x.Schedule, p.copies)] = true
			n++
		}
		return true
	})
	if err != nil || !stats.Exhaustive {
		t.Fatalf("%s: %v, exhaustive %t\n%v", e.Name(), err, stats.Exhaustive, p)
	}
	return orbits, n, fails
}

// exact holds what happens before what, with the option, against all interleavings.
func (p alike) exact(t *testing.T) {
	c := exec.New(p.run, exec.Options{Exchange: exec.Exchange{Symmetric: true}})
	defer c.Shutdown()
	all, err := oracle.Enumerate(c, oracle.Limits{Executions: 3000})
	if errors.Is(err, oracle.ErrTooBig) {
		return
	}
	if err == nil {
		err = all.Check()
	}
	if err != nil {
		t.Errorf("%v\n%v", err, p)
	}
}

// orbitOf writes the trace of a schedule, with the first goroutines that main starts exchanged
// such that the text is the least.
func orbitOf(t *testing.T, p *exec.Closure, s trace.Schedule, copies int) (least string) {
	run := p.Start()
	defer run.Close()
	run.Pending()
	hb := trace.NewTracker(trace.Dependence)
	var events []trace.Event
	for _, c := range s {
		ev, err := run.Step(c)
		if err != nil {
			t.Fatalf("what is explored with the option does not run without it: %v", err)
		}
		hb.Push(int32(ev.G), ev.Accesses(), ev.Order)
		events = append(events, *ev)
	}
	const first = 2 // main and the clock have numbers, too
	for _, names := range permutations(copies) {
		name := func(g trace.ID) int {
			if i := int(g) - first; i >= 0 && i < copies {
				return first + names[i]
			}
			return int(g)
		}
		var lines []string
		for j := range events {
			line := fmt.Sprintf("%d.%d %v %d:", name(events[j].G), hb.Seq(j), events[j].Kind, events[j].Alt)
			var before []string
			for i := range j {
				if hb.Before(i, j) {
					before = append(before, fmt.Sprintf(" %d.%d", name(events[i].G), hb.Seq(i)))
				}
			}
			slices.Sort(before)
			lines = append(lines, line+strings.Join(before, ""))
		}
		slices.Sort(lines)
		if text := strings.Join(lines, "\n"); least == "" || text < least {
			least = text
		}
	}
	return least
}

func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, p := range permutations(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return all
}

// TestSymmetricCheck finds what is wrong in some order of goroutines, says in the verdict what
// it rests on, and notices a promise that does not hold from the start.
func TestSymmetricCheck(t *testing.T) {
	f := func(limit int64) func() {
		return func() {
			var mu sched.Mutex
			n := new(sched.Int64)
			for range 4 {
				sched.Go(func() {
					mu.Lock()
					if n.Add(1) > limit {
						panic("too many")
					}
					mu.Unlock()
				})
			}
		}
	}
	check(t, f(4), por.Symmetric()).wantPass(t, "up to exchange of goroutines of one go statement")
	check(t, func() {
		var n sched.Int64
		for range 2 {
			sched.Go(func() {
				for range 3 {
					n.Add(1)
				}
			})
		}
	}, por.Symmetric(), por.Engine(bpor.Iterative{UpTo: bpor.Preemptions(0)})).wantPass(t, ", every trace with at most 0 preemptions, up to exchange of goroutines of one go statement, among them, none fails")
	res, err := por.Explore(f(3), por.Symmetric())
	if err != nil || len(res.Failures) != 1 {
		t.Errorf("%v, %v", res.Failures, err)
	}
	res, err = por.Explore(func() {
		var mu sched.Mutex
		var n sched.Int64
		for i := range 2 {
			sched.Go(func() {
				if i == 0 {
					mu.Lock()
				}
				n.Add(1)
			})
		}
	}, por.Symmetric())
	if err != nil || len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Msg, "g1 with lock, g2 with add") {
		t.Errorf("a broken promise: %v, %v", res.Failures, err)
	}
}
