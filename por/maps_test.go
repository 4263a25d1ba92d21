package por_test

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/native/access"
)

// TestMapsAlways has tests that fail, or pass, in all executions in which loops over maps do what they usually do.
func TestMapsAlways(t *testing.T) {
	grows := func() (met int) {
		m := map[int]int{1: 1}
		for r := native.Over(m); r.Next(); {
			for k := range r.Map() {
				met += k
				access.InMap(m).Set(2, 2)
			}
		}
		return met
	}
	first := func() (k int) {
		for r := native.Over(map[int]int{1: 1, 2: 2}); r.Next(); {
			for k = range r.Map() {
				return k
			}
		}
		return 0
	}
	const luck = "It fails in all executions with the usual order of maps, and not in all with"
	for name, test := range map[string]struct {
		f     func() bool // whether it passes
		opts  []por.Option
		fails bool
		says  string
	}{
		"never met":           {f: func() bool { return grows() == 1 }, says: "NOT exhaustive: loops over maps do not meet what is made meanwhile (an entry made during a range over a map[int]int, maps_test.go:"},
		"granted":             {f: func() bool { return grows() == 1 }, opts: []por.Option{por.Grant(sched.AssumeMapOrder)}, says: "(exhaustive, granted: loops over maps do not meet what is made meanwhile"},
		"always met":          {f: func() bool { return grows() == 3 }, fails: true, says: luck},
		"another order":       {f: func() bool { return first() == 2 }, fails: true, says: luck},
		"another explored":    {f: func() bool { return grows() == 1 }, opts: []por.Option{por.Maps(sched.MapExplore)}, fails: true, says: "choose = 1"},
		"whether met or not":  {f: func() bool { return grows() > 0 }, opts: []por.Option{por.Maps(sched.MapExplore)}, says: "all 2 traces explored, none fails (exhaustive"},
		"fails in any case":   {f: func() bool { return grows() == 0 }, says: ""},
		"the library's order": {f: func() bool { sched.Assume(sched.AssumeMapOrder, "a range over a map by x.F"); return true }, says: "NOT exhaustive: maps are ranged over in one order (a range over a map by x.F, maps_test.go:"},
	} {
		x := &existingTB{outerTB: outerTB{TB: t, name: t.Name()}}
		withinTB(&x.outerTB, func(testing.TB) {
			por.Check(x, func(tb testing.TB) {
				new(sched.Mutex).Lock()
				if !test.f() {
					tb.Error("fails")
				}
			}, test.opts...)
		})
		errors := strings.Join(x.errors, "\n")
		text := errors + "\n" + strings.Join(x.logs, "\n")
		if (errors != "") != test.fails && name != "fails in any case" || !strings.Contains(text, test.says) {
			t.Errorf("%s: failures are %q, says %q", name, errors, text)
		}
		if name == "fails in any case" && strings.Contains(text, luck) {
			t.Errorf("%s: says %q", name, text)
		}
	}
}
