package por_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
)

// usedAfterPut has a goroutine use a thing that it has put back, while another one may have it. Each
// does so much besides.
func usedAfterPut(besides int) func() {
	return func() {
		pool := sched.Pool{New: func() any { return sched.NewVar(0) }}
		var n sched.Int64
		use := func() {
			v := pool.Get().(*sched.Var[int])
			v.Store(1)
			for range besides {
				n.Add(1)
			}
			pool.Put(v)
			v.Load()
		}
		h, k := sched.Go(use), sched.Go(use)
		h.Join()
		k.Join()
	}
}

// TestSharedPools finds what only Pools show that goroutines share: at the end of a search that has
// covered everything else, and in a part of the time of one that has not.
func TestSharedPools(t *testing.T) {
	effort.Computes(t)
	for _, tt := range []struct {
		name    string
		besides int
		says    string
		opts    []por.Option
	}{
		{"small", 0, "the only trace explored in discrete time by optimal DPOR, it does not fail; ", nil},
		{"large", 30, "none fails (its part of the time); ", nil},
		{"large, discrete time", 30, "none fails (its part of the time); ", []por.Option{por.Time(sched.TimeDiscrete)}},
		{"small, no limit", 0, "the only trace explored in discrete time by optimal DPOR, it does not fail; ", []por.Option{por.MaxTime(0)}},
		{"small, granted", 0, "the only trace explored in discrete time by optimal DPOR, it does not fail; ", []por.Option{por.Grant(sched.AssumeModel)}},
	} {
		f := usedAfterPut(tt.besides)
		res, err := por.Explore(f, append([]por.Option{por.MaxTime(5 * time.Second)}, tt.opts...)...)
		if err != nil || len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Msg, "races with") {
			t.Errorf("%s: %v, %s", tt.name, err, res.Verdict)
			continue
		}
		if v := res.Verdict.String(); !strings.Contains(v, tt.says) || !strings.Contains(v, " explored in discrete time with shared Pools in ") {
			t.Errorf("%s: %s", tt.name, v)
		}
		again, err := por.Explore(f, por.Replay(res.Failures[0].Replay))
		if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != res.Failures[0].Msg {
			t.Errorf("%s: the replay: %v, %+v", tt.name, err, again)
		}
	}
}

// TestSharedPoolsAtOnce has searches without such a phase: goroutines share Pools from the beginning
// where orders are drawn, and where no part of a limit could be left. Other searches say what they
// do not explore.
func TestSharedPoolsAtOnce(t *testing.T) {
	for name, o := range map[string]por.Option{
		"a limit of executions": por.MaxExecutions(1000), "several failures": por.KeepGoing(2),
		"drawn": por.Engine(engine.Random{Executions: 1000}), "states": por.Engine(engine.Stateful{}),
		"the model": por.Model(sched.ModelPool), "all models": por.Model(sched.ModelFine),
	} {
		res, err := por.Explore(usedAfterPut(0), por.MaxTime(5*time.Second), o)
		if err != nil || len(res.Failures) == 0 || strings.Contains(res.Verdict.String(), "shared Pools") {
			t.Errorf("%s: %v, %s", name, err, res.Verdict)
		}
	}
	res, err := por.Explore(usedAfterPut(0), por.Engine(engine.Optimal{}))
	if want := "the only trace explored, it does not fail; NOT exhaustive: goroutines share no Pool (a sync.Pool that several goroutines use, pools_test.go:"; err != nil || !strings.HasPrefix(res.Verdict.String(), want) {
		t.Errorf("%v, %s", err, res.Verdict)
	}
	_, err = por.Explore(usedAfterPut(0), por.Exhaustive())
	if err == nil || !strings.Contains(err.Error(), "goroutines share no Pool") {
		t.Errorf("exhaustive: %v", err)
	}
}

