// Package runtime takes the place of package runtime in rewritten code. Under control Gosched
// and NumGoroutine concern controlled goroutines, and a goroutine is not locked to a thread.
// ReadMemStats reports the collections that the execution has requested. Finalizers and
// cleanups that an execution sets never run.
package runtime
