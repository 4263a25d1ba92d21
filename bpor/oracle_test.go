package bpor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/enginetest"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// maxBound is the largest bound that engines are held to their promises with.
const maxBound = 3

// bounds are those, and what they cover.
func bounds() []enginetest.Subject {
	var all []enginetest.Subject
	for n := range maxBound + 1 {
		all = append(all,
			enginetest.Subject{Name: bpor.Preemptions(n).String(), Promise: enginetest.Promise{Covers: enginetest.WithinPreemptions(n)}},
			enginetest.Subject{Name: bpor.Delays(n).String(), Promise: enginetest.Promise{Covers: enginetest.WithinDelays(n)}})
	}
	return all
}

// boundOf returns the bound of that name.
func boundOf(name string) bpor.Bound {
	for n := range maxBound + 1 {
		for _, b := range []bpor.Bound{bpor.Preemptions(n), bpor.Delays(n)} {
			if b.String() == name {
				return b
			}
		}
	}
	panic(name)
}

// kind is a kind of engine, to be given a bound.
type kind struct {
	name      string
	with      func(bpor.Bound) trace.Engine
	once      bool               // no trace is visited twice
	unblocked bool               // nothing is given up as redundant
	complete  bool               // all that is within the bound is visited
	unbounded enginetest.Promise // of the engine without a bound
}

var engines = []kind{
	{"naive", func(b bpor.Bound) trace.Engine { return bpor.Naive{Bound: b} }, true, false, false, enginetest.SleepSets},
	{"classic", func(b bpor.Bound) trace.Engine { return bpor.Classic{Bound: b} }, false, true, true, enginetest.Complete},
	{"nidhugg", func(b bpor.Bound) trace.Engine { return bpor.Nidhugg{Bound: b} }, false, false, false, enginetest.SleepSets},
	{"nidhugg, complete", func(b bpor.Bound) trace.Engine { return bpor.Nidhugg{Bound: b, Complete: true} }, false, true, true, enginetest.Complete},
	{"source", func(b bpor.Bound) trace.Engine { return bpor.Source{Bound: b} }, false, false, false, enginetest.SleepSets},
	{"source, complete", func(b bpor.Bound) trace.Engine { return bpor.Source{Bound: b, Complete: true} }, false, true, true, enginetest.Complete},
	{"lazy", func(b bpor.Bound) trace.Engine { return bpor.Lazy{Bound: b} }, true, false, false, enginetest.SleepSets},
	{"lazy, slack", func(b bpor.Bound) trace.Engine { return bpor.Lazy{Bound: b, Slack: bpor.Enough} }, true, false, true, enginetest.SleepSets},
	{"lazy, estimate", func(b bpor.Bound) trace.Engine { return bpor.Lazy{Bound: b, Slack: bpor.Enough, Estimate: true} }, true, false, true, enginetest.SleepSets},
	{"optimal", func(b bpor.Bound) trace.Engine { return bpor.Optimal{Bound: b} }, true, true, false, enginetest.Optimal},
	{"optimal, slack", func(b bpor.Bound) trace.Engine { return bpor.Optimal{Bound: b, Slack: bpor.Enough} }, true, true, true, enginetest.Optimal},
	{"iterative", func(b bpor.Bound) trace.Engine { return bpor.Iterative{UpTo: b} }, true, false, true, enginetest.SleepSets},
}

// subjects are all engines with all bounds, and without.
func subjects() []enginetest.Subject {
	var all []enginetest.Subject
	for _, e := range engines {
		all = append(all, enginetest.Subject{Name: e.name, Engine: e.with(bpor.Bound{}), Promise: e.unbounded})
		for _, b := range bounds() {
			promise := enginetest.Promise{Once: e.once, Unblocked: e.unblocked}
			if e.complete {
				promise.Covers = b.Promise.Covers
			}
			all = append(all, enginetest.Subject{Name: e.name + ", " + b.Name, Engine: e.with(boundOf(b.Name)), Promise: promise})
		}
	}
	return all
}

// TestRandom holds the engines to their promises on random programs.
func TestRandom(t *testing.T) { enginetest.Random(t, subjects(), 400) }

// TestRandomImpatient does so where somebody else has a turn after a few steps already.
func TestRandomImpatient(t *testing.T) {
	defer search.SetPatience(2, 64)()
	enginetest.Random(t, subjects(), 100)
}

// TestLazyIsLazy compares the number of complete executions with that of
// source-DPOR, which those of a lazy engine never exceed.
func TestLazyIsLazy(t *testing.T) {
	for _, p := range toytest.Programs(t, 300) {
		want, err := oracle.Enumerate(toy.New(p), enginetest.Small)
		if err != nil {
			continue
		}
		most := count(t, engine.Source{}, p)
		if most != int64(len(want.Classes)) {
			t.Fatalf("source-DPOR: %d executions of %d traces\n%v", most, len(want.Classes), p)
		}
		for _, e := range engines {
			if !strings.HasPrefix(e.name, "lazy") && e.name != "iterative" {
				continue
			}
			for _, b := range bounds() {
				if n := count(t, e.with(boundOf(b.Name)), p); n > most {
					t.Errorf("%s, %s: %d executions, and %d without a bound\n%v", e.name, b.Name, n, most, p)
				}
			}
		}
	}
}

