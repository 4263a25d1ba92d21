package por_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// This file has loops that await what is in a map or a pool.

// pollVariable is a variable of a pollWorld.
type pollVariable interface {
	Load() int64
	Store(int64)
	Add(int64) int64
	CompareAndSwap(old, new int64) bool
}

// pollKey is a variable that is a key of a map.
type pollKey struct {
	of *sched.Map
	i  int64
}

func (k pollKey) Load() int64                        { v, _ := k.of.Load(k.i); return v.(int64) }
func (k pollKey) Store(v int64)                      { k.of.Store(k.i, v) }
func (k pollKey) Add(int64) int64                    { panic("a map has none") }
func (k pollKey) CompareAndSwap(old, new int64) bool { return k.of.CompareAndSwap(k.i, old, new) }

// both reports whether k has the value v and then y the value w, which comes after k in the map.
func (k pollKey) both(v int64, y pollKey, w int64) (is bool) {
	want := map[any]int64{k.i: v, y.i: w}
	k.of.Range(func(i, now any) bool { is = now == want[i]; return is })
	return is
}

// polled has what the variables of a program are.
func polled(maps bool) (list [2]pollVariable) {
	var m sched.Map
	for i := range list {
		if list[i] = new(sched.Int64); maps {
			list[i] = pollKey{&m, int64(i)}
			list[i].Store(0)
		}
	}
	return list
}

// inMap returns p for variables that are keys of a map, and cannot be added to.
func (p pollProgram) inMap() pollProgram {
	q := make(pollProgram, len(p))
	for g := range p {
		q[g] = slices.Clone(p[g])
		for i := range q[g] {
			if q[g][i].maps = true; q[g][i].kind == pollAdd {
				q[g][i].kind = pollStore
			}
		}
	}
	return q
}

// maps reports whether p's variables are keys of a map.
func (p pollProgram) maps() bool {
	return slices.ContainsFunc(p, func(f []pollStatement) bool { return len(f) > 0 && f[0].maps })
}

// TestPolledMaps is TestPollsAsModel and TestPolledStates for variables that are keys of a map.
func TestPolledMaps(t *testing.T) {
	effort.Computes(t)
	for _, seed := range []uint64{2, effort.Seed(t, 5)} {
		r := rand.New(rand.NewPCG(seed, 0))
		for i := range effort.Of(10, 1) {
			p := drawPolls(r).inMap()
			for _, judge := range []func(pollProgram) error{pollProgram.judgeAll, pollProgram.judgeStates} {
				if err := judge(p); err != nil {
					t.Errorf("program %d of seed %d: %v", i, seed, err)
				}
			}
		}
	}
}

// TestAwaitsObjects: who looks into a map or a pool in vain waits, as one who loads does.
func TestAwaitsObjects(t *testing.T) {
	for name, f := range map[string]func(){
		"a flag": func() {
			var x sched.Bool
			sched.Go(func() { x.Store(true) })
			await(x.Load)
		},
		"a key": func() {
			var m sched.Map
			sched.Go(func() { m.Store(1, 1) })
			await(func() bool { _, ok := m.Load(1); return ok })
		},
		"a key that is gone": func() {
			var m sched.Map
			m.Store(1, 1)
			sched.Go(func() { m.Delete(1) })
			await(func() bool { _, loaded := m.LoadOrStore(1, 2); return !loaded })
		},
		"a key to take": func() {
			var m sched.Map
			sched.Go(func() { m.Store(1, 1) })
			await(func() bool { _, ok := m.LoadAndDelete(1); return ok })
		},
		"a value": func() {
			var m sched.Map
			m.Store(1, 0)
			sched.Go(func() { m.Store(1, 1) })
			await(func() bool { return m.CompareAndSwap(1, 1, 2) })
		},
		"any key": func() {
			var m sched.Map
			sched.Go(func() { m.Store(1, 1) })
			await(func() (some bool) {
				m.Range(func(_, _ any) bool { some = true; return true })
				return some
			})
		},
		"a thing": func() {
			var p sched.Pool
			sched.Go(func() { p.Put(1) })
			await(func() bool { return p.Get() != nil })
		},
	} {
		res, err := por.Explore(f)
		if s := res.Verdict.Stats; err != nil || !s.Exhaustive || s.Executions != 1 || s.Blocked != 1 {
			t.Errorf("%s: %v, %v", name, res.Verdict, err)
		}
	}
}
