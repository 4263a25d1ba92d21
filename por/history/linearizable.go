package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/anishathalye/porcupine"

	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// Linearizable is [por.Check] for the calls of a data structure: it fails the test at the first
// execution with calls that are not linearizable, too. That means: there is no order of the calls,
// in which a call that had returned before another one began comes before it, such that the model,
// taking one call after the other in that order, allows what they returned (Herlihy and Wing 1990).
//
// The closure makes the calls by [Call], from as many goroutines as it likes, and
// waits for them to return. All options of Check have their meaning. The model is one of
// package porcupine, which judges histories; its Step gets the inputs and outputs of Call.
// Its functions are called outside of the execution, and must not change what they are given.
//
//	history.Linearizable(t, stackModel, func(h *history.History) {
//		s := new(Stack)
//		var wg sync.WaitGroup
//		wg.Go(func() { h.Do(Push(1), func() { s.Push(1) }) })
//		wg.Go(func() { history.Call(h, Pop{}, s.Pop) })
//		wg.Wait()
//	})
//
// Which calls have returned before another one begins differs between executions that are
// otherwise equivalent. So the beginning and the end of a call are operations (see
// [sched.History]), and there are more traces than without: closures of two or three
// goroutines and few calls are what can be exhausted. [Refines] asks for less, needs no model
// and is cheaper.
//
// To decide on one history takes time exponential in how many calls overlap in it, at worst. A
// history that takes more than a million steps of the model is not decided, and passes; the
// verdict says so, and is not exhaustive.
//
// The report of a violation has the calls and how far they can be explained; with
// -por.html or POR_HTML porcupine's own picture of the history is written beside the page
// of the failure.
func Linearizable(t testing.TB, model porcupine.Model, f func(*History), opts ...por.Option) {
	if !check.IsNil(t) {
		t.Helper()
	}
	j := &linearizability{recorded: newRecorded("Linearizable", f), model: model, known: make(map[string]bool)}
	check.Check(t, "Linearizable", j.Run, j, opts)
}

// linearizability judges by a model.
type linearizability struct {
	recorded
	model  porcupine.Model
	known  map[string]bool // histories that were judged, by what they are
	key    []byte
	open   bool     // a history was not decided
	names  []string // of the goroutines with calls, in the latest execution
	failed []porcupine.Event
	// longest are the calls that come first in the longest explanation of the history that
	// was judged last, and cannot be explained.
	longest []int
}

// mostKnown is how many histories are kept.
const mostKnown = 1 << 18

func (j *linearizability) Prepare(*explore.Session) error {
	switch {
	case j.f == nil:
		return errors.New("Linearizable: the closure is nil; give a func(*history.History)")
	case j.model.Init == nil:
		return errors.New("Linearizable: the model has no Init, which returns the initial state")
	case j.model.Step == nil && j.model.StepContext == nil:
		return errors.New("Linearizable: the model has no Step, which says what a call may return and what state it leads to; that of a porcupine.NondeterministicModel is made by its ToModel")
	}
	return nil
}

func (j *linearizability) Run() { j.begin(&History{order: sched.NewHistory()}) }

func (j *linearizability) Checked() string {
	if j.open {
		return "each history that was decided is linearizable"
	}
	return "each history is linearizable"
}

func (j *linearizability) Undecided() string {
	if !j.open {
		return ""
	}
	return fmt.Sprintf("a history was not decided within %s steps of the model", format.Grouped(int64(mostSteps)))
}

func (j *linearizability) LeaveOpen() { j.open = true }

func (j *linearizability) Verdict(s *explore.Session) []trace.Failure {
	ok, failures := j.complete(s)
	if !ok {
		return failures
	}
	n := trial.PathsOf(*s.Watched.Load())
	clients := j.h.clients(n)
	key, plain := j.keyOf(clients)
	legal, known := j.known[string(key)]
	if !plain || !known || !legal {
		var err error
		legal, err = j.legal(porcupineEvents(j.h, clients), func() bool { return s.Faults.Visiting && s.Over() })
		switch {
		case err == errUndecided:
			j.open = true
			return nil
		case err != nil:
			s.StopFor(err)
			return nil
		}
		if plain && len(j.known) < mostKnown {
			j.known[string(key)] = legal
		}
	}
	if legal {
		return nil
	}
	j.names = j.names[:0]
	for _, g := range clients {
		j.names = append(j.names, n.Name(g))
	}
	j.failed = porcupineEvents(j.h, clients)
	return []trace.Failure{{Kind: trace.FailHistory, G: -1, Step: -1, Msg: notLinearizable, History: j.text()}}
}

const notLinearizable = "no order of the calls explains what they return"

