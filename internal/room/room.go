// Package room makes room in the lists of long executions.
package room

// ForOne returns a list with room for one more. It doubles the room of a full list, where append
// would copy a long one five times. The code of package slices is not used: in a test under control
// that is code of the test's, which announces what it accesses.
func ForOne[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return append(make([]T, 0, 2*len(list)+16), list...)
}
