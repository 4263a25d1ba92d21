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
	//         por_test.ExampleCheck_replay.func1  example_replay_test.go:14  b.Lock()     holds b
	//         por_test.ExampleCheck_replay.func1  example_replay_test.go:15  a.Lock()  <- wants a
	//     g1 waits in lock of b, held by main (example_replay_test.go:13)
	//         por_test.ExampleCheck_replay.func1.1  example_replay_test.go:13     holds a
	//         por_test.ExampleCheck_replay.func1.1  example_replay_test.go:13  <- wants b
	//
	// found in execution 2: 1 preemption (fewer do not show it), 4 steps:
	//
	//   step  main                  g1
	//      0  lock b                                        example_replay_test.go:14  b.Lock()
	//      1*                       lock a                  example_replay_test.go:13  sched.Go(fun...
	//      2                        lock b, waits for main  example_replay_test.go:13  sched.Go(fun...
	//      3  lock a, waits for g1                          example_replay_test.go:15  a.Lock()
	//   * a preemption: the goroutine before could have gone on
	//
	// to replay it:
	//     POR_REPLAY=p1F7V15gACAAEAAwABAQIAAQAKDAwMDFUNx3w go test -run '^TestTransfer$' github.com/gopor/gopor/por
	// por: 2 executions explored in 1ms, a failure was found (optimal DPOR)
}
