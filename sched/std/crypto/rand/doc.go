// Package rand takes the place of package crypto/rand in rewritten code. A controlled goroutine
// draws from a source of its own that is the same in every execution; that is noted as an
// assumption. Choices by Int from few numbers are explored with [sched.RandExplore].
package rand
