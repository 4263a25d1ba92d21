package unfold

import (
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// TestCollect removes events, and with them what only they refer to.
func TestCollect(t *testing.T) {
	s := newStructure(defaultStep)
	add := func(g int32, h configuration, obj int32) id {
		e, fresh := s.find(g, 0, h)
		if !fresh {
			t.Fatalf("event %d was made before", e)
		}
		s.touch(e, s.objects.usesOf([]trace.Access{{Obj: obj, Mode: trace.ModeWrite}}))
		return e
	}
	empty := make(configuration, s.width)
	a := add(0, empty, 1)
	b := add(1, s.at(a), 3) // after a
	c := add(2, empty, 5)
	kept, lost := s.objects.identity(variable(3)), s.objects.identity(variable(5))
	s.actions[action{g: 3, parent: b}] = &acted{objects: []int32{s.objects.identity(variable(1))}}
	s.actions[action{g: 3, parent: c}] = &acted{objects: []int32{lost}}
	s.actions[action{g: 4, parent: b}] = &acted{objects: []int32{kept}, order: []id{c}}
	s.objects.unbind(0)

	s.collect([]id{b})
	if s.live != 2 || len(s.free) != 1 || s.free[0] != c {
		t.Errorf("%d events are live, and %v free", s.live, s.free)
	}
	if len(s.actions) != 1 {
		t.Errorf("%d actions are known, where one is of live events", len(s.actions))
	}
	if e, fresh := s.find(1, 0, s.at(a)); fresh || e != b {
		t.Errorf("event %d is found in the place of %d", e, b)
	}
	if o := s.objects.identity(variable(7)); o != lost {
		t.Errorf("a new object has identity %d, %d was free", o, lost)
	}
	if o := s.objects.identity(variable(9)); o == kept || o == lost {
		t.Errorf("two objects have identity %d", o)
	}
	if e := add(2, empty, 7); e != c {
		t.Errorf("a new event has number %d, %d was free", e, c)
	}
}
