package report

import (
	"fmt"
	"slices"

	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file names the variable or the primitive that a panic is about.

// judgeValue adds to the headline of a run-time panic which variable the goroutine read last on a
// line of the panic's stack, if the value is one that another goroutine has written: a pointer
// that has become nil, a slice that has become shorter, an index. The entries before end are those
// before the panic.
func (x *examination) judgeValue(v *ruling, f trace.Failure, name string, frames []Frame, end int) {
	if f.Fault != trace.FaultValue {
		return
	}
	for ; end < len(x.entries) && x.entries[end].Step < 0; end++ {
	}
	for i, e := range slices.Backward(x.entries[:end]) {
		if e.Name != name || !readsData(&e) || x.private[i] || !onStack(&e, frames) {
			continue
		}
		c := x.writerOf(i)
		if c < 0 || x.entries[c].Name == name {
			continue
		}
		by := &x.entries[c]
		v.headline = fmt.Sprintf("%s: %s %s, which %s has changed before%s", v.headline, name, inWords(&e), by.Name, at(by))
		v.seeds = append(v.seeds, i, c)
		v.parties = append(v.parties, Party{Goroutine: by.Name, Does: inWords(by), Acts: []Act{{Stack: x.stackOf(by)}}})
		return
	}
}

// onStack reports whether an entry is on the line of one of the calls.
func onStack(e *exec.Entry, frames []Frame) bool {
	return slices.ContainsFunc(frames, func(f Frame) bool { return f.Line == e.Line && f.File == e.File })
}

// writerOf returns the last entry before i that changes what i reads, -1 if there is none.
func (x *examination) writerOf(i int) int {
	for k, e := range slices.Backward(x.entries[:i]) {
		if e.Obj == x.entries[i].Obj && writesData(&e) {
			return k
		}
	}
	return -1
}

// misuses are the operations that may end with a fault since a primitive is used wrongly.
var misuses = map[trace.Fault][]trace.Kind{
	trace.FaultNegative: {trace.OpWGDone, trace.OpWGAdd},
	trace.FaultUnlock:   {trace.OpUnlock, trace.OpRUnlock},
}

// judgeMisuse adds to the headline which primitive a goroutine uses wrongly in the entry before
// end, and which goroutine has used it in the same way before.
func (x *examination) judgeMisuse(v *ruling, f trace.Failure, name string, end int) {
	ops := misuses[f.Fault]
	if ops == nil || end == 0 {
		return
	}
	i := end - 1
	e := &x.entries[i]
	if e.Name != name || !slices.Contains(ops, e.Kind) {
		return
	}
	v.headline = fmt.Sprintf("%s: %s %s%s", v.headline, name, does(e), at(e))
	for k, c := range slices.Backward(x.entries[:i]) {
		if c.Obj == e.Obj && c.Kind == e.Kind {
			v.headline += fmt.Sprintf(", as %s has before%s", itOr(c.Name, name), at(&c))
			v.seeds = append(v.seeds, k)
			return
		}
	}
}

// does says what a goroutine does that calls a method of a primitive.
func does(e *exec.Entry) string {
	switch e.Kind {
	case trace.OpWGDone:
		return "calls Done of " + naming.Object(e)
	case trace.OpWGAdd:
		return "adds " + e.Value + " to " + naming.Object(e)
	case trace.OpRUnlock:
		return "gives up the read lock of " + naming.Object(e)
	}
	return "unlocks " + naming.Object(e)
}

// itOr returns the name of a goroutine in a sentence about another one, "it" if both are the same.
func itOr(name, subject string) string {
	if name == subject {
		return "it"
	}
	return name
}
