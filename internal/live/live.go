// Package live counts the goroutines of the process that are controlled.
//
// It is a package of its own, with a variable, for the sake of rewritten code:
// the compiler inlines a function of package native into it, but not what that
// calls in a package which the code does not import.
package live

// Goroutines is how many there are. It is read and changed atomically.
var Goroutines int32
