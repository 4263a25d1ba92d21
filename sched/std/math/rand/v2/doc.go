// Package rand is what rewritten code gets when it imports package math/rand/v2.
// Under control every goroutine draws from a source of its own, which is the
// same in every execution: drawing is not something that goroutines notice of
// each other, so one's numbers cannot depend on how many others have drawn. With
// [sched.RandExplore], IntN and its likes choose from few numbers instead.
package rand