// TestOwnPoolsReplayed has a test that fails only where a goroutine has Pools of its own: New is
// called once more. The replay string says so.
func TestOwnPoolsReplayed(t *testing.T) {
	f := func() {
		var made sched.Int64
		pool := sched.Pool{New: func() any { return made.Add(1) }}
		pool.Put(pool.Get())
		h := sched.Go(func() { pool.Get() })
		h.Join()
		if made.Load() > 1 {
			panic("made twice")
		}
	}
	res, err := por.Explore(f, por.MaxTime(5*time.Second))
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%v, %s", err, res.Verdict)
	}
	again, err := por.Explore(f, por.Replay(res.Failures[0].Replay))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != res.Failures[0].Msg {
		t.Errorf("the replay: %v, %s", err, again.Verdict)
	}
}

// TestFilledPools has tests that count on what other goroutines have put, where there is no New. A
// search begins anew for them, with shared Pools, and finds what fails there.
func TestFilledPools(t *testing.T) {
	filled := func(fails bool) func() {
		return func() {
			var pool sched.Pool
			pool.Put(1)
			var n sched.Int64
			h := sched.Go(func() { n.Store(1) })
			k := sched.Go(func() {
				if (n.Load() == 1) == fails && pool.Get() == nil {
					panic("nothing is there")
				}
				if fails && n.Load() == 0 {
					panic("too early")
				}
			})
			h.Join()
			k.Join()
		}
	}
	for name, opts := range map[string][]por.Option{
		"default":   {por.MaxTime(5 * time.Second)},
		"optimal":   {por.Engine(engine.Optimal{})},
		"workers":   {por.Workers(2), por.Direct()},
		"no limits": {por.MaxTime(0)},
	} {
		check(t, filled(false), opts...).wantPass(t, "all 2 traces explored, none fails; NOT exhaustive: a primitive may do more than is explored (Get of a sync.Pool, ")
		res, err := por.Explore(filled(false), opts...)
		if want := "all 2 traces explored, none fails; NOT exhaustive: a primitive may do more than is explored (Get of a sync.Pool, "; err != nil || !strings.HasPrefix(res.Verdict.String(), want) {
			t.Errorf("%s: %v, %s", name, err, res.Verdict)
		}
		res, err = por.Explore(filled(true), opts...)
		if err != nil || len(res.Failures) != 1 || res.Failures[0].Msg != "too early" {
			t.Errorf("%s: %v, %s", name, err, res.Verdict)
		}
	}
}

// TestPoolsWithoutPhase uses Pools in ways that leave nothing for a phase of shared ones.
func TestPoolsWithoutPhase(t *testing.T) {
	for name, f := range map[string]func(){
		"by one goroutine": func() {
			var pool sched.Pool
			pool.Put(1)
			pool.Get()
			sched.Go(func() {}).Join()
		},
		"all get": func() {
			pool := sched.Pool{New: func() any { return 1 }}
			sched.Go(func() { pool.Get() }).Join()
			pool.Get()
		},
		"all put": func() {
			var pool sched.Pool
			sched.Go(func() { pool.Put(1) }).Join()
			pool.Put(1)
		},
	} {
		res, err := por.Explore(f, por.MaxTime(5*time.Second))
		if err != nil || len(res.Failures) > 0 || strings.Contains(res.Verdict.String(), "share") {
			t.Errorf("%s: %v, %s", name, err, res.Verdict)
		}
	}
}

// TestLagAfterPools has a search that is left for shared Pools before an execution has waited for
// the clock. If later ones do, then there is time by lag as well. Else all time is for the search.
func TestLagAfterPools(t *testing.T) {
	effort.Computes(t)
	for waits, want := range map[bool]string{true: " explored by lag of ", false: "none fails; NOT exhaustive (time limit; "} {
		res, err := por.Explore(func() {
			pool := sched.Pool{New: func() any { return 1 }}
			var first, n sched.Int64
			use := func(g int64) {
				if first.CompareAndSwap(0, g) && g == 2 && waits {
					sched.Sleep(time.Millisecond)
				}
				for range 30 {
					n.Add(1)
				}
				pool.Put(pool.Get())
			}
			h, k := sched.Go(func() { use(1) }), sched.Go(func() { use(2) })
			h.Join()
			k.Join()
		}, por.MaxTime(3*time.Second))
		if err != nil || !strings.Contains(res.Verdict.String(), want) {
			t.Errorf("waits %v: %v, %s", waits, err, res.Verdict)
		}
	}
}
