// Package leaks compares what is called a leaked goroutine under control with what the runtime's profile goroutineleak says
// of the same program without control.
package leaks
