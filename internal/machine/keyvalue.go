package machine

import "github.com/gopor/gopor/internal/asbytes"

// valued is an object that holds a Go value.
type valued interface{ value() any }

// value returns the identity of a value that the event by has written: of the value, if
// it is plain data.
func (k *Keys) value(v any, by identity) identity {
	if b, ok := asbytes.Append(make([]byte, 0, 32), v); ok {
		return k.identify(append(b, 'v'))
	}
	return k.writtenBy(by)
}

// writtenBy returns the identity of a value that is known by the event that has written it.
func (k *Keys) writtenBy(by identity) identity {
	if by == loops {
		k.lacks("a value that is not plain data, of a goroutine that has called sched.Loop")
	}
	return k.identify(append(by.append(make([]byte, 0, 32)), 'w'))
}
