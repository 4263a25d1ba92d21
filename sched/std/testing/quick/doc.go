// Package quick takes the place of package testing/quick in rewritten code. A controlled
// goroutine gets values that are the same in every execution; that is noted as an assumption.
package quick
