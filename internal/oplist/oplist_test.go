package oplist

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// TestOrder inserts and removes operations that are drawn, and compares with a list that is sorted.
func TestOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var ops []*trace.Op
	there := make(map[trace.ID]bool)
	for range 3000 {
		g := trace.ID(r.IntN(40))
		if there[g] {
			ops = Remove(ops, g)
		} else {
			ops = Insert(ops, &trace.Op{G: g})
		}
		there[g] = !there[g]
		var want, got []trace.ID
		for g, in := range there {
			if in {
				want = append(want, g)
			}
		}
		slices.Sort(want)
		for _, op := range ops {
			got = append(got, op.G)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("goroutines %v, want %v", got, want)
		}
	}
}

// TestKnownApart draws events and an operation. What is known to be apart depends on none of the
// events by the relation of engines. Operations with few objects are known to be, if they are.
func TestKnownApart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(objects int) *trace.Op {
		op := new(trace.Op)
		op.TouchNothing()
		for range r.IntN(4) {
			obj := int32(r.IntN(objects))
			if r.IntN(60) == 0 {
				obj = trace.Everything
			}
			op.TouchAlso(obj, []trace.Mode{trace.ModeRead, trace.ModeWrite, trace.ModeAll, trace.ModeLook}[r.IntN(4)])
		}
		return op
	}
	apart := 0
	for range 30000 {
		objects := []int{8, 300}[r.IntN(2)]
		var used Used
		op, depends := draw(objects), false
		shares := slices.ContainsFunc(op.Accesses(), func(a trace.Access) bool { return a.Obj < 0 })
		for range 1 + r.IntN(3) {
			ev := draw(objects)
			used.Add(ev)
			depends = depends || trace.Dependence.Dependent(ev.Accesses(), op.Accesses())
			for _, a := range ev.Accesses() {
				for _, b := range op.Accesses() {
					shares = shares || a.Obj < 0 || b.Obj < 0 || a.Obj == b.Obj && !(reads(a.Mode) && reads(b.Mode))
				}
			}
		}
		known := used.KnownApart(op)
		if known {
			apart++
		}
		if known && (depends || len(op.Accesses()) == 0) || objects == 8 && !known && !shares && len(op.Accesses()) > 0 {
			t.Fatalf("apart %v, dependent %v, shared %v: %v and %+v", known, depends, shares, op.Accesses(), used)
		}
		if lacks := used.KnownLacks(op); lacks && !known || known && !lacks && len(op.Accesses()) == 1 && !reads(op.Accesses()[0].Mode) {
			t.Fatalf("lacks %v, apart %v: %v and %+v", lacks, known, op.Accesses(), used)
		}
		if used.AddAll(); used.KnownApart(op) || used.KnownLacks(op) {
			t.Fatal("an operation is known to be apart from all")
		}
	}
	if apart < 3000 {
		t.Errorf("only %d are known to be apart", apart)
	}
}

// TestOnlyReads has one operation of each mode.
func TestOnlyReads(t *testing.T) {
	for m := range trace.Mode(trace.MaxModes) {
		var op trace.Op
		op.Touch(1, m)
		if want := m == trace.ModeRead || m == trace.ModeReadBytes || m == trace.ModeScan || m == trace.ModeLook; OnlyReads(&op) != want {
			t.Errorf("mode %d: %v, want %v", m, !want, want)
		}
		if trace.Dependence.Conflict(op.Accesses()[0], op.Accesses()[0]) && OnlyReads(&op) {
			t.Errorf("mode %d is dependent on itself", m)
		}
	}
}
