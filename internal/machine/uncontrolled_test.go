package machine

import (
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/sole"
	"github.com/gopor/gopor/internal/stack"
)

// opened returns the Presence of an execution that goes on.
func opened(t *testing.T) *Presence {
	p := new(Presence)
	p.List()
	t.Cleanup(p.Resign)
	p.Open()
	return p
}

// TestOutsidersOfSeveral has two executions end, in either order: what others did is remembered until the last one has.
func TestOutsidersOfSeveral(t *testing.T) {
	p := unsafe.Pointer(new(uint64))
	for first := range 2 {
		both := []*Presence{opened(t), opened(t)}
		Outside(p, false, true)
		both[first].Shut()
		both[first].Shut() // which counts once
		if OutsiderAt(p) == nil {
			t.Error("forgotten while an execution goes on")
		}
		both[1-first].Shut()
		if OutsiderAt(p) != nil || Outsiders.Uses.Load() != 0 {
			t.Error("remembered when none does")
		}
		if Outside(p, false, true); OutsiderAt(p) != nil {
			t.Error("noted while none goes on")
		}
	}
}

// TestOutsidersCollide keeps what two addresses of one slot stand for, and counts what the
// table has no room for.
func TestOutsidersCollide(t *testing.T) {
	memory := new([4096]uint64)
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&memory[i]) }
	other := 1
	for outsiderSlot(at(other), 0) != outsiderSlot(at(0), 0) {
		other++
	}
	open := opened(t)
	Outside(at(0), false, true)
	Outside(at(0), false, true)
	if OutsiderAt(at(other)) != nil {
		t.Error("what nobody has used was used")
	}
	Outside(at(other), false, true)
	for _, i := range []int{0, other} {
		if u := OutsiderAt(at(i)); u == nil || u.P != at(i) || u.N == 0 {
			t.Errorf("%d: %v", i, u)
		}
	}
	if n := Outsiders.Uses.Load(); n != 2 {
		t.Errorf("%d uses", n)
	}
	for i := range memory {
		Outside(at(i), false, true)
	}
	if uses, lost := int(Outsiders.Uses.Load()), int(Outsiders.Lost.Load()); uses != len(Outsiders.Table) || uses+lost != len(memory) {
		t.Errorf("%d uses and %d lost of %d", uses, lost, len(memory))
	}
	for i := range memory {
		if !OutsiderMayHave(at(i)) {
			t.Fatalf("%d was not used, as far as is known", i)
		}
	}
	open.Shut()
	if OutsiderMayHave(at(0)) || OutsiderAt(at(0)) != nil || Outsiders.Lost.Load() != 0 {
		t.Error("something is left")
	}
}

// TestDriversThatWere does not take a goroutine for a driver for having its number.
func TestDriversThatWere(t *testing.T) {
	p := new(Presence)
	p.Enter(1 << 40)
	if !sole.Drives(stack.Descriptor()) {
		t.Error("who runs an execution is no driver")
	}
	p.Leave()
	if sole.Drives(stack.Descriptor()) {
		t.Error("whoever has the number of one who ran an execution is a driver")
	}
	p.Resign()
}
