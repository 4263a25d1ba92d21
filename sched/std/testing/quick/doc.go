// Package quick is what rewritten code gets when it imports package testing/quick. A
// controlled goroutine gets values that are the same in every execution, and that is
// noted.
package quick
