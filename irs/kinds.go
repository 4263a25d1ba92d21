package irs

import (
	"strings"

	"github.com/gopor/gopor/sched/trace"
)

// orderable has the kinds of operations that [Run] performs. The order of events settles their
// results. That is not so of results that are drawn: the case of a select, a random number, the
// moment at which a timer fires. And a Gosched in a loop waits for all enabled goroutines,
// which are not known when goroutines run in parallel.
const orderable uint64 = 1<<trace.OpRead | 1<<trace.OpWrite | 1<<trace.OpUpdate | 1<<trace.OpTransfer |
	1<<trace.OpLoad | 1<<trace.OpStore | 1<<trace.OpAdd | 1<<trace.OpSwap | 1<<trace.OpCAS | 1<<trace.OpAnd | 1<<trace.OpOr |
	1<<trace.OpLock | 1<<trace.OpUnlock | 1<<trace.OpTryLock | 1<<trace.OpRLock | 1<<trace.OpRUnlock | 1<<trace.OpTryRLock |
	1<<trace.OpSend | 1<<trace.OpRecv | 1<<trace.OpClose | 1<<trace.OpLen |
	1<<trace.OpWGAdd | 1<<trace.OpWGDone | 1<<trace.OpWGWait | 1<<trace.OpOnce |
	1<<trace.OpCondAdd | 1<<trace.OpSignal | 1<<trace.OpBroadcast | 1<<trace.OpJoin

// UnorderedError says that a program uses operations that constraints cannot order.
type UnorderedError struct{ Kinds []string }

func (e *UnorderedError) Error() string {
	return "irs: the program uses what constraints do not order: " + strings.Join(e.Kinds, ", ")
}

// Unordered returns the operations that the verifier has met and [Run] refuses, by name.
func (p *Prefix) Unordered() []string { return kindNames(p.kinds &^ orderable) }

// kindNames returns the names of a set of kinds.
func kindNames(kinds uint64) (names []string) {
	for k := trace.Kind(0); k < 64; k++ {
		if kinds>>k&1 == 1 {
			names = append(names, k.String())
		}
	}
	return names
}
