package native

import (
	"reflect"
	"testing"
)

type known struct{ asked bool }

func (*known) Len() int  { return 0 }
func (*known) Size() int { return 0 }

type generic[T any] struct{ of T }

func (generic[T]) Len() int { return 0 }

// TestIsAsked asks for methods of types that are among the facts, and of others.
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
