// Package live counts the goroutines of the process that are controlled.
//
// It is a package of its own, with a variable, for rewritten code: the compiler inlines a generic
// function of package access into that code, but not always a function that it calls in a package
// that the code does not import, such as [On].
package live

// Goroutines is the number of controlled goroutines. It must be accessed atomically.
var Goroutines int32
