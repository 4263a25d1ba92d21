// Package unfold explores programs by their unfoldings: quasi-optimal partial order reduction,
// after Nguyen, Rodríguez, Sousa, Coti and Petrucci, "Quasi-Optimal Partial Order Reduction"
// (CAV 2018), which the comments call the paper.
//
// [QPOR] abandons few executions as redundant where source-DPOR may abandon exponentially many,
// and takes polynomial time for that. [Optimal] abandons none. Both visit every Mazurkiewicz
// trace exactly once, and work on any trace.Program.
//
// # Events and configurations
//
// An event is an action together with a history. The action is the next operation of a
// goroutine with an alternative. The history has the events that have to happen before it. Two
// executions with the same action after the same history have the same event. An event of one
// execution may be in conflict with one of another: no execution has both. A configuration is a
// set of events that has the history of each, and no conflict. Executions that differ only in
// the order of independent events have the same configuration, so maximal configurations are
// traces.
//
// Operations are requests here (see package trace): no event disables another, and an event has
// three kinds of causes. These are the event of its goroutine before it; the event that granted
// the awaited request of its goroutine or started the goroutine; and the events that its
// operation depends on. So the paper's locks are one case among others: of two Lock requests
// one comes first, and Unlock is independent of both. The trace counts are the paper's.
//
// An event uses the same objects in every configuration that has it, since its history has
// every event that its operation depends on. That needs the law of footprints (see
// trace.Program). If an event takes a use from an operation and is not a cause of what this use
// depends on, the histories do not tell all conflicts. Some conflicting extensions are also
// missed if a pending operation of a user's transition system changes what it uses. So let its
// operations use in every state all that they may use. Otherwise traces may be missed, and the
// search may not even end.
//
// # Causality and conflict
//
// Every event knows its local configuration, as the latest event of each goroutine in it (the
// paper's tmax), and its place in the tree of its thread. The first half of theorem 6 holds
// unchanged: e happens before f exactly if it is an ancestor, in its thread's tree, of the
// latest event of that thread before f.
//
// The second half is about trees of locks: all operations on a lock depend on each other, so
// those in a configuration are a chain. Reads of a variable are not a chain, nor are sends and
// receives, or the calls of Done. All of them have this property: two configurations are in
// conflict exactly if their threads have taken different branches, or an event that only one
// has depends on an event that only the other has. The events that only one has are, in each
// thread, a path up the tree. So in place of lmax and further trees, the thread trees tell what
// is used on a path: skips (section 5.2) carry a mask of it. A query takes a number of steps
// logarithmic in the depth, per thread, and looks at single events only if the masks cannot
// exclude a dependence.
//
// # Conflicting extensions
//
// The paper's cexp goes up the tree of a lock from every acquisition, and tries it before each
// of the releases on the way. Here one extension is made for each race of a configuration C. A
// race is a pair of events d < e of different goroutines with nothing between them, and d is a
// cause of e by dependence only. The extension is the operation of e after all of C but d and
// the events that happen after d. Its history H has its causes there:
//
//   - the event of its goroutine before it, and the event that granted the request before: the
//     same as for e, since d does not precede these;
//   - the latest of the remaining events that the operation depends on, and their histories.
//     These are causes of e too, or hidden behind d.
//
// That is all that is needed. Let Ĉ be a maximal configuration that has C, but not d, which was
// possible after C. It has a first event x in conflict with d. This x is possible after P, the
// events of Ĉ that are not in conflict with d. Some execution M has P, then d, then the
// operation of x. It was explored before, with d or with something that was explored before d,
// and d and the operation of x are a race of it. The extension made of that race is x:
// everything else in M either happens after d, or is independent of x. Extensions that lie
// further back are found when the executions with x are explored.
//
// The latter depends on how x would use its objects, if not after d. This is what operations
// do, by access mode (see package trace):
//
//   - Reads, writes and updates of variables, and atomic loads, stores, adds and swaps, use
//     their object in one way. A read has races with writes. A write has races with writes and
//     with the reads since the latest write, each of which it can come before.
//   - A compare-and-swap writes if it succeeds, and reads if not. Before d it may succeed.
//   - Lock and TryLock of a mutex, Lock and RLock of an RWMutex, their Try variants, Unlock and
//     RUnlock use their object in one way. A Lock has races with Lock and RLock requests and
//     with TryLocks, an RLock not with an RLock, an Unlock with TryLocks only. An Unlock by a
//     goroutine that does not hold the lock uses everything of it.
//   - A send has races with sends, and with a close. Before the close it is another operation,
//     as it does not panic. Sends that panic have races with the close only.
//   - A receive has races with receives, and is one place further in front before another. With
//     a lower index it may depend on a close that it did not depend on: the j-th receive does
//     exactly if j <= n - capacity, where n sends came before the close.
//   - A close has races with sends, and its n is lower before one of them; with other closes;
//     and with the receives that it depends on.
//   - Select, len and the like use a channel as a whole, and from then on every operation on
//     the channel does, but for those that only look: they leave each other as they are. A select
//     that finds others waiting uses all channels of a select that it completes.
//   - A positive Add has races with Wait, and after the first Wait that had to wait with Add
//     and Done as well. Once: the first call and any other. Conditions, pools, timers, contexts
//     and the rest have coarser modes.
//   - Choices, and selects with several ready cases, have alternatives. Those of an event have
//     the same history, and are in immediate conflict with it; that is not a race. Where a race
//     is reversed the first alternative is the extension; the others are its alternatives.
//   - An operation on which no other depends has no extension: sleeping, joining, accesses of a
//     goroutine's own variables.
//
// Where the use does not depend on d (trace.SteadyFootprint), the extension follows from vector
// clocks. Elsewhere the operation is looked up among those pending before d, or the program is
// run once more without d, and asked. The extension may then depend on events of C that e is
// independent of, and may have to come before some of them. So it is made again without these,
// one at a time, until there are no new ones.
//
// # What is kept
//
// U of the paper's Algorithm 1 is kept as far as it can still be part of a clue. The events in
// conflict with one of D that go with C and need nothing of D are with the frames of the
// search, filtered from frame to frame as C grows. Garbage collection leaves their histories,
// C, D, and the events known to be in conflict with C. Events get names only when an event is
// in conflict with them or they are in such a history, since most events of most executions
// never are.
//
// Objects that are not made by an operation, such as a mutex that is a zero value, have other
// numbers in every execution. So they are identified by the actions that use them.
//
// [Unfold] keeps everything, and draws it.
//
// D is the paper's without the events that C is in conflict with. These need no alternative.
// QPOR takes the last k of D for a k-partial alternative, among them the event explored last.
package unfold
