package report

import (
	"fmt"
	"slices"

	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/sched/trace"
)

// This file judges panics, and what a channel that was closed has to do with them.

// judgePanic speaks of a panic, or what ends a program.
func (x *examination) judgePanic(v *ruling, f trace.Failure) {
	i := x.entryOf(f.Step)
	name := x.nameOf(f.G)
	p := Party{Goroutine: name, Does: "panics"}
	if f.Kind == trace.FailFatal {
		p.Does = "ends the program"
	}
	frames := x.framesOf(f.Stack)
	if len(frames) == 0 && i >= 0 && x.entries[i].Name == name {
		frames = x.stackOf(&x.entries[i])
	}
	if len(frames) > 0 {
		p.Acts = []Act{{Stack: frames}}
		v.at = frames[0]
		v.parties = []Party{p}
	}
	end := len(x.entries)
	if i >= 0 {
		v.seeds, end = []int{i}, i+1
	}
	x.judgeClosed(v, f, name, end)
	x.judgeValue(v, f, name, frames, end)
	x.judgeMisuse(v, f, name, end)
	cause, uses := x.atomicity(end)
	v.cause, v.seeds = cause, append(v.seeds, uses...)
}

// judgeClosed names the goroutine that has closed a channel before, if the panic of a goroutine
// before the entry at end is about that.
func (x *examination) judgeClosed(v *ruling, f trace.Failure, name string, end int) {
	var ops []trace.Kind
	verb := ""
	switch f.Fault {
	case trace.FaultSendClosed:
		ops, verb, v.bug = []trace.Kind{trace.OpSend, trace.OpSelect}, "sends on", "send on closed channel"
	case trace.FaultCloseClosed:
		ops, verb, v.bug = []trace.Kind{trace.OpClose}, "closes", "double close"
	default:
		return
	}
	i := end - 1
	for i >= 0 && (x.entries[i].Name != name || !slices.Contains(ops, x.entries[i].Kind)) {
		i--
	}
	if i < 0 {
		return
	}
	if x.failed == f.Step {
		x.failed = x.entries[i].Step // what has come since was deferred
	}
	v.seeds = []int{i}
	k, when := x.closed(i), "has closed before"
	if k > i {
		when = "has closed meanwhile" // the send was waiting
	}
	if k >= 0 {
		c := &x.entries[k]
		v.headline = fmt.Sprintf("%s: %s %s %s, which %s %s%s", v.headline, name, verb, naming.Object(c), itOr(c.Name, name), when, at(c))
		v.seeds = append(v.seeds, k)
		v.parties = append(v.parties, Party{Goroutine: c.Name, Does: "has closed " + naming.Object(c), Acts: []Act{{Stack: x.stackOf(c)}}})
	}
}

// closed returns the entry that closes the channel of the entry i: the last one before it, or else
// the first one after it; -1 if there is none. A select may use any channel.
func (x *examination) closed(i int) int {
	at := -1
	for k := range x.entries {
		if c := &x.entries[k]; k != i && c.Kind == trace.OpClose && (c.Obj == x.entries[i].Obj || x.entries[i].Kind == trace.OpSelect) && (k < i || at < 0) {
			at = k
		}
	}
	return at
}
