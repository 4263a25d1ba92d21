// Package runtime is what rewritten code gets when it imports package runtime.
// Under control Gosched and NumGoroutine are about controlled goroutines, and a
// goroutine is not locked to a thread. ReadMemStats tells of those collections that the
// execution has asked for. Finalizers and cleanups that an execution
// asks for never run.
package runtime
