// Package rand is what rewritten code gets when it imports package crypto/rand. A
// controlled goroutine draws from a source of its own that is the same in every
// execution, and that is noted. Choices from few, by Int, are explored if
// [sched.RandExplore] asks for that.
package rand
