// Package iter is what rewritten code gets when it imports package iter. Under
// control the sequence that is pulled runs in a controlled goroutine.
package iter
