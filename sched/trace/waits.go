package trace

import (
	"fmt"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/format"
)

// This file describes goroutines that wait at the end of an execution.

// Waits has the waiting goroutines at the end of an execution.
type Waits struct {
	// Goroutines are the waiting goroutines, in the order of their numbers.
	Goroutines []Wait
	// Endless are the goroutines that repeat the same operations, if the limit of steps has
	// ended the execution.
	Endless []string `json:",omitempty"`
	// Outside are the channels that the goroutines wait for and that code outside of the
	// execution knows.
	Outside []Outside `json:",omitempty"`
	// Hang is set if the clock has reached the limit of virtual time, or would reach it.
	Hang *Hang `json:",omitempty"`
	// Note is a further remark; may be empty.
	Note string `json:",omitempty"`
}

// Lines returns a line for each detail.
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

// Remarks returns the lines that do not describe a waiting goroutine.
func (w *Waits) Remarks() []string {
	if len(w.Endless) > 0 {
		return append([]string{w.endless()}, w.rest()...)
	}
	return w.rest()
}

func (w *Waits) endless() string {
	does := " does"
	if len(w.Endless) > 1 {
		does = " do"
	}
	return format.Several(w.Endless) + does + " the same again and again, and nothing new"
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

// Wait is the operation that a goroutine waits in.
type Wait struct {
	G    ID
	Name string // the goroutine's name in reports, such as "g1"
	// Op is the kind of the operation, Object the label of its object; "" if it has none.
	Op     Kind
	Object string `json:",omitempty"`
	// Polls says that the goroutine polls the object.
	Polls bool `json:",omitempty"`
	// Nil says that the goroutine sends to, or receives from, a nil channel.
	Nil bool `json:",omitempty"`
	// Cases are the cases of an OpSelect on channels that are not nil. All is the number of all
	// its cases.
	Cases []Case `json:",omitempty"`
	All   int    `json:",omitempty"`
	// Of is the goroutine that an OpJoin waits for to end; "" if it is unknown.
	Of string `json:",omitempty"`
	// Why is the reason why the operation is disabled, such as "held by g2"; may be empty.
	Why string `json:",omitempty"`
	// Otherwise describes what the goroutine does instead of waiting; "" if it waits.
	Otherwise string   `json:",omitempty"`
	At        Position // of the operation; zero if it is not recorded
	Born      Position // of the go statement of the goroutine; zero if unknown
}

// Case is a case of a select statement.
type Case struct {
	Send   bool   // otherwise it receives
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

// Objects returns the labels of the objects that the goroutine waits for.
func (w *Wait) Objects() (labels []string) {
	if w.Object != "" {
		labels = append(labels, w.Object)
	}
	for _, c := range w.Cases {
		labels = append(labels, c.Object)
	}
	return labels
}

// Line describes the operation and its position.
func (w *Wait) Line() string { return w.Name + " " + w.Text() + w.At.bracketed() }

// LineOfLeft is Line with the position of the go statement of the goroutine.
func (w *Wait) LineOfLeft() string {
	return w.Name + w.Born.bracketed() + " " + w.Text() + w.At.bracketed()
}

// Text describes the operation: "waits in lock of Mutex 1, held by g2".
func (w *Wait) Text() string {
	if w.Otherwise != "" {
		return w.Otherwise
	}
	return w.Verb() + "s" + w.Rest()
}

// Verb returns the verb of Text in its base form: wait, sleep or poll.
func (w *Wait) Verb() string {
	switch {
	case w.Polls:
		return "poll"
	case w.Op == OpSleep && !w.Nil:
		return "sleep"
	}
	return "wait"
}

// Operation returns Text without the object and what follows. Goroutines with equal results
// wait in the same kind of operation. For a select the result includes its cases.
func (w *Wait) Operation() string {
	operation, object := w.phrase()
	if w.Op == OpSelect {
		operation += object
	}
	return w.Verb() + operation
}

// Rest returns Text without the verb. It begins with a space, or is "".
func (w *Wait) Rest() string {
	operation, object := w.phrase()
	return operation + object
}

// phrase returns the words after the verb, split before those about the object.
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

// cases lists the cases of a select.
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

// Outside is a channel that code outside of the execution knows.
type Outside struct {
	Object string // the label of the channel
	// Timer says that the channel belongs to a timer made outside of the execution, which is
	// not under control.
	Timer bool
	// How describes how the channel became known outside, unless it belongs to a timer: "was
	// made".
	How string `json:",omitempty"`
}

func (o Outside) String() string {
	if o.Timer {
		return o.Object + " is of a timer that was made outside of the execution, and is not under control"
	}
	return o.Object + " " + o.How + " outside of the execution: a goroutine or timer that is not under control may be what is waited for"
}

// Hang describes an execution in which the clock reaches the limit of virtual time.
type Hang struct {
	Main Wait // of the main goroutine
	// Ticks is the source of the passing time: a ticker, a timer, the deadline of a context, or
	// the sleep of goroutine Sleeper.
	Ticks   Ticks
	Sleeper string `json:",omitempty"`
	// GoesOn says that the source fires repeatedly. Otherwise it fires once, after In, beyond
	// the limit Limit.
	GoesOn    bool
	In, Limit time.Duration
	// OfMain says that the source wakes the main goroutine.
	OfMain bool
}

// Ticks is a kind of source that lets virtual time pass.
type Ticks uint8

// The kinds of sources that let time pass.
const (
	TicksSleep Ticks = iota
	TicksTimer
	TicksTicker
	TicksDeadline
)

// String returns the message of the failure.
func (h *Hang) String() string {
	if rest := h.Rest(); rest != "" {
		return "hangs: " + h.Waiting() + "; " + rest
	}
	return "hangs: " + h.Waiting()
}

// Waiting describes what the main goroutine waits for.
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

// Rest describes what happens apart from the main goroutine; "" if nothing does.
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
