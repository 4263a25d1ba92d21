package sched_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// anyMap is what sched.Map and sync.Map have in common.
type anyMap interface {
	Store(k, v any)
	Delete(k any)
	Clear()
	Range(func(k, v any) bool)
}

// keysOf returns what a Range visits, calling during first.
func keysOf(m anyMap, during func()) string {
	var l []string
	m.Range(func(k, v any) bool {
		if l = append(l, fmt.Sprint(k, v)); len(l) == 1 {
			during()
		}
		return true
	})
	return strings.Join(l, " ")
}

// alterations are made by the function of a Range over a: 1 and b: 1, the first time.
var alterations = map[string]struct {
	want string // that may be visited
	do   func(m anyMap)
}{
	"delete": {"a1 | b1", func(m anyMap) { m.Delete("a"); m.Delete("b") }},
	"change": {"a1 b2 | b1 a2", func(m anyMap) { m.Store("a", 2); m.Store("b", 2) }},
	"clear":  {"a1 b1 | b1 a1", func(m anyMap) { m.Clear(); m.Store("a", 2); m.Store("b", 2); m.Store("c", 2) }},
	"store":  {"a1 b1 | a1 b1 c2 | a1 c2 b1 | b1 a1 | b1 a1 c2 | b1 c2 a1", func(m anyMap) { m.Store("c", 2) }},
	"again": {"a1 b2 | b1 a2 | a1 | b1", func(m anyMap) {
		m.Delete("a")
		m.Delete("b")
		m.Store("a", 2)
		m.Store("b", 2)
	}},
}

func altered(m anyMap, do func(anyMap)) string {
	m.Store("a", 1)
	m.Store("b", 1)
	return keysOf(m, func() { do(m) })
}

// TestRangeAltered holds Range against that of package sync: everything that this
// shows is explored, with the finer model, and with the usual one what has the usual
// order.
func TestRangeAltered(t *testing.T) {
	for name, a := range alterations {
		want := strings.Split(a.want, " | ")
		slices.Sort(want)
		native := map[string]bool{}
		for range 2000 {
			native[altered(new(sync.Map), a.do)] = true
		}
		f := func() string { return altered(new(sched.Map), a.do) }
		fine := closures.Exact(t, exec.Options{Model: sched.ModelRange}, f)
		if fine.List() != strings.Join(want, " | ") {
			t.Errorf("%s: got %s, want %s", name, fine.List(), a.want)
		}
		for o := range native {
			if !fine.Outcomes[o] {
				t.Errorf("%s: package sync shows %s", name, o)
			}
		}
		usual := closures.Exact(t, exec.Options{}, f)
		if l := usual.List(); len(usual.Outcomes) != 1 || !fine.Outcomes[l] || l[0] != 'a' || strings.Contains(l, "c") {
			t.Errorf("%s: usually it visits %s", name, l)
		}
	}
}

// TestRangeSteps has a Range beside others that change the map.
func TestRangeSteps(t *testing.T) {
	two := func() *sched.Map {
		m := new(sched.Map)
		m.Store("a", 1)
		m.Store("b", 1)
		return m
	}
	for _, p := range []struct {
		name, usual, fine string
		f                 func() string
	}{
		// One key is visited though it was deleted before the other, which is not.
		{"deleted", " | a1 | a1 b1 | b1", " | a1 | a1 b1 | b1 | b1 a1", func() string {
			m := two()
			sched.Go(func() { m.Delete("a"); m.Delete("b") })
			return keysOf(m, func() {})
		}},
		{"changed", "a1 b1 | a1 b2 | a2 b1 | a2 b2", "a1 b1 | a1 b2 | a2 b1 | a2 b2 | b1 a1 | b1 a2 | b2 a2", func() string {
			m := two()
			sched.Go(func() { m.Store("a", 2); m.Store("b", 2) })
			return keysOf(m, func() {})
		}},
		{"stored", " | a1", " | a1", func() string {
			m := new(sched.Map)
			sched.Go(func() { m.Store("a", 1) })
			return keysOf(m, func() {})
		}},
		// The later key is seen, the earlier one is not.
		{"stored in order", " | a1 | a1 b1", " | a1 | a1 b1 | b1 | b1 a1", func() string {
			m := new(sched.Map)
			sched.Go(func() { m.Store("a", 1); m.Store("b", 1) })
			return keysOf(m, func() {})
		}},
	} {
		if got := closures.Exact(t, exec.Options{}, p.f); got.List() != p.usual {
			t.Errorf("%s: got %s, want %s", p.name, got.List(), p.usual)
		}
		if got := closures.Exact(t, exec.Options{Model: sched.ModelRange}, p.f); got.List() != p.fine {
			t.Errorf("%s: with the finer model got %s, want %s", p.name, got.List(), p.fine)
		}
	}
}

// TestRangeAssumed has what the usual Range takes for granted.
func TestRangeAssumed(t *testing.T) {
	for want, do := range map[string]func(m *sched.Map){
		"":            func(m *sched.Map) { m.Delete("b"); keysOf(m, func() {}) },
		"map order: ": func(m *sched.Map) { keysOf(m, func() {}) },
		"model: ":     func(m *sched.Map) { m.Delete("b"); keysOf(m, func() { m.Store("b", 1) }) },
	} {
		f := func() {
			m := new(sched.Map)
			m.Store("a", 1)
			m.Store("b", 1)
			do(m)
		}
		a := assumed(t, exec.Options{}, f)
		if !strings.HasPrefix(a, want) || (a == "") != (want == "") || want != "" && !strings.Contains(a, "maprange_test.go") {
			t.Errorf("%q is assumed, want %s", a, want)
		}
		if a := assumed(t, exec.Options{Model: sched.ModelRange}, f); a != "" {
			t.Errorf("with the finer model %q is assumed", a)
		}
	}
}

// TestMapFootprint changes a value on which a pending CompareAndDelete depends: that
// takes no access to the set of keys away from it, which the change does not have.
func TestMapFootprint(t *testing.T) {
	c := exec.New(func() {
		var m sched.Map
		m.Store(1, 3)
		sched.Go(func() { m.CompareAndDelete(1, 3) })
		sched.Go(func() { m.Store(1, 1) })
	}, exec.Options{})
	defer c.Shutdown()
	run := c.Start()
	defer run.Close()
	keys := func(op *trace.Op) bool {
		return slices.ContainsFunc(op.Accesses(), func(a trace.Access) bool { return a.Mode == trace.ModeKeyWrite })
	}
	if _, err := run.Step(trace.Choice{G: run.Pending()[0].G}); err != nil {
		t.Fatal(err)
	}
	ops := run.Pending()
	if len(ops) != 2 || !keys(ops[0]) || keys(ops[1]) {
		t.Fatalf("pending are %v", ops)
	}
	if _, err := run.Step(trace.Choice{G: ops[1].G}); err != nil {
		t.Fatal(err)
	}
	if ops = run.Pending(); len(ops) != 1 || !keys(ops[0]) {
		t.Errorf("pending is %v", ops)
	}
}
