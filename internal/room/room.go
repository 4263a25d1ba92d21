// Package room makes room in the lists of long executions.
package room

// ForOne returns a list with room for one more.
func ForOne[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return double(list)
}

// double returns a list with twice the room, where append would copy a long one five times. It does
// without package slices: in a test under control that is code of the test's, which announces what
// it accesses.
func double[T any](list []T) []T {
	return append(make([]T, 0, 2*len(list)+16), list...)
}
