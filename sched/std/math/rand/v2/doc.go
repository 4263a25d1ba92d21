// Package rand takes the place of package math/rand/v2 in rewritten code. Under control every
// goroutine draws from a source of its own, which is the same in every execution. Goroutines do
// not notice draws of each other, so the numbers of one must not depend on the draws of others.
// With [sched.RandExplore], IntN and the like choose from few numbers instead.
package rand
