// Package iter takes the place of package iter in rewritten code. Under control a pulled
// sequence runs in a controlled goroutine.
package iter
