package trace

import (
	"errors"
	"fmt"
	"hash/maphash"
)

// Keyed is a [Program] that can name the states of its executions, which is optional.
// Engines that recognise states need it; package por says which.
//
// Two states with one key have the same future: the same operations are pending, with
// the same alternatives, and the same choices lead to states that have one key again,
// and to the same outcome. What a state is in which nothing is pending is part of that,
// so its key tells how the execution ends. The converse is not promised: a program may
// have several keys for what is one state.
//
// An operation that is pending in states with one key uses the same objects there, in
// the same modes, by the names that [Keyed.ObjectName] gives them.
type Keyed interface {
	Program
	// KeyStates has the executions that are started from now on know their keys, until
	// it is called with nil. The error is a [*UnkeyedError] if the program cannot name
	// its states like that.
	KeyStates(*Keying) error
	// AppendKey appends the key of the state of the execution that lives. The error is a
	// [*UnkeyedError] if there is something in the state that has no name, and [ErrRenamed] if keys are
	// others from the next execution on. It takes time linear in the size of the state.
	AppendKey(b []byte) ([]byte, error)
	// ObjectName returns a number of an object of the execution that lives, by which it is known
	// in all executions since KeyStates was called. If it is another one later in the execution,
	// SameObject says so. What is below 0, such as [Everything], is no object, and returned as it is.
	ObjectName(obj int32) int32
	// SameObject reports whether two names are of one object. Names may come to be so.
	SameObject(a, b int32) bool
}

// KeyedProgram returns the program that can name the states of p's executions: p, or what
// p wraps and returns by a method Unwrap.
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

// Keying says how states are told apart.
type Keying struct {
	// Tracked promises that goroutines share nothing but by operations that are events, and
	// tell each other nothing but by what these return: all memory that they share is atomic
	// or explored. Without, what a goroutine has come to know by synchronising is part of the
	// state, so that it may have been told anything in plain memory. That is sound for
	// programs without data races, and makes many more states. It means nothing to a
	// transition system that knows its states.
	Tracked bool
	// Exact has keys that are never equal by chance: nothing in them is a hash. It takes more
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

// ErrRenamed says that something was learnt of a program for which the keys that were known so far are too
// few. They are no good any more, but for those of states in which nothing is pending; executions that are started
// from now on have others.
var ErrRenamed = errors.New("states have other names from now on")

// UnkeyedError says that a program cannot name its states, and because of what.
type UnkeyedError struct{ What string }

func (e *UnkeyedError) Error() string { return "states have no names: " + e.What }

// Unkeyed returns an error that says so of what.
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

// HashKey returns the hash of b, another one in every process.
func HashKey(b []byte) Key {
	return Key{maphash.Bytes(keySeeds[0], b), maphash.Bytes(keySeeds[1], b)}
}
