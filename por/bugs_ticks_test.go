package por

import (
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// buggyWorker has a worker that takes ticks, whom nobody ends, beside one that comes to its end.
func buggyWorker() {
	var stopped sched.Bool
	worker := sched.Go(func() {
		tick := sched.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for loop := int32(0); ; {
			loop = hook.Turn(1, nil, loop)
			tick.C.Drop()
			if stopped.Load() {
				return
			}
		}
	})
	sched.Go(func() { sched.Sleep(25 * time.Millisecond) }).Join()
	worker.Join()
}
