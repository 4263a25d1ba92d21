// Package por runs a test closure under every schedule that matters, and reports
// either how much it has covered or the shortest schedule found that fails.
//
//	func TestTransfer(t *testing.T) {
//		por.Check(t, func() {
//			var mu sync.Mutex
//			...
//		})
//	}
//
// [Check] is for tests, of ordinary Go or of code that uses the primitives of package
// sched. [Explore] is for everything else, and [ExploreProgram] for transition systems
// that are no Go closures. All nondeterminism of a closure has to come from what is under
// control: goroutines, channels, locks, atomics, time and shared memory. Between two
// operations on these a goroutine runs alone.
//
// # Engines
//
// An engine decides which executions are run. [engine.Auto], the default, is [engine.Optimal] as
// long as that is likely to come to its end in time, and looks for failures in several ways
// otherwise. Optimal runs one of every Mazurkiewicz trace, that is of every class of executions
// that differ only in the order of independent operations; [engine.Source] and [engine.DPOR] do so
// too, but start others that they give up as redundant, and so does [engine.Eager], which runs
// sections of executions from schedules made in advance. [engine.DFS] runs every interleaving.
// [engine.Random],
// [engine.PCT], [engine.POS] and [engine.SURW] draw executions at random, for closures too large to exhaust;
// [engine.Hunt], which [Budget] asks for, goes bound by bound first. Package bpor has
// engines of bounded exploration, package unfold some that keep the unfolding.
// Engines are values, and any [trace.Engine] can take their place.
//
// # Data structures
//
// history.Linearizable and history.Refines are Check for the calls of a data structure, by any
// engine: the one asks a model whether every history of calls can be explained, the other whether
// calls that overlap return what they return one at a time, too.
//
// # What a verdict means
//
// "all 1,680 traces explored, none fails (exhaustive; ...)" is a proof, for the
// closure as it is and up to the step limit, of what the next section does not take
// for granted. Everything else says "NOT exhaustive", and why: which limit ended the
// search, or what was met that could change the result and was not explored:
//
//	all 6 traces explored, none fails; NOT exhaustive: timers fire in the order of their deadlines (time.Sleep, x_test.go:12), and 2 more (optimal DPOR, 12ms)
//
// Check has a limit of ten seconds by default, one under -short, and stops before the
// deadline that -timeout sets. A search that a limit has ended passes the test, and so
// does one that takes something for granted, unless [Exhaustive] is given.
//
// A [report.Verdict] is a value: it has the engine, the options, the counts and what is taken
// for granted, each thing with its place. [report.Verdict.Details], which Check logs, says
// what to do about each.
//
// A search of more than two seconds shows on the terminal how far it is, and about how many
// executions there are, by Knuth's method: probes between two executions, for two per cent of
// the time. Under -v the log has a line every ten seconds. Ctrl-C ends the search, and the
// process when the verdict is printed.
//
// # What a verdict takes for granted
//
// What was met is named, and takes the word "exhaustive" away unless [Grant] allows
// it:
//
//   - Clock ([sched.AssumeClock]). Virtual time moves on when no goroutine can run, so timers
//     fire in the order of their deadlines, and code takes no time. A search that comes
//     to its end and finds nothing is followed by one by lag ([sched.TimeLag]), where
//     executions have waited for the clock: code takes time then, up to [Lag], and the
//     verdict says what either search has covered. If the first does not come to its end in
//     time, both have half of it. The second is left out if the assumption is
//     granted, or under the option Exhaustive. The option Time(sched.TimeAnyOrder) lets
//     every timer fire at any moment. Where engines that recognise states have come back to one at another
//     time (see [engine.Stateful]), and a goroutine asks for the time later, the date is taken to make no difference.
//   - Map order ([sched.AssumeMapOrder]). Loops over maps go in one order, the same
//     every time, and do not meet entries that are made meanwhile. The option
//     Maps(sched.MapExplore) makes both a choice. Loops of the standard library go in one
//     order always.
//   - Random numbers ([sched.AssumeRandom]) come from one seed, or a few: see [RandSeed]. The option
//     Rand(sched.RandExplore) makes draws from few numbers a choice; what others may
//     return can be handed to the code, as a [sched.Choose].
//   - Models ([sched.AssumeModel]). Gosched is fair: a loop that polls lets the others
//     move first. One that has found nothing new for long waits for the clock. A Pool gives a
//     goroutine what it has put itself, and in a part of the executions what others have put.
//     TryLock fails only if the lock is held. A Read of a pipe returns what one Write has
//     written, and a pipe has room.
//     The option Model(sched.ModelFine) explores what else Go allows.
//   - Sources ([sched.AssumeSource]): addresses, hash seeds, the clock of the machine,
//     the environment, files. Hand the value to the code instead.
//   - Variables ([sched.AssumeVariable]) that outlive executions, were changed by them
//     and could not be put back.
//   - Code ([sched.AssumeCode]) that is not under control: packages that are not
//     rewritten, assembly, goroutines that are not controlled.
//   - Counts ([sched.AssumeCount]): more primitives, or more users of one that is copied, than
//     are told apart.
//
// A test that knows nothing of this package, and of which an assertion fails by lag only
// when code is late by more than ten milliseconds, does not fail for that: the verdict
// says so, and is not exhaustive.
//
// Every verdict takes for granted, without saying so:
//
//   - Sequential consistency. That is what the Go memory model promises to programs
//     without data races; a race is a failure, unless the option Races says otherwise.
//   - Fairness: an execution that reaches the step limit while some goroutine was kept
//     from going on says nothing about the closure. The verdict then says "some
//     schedules are unfair" and is not exhaustive.
//   - That no execution is longer than the limit of [MaxSteps]: one that is, fails.
//   - That the engine keeps its promise, and that the program keeps to the laws listed
//     at [trace.Program], which is the author's part for a transition system of one's own.
//   - That the closure is deterministic, where the opposite does not show: see below.
//
// # Determinism
//
// The first execution is run twice, and compared: its operations with their objects
// and arguments, its failures, and what it has logged to its own testing.TB. Whenever
// a later execution repeats a part of the one before, its operations are compared as
// well. A difference is an error, which names the first one. Failures and logs that
// differ in their words only, such as in an address, are no error, but the search is not
// exhaustive then. That costs one execution.
//
// What is not noticed: values that differ and make no difference to operations,
// failures or logs; what differs only in executions that do not repeat each other; and
// a closure that has settled after its first two executions.
//
// # Failures
//
// A failing execution is minimised to few preemptions (moments in which another goroutine moves
// although the one before could have gone on), then to few steps. Its report begins with what kind
// of bug that is, and which goroutines wait, hold, race or panic, with their calls; then it shows
// the steps that matter, with a column for each goroutine. It fits a screen: -por.full shows all.
// [report.Diagnosis] is the report as data. The report ends with a command such as
//
//	POR_REPLAY=p1CD_4QAACAAEAAwABAQIAAQAKCgoK10GKFw go test -run '^TestTransfer$' example.org/bank
//
// which runs exactly that schedule. A Check for which the schedule is not meant
// is skipped under POR_REPLAY. When the program has changed so that the schedule
// no longer fits, the replay says at which step; with POR_REPLAY_LENIENT=1 it goes
// on past that.
//
// # Saved schedules
//
// Check saves a failing schedule as testdata/por/TestName/HASH, below the folder of the
// test's package, unless every execution fails like the first one. The next Check of that
// name begins with the schedules that are saved for it, and if one still fails there is no
// search. One that does not fit the program any more is followed as far as it goes, and what
// is near is explored; if nothing is found there the search follows. What passes is removed.
// The files are text; keep them under version control to hand a failure on. "por replay FILE"
// runs one. Nothing is saved for packages of modules that are not the user's own, nor for
// stand-ins of a testing.T. [NoSave], or POR_SAVE=off, turns all that off.
//
// A search with [Faults] keeps what later ones begin with, in a folder of POR_CACHE: see [Corpus].
//
// # Environment
//
// These variables are known, and other names that begin with POR_ are refused, as
// are values that a variable cannot have:
//
//	POR_CACHE           an absolute path: the folder in which test binaries under control are kept
//	POR_FULL            1 makes reports show all of an execution, however long that gets
//	POR_HTML            a file ending in .html, or a folder: writes every failure as a page to look at in a browser
//	POR_INSTRUMENT      off keeps test binaries as go test has built them: native code is not under control
//	POR_JSON            a file ending in .json, or a folder: writes every failure as data
//	POR_REPLAY          a replay string, or the path of a saved schedule: runs that schedule in place of a search, in the Check that has printed it
//	POR_REPLAY_LENIENT  1 lets a replay go on past what no longer fits
//	POR_SAVE            off keeps failing schedules from being saved, and saved ones from being run
//
// The flags -por.full, -por.html and -por.json of test binaries do as POR_FULL, POR_HTML
// and POR_JSON. Where GITHUB_ACTIONS is true a failure is also written as an annotation.
//
// Those that por check sets for test programs begin with POR_CHECK_. The go
// command runs a test that calls Check again when any of them has changed.
//
// # What cannot be controlled
//
// An execution that waits for something outside package sched (a channel of the
// language, the network), or that loops without performing operations, makes no
// progress. After the time of the [Watchdog] the test fails with the stack of the
// goroutine in question. Goroutines cannot be ended from outside, so those of
// that execution stay behind.
//
// A [Context] ends a search early. So do limits, in the middle of an execution unless
// it is the first; they hold for transition systems, too, even for one with a cycle.
//
// # Engines and programs of one's own
//
// An engine that panics, asks for what is not pending, shows what is no execution or
// goes on after it was told to stop is named in the error, and so is a transition
// system that panics or breaks the rules of its interface; [trace.CheckLaws] looks for
// more. Package trace says how to write either, and has examples. A panic of an engine never
// reaches the code under test, although it may happen on one of its stacks.
package por
