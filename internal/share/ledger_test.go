package share

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// TestLedger explores random programs by jobs: in any order, some of them twice, some taken back. The
// sum, and the execution that fails, have to be those of one search.
func TestLedger(t *testing.T) {
	ended := 0
	for i, p := range toytest.Programs(t, 400) {
		for m := range 4 {
			// An execution of so many steps with that mover at its end is taken to fail.
			fails := func(s trace.Schedule) bool {
				return m > 0 && len(s) > 2 && (int(s[0].G)+3*int(s[len(s)-1].G)+int(s[len(s)/2].G))%7 == m
			}
			want, first := oneSearch(t, toy.New(p), fails)
			if want.Executions > 500 {
				continue
			}
			if first != nil {
				ended++
			}
			d := dealer{rnd: rand.New(rand.NewPCG(uint64(i), uint64(m))), fails: fails, e: search.NewExplorer(toy.New(p))}
			sum, failed := d.explore(t)
			d.e.Close()
			if sum.Stats.Executions != want.Executions || sum.Stats.Exhaustive != want.Exhaustive || sum.Ran != want.Executions || (failed == nil) != (first == nil) {
				t.Fatalf("program %d, %d: %d executions, exhaustive %v, failed %v; in one search %d, %v, %v\n%v", i, m,
					sum.Stats.Executions, sum.Stats.Exhaustive, failed, want.Executions, want.Exhaustive, first, p)
			}
			if failed == nil {
				continue
			}
			s, _ := failed.With(func(path []int32) trace.ID { return trace.ID(path[0]) })
			if !slices.Equal(s, first) {
				t.Fatalf("program %d, %d: %v fails, in one search %v\n%v", i, m, s, first, p)
			}
		}
	}
	t.Logf("%d searches ended with an execution that fails", ended)
}

// TestLedgerFound explores so until several kinds of executions were found. These, and how many executions there
// were by then, have to be those of one search.
func TestLedgerFound(t *testing.T) {
	ended, full := 0, 0
	for i, p := range toytest.Programs(t, 300) {
		for keep := 2; keep <= 3; keep++ {
			kind := func(s trace.Schedule) int {
				if len(s) < 3 {
					return 0
				}
				return max(0, (int(s[0].G)+3*int(s[len(s)-1].G)+5*int(s[len(s)/2].G))%9-4)
			}
			var want []string
			kinds := make(map[int]bool)
			stats, err := search.Reverse(toy.New(p), func(x *trace.Execution) bool {
				if k := kind(x.Schedule); k > 0 && !kinds[k] {
					kinds[k] = true
					want = append(want, fmt.Sprintf("%d %d %v", x.Stats.Executions, k, x.Schedule))
				}
				return len(kinds) < keep && x.Stats.Executions <= 500
			})
			if err != nil {
				t.Fatal(err)
			}
			if stats.Executions > 500 {
				continue
			}
			d := dealer{rnd: rand.New(rand.NewPCG(uint64(i), uint64(keep))), kind: kind, keep: keep, e: search.NewExplorer(toy.New(p))}
			sum, _, found := d.exploreAll(t)
			d.e.Close()
			var got []string
			known := make(map[string]bool)
			for _, f := range found {
				if k := f.Failures[0].Msg; !known[k] {
					known[k] = true
					s, _ := f.With(func(path []int32) trace.ID { return trace.ID(path[0]) })
					got = append(got, fmt.Sprintf("%d %s %v", f.At.Stats.Executions, k, s))
				}
			}
			if len(kinds) == keep {
				ended++
			} else {
				full++
			}
			if sum.Stats.Executions != stats.Executions || sum.Ran != stats.Executions || sum.Stats.Exhaustive != stats.Exhaustive || !slices.Equal(got, want) {
				t.Fatalf("program %d, %d kinds: %d executions, exhaustive %v, found\n%q; in one search %d, %v,\n%q\n%v", i, keep,
					sum.Stats.Executions, sum.Stats.Exhaustive, got, stats.Executions, stats.Exhaustive, want, p)
			}
		}
	}
	if ended < 10 || full < 10 {
		t.Errorf("%d searches ended early, and %d did not", ended, full)
	}
}

func oneSearch(t *testing.T, p trace.Program, fails func(trace.Schedule) bool) (stats trace.Stats, first trace.Schedule) {
	t.Helper()
	n := 0
	stats, err := search.Reverse(p, func(x *trace.Execution) bool {
		if n++; fails(x.Schedule) {
			first = slices.Clone(x.Schedule)
		}
		return first == nil && n <= 500
	})
	if err != nil {
		t.Fatal(err)
	}
	return stats, first
}

