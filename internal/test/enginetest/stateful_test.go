package enginetest

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/states"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// statefulEngines are those that recognise states, which are told apart as k says.
func statefulEngines(k trace.Keying) []trace.Engine {
	s := engine.Stateful{Keying: k}
	drawn := engine.Stateful{Keying: k, Seed: 1}
	again := engine.Stateful{Keying: k, Restarts: true}
	return []trace.Engine{drawn, engine.SPOR{Stateful: drawn}, engine.DESPOR{Stateful: drawn}, engine.DLSPOR{Stateful: drawn}, again, engine.DLSPOR{Stateful: again},
		s, engine.SPOR{Stateful: s}, engine.DESPOR{Stateful: s}, engine.DLSPOR{Stateful: s},
		engine.DESPOR{Stateful: s, EverySafe: true}, engine.DLSPOR{Stateful: s, EverySafe: true}}
}

// TestStatefulByHistory is TestRandom where goroutines are known by their histories only,
// in both modes, by hashes and exactly, on the machine and as closures.
func TestStatefulByHistory(t *testing.T) {
	judged := 0
	for i, p := range toytest.Programs(t, 600) {
		want, err := oracle.Enumerate(toy.New(p), Small)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		k := trace.Keying{Tracked: i&1 == 0, Exact: i&2 == 0}
		for _, e := range statefulEngines(k) {
			if err := Verify(e, Stateful, toy.NewByHistory(p), toy.New(p), want); err != nil {
				t.Fatalf("program %d, %s, %v: %v\n%v", i, e.Name(), k, err, p)
			}
		}
		judged++
		c, second := toy.NewClosure(p), toy.NewClosure(p)
		if want, err = oracle.Enumerate(c, Small); err == nil {
			for _, e := range statefulEngines(k) {
				if err := Verify(e, Stateful, c, second, want); err != nil {
					t.Fatalf("program %d as a closure, %s, %v: %v\n%v", i, e.Name(), k, err, p)
				}
			}
		}
		c.Shutdown()
		second.Shutdown()
	}
	t.Logf("%d programs", judged)
}

// TestCorpusByHistory is TestCorpus where goroutines are known by their histories only.
func TestCorpusByHistory(t *testing.T) {
	for name, p := range corpus(t) {
		want, err := oracle.Enumerate(toy.New(p), Small)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		for _, k := range []trace.Keying{{}, {Tracked: true, Exact: true}} {
			for _, e := range statefulEngines(k) {
				if err := Verify(e, Stateful, toy.NewByHistory(p), toy.New(p), want); err != nil {
					t.Errorf("%s, %s, %v: %v\n%v", name, e.Name(), k, err, p)
				}
			}
		}
	}
}

// TestTimersMade: by lag a timer of the closure may fire when others are not made yet; what it
// starts waits for them.
func TestTimersMade(t *testing.T) {
	p := toy.MustParse("time lag 3\nafter f0 1 1\ntimer t1 1\nonce o2\nthread\nthread\n recv t1\n once o2 1\n reset t1 1\n")
	c, second := toy.NewClosure(p), toy.NewClosure(p)
	defer c.Shutdown()
	defer second.Shutdown()
	want, err := oracle.Enumerate(c, Small)
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(engine.Source{}, SleepSets, c, second, want); err != nil {
		t.Error(err)
	}
}

// TestCollisions: if only four bits of hashes are compared states are taken for others, and
// the judge notices that; exact keys are not concerned.
func TestCollisions(t *testing.T) {
	defer states.SetHashBits(4)()
	missed := 0
	for _, p := range toytest.Same(40) {
		want, err := oracle.Enumerate(toy.New(p), Small)
		if err == nil && Verify(engine.Stateful{}, Stateful, toy.New(p), toy.New(p), want) != nil {
			missed++
		}
	}
	if t.Logf("%d programs are misjudged", missed); missed == 0 {
		t.Error("sixteen states are enough for all programs")
	}
	for i, p := range toytest.Programs(t, 200) {
		want, err := oracle.Enumerate(toy.New(p), Small)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		if err := Verify(engine.Stateful{Keying: trace.Keying{Exact: true}}, Stateful, toy.New(p), toy.New(p), want); err != nil {
			t.Fatalf("program %d, exactly: %v\n%v", i, err, p)
		}
	}
}

// amnesia leaves out of the keys of a program what forget says.
type amnesia struct {
	*toy.Runner
	forget toy.Forget
}

func (a amnesia) KeyStates(k *trace.Keying) error {
	err := a.Runner.KeyStates(k)
	a.Runner.ForgetInKeys(a.forget)
	return err
}

// TestKeyMutants: keys that leave out something are noticed.
func TestKeyMutants(t *testing.T) {
	for name, forget := range map[string]toy.Forget{
		"the state of the first object": {Object: true},
		"the history of a thread":       {Thread: true},
	} {
		noticed := 0
		for _, p := range toytest.Same(300) {
			for _, r := range []*toy.Runner{toy.New(p), toy.NewByHistory(p)} {
				_, err := oracle.EqualFutures(amnesia{r, forget}, trace.Keying{Tracked: true}, Small)
				if errors.Is(err, oracle.ErrUnequal) {
					noticed++
				}
			}
		}
		if t.Logf("%d notice that keys lack %s", noticed, name); noticed == 0 {
			t.Errorf("nobody notices that keys lack %s", name)
		}
	}
}

// TestStatefulLimits: a limit of memory ends the search, which says so; a program whose
// states have no names is searched all the same, and that is said as well.
func TestStatefulLimits(t *testing.T) {
	writers := toy.MustParse("cell x 0\nthread\n spawn 1\n spawn 2\n spawn 3\n" +
		"thread\n store x 1\n store x 2\nthread\n store x 3\n store x 4\nthread\n store x 5\n store x 6\n")
	for _, e := range []trace.Engine{engine.Stateful{MaxBytes: 1500}, engine.DLSPOR{Stateful: engine.Stateful{MaxBytes: 1500}}} {
		stats, err := e.Explore(toy.New(writers), func(*trace.Execution) bool { return true })
		if err != nil || stats.Exhaustive || stats.Claim == "" || stats.Bytes < 1500 || stats.Bytes > 3000 {
			t.Errorf("%s: %+v, %v", e.Name(), stats, err)
		}
	}
	stats, err := engine.Stateful{}.Explore(toy.New(writers), func(*trace.Execution) bool { return true })
	if err != nil || !stats.Exhaustive || stats.Claim != "" || stats.Basis == "" {
		t.Errorf("without a limit: %+v, %v", stats, err)
	}
	late := toy.MustParse("time any\ncell x 0\ntimer t 5\nthread\n spawn 1\n recv t\nthread\n store x 1\n")
	want, err := engine.Source{}.Explore(toy.New(late), func(*trace.Execution) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	stats, err = engine.DLSPOR{}.Explore(toy.New(late), func(*trace.Execution) bool { return true })
	if err != nil || !stats.Exhaustive || stats.Executions != want.Executions || stats.Basis == "" {
		t.Errorf("without names: %+v, %v", stats, err)
	}
}
