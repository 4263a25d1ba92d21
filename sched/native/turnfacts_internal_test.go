package native

import (
	"reflect"
	"testing"
)

type known struct{}

func (*known) Len() int  { return 0 }
func (*known) Size() int { return 0 }

type generic[T any] []T

func (generic[T]) Len() int { return 0 }

// TestIsAsked asks for methods of types that are among the facts, and for others.
func TestIsAsked(t *testing.T) {
	path := reflect.TypeFor[known]().PkgPath()
	defer delete(turnFacts, path)
	TurnFacts(path, "+known.Len generic.Len +Len")
	for _, c := range []struct {
		of   any
		name string
		want bool
	}{
		{new(known), "Len", true},
		{known{}, "Len", true},
		{new(known), "Size", false},
		{new(known), "Le", false},
		{generic[int]{}, "Len", true},
		{new(generic[map[string]int]), "Len", true},
		{new(generic[int]), "Cap", false},
		{struct{ *known }{}, "Len", false}, // which has no name
		{nil, "Len", true},
		{t, "Name", false},
	} {
		for range 2 { // the second one is known
			if got := isAsked(method{reflect.TypeOf(c.of), c.name}); got != c.want {
				t.Errorf("%T.%s: %t, want %t", c.of, c.name, got, c.want)
			}
		}
	}
}

func (known) Value() int { return 0 }

func looks() int { return 0 }

func acts() int { return 0 }

// TestIsLooking asks for functions that are among the facts, and for others.
func TestIsLooking(t *testing.T) {
	path := reflect.TypeFor[known]().PkgPath()
	defer delete(turnFacts, path)
	TurnFacts(path, "+known.Len +known.Value +generic.Len looks +func1 +TestIsLooking.func1")
	var none func() int
	literal := func() int { return 1 }
	for i, c := range []struct {
		f    func() int
		want bool
	}{
		{looks, true},
		{acts, false},
		{new(known).Len, true},
		{known{}.Value, true},
		{new(known).Size, false},
		{generic[int]{}.Len, true},
		{literal, false},
		{Looking(func() int { return 2 }), true},
		{none, true},
	} {
		for range 2 { // the second one is known
			if got := isLooking(reflect.ValueOf(c.f).Pointer()); got != c.want {
				t.Errorf("function %d: %t, want %t", i, got, c.want)
			}
		}
	}
}
