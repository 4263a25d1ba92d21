package trace

import (
	"errors"
	"fmt"
	"hash/maphash"
)

// Keyed is a [Program] that can name the states of its executions, which is optional. Engines
// that recognise states need it; package por lists them.
//
// Two states with one key have the same future: the same operations are pending, with the same
// alternatives, and the same choices lead to states with one key again, and to the same
// outcome. That includes the outcome of a state in which nothing is pending, so its key
// determines how the execution ends. The converse is not promised: a program may have several
// keys for one state.
//
// An operation that is pending in states with one key uses the same objects there, in the same
// modes, by the names of [Keyed.ObjectName].
type Keyed interface {
	Program
	// KeyStates makes the executions that are started from now on know their keys, until it is
	// called with nil. It returns a [*UnkeyedError] if the program cannot name its states that
	// way.
	KeyStates(*Keying) error
	// AppendKey appends the key of the state of the live execution. It returns a
	// [*UnkeyedError] if a part of the state has no name, and [ErrRenamed] if keys change from
	// the next execution on. It takes time linear in the size of the state.
	AppendKey(b []byte) ([]byte, error)
	// ObjectName returns the name of an object of the live execution, a number that is valid in
	// all executions since KeyStates was called. If the name changes later in the execution,
	// SameObject reports that. Numbers below 0, such as [Everything], are not objects, and
	// returned unchanged.
	ObjectName(obj int32) int32
	// SameObject reports whether two names are of one object. That may become true later.
	SameObject(a, b int32) bool
}

// KeyedProgram returns the program that can name the states of p's executions: p, or a program
// that p wraps and returns by a method Unwrap.
func KeyedProgram(p Program) (Keyed, bool) {
	for {
		if k, ok := p.(Keyed); ok {
			return k, true
		}
		w, ok := p.(interface{ Unwrap() Program })
		if !ok {
			return nil, false
		}
		p = w.Unwrap()
	}
}

// Keying says how states are distinguished.
type Keying struct {
	// Tracked promises that goroutines share state only by operations that are events, and
	// learn from each other only by the results of these: all memory that they share is atomic
	// or explored. Without it, what a goroutine has come to know by synchronising is part of
	// the state, so that it may have learnt anything from plain memory. That is sound for
	// programs without data races, and makes many more states. Transition systems that know
	// their states ignore Tracked.
	Tracked bool
	// Exact makes keys that are never equal by chance: they have no hashes. It takes more
	// memory.
	Exact bool
}

func (k Keying) String() string {
	mode := "by what goroutines have done and learnt from each other"
	if k.Tracked {
		mode = "by what the operations of goroutines have returned"
	}
	if k.Exact {
		return mode + ", compared exactly"
	}
	return mode + ", compared by hashes of 128 bits"
}

// ErrRenamed says that the program has learnt something that makes the keys so far
// insufficient. They are invalid, except for those of states in which nothing is pending.
// Executions that are started from now on have other keys.
var ErrRenamed = errors.New("states have other names from now on")

// UnkeyedError says that a program cannot name its states, and why.
type UnkeyedError struct{ What string }

func (e *UnkeyedError) Error() string { return "states have no names: " + e.What }

// Unkeyed returns an UnkeyedError with a reason.
func Unkeyed(format string, args ...any) error {
	return &UnkeyedError{fmt.Sprintf(format, args...)}
}

// IsUnkeyed reports whether err says that states have no names.
func IsUnkeyed(err error) bool {
	var e *UnkeyedError
	return errors.As(err, &e)
}

// Key is a hash of 128 bits.
type Key [2]uint64

var keySeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// HashKey returns the hash of b, which differs in every process.
func HashKey(b []byte) Key {
	return Key{maphash.Bytes(keySeeds[0], b), maphash.Bytes(keySeeds[1], b)}
}
