package history

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// A History takes down the calls of one execution: what [Call] is given, what it returns,
// and which goroutine has made the call. [Linearizable] and [Refines] hand one to the
// closure, a new one in every execution.
type History struct {
	order *sched.History // of calls and returns, nil if it is of no importance
	turn  *sched.Mutex   // held by the goroutine that is in a call, nil if calls may overlap
	calls []*historyCall // in the order in which they have begun
	open  map[trace.ID]*historyCall
	times int // calls and returns so far
}

// historyCall is a call. Begin and end are its places among all beginnings and ends.
type historyCall struct {
	g             trace.ID
	input, output any
	begin, end    int
	over, left    bool // it has returned; it has not, but its goroutine has left it
}

// Panicked is the output of a call that has panicked, if a function outside of the call has
// recovered from that, or has ended its goroutine. A panic without a recovery is a failure, as in
// every [por.Check].
type Panicked struct{}

// Call calls f, and takes down in h that this was a call with that input, which has
// returned what f returns. It is f that calls the data structure. The input says what is
// called with which arguments: a value of the user's, of any type, that a model
// understands and that reports can show. Inputs and outputs should be plain data (numbers,
// strings, and structs, arrays, slices and maps of these), and must not be changed
// later.
//
// The goroutine must be under control, and not be in a call already. What it does outside
// of calls is not a matter of the history.
func Call[Out any](h *History, input any, f func() Out) Out {
	c := h.begin(input)
	defer h.leave(c)
	out := f()
	h.finish(c, out)
	return out
}

// Do is [Call] for what returns nothing: the output is nil.
func (h *History) Do(input any, f func()) {
	c := h.begin(input)
	defer h.leave(c)
	f()
	h.finish(c, nil)
}

func (h *History) begin(input any) *historyCall {
	if h == nil {
		panic("por: Call: h is nil; use the History passed to the closure")
	}
	g := hook.Current()
	if g < 0 {
		panic("por: Call: the calling goroutine is not controlled")
	}
	if c := h.open[g]; c != nil {
		if !c.left {
			panic(fmt.Sprintf("por: a call (%v) inside of a call (%v): record the outer call only", input, c.input))
		}
		h.close(c)
	}
	if h.turn != nil {
		h.turn.Lock()
	}
	if h.order != nil {
		h.order.Call(input)
	}
	c := &historyCall{g: g, input: input, begin: h.times}
	h.times++
	h.calls = append(h.calls, c)
	h.open[g] = c
	return c
}

// finish says that c has returned.
func (h *History) finish(c *historyCall, output any) {
	c.output = output
	h.close(c)
	if h.turn != nil {
		h.turn.Unlock()
	}
}

// callText shows the input of a call: push(1) where that is push(1) of a type of the
// user's that is a number or a string.
func callText(input any) string {
	switch input.(type) {
	case fmt.Stringer, error:
		return fmt.Sprint(input)
	}
	if t := reflect.TypeOf(input); t != nil && t.PkgPath() != "" {
		switch t.Kind() {
		case reflect.Struct, reflect.Array, reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan:
		default:
			return fmt.Sprintf("%s(%v)", t.Name(), input)
		}
	}
	return fmt.Sprint(input)
}

// outputText shows the output of a call, nothing if that is nil.
func outputText(output any) string {
	if output == nil {
		return ""
	}
	return fmt.Sprintf(" -> %v", output)
}

// close ends c. It is the first use of the history since c has come back.
func (h *History) close(c *historyCall) {
	if h.order != nil {
		h.order.Return(c.output)
	} else {
		hook.NoteCall()
	}
	c.end, c.over = h.times, true
	h.times++
	delete(h.open, c.g)
}

// leave is deferred by the goroutine that makes the call c. If that has not returned, its return is
// taken down when its goroutine makes another one: before that it is not known whether the panic is
// recovered from.
func (h *History) leave(c *historyCall) {
	if c.over {
		return
	}
	c.left, c.output = true, Panicked{}
	if h.turn != nil {
		h.turn.Unlock()
	}
}

// settle ends the calls that were left, and returns one that goes on, nil if there is none.
func (h *History) settle() (pending *historyCall) {
	for _, c := range h.calls {
		switch {
		case c.left && !c.over:
			c.end, c.over = h.times, true
			h.times++
		case !c.over && pending == nil:
			pending = c
		}
	}
	return pending
}

// clients returns the goroutines that have made calls, in the order of their names.
func (h *History) clients(n replay.Paths) (ids []trace.ID) {
	for _, c := range h.calls {
		if !slices.Contains(ids, c.g) {
			ids = append(ids, c.g)
		}
	}
	slices.SortFunc(ids, func(a, b trace.ID) int { return slices.Compare(n.Path(a), n.Path(b)) })
	return ids
}

// recorded is what judges share: the closure, and the history of the latest execution.
type recorded struct {
	name  string
	f     func(*History)
	h     *History
	ended bool // the closure has returned
	most  int  // calls in an execution
}

func (r *recorded) Subject() any { return r.f }

// begin makes the history of an execution, and calls the closure.
func (r *recorded) begin(h *History) {
	h.open = make(map[trace.ID]*historyCall)
	r.h, r.ended = h, false
	r.f(h)
	r.ended = true
}

// complete reports whether the execution is one with calls that can be judged: the closure has come
// to its end, and no goroutine is in a call.
func (r *recorded) complete(s *explore.Session) (ok bool, failures []trace.Failure) {
	if r.h == nil || !r.ended {
		return false, nil // that is a failure in itself
	}
	c := r.h.settle()
	r.most = max(r.most, len(r.h.calls))
	switch {
	case c == nil:
		return true, nil
	case s.Phase.Run.AllowLeaks: // else that is a failure in itself
		return false, []trace.Failure{{Kind: trace.FailAssertion, G: c.g, Step: -1,
			Msg: fmt.Sprintf("history.%s: the call %v has not returned when the closure does, so it is not known whether what the others return is right; have the closure wait for it", r.name, c.input)}}
	}
	return false, nil
}

// Misused says that there was nothing to judge.
func (r *recorded) Misused() error {
	if r.most > 0 || r.h == nil || !r.ended {
		return nil
	}
	return fmt.Errorf("%s: the closure has recorded no call; make the calls to be judged by history.Call(h, ...) or h.Do(...)", r.name)
}

// Undecided says that all are.
func (r *recorded) Undecided() string { return "" }

func (r *recorded) LeaveOpen() {}

func newRecorded(name string, f func(*History)) recorded { return recorded{name: name, f: f} }
