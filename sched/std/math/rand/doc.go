// Package rand takes the place of package math/rand in rewritten code. Under control every
// goroutine draws from a source of its own, which is the same in every execution. Goroutines do
// not notice draws of each other, so the numbers of one must not depend on the draws of others.
// Seed concerns the calling goroutine only. With [sched.RandExplore], Intn and the like choose
// from few numbers instead.
package rand