// TestNothingBeyond sees to it that no engine completes an execution whose trace is
// over the bound, and the slack. What is over the estimate only has to be given up.
func TestNothingBeyond(t *testing.T) {
	for i, p := range toytest.Programs(t, 200) {
		want, err := oracle.Enumerate(toy.New(p), enginetest.Small)
		if err != nil {
			continue
		}
		all := 0 // goroutines of an execution, at the most
		for _, c := range want.Classes {
			all = max(all, goroutines(p, c.Schedule))
		}
		second := toy.New(p)
		for _, e := range engines {
			for _, b := range []bpor.Bound{bpor.Preemptions(0), bpor.Preemptions(1), bpor.Delays(0), bpor.Delays(1), bpor.Delays(2)} {
				if e.name == "lazy, estimate" {
					continue
				}
				_, err := e.with(b).Explore(toy.New(p), func(x *trace.Execution) bool {
					if x.Blocked || x.Pruned {
						return true
					}
					most := 0
					switch {
					case e.name == "iterative":
						most = max(0, all-2)
					case strings.HasSuffix(e.name, "slack"):
						most = max(0, goroutines(p, x.Schedule)-2)
					}
					least, err := bpor.Minimum(second, x.Schedule, b, nil)
					if err != nil || !b.Allows(least-most) {
						t.Errorf("program %d, %s, %v: %v costs %d, %v\n%v", i, e.name, b, x.Schedule, least, err, p)
					}
					return err == nil && !t.Failed()
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// goroutines returns how many may take part in an execution of p.
func goroutines(p *toy.Program, s trace.Schedule) int {
	moved := make(map[trace.ID]bool)
	for _, c := range s {
		moved[c.G] = true
	}
	return max(len(p.Threads), len(moved))
}

func count(t *testing.T, e trace.Engine, p *toy.Program) int64 {
	stats, err := e.Explore(toy.New(p), func(*trace.Execution) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	return stats.Executions
}

// TestCounterexamples shows what the engines miss that are not complete: the
// smallest programs that the oracle has found. The documentation of the package
// has them too.
func TestCounterexamples(t *testing.T) {
	for _, c := range counterexamples {
		p, err := toy.Parse(c.program)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range engines {
			for _, b := range bounds() {
				incomplete := strings.Contains(c.engines, "|"+e.name+"|")
				if !incomplete && !e.complete || b.Name != c.bound {
					continue
				}
				s := enginetest.Subject{Name: e.name, Engine: e.with(boundOf(b.Name)), Promise: b.Promise}
				err := enginetest.VerifyAll([]enginetest.Subject{s}, p, oracle.Limits{})
				if missed := err != nil && strings.Contains(fmt.Sprint(err), "traces are missed"); missed == e.complete {
					t.Errorf("%s, %s: %v\n%v", e.name, b.Name, err, p)
				}
			}
		}
	}
}

// counterexamples are in the documentation of the package, too. A thread spawns
// others at its beginning; an event that nobody races with is "now".
var counterexamples = []struct{ engines, bound, program string }{
	{"|naive|", "at most 0 preemptions", `
mutex m0
thread
	spawn 1
	now
	unlock m0
thread
	unlock m0
`},
	{"|naive|", "at most 1 delay", `
chan c0 0
thread
	spawn 1
	spawn 2
	recv c0
thread
	close c0
thread
	recv c0
`},
	{"|nidhugg|source|", "at most 1 preemption", `
mutex m1
thread
	spawn 1
	lock m1
	lock m1
thread
	lock m1
	unlock m1
	unlock m1
`},
	{"|nidhugg|source|", "at most 1 delay", `
rwmutex w0
thread
	spawn 1
	spawn 2
	runlock w0
thread
	now
thread
	unlock w0
`},
	{"|lazy|", "at most 0 preemptions", `
rwmutex w0
chan c1 0
thread
	spawn 1
	spawn 2
	lock w0
	recv c1
thread
	unlock w0
	recv c1
thread
	recv c1
`},
	{"|optimal|", "at most 0 preemptions", `
chan c0 0
thread
	spawn 1
	spawn 2
	close c0
	select recv c0
thread
	close c0
thread
	recv c0
`},
	{"|optimal|", "at most 2 delays", `
chan c0 0
thread
	spawn 1
	spawn 2
	spawn 3
	len c0
thread
	send c0 0
thread
	recv c0
thread
	close c0
`},
}

// TestYieldWaits holds the engines to their promises on a program in which whether a
// goroutine waits is not up to the objects that it uses: a yield waits for whoever is
// ready, so it must not promise trace.Op.WaitsOnUses.
func TestYieldWaits(t *testing.T) {
	p, err := toy.Parse(`
once o0
mutex m1
cond k2 m1
thread
	spawn 1
	spawn 2
	once o0 1
	broadcast k2
thread
	once o0 0
	lock m1
thread
	yield
	unlock m1
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := enginetest.VerifyAll(subjects(), p, oracle.Limits{}); err != nil {
		t.Error(err)
	}
}
