// Package por runs a test closure under every schedule that matters, and tells
// either how much it has covered or the shortest schedule found that fails.
//
//	func TestTransfer(t *testing.T) {
//		por.Check(t, func(t testing.TB) {
//			var mu sched.Mutex
//			...
//		})
//	}
//
// [Check] is for tests, [Explore] for everything else, and [ExploreProgram] for
// transition systems that are no Go closures. All nondeterminism of a closure
// comes from the primitives of package sched; between two operations on them a
// goroutine runs alone.
//
// # Engines
//
// An engine decides which executions are run. [Optimal], the default, runs one of
// every Mazurkiewicz trace, that is of every class of executions that differ only
// in the order of independent operations; [Source] and [DPOR] do so too, but
// start executions that they give up. [DFS] runs every interleaving. [Random],
// [PCT] and [POS] draw executions at random, for closures too large to exhaust;
// [Hunt], which [Budget] asks for, goes bound by bound first. Package bpor has
// engines of bounded exploration.
// Engines are values, and any [sched.Engine] can take their place.
//
// # What a verdict means
//
// "all 1,680 traces explored, none fails (exhaustive; ...)" is a proof, for the
// closure as it is and up to the step limit. Everything else says "NOT
// exhaustive", and which limit ended the search. Check has a limit of ten seconds
// by default, one under -short, and stops before the deadline that -timeout sets.
// A search that a limit has ended passes the test unless [Exhaustive] is given.
//
// # Failures
//
// A failing execution is minimised to few preemptions (moments in which another
// goroutine moves although the one before could have gone on), then to few steps;
// its report shows what every goroutine did, line by line, and ends with a
// command such as
//
//	POR_REPLAY=p1CD_4QAACAAEAAwABAQIAAQAKCgoK10GKFw go test -run '^TestTransfer$' example.org/bank
//
// which runs exactly that schedule. A Check for which the schedule is not meant
// is skipped under POR_REPLAY. When the program has changed so that the schedule
// no longer fits, the replay says at which step; with POR_REPLAY_LENIENT=1 it goes
// on past that.
//
// # What cannot be controlled
//
// An execution that waits for something outside package sched (a channel of the
// language, the network), or that loops without performing operations, makes no
// progress. After the time of the [Watchdog] the test fails with the stack of the
// goroutine in question. Goroutines cannot be ended from outside, so those of
// that execution stay behind. A closure that behaves differently under the same
// schedule is reported as not deterministic.
package por
