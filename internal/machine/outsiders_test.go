package machine

import (
	"testing"
	"unsafe"
)

// TestOutsidersCollide keeps what two addresses of one slot stand for, and counts what the
// table has no room for.
func TestOutsidersCollide(t *testing.T) {
	memory := new([4096]uint64)
	at := func(i int) unsafe.Pointer { return unsafe.Pointer(&memory[i]) }
	other := 1
	for outsiderSlot(at(other), 0) != outsiderSlot(at(0), 0) {
		other++
	}
	EnterOutsiders()
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
	LeaveOutsiders()
	if OutsiderAt(at(0)) != nil || Outsiders.Lost.Load() != 0 {
		t.Error("something is left")
	}
}

// TestDriversThatWere does not take a goroutine for a driver for having its number.
func TestDriversThatWere(t *testing.T) {
	p := new(Presence)
	p.Enter(1 << 40)
	if !drives(getg()) {
		t.Error("who runs an execution is no driver")
	}
	p.Leave()
	if drives(getg()) {
		t.Error("whoever has the number of one who ran an execution is a driver")
	}
	p.Resign()
}
