// Package rand is what rewritten code gets when it imports package math/rand.
// Under control every goroutine draws from a source of its own, which is the
// same in every execution: drawing is not something that goroutines notice of
// each other, so one's numbers cannot depend on how many others have drawn. Seed
// is about the calling goroutine only. With [sched.RandExplore], Intn and its likes
// choose from few numbers instead.
package rand
