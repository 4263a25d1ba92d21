package por_test

import (
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// A failing Check prints what every goroutine did, step by step, and the command that runs
// exactly that execution again: with prints added, or in a debugger.
func ExampleCheck_replay() {
	por.Check(t, func() {
		var a, b sched.Mutex
		sched.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	})
	// Output:
	// por: deadlock by lock order: main and g1 wait for each other
	//     main waits in lock of a, held by g1 (example_replay_test.go:15)
	//         holds b since example_replay_test.go:14
	//     g1 waits in lock of b, held by main (example_replay_test.go:13)
	//         holds a since example_replay_test.go:13
	//
	// found in execution 2; a schedule with 1 preemption and 4 steps shows it (fewer preemptions do not show it):
	//
	//   step  main           g1
	//         go g1                         example_replay_test.go:13  sched.Go(func() { a.Lock(); b.Loc...
	//      0  lock b                        example_replay_test.go:14  b.Lock()
	//      1*                lock a         example_replay_test.go:13  sched.Go(func() { a.Lock(); b.Loc...
	//      2                 lock b, waits  example_replay_test.go:13  sched.Go(func() { a.Lock(); b.Loc...
	//      3  lock a, waits                 example_replay_test.go:15  a.Lock()
	//   * a preemption: the goroutine before could have gone on
	//
	// to replay it:
	//     POR_REPLAY=p1F7V15gACAAEAAwABAQIAAQC1DAwMDMeaWLk go test -run '^TestTransfer$' github.com/gopor/gopor/por
	// por: 2 executions explored in 1ms, a failure was found (optimal DPOR)
}
