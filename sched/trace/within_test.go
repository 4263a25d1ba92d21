package trace_test

import (
	"slices"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// TestPushWithin has a write by three goroutines: of the program, and twice of a library. A race of
// the library with itself is no race, and orders the events all the same.
func TestPushWithin(t *testing.T) {
	hb := trace.NewTracker(trace.Dependence)
	x := []trace.Access{{Obj: 2, Mode: trace.ModeWrite}}
	y := []trace.Access{{Obj: 4, Mode: trace.ModeWrite}}
	both := append(slices.Clone(x), y...)
	hb.Push(0, x, nil)
	if left := hb.PushWithin(1, y, nil); len(left) != 0 {
		t.Errorf("the first one leaves %v", left)
	}
	left := hb.PushWithin(2, both, nil)
	if !slices.Equal(left, []int32{1}) || !slices.Equal(hb.Races(2), []int32{0}) {
		t.Errorf("left %v and races %v, want [1] and [0]", left, hb.Races(2))
	}
	if !hb.Before(1, 2) || !hb.Before(0, 2) || hb.Before(0, 1) || hb.Latest(2) != 1 || hb.Latest(1) != -1 {
		t.Error("the order is another one")
	}
	hb.Pop(2)
	hb.Push(2, both, nil)
	if !slices.Equal(hb.Races(2), []int32{1, 0}) {
		t.Errorf("races %v with the program, want [1 0]", hb.Races(2))
	}
	hb.Pop(2)
	hb.Push(2, y, nil)
	if left := hb.PushWithin(3, both, nil); len(left) != 0 || !slices.Equal(hb.Races(3), []int32{2, 0}) {
		t.Errorf("left %v and races %v, want [] and [2 0]", left, hb.Races(3))
	}
}
