package unfold

import (
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

func newObjects() *objects {
	t := new(objects)
	t.init()
	return t
}

// meets reports whether a use of one number may depend on a use of another.
func (t *objects) meets(x int32, m trace.Mode, y int32, n trace.Mode) bool {
	var a, b mask
	a.add(everyEvent)
	a.add(t.bit(x, m))
	b.add(everyEvent)
	b.add(t.bit(y, n))
	return t.meet(&a, &b, t.words())
}

// TestTwins unites objects with different numbers: what depends on the one depends on
// the other from then on, in modes that were met before and in new ones.
func TestTwins(t *testing.T) {
	o := newObjects()
	ids := []int32{o.identity(variable(1)), o.identity(variable(3)), o.identity(variable(5)), o.identity(variable(7))}
	for _, number := range []int32{1, 3, 5} {
		o.bit(number, trace.ModeWrite)
	}
	if o.meets(1, trace.ModeWrite, 3, trace.ModeWrite) {
		t.Error("writes of two objects may depend on each other")
	}
	o.unite(ids[0], ids[1])
	o.unite(ids[2], ids[3])
	o.unite(ids[1], ids[2])
	for _, x := range []int32{1, 3, 5, 7} {
		for _, y := range []int32{1, 3, 5, 7, 9} {
			if got, want := o.meets(x, trace.ModeWrite, y, trace.ModeRead), y != 9; got != want {
				t.Errorf("a write of %d and a read of %d may depend: %v", x, y, got)
			}
			if got, want := o.meets(x, trace.ModeWrite, y, trace.ModeWrite), y != 9; got != want {
				t.Errorf("a write of %d and a write of %d may depend: %v", x, y, got)
			}
			if o.meets(x, trace.ModeRead, y, trace.ModeRead) {
				t.Errorf("a read of %d and a read of %d may depend", x, y)
			}
		}
	}
	write := func(i int) []use { return []use{{object: ids[i], mode: trace.ModeWrite}} }
	if !o.dependent(write(0), write(3)) {
		t.Error("writes of one object, by two identities, are independent")
	}
	if o.dependent(write(0), []use{{object: o.identity(variable(9)), mode: trace.ModeWrite}}) {
		t.Error("writes of two objects depend on each other")
	}
}

// TestEverything sees to it that what uses everything depends on what uses nothing.
func TestEverything(t *testing.T) {
	o := newObjects()
	var all, none mask
	all.add(everyEvent)
	all.add(wholeProgram)
	none.add(everyEvent)
	if !o.meet(&all, &none, o.words()) || !o.meet(&none, &all, o.words()) || o.meet(&none, &none, o.words()) {
		t.Error("masks: what uses everything depends on everything, and nothing else does")
	}
	everything := []use{{}}
	if !o.dependent(everything, nil) || !o.dependent(nil, everything) || o.dependent(nil, nil) {
		t.Error("what uses everything depends on everything, and nothing else does")
	}
}

// TestUnbind takes the identities of late objects back, and keeps those of others.
func TestUnbind(t *testing.T) {
	o := newObjects()
	lasting, early, late := o.identity(variable(2)), o.identity(variable(1)), o.identity(variable(11))
	o.unbind(5)
	if o.identity(variable(2)) != lasting || o.identity(variable(1)) != early || o.identity(variable(11)) == late {
		t.Error("identities of a lasting object, an early one or a late one are wrong")
	}
}

// variable returns the use of an object that is no memory known by address.
func variable(obj int32) trace.Access { return trace.Access{Obj: obj, Mode: trace.ModeWrite} }

// TestBytes finds the bytes of memory again in another execution, where they are
// divided into objects in another way.
func TestBytes(t *testing.T) {
	o := newObjects()
	write := func(obj, mask int32) trace.Access {
		return trace.Access{Obj: obj, Idx: mask, Mode: trace.ModeWriteBytes}
	}
	uses := func(as ...trace.Access) []use { u := o.usesOf(o.byteByByte(as)); return u.list() }
	all, low := uses(write(1, 0b1111)), uses(write(1, 0b0011))
	o.unbind(0)
	o.bindAll(low, o.byteByByte([]trace.Access{write(1, 0b11)}))
	o.bindAll(all, o.byteByByte([]trace.Access{write(1, 0b11), write(3, 0b11)}))
	high, first := uses(write(3, 0b11)), uses(write(1, 0b01))
	for _, test := range []struct {
		name      string
		a, b      []use
		dependent bool
	}{
		{"the whole and the second half", all, high, true},
		{"the halves", low, high, false},
		{"the first half and the first byte", low, first, true},
	} {
		if o.dependent(test.a, test.b) != test.dependent {
			t.Errorf("%s: dependent is not %v", test.name, test.dependent)
		}
	}
}