// dealer deals out jobs at random.
type dealer struct {
	rnd   *rand.Rand
	fails func(trace.Schedule) bool
	kind  func(trace.Schedule) int // of what is found on the way, 0 for nothing
	keep  int                      // how many kinds are asked for
	e     *search.Explorer
}

func (d *dealer) explore(t *testing.T) (Totals, *Failed) {
	t.Helper()
	sum, failed, _ := d.exploreAll(t)
	return sum, failed
}

func (d *dealer) exploreAll(t *testing.T) (Totals, *Failed, []Found) {
	t.Helper()
	l, err := NewLedger("test", trace.Stats{}, []search.Batch{search.RootBatch()})
	if err != nil {
		t.Fatal(err)
	}
	var given, late []*Job
	for {
		all, out := l.Open()
		if out != len(given) && all > 0 && out > len(given) {
			t.Fatalf("%d jobs are given out, the ledger says %d", len(given), out)
		}
		if all == 0 {
			break
		}
		if job := l.Give(); job != nil && d.rnd.IntN(3) > 0 {
			given = append(given, job)
			continue
		} else if job != nil && !l.TakeBack(job.ID) {
			t.Fatal("a job cannot be taken back")
		}
		if len(given) == 0 {
			continue
		}
		i := d.rnd.IntN(len(given))
		job := given[i]
		if d.rnd.IntN(4) == 0 {
			late = append(late, job)
		}
		given = slices.Delete(given, i, i+1)
		if _, err := l.Add(d.do(t, job)); err != nil {
			t.Fatal(err)
		}
		kinds := make(map[string]bool)
		for i, f := range l.Settled() {
			if kinds[f.Failures[0].Msg] = true; len(kinds) == d.keep {
				l.EndWith(i)
				break
			}
		}
		if len(late) > 0 && d.rnd.IntN(2) == 0 {
			if counts, _ := l.Add(d.do(t, late[0])); counts {
				t.Fatal("what was explored twice counts twice")
			}
			late = late[1:]
		}
	}
	sum, failed, text := l.Sum()
	if text != "" {
		t.Fatal(text)
	}
	return sum, failed, l.Found()
}

// do explores a few executions of a job.
func (d *dealer) do(t *testing.T, job *Job) *Result {
	t.Helper()
	r := &Result{ID: job.ID}
	n, bound := 0, 1+d.rnd.IntN(6)
	kinds := make(map[int]bool)
	left, stats, err := d.e.Explore(job.Batch, func(x *trace.Execution) bool {
		if d.kind != nil {
			k := d.kind(x.Schedule)
			if k == 0 || kinds[k] {
				return true
			}
			kinds[k] = true
			f := NewFailed(func(g trace.ID) []int32 { return []int32{int32(g)} }, x.Schedule, []trace.Failure{{Msg: fmt.Sprint(k), G: -1}})
			r.Found = append(r.Found, Found{Failed: f, At: Totals{Stats: *x.Stats, Ran: x.Stats.Executions}})
			r.Enough = len(kinds) == d.keep
			return !r.Enough
		}
		if !d.fails(x.Schedule) {
			return true
		}
		r.Failed = NewFailed(func(g trace.ID) []int32 { return []int32{int32(g)} }, x.Schedule, nil)
		return false
	}, func() bool { n++; return n < bound })
	if err != nil {
		t.Fatal(err)
	}
	r.Stats, r.Ran = stats, stats.Executions
	if left != nil && !r.Enough {
		if r.Left, err = left.Split(1 + d.rnd.IntN(3)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestLedgerWrong adds what makes no sense.
func TestLedgerWrong(t *testing.T) {
	root := []search.Batch{search.RootBatch()}
	l, err := NewLedger("test", trace.Stats{Executions: 3}, root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewLedger("test", trace.Stats{}, []search.Batch{search.Batch("nothing")}); err == nil {
		t.Error("a damaged batch is taken")
	}
	if counts, err := l.Add(&Result{ID: "unknown"}); counts || err != nil {
		t.Error("an unknown result counts", err)
	}
	if l.TakeBack("unknown") || l.TakeBack(ID("test", root[0])) {
		t.Error("what was not given out is taken back")
	}
	if counts, err := l.Add(&Result{ID: ID("test", root[0]), Left: append(root, root...)}); !counts || err == nil {
		t.Error("the same batch is left twice, and that is no error")
	}
	l, _ = NewLedger("test", trace.Stats{Executions: 3}, root)
	l.Add(&Result{ID: ID("test", root[0]), Error: "wrong"})
	if sum, _, text := l.Sum(); text != "wrong" || sum.Stats.Exhaustive || sum.Stats.Executions != 3 {
		t.Errorf("%v %q", sum, text)
	}
}
