package signal

import "os"

// signalError is the cause of a context that a signal has cancelled.
type signalError string

func (e signalError) Error() string { return string(e) }

func cause(s os.Signal) error { return signalError(s.String() + " signal received") }
