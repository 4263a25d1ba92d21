// Package signal is what rewritten code gets when it imports package os/signal. To a controlled goroutine come the
// signals that its execution sends, by syscall.Kill or os.Process.Signal, and none from outside.
package signal
