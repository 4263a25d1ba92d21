// Package signal takes the place of package os/signal in rewritten code. A controlled goroutine
// receives the signals that its execution sends, by syscall.Kill or os.Process.Signal, and none
// from outside.
package signal
