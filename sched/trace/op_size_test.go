package trace

import (
	"slices"
	"testing"
	"unsafe"
)

// TestSizes keeps what is copied at every step from growing.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("for words of 64 bits")
	}
	for _, x := range []struct {
		name      string
		size, max uintptr
	}{{"Op", unsafe.Sizeof(Op{}), 72}, {"Event", unsafe.Sizeof(Event{}), 112}, {"event", unsafe.Sizeof(event{}), 48}, {"link", unsafe.Sizeof(link{}), 20}} {
		if x.size > x.max {
			t.Errorf("%s has %d bytes; every step copies it, or keeps one, so it has no more than %d", x.name, x.size, x.max)
		}
	}
}

// TestAccesses has the accesses of an operation set, added to and taken away in every number, and a
// copy of it keep what it had.
func TestAccesses(t *testing.T) {
	var o Op
	for n := range 6 {
		var want []Access
		for i := range n {
			want = append(want, Access{Obj: int32(2 * i), Idx: int32(n), Mode: ModeRead})
		}
		o.SetAccesses(want...)
		if got := o.Accesses(); !slices.Equal(got, want) {
			t.Fatalf("%d are set: %v", n, got)
		}
		kept := o
		o.TouchAlso(100, ModeAll)
		if got := o.Accesses(); !slices.Equal(got, append(slices.Clone(want), Access{Obj: 100, Mode: ModeAll})) {
			t.Fatalf("%d are set and one is added: %v", n, got)
		}
		if got := kept.Accesses(); !slices.Equal(got, want) {
			t.Fatalf("a copy with %d has, after one was added to the original: %v", n, got)
		}
		o.ShareAccesses(want)
		if got := o.Accesses(); !slices.Equal(got, want) {
			t.Fatalf("%d are shared: %v", n, got)
		}
		if o.TouchNothing(); len(o.Accesses()) != 0 {
			t.Fatalf("%d are set and taken away: %v", n, o.Accesses())
		}
		o.Touch(7, ModeWrite)
		if got := o.Accesses(); !slices.Equal(got, []Access{{Obj: 7, Mode: ModeWrite}}) {
			t.Fatalf("one takes the place of %d: %v", n, got)
		}
	}
}
