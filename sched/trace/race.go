package trace

import (
	"fmt"
	"strings"
)

// Race is a pair of accesses that no synchronisation orders, at least one of which writes.
type Race struct {
	// Object is the label of the accessed object.
	Object string
	// Later is the second access of the execution, Earlier the first.
	Later, Earlier RacingAccess
}

// RacingAccess is one of the accesses of a data race.
type RacingAccess struct {
	G    ID
	Name string // the goroutine's name in reports, such as "g1"
	Kind Kind   // of the operation or plain access; OpNone for an atomic operation
	Does string // "read", "write", "atomic read", "atomic write", "send", "close", "add" or "wait"
	// At is the line of the access. Calls are the calls that have led to it, innermost first,
	// with the called function as Func. Both are empty in an execution that is not recorded.
	At    Position
	Calls []Position `json:",omitempty"`
}

// String describes the race in a line.
func (r *Race) String() string {
	return fmt.Sprintf("%s of %s by %s races with %s by %s", r.Later.Does, r.Object, r.Later.Name, r.Earlier.Does, r.Earlier.Name)
}

// Details returns the positions of the accesses, "" if they are not recorded.
func (r *Race) Details() string {
	if r.Earlier.At.File == "" {
		return ""
	}
	return r.Later.details() + "\n" + r.Earlier.details()
}

func (a *RacingAccess) details() string {
	var b strings.Builder
	at := "a place that was not recorded"
	if a.At.File != "" {
		at = a.At.String()
	}
	fmt.Fprintf(&b, "%s by %s at %s", a.Does, a.Name, at)
	for _, c := range a.Calls {
		fmt.Fprintf(&b, "\n    in a call by %s at %v", c.Func[strings.LastIndex(c.Func, "/")+1:], c)
	}
	return b.String()
}
