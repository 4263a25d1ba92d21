package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// This file is about executions at the end of which goroutines wait.

// Waits is what goroutines wait for at the end of an execution.
type Waits struct {
	// Goroutines are those that wait, in the order of their numbers.
	Goroutines []Wait
	// Endless are the goroutines that do the same again and again, where the limit of steps has ended the execution.
	Endless []string `json:",omitempty"`
	// Outside are the channels that the goroutines wait for and that are known outside of the execution.
	Outside []Outside `json:",omitempty"`
	// Hang is set if the clock has come to the limit of virtual time, or would.
	Hang *Hang `json:",omitempty"`
	// Note says more, in words; may be empty.
	Note string `json:",omitempty"`
}

// Lines says in a line each what is known.
func (w *Waits) Lines() []string {
	var lines []string
	if len(w.Endless) > 0 {
		lines = append(lines, w.endless())
	}
	for i := range w.Goroutines {
		lines = append(lines, w.Goroutines[i].Line())
	}
	return append(lines, w.rest()...)
}

// Remarks says in a line each what there is to say besides what goroutines wait for.
func (w *Waits) Remarks() []string {
	if len(w.Endless) > 0 {
		return append([]string{w.endless()}, w.rest()...)
	}
	return w.rest()
}

func (w *Waits) endless() string {
	return strings.Join(w.Endless, ", ") + " does the same again and again, and nothing new"
}

func (w *Waits) rest() (lines []string) {
	for _, o := range w.Outside {
		lines = append(lines, o.String())
	}
	if w.Note != "" {
		lines = append(lines, w.Note)
	}
	return lines
}

func (w *Waits) named(name func(string) string) *Waits {
	n := *w
	n.Goroutines, n.Outside = slices.Clone(w.Goroutines), slices.Clone(w.Outside)
	for i := range n.Goroutines {
		n.Goroutines[i] = n.Goroutines[i].Named(name)
	}
	for i := range n.Outside {
		n.Outside[i].Object = name(n.Outside[i].Object)
	}
	if w.Hang != nil {
		h := *w.Hang
		h.Main = h.Main.Named(name)
		n.Hang = &h
	}
	return &n
}

// Wait is what a goroutine waits for.
type Wait struct {
	G    ID
	Name string // how reports call the goroutine, such as "g1"
	// Op is the kind of operation that the goroutine waits in, Object the label of what the operation is on; ""
	// if it is on none.
	Op     Kind
	Object string `json:",omitempty"`
	// Polls says that the goroutine looks at the object again and again.
	Polls bool `json:",omitempty"`
	// Nil says that it sends to, or receives from, a nil channel.
	Nil bool `json:",omitempty"`
	// Cases are those of an OpSelect that are not of nil channels. All counts the cases with those.
	Cases []Case `json:",omitempty"`
	All   int    `json:",omitempty"`
	// Of is the goroutine whose end an OpJoin waits for; "" if it is not known.
	Of string `json:",omitempty"`
	// Why says why the operation is not granted, such as "held by g2"; "" if there is nothing to say.
	Why string `json:",omitempty"`
	// Otherwise says what the goroutine does if it does not wait; "" if it waits.
	Otherwise string   `json:",omitempty"`
	At        Position // of the operation; zero if it is not recorded
	Born      Position // of the go statement that has started the goroutine; zero if it is not known
}

// Case is a case of a select statement.
type Case struct {
	Send   bool   // or it receives
	Object string // the label of the channel
}

// Named returns w with other names for its objects.
func (w Wait) Named(name func(label string) string) Wait {
	if w.Object != "" {
		w.Object = name(w.Object)
	}
	w.Cases = slices.Clone(w.Cases)
	for i := range w.Cases {
		w.Cases[i].Object = name(w.Cases[i].Object)
	}
	return w
}

// Objects returns the labels of what the goroutine waits for.
func (w *Wait) Objects() (labels []string) {
	if w.Object != "" {
		labels = append(labels, w.Object)
	}
	for _, c := range w.Cases {
		labels = append(labels, c.Object)
	}
	return labels
}

// Line says what the goroutine does, and where.
func (w *Wait) Line() string { return w.Name + " " + w.Text() + w.At.bracketed() }

// LineOfLeft says where the goroutine was started, what it does, and where.
func (w *Wait) LineOfLeft() string {
	return w.Name + w.Born.bracketed() + " " + w.Text() + w.At.bracketed()
}

// Text says what the goroutine does: "waits in lock of Mutex 1, held by g2".
func (w *Wait) Text() string {
	if w.Otherwise != "" {
		return w.Otherwise
	}
	return w.Verb() + "s" + w.Rest()
}