// keyOf returns what tells histories apart, and whether it does.
func (j *linearizability) keyOf(clients []trace.ID) (key []byte, plain bool) {
	b := j.key[:0]
	ok := true
	for _, c := range j.h.calls {
		for _, n := range [...]int{slices.Index(clients, c.g), c.begin, c.end} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		if b, ok = appendPlain(b, c.input); ok {
			b, ok = appendPlain(b, c.output)
		}
		if !ok {
			break
		}
	}
	j.key = b[:0]
	return b, ok
}

// legal reports whether the history of the latest execution is linearizable. The error is
// errUndecided, or that the model has panicked.
func (j *linearizability) legal(events []porcupine.Event, over func() bool) (ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("Linearizable: the model panics: %v", r)
		}
	}()
	ok, j.longest, err = linearizable(&j.model, events, over)
	return ok, err
}

// porcupineEvents returns a history as porcupine has it.
func porcupineEvents(h *History, clients []trace.ID) []porcupine.Event {
	events := make([]porcupine.Event, h.times)
	for i, c := range h.calls {
		client := slices.Index(clients, c.g)
		events[c.begin] = porcupine.Event{ClientId: client, Kind: porcupine.CallEvent, Value: c.input, Id: i}
		events[c.end] = porcupine.Event{ClientId: client, Kind: porcupine.ReturnEvent, Value: c.output, Id: i}
	}
	return events
}

// describe says what a call was and what it has returned.
func (j *linearizability) describe(input, output any) string {
	if d := j.model.DescribeOperation; d != nil {
		return d(input, output)
	}
	return callText(input) + outputText(output)
}

// text draws the history, and says how far it can be explained.
func (j *linearizability) text() string {
	var b strings.Builder
	calls, label := j.shown(), 0
	width, start := 2, calls[0].begin // of an event, and the first one that is drawn
	end := calls[len(calls)-1].begin + 1
	if len(calls) == len(j.h.calls) {
		end = j.h.times - 1
	}
	if end-start > 24 {
		width = 1
	}
	if n := len(j.h.calls) - len(calls); n > 0 {
		fmt.Fprintf(&b, "%s calls, of which these are near the first that is not explained:\n", format.Grouped(int64(len(j.h.calls))))
	}
	for _, name := range j.names {
		label = max(label, utf8.RuneCountInString(name))
	}
	for _, c := range calls {
		e := j.failed[c.begin]
		line := strings.Repeat(" ", width*(c.begin-start)) + "|" + strings.Repeat("-", width*(min(c.end, end)-c.begin)-1) + "|"
		if c.end > end { // it goes on beyond what is shown
			line = strings.TrimSuffix(line, "|") + "-"
		}
		fmt.Fprintf(&b, "%s  %s  %s\n", format.Pad(j.names[e.ClientId], label), format.Pad(line, width*(end-start)+1), j.describe(c.input, c.output))
	}
	b.WriteString(j.explained())
	return b.String()
}

// mostShown is how many calls of a long history are shown.
const mostShown = 16

// shown returns the calls to be drawn: of a long history those near the first that is not
// part of the longest explanation.
func (j *linearizability) shown() []*historyCall {
	calls := j.h.calls
	if len(calls) <= mostShown {
		return calls
	}
	explained := make([]bool, len(calls))
	for _, id := range j.longest {
		explained[id] = true
	}
	from := max(0, slices.Index(explained, false)-mostShown/2)
	from = min(from, len(calls)-mostShown)
	return calls[from : from+mostShown]
}

// explained says how far the history can be explained.
func (j *linearizability) explained() string {
	if len(j.longest) == 0 {
		return "No call can be the first one.\n"
	}
	var b strings.Builder
	b.WriteString("The longest explanation is\n")
	state := j.model.Init()
	left := 0
	if len(j.h.calls) > mostShown {
		left = max(0, len(j.longest)-mostShown/4)
	}
	if left > 0 {
		fmt.Fprintf(&b, "    %s, and then\n", format.Counted(int64(left), "call"))
	}
	for i, id := range j.longest {
		c := j.h.calls[id]
		if _, state = stepOf(&j.model, state, c.input, c.output); i < left {
			continue
		}
		text := "    " + j.describe(c.input, c.output)
		if state != nil {
			text += "    then " + j.describeState(state)
		}
		b.WriteString(text + "\n")
	}
	b.WriteString("after which none of the others can come next.\n")
	return b.String()
}

func (j *linearizability) describeState(state any) string {
	if d := j.model.DescribeState; d != nil {
		return d(state)
	}
	return fmt.Sprintf("%v", state)
}

// mostDrawing is how long porcupine may take to find out what can be explained, all of which
// is in its picture. What it has found by then is drawn.
const mostDrawing = 10 * time.Second

// Draw writes porcupine's picture of the history that was wrong last.
func (j *linearizability) Draw(w io.Writer) error {
	_, info := porcupine.CheckEventsVerbose(j.model, j.failed, mostDrawing)
	return porcupine.Visualize(j.model, info, w)
}
