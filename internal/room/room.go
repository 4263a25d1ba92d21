// Package room makes room in the lists of long executions.
package room

// ForOne returns a list with room for one more.
//
// A list of some length gets eight times the room. What is not in use of it is memory that the
// process has never touched, so it costs nothing as a rule. A copy of a list touches the memory of
// both, for which the system has to find pages. With twice the room, about a third of the time of
// an execution of 80,000 steps went there. Still longer lists get twice the room, since limits of
// memory count what is not in use, too.
func ForOne[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return enlarge(list)
}

const (
	long    = 1 << 10
	longest = 1 << 17
)

// enlarge returns a list with more room, where append would copy a long one five times. It does
// without package slices: in a test under control that is code of the test's, which announces what
// it accesses.
func enlarge[T any](list []T) []T {
	times := 2
	if n := len(list); long <= n && n < longest {
		times = 8
	}
	return append(make([]T, 0, times*len(list)+16), list...)
}
