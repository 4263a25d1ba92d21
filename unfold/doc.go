// Package unfold explores programs by way of their unfoldings: quasi-optimal partial
// order reduction, after Nguyen, Rodríguez, Sousa, Coti and Petrucci, "Quasi-Optimal
// Partial Order Reduction" (CAV 2018), which the comments call the paper.
//
// [QPOR] gives up few executions as redundant where source-DPOR may give up
// exponentially many, and takes polynomial time to see to it. [Optimal] gives up
// none. Both visit every Mazurkiewicz trace exactly once, and work on any
// trace.Program.
//
// # Events and configurations
//
// An event is an action, that is the next operation of a goroutine and which of its
// alternatives is taken, together with a history: the events that have to happen
// before it. Two executions that have an event with the same action after the same
// history have the same event. An event of one execution may be in conflict with one
// of another: no execution has both. A configuration is a set of events that holds the
// history of each, and no conflict. Executions that differ only in the order of
// independent events have the same configuration, so maximal configurations are
// traces.
//
// Operations are requests here (see package trace): no event disables another, and an
// event has three kinds of causes. These are the event of its goroutine before it,
// what granted the request that its goroutine waited for or started the goroutine,
// and the events that its operation depends on. So the paper's locks are one case
// among others: of two Lock requests one comes first, and Unlock is independent of
// both. The trace counts are the paper's.
//
// An event uses the same objects in every configuration that has it, since its history
// holds all that its operation depends on. That takes the law of footprints (see
// trace.Program): where an event takes a use from an operation and is no cause of what
// this use depends on, the histories do not tell all conflicts. Nor are all
// conflicting extensions found where a pending operation of a transition system of one's
// own changes what it uses. So let its operations use in every state all that they may
// use: otherwise traces may be missed, and the search may not even end.
//
// # Causality and conflict
//
// Every event knows its local configuration, as the latest event of each goroutine
// in it (the paper's tmax), and its place in the tree of its thread. The first half
// of theorem 6 holds as it is: e happens before f exactly if it is an ancestor, in its
// thread's tree, of the latest event of that thread before f.
//
// The second half speaks of trees of locks: all operations on a lock depend on each
// other, so those in a configuration are a chain. Reads of a variable are no chain,
// nor are sends and receives, or the calls of Done. What holds for all of them is
// this: two configurations are in conflict exactly if their threads have taken
// different branches, or something that only the one has depends on something that
// only the other has. What only one has is, in each thread, a path up the tree. So in
// the place of lmax and further trees, the thread trees tell what was touched on a
// path: skips (section 5.2) carry a mask of it. A query takes a logarithmic number of
// steps in the depth, per thread, and looks at single events only if the masks cannot
// exclude a dependence.
//
// # Conflicting extensions
//
// The paper's cexp goes up the tree of a lock from every acquisition, and tries it
// before each of the releases on the way. Here, one extension is made for each race of
// a configuration C: a pair of events d < e of different goroutines with nothing
// between them, and d the cause of e by dependence only. The extension is the
// operation of e after all of C but d and what happens after d. Its history H is what
// causes it there:
//
//   - the event of its goroutine before it, and what granted the request before: the
//     same as for e, since d is not among what comes before these;
//   - the latest of the remaining events that the operation depends on, and their
//     histories. These are causes of e too, or hidden behind d.
//
// That is all that is needed. Let Ĉ be a maximal configuration that holds C, but not
// d, which was possible after C. It holds an event x in conflict with d, and one that
// is the first such: x is possible after P, which is what Ĉ has that is not in conflict
// with d. Some execution M holds P, then d, then the operation of x. It was explored
// before, with d or with something that was explored before d, and d and the operation
// of x are a race of it. The extension made of that race is x: whatever else M has
// either happens after d, or is independent of x. Extensions that lie further back are
// found when those executions are explored that have x.
//
// For the latter it is essential in which way x would use its objects, if not after d.
// This is what operations do, by access mode (see package trace):
//
//   - Reads, writes and updates of variables, and atomic loads, stores, adds and swaps,
//     use their object in one way. A read has races with writes; a write with writes
//     and with the reads since the latest write, each of which it can come before.
//   - A compare-and-swap writes if it succeeds, and reads if not. Before d it may
//     succeed.
//   - Lock and TryLock of a mutex, Lock and RLock of an RWMutex, their Try variants,
//     Unlock and RUnlock: one way. A Lock has races with Lock and RLock requests and
//     with TryLocks, an RLock not with an RLock, an Unlock with TryLocks only. An
//     Unlock by one who does not hold the lock uses everything of it.
//   - A send has races with sends, and with a close. Before the close it is another
//     operation, as it does not panic. Sends that panic have races with the close only.
//   - A receive has races with receives, and is one place further in front before
//     another. With a lower index it may depend on a close that it did not depend on: the
//     j-th receive does exactly if j <= n - capacity, where n sends came before the close.
//   - A close has races with sends, and its n is lower before one of them; with other
//     closes; and with the receives that it depends on.
//   - Select, len and the like use a channel as a whole, and from then on everything that
//     is done to it does. One that finds others waiting uses all channels of a select
//     that it completes.
//   - A positive Add has races with Wait, and once somebody has waited with Add and Done
//     as well. Once: the first call and any other. Conditions, pools, timers, contexts
//     and what else there is have coarser modes.
//   - Choices, and selects that find several cases ready, have alternatives. Those of
//     an event have the same history, and are in immediate conflict with it; that is no
//     race. Where a race is reversed the first alternative is the extension; the
//     others are its alternatives.
//   - An operation that nobody's depends on has no extension: sleeping and joining, what
//     is done to one's own variables.
//
// Where the way does not depend on d (trace.SteadyFootprint), the extension follows from
// vector clocks. Elsewhere the operation is looked up among those pending before d,
// or the program is run once more without d, and asked. The extension may then depend
// on events of C that e is independent of, and may have to come before some of them. So
// it is made again without these, one at a time, and so on until there are no new ones.
//
// # What is kept
//
// U of the paper's Algorithm 1 is kept as far as it can still be part of a clue: the
// events in conflict with one of D that go with C and need nothing of D are with the
// frames of the search, filtered from frame to frame as C grows. Histories of these, and
// C, D and what is known to be in conflict with C, are what garbage collection leaves.
// Events are given names only when something is in conflict with them or they are in
// such a history, since most events of most executions never are.
//
// Objects that nobody has made, such as a mutex that is a zero value, have other numbers
// in every execution, so they are identified by the actions that use them.
//
// [Unfold] keeps everything, and draws it.
//
// D is the paper's without the events that C is in conflict with. These need no
// alternative. QPOR takes the last k of D for a k-partial alternative, among them the
// event explored last.
package unfold
