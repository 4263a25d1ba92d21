package unfold

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/toy"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// unfolded returns the unfolding of p.
func unfolded(t *testing.T, p trace.Program) *Unfolding {
	t.Helper()
	u, err := Unfold(p, 2000)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// sets is an unfolding as plain sets.
type sets struct {
	*Unfolding
	below []map[int]bool // [e], with e
	in    [][]bool       // of each maximal configuration, by event
}

func setsOf(p *Unfolding) *sets {
	s := &sets{Unfolding: p}
	for i, e := range p.Events {
		below := map[int]bool{i: true}
		for _, c := range e.Causes {
			for x := range s.below[c] {
				below[x] = true
			}
		}
		s.below = append(s.below, below)
	}
	for _, m := range p.Maximal {
		in := make([]bool, len(p.Events))
		for _, e := range m.Events {
			in[e] = true
		}
		s.in = append(s.in, in)
	}
	return s
}

// configuration reports whether the union of sets that hold all causes is a
// configuration: whether a maximal one holds it.
func (s *sets) configuration(a, b map[int]bool) bool {
	return slices.ContainsFunc(s.in, func(in []bool) bool {
		for x := range a {
			if !in[x] {
				return false
			}
		}
		for x := range b {
			if !in[x] {
				return false
			}
		}
		return true
	})
}

// check compares an unfolding with what its parts mean.
func (s *sets) check() error {
	inSome := make(map[int]bool)
	for n, m := range s.Maximal {
		done := make(map[int]bool)
		for _, e := range m.Events {
			if done[e] {
				return fmt.Errorf("configuration %d has event %d twice", n+1, e+1)
			}
			for _, c := range s.Events[e].Causes {
				if !done[c] {
					return fmt.Errorf("in configuration %d event %d comes without its cause %d", n+1, e+1, c+1)
				}
			}
			done[e], inSome[e] = true, true
		}
		for o := range s.Maximal {
			if o != n && !slices.ContainsFunc(m.Events, func(e int) bool { return !s.in[o][e] }) {
				return fmt.Errorf("configuration %d is a part of configuration %d", n+1, o+1)
			}
		}
	}
	for i, e := range s.Events {
		if !inSome[i] {
			return fmt.Errorf("event %d is in no configuration", i+1)
		}
		for _, c := range e.Causes {
			for _, d := range e.Causes {
				if c != d && s.below[d][c] {
					return fmt.Errorf("event %d has the causes %d and %d, of which the first comes before the second", i+1, c+1, d+1)
				}
			}
		}
	}
	return s.checkConflicts()
}

// checkConflicts holds conflicts to the definition of immediate conflict.
func (s *sets) checkConflicts() error {
	histories := make([]map[int]bool, len(s.Events))
	for e := range s.Events {
		histories[e] = maps.Clone(s.below[e])
		delete(histories[e], e)
	}
	for f := range s.Events {
		for e := range f {
			want := !s.configuration(s.below[e], s.below[f]) &&
				s.configuration(histories[e], s.below[f]) && s.configuration(s.below[e], histories[f])
			if got := slices.Contains(s.Conflicts, [2]int{e, f}); got != want {
				return fmt.Errorf("events %d and %d are shown in immediate conflict: %v", e+1, f+1, got)
			}
		}
	}
	for i, c := range s.Conflicts {
		if c[0] >= c[1] || i > 0 && slices.Compare(s.Conflicts[i-1][:], c[:]) >= 0 {
			return fmt.Errorf("conflicts are not in order: %v", s.Conflicts)
		}
	}
	return nil
}

// traces returns how many traces optimal DPOR finds, up to most.
func traces(t *testing.T, p trace.Program, most int64) int64 {
	t.Helper()
	st, err := search.Optimal(p, func(x *trace.Execution) bool { return x.Stats.Executions < most })
	if err != nil {
		t.Fatal(err)
	}
	return st.Executions
}

// TestUnfoldingOfPapers compares unfoldings with plain sets, and the number of maximal
// configurations with that of executions.
func TestUnfoldingOfPapers(t *testing.T) {
	for _, k := range []struct {
		name string
		n, m int
	}{
		{"abba", 0, 0}, {"ssb", 2, 0}, {"ssb", 3, 0}, {"ssb-locks", 2, 0}, {"locks", 2, 2}, {"mpat", 2, 0}, {"pipeline", 2, 2},
		{"select-two", 0, 0}, {"ring", 4, 0}, {"disp", 2, 1}, {"pi", 3, 0}, {"readers", 3, 1}, {"fan-in", 2, 2}, {"account", 0, 0},
		{"indexer-mod", 3, 0}, {"meet", 2, 1}, {"branching", 3, 0}, {"shared-pointer", 3, 0}, {"waitgroup", 3, 0},
	} {
		c := toytest.Published(t, k.name, k.n, k.m)
		p := unfolded(t, c)
		if got, want := int64(len(p.Maximal)), traces(t, c, 1e6); got != want {
			t.Errorf("%s(%d, %d): %d maximal configurations, but %d traces", k.name, k.n, k.m, got, want)
		}
		if err := setsOf(p).check(); err != nil {
			t.Errorf("%s(%d, %d): %v", k.name, k.n, k.m, err)
		}
		c.Shutdown()
	}
}

// few returns n, or less if not everything is to be tested.
func few(n int64) int64 {
	if !effort.Full() {
		return n / 5
	}
	return n
}

// TestUnfoldingOfToys does the same with random programs, run as data and as closures,
// and compares causes with what happened before in the executions.
func TestUnfoldingOfToys(t *testing.T) {
	const limit = 1 << 16
	unfoldings := 0
	for i, p := range toytest.Programs(t, few(250)) {
		if traces(t, toy.New(p), 61) > 60 {
			continue
		}
		unfoldings++
		var closure trace.Program = toy.NewClosure(p)
		for _, program := range []trace.Program{toy.New(p), closure} {
			s, err := newSurvey(program, limit)
			if err != nil {
				t.Fatal(err)
			}
			before := make(map[[2]int]bool)
			_, err = s.search(bounded{program, limit}, func(x *trace.Execution) bool {
				more := s.visit(x)
				for k, e := range s.maximal[len(s.maximal)-1].Events {
					for j, d := range s.maximal[len(s.maximal)-1].Events[:k] {
						if s.HB.Before(j, k) {
							before[[2]int{d, e}] = true
						}
					}
				}
				return more
			})
			if err == nil {
				err = s.err
			}
			if err == nil {
				err = compare(setsOf(s.unfolding()), before, traces(t, program, 1e6))
			}
			if err != nil {
				t.Fatalf("program %d: %v\n%v", i, err, p)
			}
		}
	}
	if unfoldings == 0 {
		t.Error("no program is small enough")
	}
}

func compare(s *sets, before map[[2]int]bool, traces int64) error {
	if int64(len(s.Maximal)) != traces {
		return fmt.Errorf("%d maximal configurations, but %d traces", len(s.Maximal), traces)
	}
	for e := range s.Events {
		for d := range s.Events {
			if got := d != e && s.below[e][d]; got != before[[2]int{d, e}] {
				return fmt.Errorf("event %d is shown before event %d: %v", d+1, e+1, got)
			}
		}
	}
	return s.check()
}

// TestUnfoldingOfFigureTwo checks what the paper says about its figure 2, with the
// figure's numbers. There a thread that has to wait for a lock does nothing, while here
// it makes its request, so there is one event more: that of thread 2 for a lock that
// is never released.
func TestUnfoldingOfFigureTwo(t *testing.T) {
	p := unfolded(t, toytest.Recording(toytest.FigureTwo))
	s := setsOf(p)
	if got, want := strings.Join(p.Threads, " "), "g1 g2 g3"; got != want {
		t.Fatalf("threads %s, want %s", got, want)
	}
	number := make(map[int]int) // in the paper, to index
	for _, e := range []struct {
		n, thread int
		label     string
		causes    []int
	}{
		{1, 0, "write Var 1 = 1", nil}, {2, 0, "lock Mutex 1", []int{1}}, {3, 0, "read Var 2 = 0", []int{2}}, {4, 0, "unlock Mutex 1", []int{3}},
		{5, 1, "lock Mutex 1", []int{2}}, {6, 1, "write Var 2 = 1", []int{4, 5}}, {7, 1, "unlock Mutex 1", []int{6}},
		{8, 1, "lock Mutex 1", nil}, {9, 1, "write Var 2 = 1", []int{8}}, {10, 1, "unlock Mutex 1", []int{9}},
		{11, 0, "lock Mutex 1", []int{1, 8}}, {12, 0, "read Var 2 = 1", []int{10, 11}},
		{13, 0, "lock Mutex 2", []int{12}}, {14, 0, "write Var 1 = 2", []int{13}},
		{15, 2, "lock Mutex 2", nil}, {16, 2, "write Var 3 = 1", []int{15}}, {17, 2, "unlock Mutex 2", []int{16}},
		{18, 0, "lock Mutex 2", []int{12, 15}}, {19, 0, "write Var 1 = 2", []int{17, 18}},
		{20, 2, "lock Mutex 2", []int{13}},
	} {
		var causes []int
		for _, c := range e.causes {
			causes = append(causes, number[c])
		}
		slices.Sort(causes)
		i := slices.IndexFunc(p.Events, func(f Event) bool {
			return f.Thread == e.thread && f.Label == e.label && slices.Equal(f.Causes, causes)
		})
		if i < 0 {
			t.Fatalf("there is no event %d of the figure: %s of thread %d after %v", e.n, e.label, e.thread, e.causes)
		}
		number[e.n] = i
	}
	if len(p.Events) != len(number) {
		t.Errorf("%d events, want %d", len(p.Events), len(number))
	}
	set := func(of ...int) map[int]bool {
		m := make(map[int]bool)
		for _, n := range of {
			m[number[n]] = true
		}
		return m
	}
	if !s.below[number[5]][number[1]] || !s.below[number[12]][number[8]] {
		t.Error("1 < 5 or 8 < 12 does not hold")
	}
	if !s.configuration(set(8, 9, 15), nil) || s.configuration(set(1, 2, 8), nil) {
		t.Error("{8, 9, 15} is no configuration, or {1, 2, 8} is one")
	}
	for _, c := range [][2]int{{2, 8}, {13, 15}} {
		e, f := number[c[0]], number[c[1]]
		if !slices.Contains(p.Conflicts, [2]int{min(e, f), max(e, f)}) {
			t.Errorf("%d # %d is no immediate conflict", c[0], c[1])
		}
	}
	if len(p.Conflicts) != 2 {
		t.Errorf("immediate conflicts %v, want two", p.Conflicts)
	}
	for _, want := range []map[int]bool{
		set(1, 2, 3, 4, 5, 6, 7, 15, 16, 17),
		set(1, 8, 9, 10, 11, 12, 13, 14, 20),
		set(1, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19),
	} {
		if !slices.ContainsFunc(p.Maximal, func(m Maximal) bool {
			return len(m.Events) == len(want) && !slices.ContainsFunc(m.Events, func(e int) bool { return !want[e] })
		}) {
			t.Errorf("no maximal configuration is %v", want)
		}
	}
	if len(p.Maximal) != 3 {
		t.Errorf("%d maximal configurations, want 3", len(p.Maximal))
	}
}

// TestUnfoldingNames sees to it that an object has one name in all executions, and
// that two objects do not share one.
func TestUnfoldingNames(t *testing.T) {
	count := func(p *Unfolding, kind string) int {
		names := make(map[string]bool)
		for _, e := range p.Events {
			for i, w := range strings.Fields(e.Label) {
				if w == kind {
					names[strings.Fields(e.Label)[i+1]] = true
				}
			}
		}
		return len(names)
	}
	var chosen = func() {
		var mu [2]sched.Mutex
		if sched.Choose(2) == 0 {
			mu[0].Lock()
		} else {
			mu[1].Lock()
		}
	}
	chosenBesides := func() {
		var mu [2]sched.Mutex
		sched.Go(func() { mu[0].Lock(); mu[1].Lock() })
		sched.Go(func() { mu[sched.Choose(2)].Lock() })
	}
	for _, k := range []struct {
		what string
		p    *exec.Closure
		kind string
		want int
	}{
		{"locks(2, 2)", toytest.Published(t, "locks", 2, 2), "Mutex", 1},
		{"locks(2, 2)", toytest.Published(t, "locks", 2, 2), "Var", 1},
		{"ssb(3)", toytest.Published(t, "ssb", 3, 0), "Var", 4},
		{"mpat(2)", toytest.Published(t, "mpat", 2, 0), "Mutex", 3},
		{"disp(2, 1)", toytest.Published(t, "disp", 2, 1), "Mutex", 3},
		{"pipeline(2, 2)", toytest.Published(t, "pipeline", 2, 2), "chan", 3},
		{"ring(3)", toytest.Published(t, "ring", 3, 0), "Var", 3},
		{"lines that choose", toytest.Recording(chosen), "Mutex", 2},
		{"a line that chooses", toytest.Recording(chosenBesides), "Mutex", 2},
		{"unrecorded", exec.New(paper.Locks(2, 2), exec.Options{Races: sched.RaceExplore}), "object", 2},
	} {
		if got := count(unfolded(t, k.p), k.kind); got != k.want {
			t.Errorf("%s: %d things of kind %s, want %d", k.what, got, k.kind, k.want)
		}
		k.p.Shutdown()
	}
}

// stepping is a program that runs step by step only.
type stepping struct{ trace.Program }

func (s stepping) Start() trace.Run { return struct{ trace.Run }{s.Program.Start()} }

// TestUnfoldingErrors sees to it that what has no unfolding is refused with a word.
func TestUnfoldingErrors(t *testing.T) {
	pairs := func() {
		mu := make([]sched.Mutex, 14)
		for i := range 2 * len(mu) {
			sched.Go(func() { mu[i/2].Lock() })
		}
	}
	endless := func() {
		var x sched.Var[int]
		for x.Load() == 0 {
		}
	}
	p := toy.MustParse("cell x 0\nthread\n\tload x\n\tload x\n\tload x\n")
	for _, k := range []struct {
		what  string
		p     trace.Program
		limit int
		want  string // "" if nothing is wrong
	}{
		{"no limit", toytest.Published(t, "abba", 0, 0), 0, "the limit is 0 events, but has to be at least 1"},
		{"negative limit", toytest.Published(t, "abba", 0, 0), -1, "the limit is -1"},
		{"abba", toytest.Published(t, "abba", 0, 0), 21, ""},
		{"abba", toytest.Published(t, "abba", 0, 0), 20, "more than 20 events"},
		{"an execution of 3", toy.New(p), 3, ""},
		{"an execution of 3", toy.New(p), 2, "more than 2 events"},
		{"many configurations", exec.New(pairs, exec.Options{AllowLeaks: true}), 300, "more than 10000 maximal configurations"},
		{"endless", toytest.Recording(endless), 300, "more than 300 events"},
		{"endless, step by step", stepping{toytest.Recording(endless)}, 300, "more than 300 events"},
		{"endless, with a limit of its own", exec.New(endless, exec.Options{Races: sched.RaceExplore, MaxSteps: 40}), 300, "does not end"},
	} {
		if !effort.Full() && k.what == "many configurations" {
			continue
		}
		u, err := Unfold(k.p, k.limit)
		switch {
		case k.want == "" && (err != nil || u == nil):
			t.Errorf("%s: %v", k.what, err)
		case k.want != "" && (err == nil || u != nil || !strings.Contains(err.Error(), k.want)):
			t.Errorf("%s: error %v, want one with %q", k.what, err, k.want)
		}
	}
}