// Verb is what the goroutine does in one word, without the s of the third person: wait, sleep or poll.
func (w *Wait) Verb() string {
	switch {
	case w.Polls:
		return "poll"
	case w.Op == OpSleep && !w.Nil:
		return "sleep"
	}
	return "wait"
}

// Operation is Text without the object and what comes after it: goroutines for which it is equal wait in the same
// kind of operation. A select is one operation with others of the same cases.
func (w *Wait) Operation() string {
	operation, object := w.phrase()
	if w.Op == OpSelect {
		operation += object
	}
	return w.Verb() + operation
}

// Rest is Text without the verb; it begins with a space, or is "".
func (w *Wait) Rest() string {
	operation, object := w.phrase()
	return operation + object
}

// phrase returns the words after the verb, those about the object by themselves.
func (w *Wait) phrase() (operation, object string) {
	switch {
	case w.Polls && w.Op == OpSelect:
		return "", w.cases()
	case w.Polls && w.Object == "":
		return " by " + w.Op.String(), ""
	case w.Polls:
		return " by " + w.Op.String(), " of " + w.Object
	case w.Nil:
		return " in " + w.Op.String(), " of a nil channel"
	case w.Op == OpJoin:
		return " for the end", " of " + w.Of
	case w.Op == OpSleep:
		return "", ""
	case w.Op == OpSelect && w.All == 0:
		return " in a select without cases", ""
	case w.Op == OpSelect:
		return " in a select", w.cases()
	case w.Object == "":
		return " for ever", ""
	case w.Why == "":
		return " in " + w.Op.String(), " of " + w.Object
	}
	return " in " + w.Op.String(), " of " + w.Object + ", " + w.Why
}

// cases lists what a select waits for.
func (w *Wait) cases() string {
	if len(w.Cases) == 0 {
		return " of nil channels"
	}
	text, sep := "", " for "
	for _, c := range w.Cases {
		verb := "receive from "
		if c.Send {
			verb = "send on "
		}
		text += sep + verb + c.Object
		sep = ", "
	}
	return text
}

// Outside is a channel that is known outside of the execution.
type Outside struct {
	Object string // the label of the channel
	// Timer says that it is of a timer that was made outside of the execution, and is not under control.
	Timer bool
	// How says in words how it is known outside, where it is not of a timer: "was made".
	How string `json:",omitempty"`
}

func (o Outside) String() string {
	if o.Timer {
		return o.Object + " is of a timer that was made outside of the execution, and is not under control"
	}
	return o.Object + " " + o.How + " outside of the execution: a goroutine or timer that is not under control may be what is waited for"
}

// Hang says what goes on in an execution in which the clock comes to the limit of virtual time.
type Hang struct {
	Main Wait // what the main goroutine waits for
	// Ticks is what lets time pass: a ticker, a timer, the deadline of a context, or the sleep of goroutine Sleeper.
	Ticks   Ticks
	Sleeper string `json:",omitempty"`
	// GoesOn says that it comes again and again. Otherwise it comes once, in In, beyond the limit Limit.
	GoesOn    bool
	In, Limit time.Duration
	// OfMain says that it is the main goroutine that it wakes up.
	OfMain bool
}

// Ticks is a kind of thing that lets virtual time pass.
type Ticks uint8

// The kinds of things that let time pass.
const (
	TicksSleep Ticks = iota
	TicksTimer
	TicksTicker
	TicksDeadline
)

// String is what a failure of the execution says.
func (h *Hang) String() string {
	if rest := h.Rest(); rest != "" {
		return "hangs: " + h.Waiting() + "; " + rest
	}
	return "hangs: " + h.Waiting()
}

// Waiting says what the main goroutine waits for.
func (h *Hang) Waiting() string {
	text := h.Main.Name + " " + h.Main.Text()
	switch {
	case h.GoesOn && h.OfMain:
		return text + ", again and again"
	case !h.GoesOn && h.OfMain && h.Ticks == TicksSleep:
		return fmt.Sprintf("%s for %v more, beyond the limit of %v", text, h.In, h.Limit)
	}
	return text
}

// Rest says what goes on, or would, besides the main goroutine; "" if that is all.
func (h *Hang) Rest() string {
	switch {
	case h.OfMain && (h.GoesOn || h.Ticks == TicksSleep):
		return ""
	case h.GoesOn:
		return "only " + h.ticks() + " goes on"
	}
	return fmt.Sprintf("only %s helps, in %v, beyond the limit of %v", h.ticks(), h.In, h.Limit)
}

func (h *Hang) ticks() string {
	switch h.Ticks {
	case TicksSleep:
		return "a sleep of " + h.Sleeper
	case TicksTicker:
		return "a ticker"
	case TicksDeadline:
		return "the deadline of a context"
	}
	return "a timer"
}
