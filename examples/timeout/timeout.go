// Package timeout shows a mistake that only Go makes so easy: a goroutine sends
// its result to another one, which may have stopped waiting for it.
package timeout

import (
	"errors"
	"time"

	"github.com/gopor/gopor/sched"
)

// Errors of the functions of this package.
var (
	ErrTimeout = errors.New("timeout")
	ErrQuit    = errors.New("quit")
)

// Leaky returns the result of work, unless that takes longer than d or quit is
// closed before it is there. Then the goroutine that works waits for ever to
// send its result: no goroutine receives from the channel any more.
func Leaky(work func() int, d time.Duration, quit *sched.Chan[struct{}]) (int, error) {
	return await(sched.NewChan[int](0), work, d, quit)
}

// Clean does the same, with room for one result in the channel.
func Clean(work func() int, d time.Duration, quit *sched.Chan[struct{}]) (int, error) {
	return await(sched.NewChan[int](1), work, d, quit)
}

func await(result *sched.Chan[int], work func() int, d time.Duration, quit *sched.Chan[struct{}]) (int, error) {
	sched.Go(func() { result.Send(work()) })
	timer := sched.NewTimer(d)
	defer timer.Stop()
	var v int
	switch sched.Select(
		sched.RecvCase(result, &v, nil),
		sched.RecvCase(timer.C, nil, nil),
		sched.RecvCase(quit, nil, nil),
	) {
	case 0:
		return v, nil
	case 1:
		return 0, ErrTimeout
	default:
		return 0, ErrQuit
	}
}
