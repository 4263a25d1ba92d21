package signal

import "os"

// signalError is why a signal has cancelled a context.
type signalError string

func (e signalError) Error() string { return string(e) }

func cause(s os.Signal) error { return signalError(s.String() + " signal received") }
