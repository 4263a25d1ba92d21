package main

import (
	"fmt"

	"github.com/gopor/gopor/examples/semaphore"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched/trace"
)

const demoUsage = `usage: por demo

Finds the bug that the weighted semaphore of golang.org/x/sync had until March 2020,
replays it, and explores the fixed logic to the end.
`

// demo lets por find the bug of examples/semaphore, replays it, and has the
// fixed logic searched to the end. The status tells whether all of that came out
// as it should.
func demo(args []string, e command.Env) int {
	if len(args) > 0 {
		return e.Misused("demo takes no arguments: por help demo")
	}
	old, fixed := semaphore.Scenario(semaphore.NewOld), semaphore.Scenario(semaphore.New)
	oldName, fixedName := por.Name("por demo"), por.Name("por demo, fixed")

	fmt.Fprintln(e.Out, "1. The weighted semaphore of golang.org/x/sync as it was before March 2020")
	fmt.Fprintln(e.Out, "   (examples/semaphore): a reader holds it, a writer waits for all of it and")
	fmt.Fprintln(e.Out, "   gives up, another reader comes.")
	fmt.Fprintln(e.Out)
	found, err := por.Explore(old, oldName)
	if err != nil {
		return e.Failedf("the search could not be done: %v", err)
	}
	if len(found.Failures) != 1 || found.Failures[0].Kind != trace.FailDeadlock {
		return e.Failedf("the bug was not found: %s", found.Verdict)
	}
	bug := found.Failures[0]
	fmt.Fprintln(e.Out, bug.Report)

	fmt.Fprintln(e.Out, "\n2. The same schedule again, from the replay string alone:")
	fmt.Fprintln(e.Out)
	again, err := por.Explore(old, oldName, por.Replay(bug.Replay))
	if err != nil {
		return e.Failedf("the replay could not be done: %v", err)
	}
	if len(again.Failures) != 1 || again.Failures[0].Kind != bug.Kind || again.Failures[0].Msg != bug.Msg {
		return e.Failedf("the replay shows something else: %s", again.Verdict)
	}
	fmt.Fprintf(e.Out, "   %s\n   %v: %s, after %d steps: the same bug\n",
		bug.Replay, again.Failures[0].Kind, again.Failures[0].Msg, again.Failures[0].Steps)

	fmt.Fprintln(e.Out, "\n3. The fixed logic, under every schedule that matters:")
	fmt.Fprintln(e.Out)
	clean, err := por.Explore(fixed, fixedName)
	if err != nil {
		return e.Failedf("the search could not be done: %v", err)
	}
	fmt.Fprintf(e.Out, "   %s\n", clean.Verdict)
	if len(clean.Failures) > 0 || !clean.Exhaustive {
		return e.Failedf("the fixed logic should have been found to be right")
	}
	return command.OK
}
