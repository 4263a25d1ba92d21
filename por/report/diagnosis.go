package report

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Diagnosis is a failure as data: which goroutines wait, hold, race or panic where, and which steps
// have led there. The text of a report is written from it, and so are its JSON
// ([Diagnosis.WriteJSON]) and its page ([Diagnosis.WriteHTML]). To make one takes time in
// proportion to the entries of the execution, some ten thousand at most, and reads the source
// files that its stacks name.
type Diagnosis struct {
	// Kind is what package trace calls the failure, Bug the kind of bug in words, as far
	// as that can be told: "deadlock by lock order", "data race". It begins the headline.
	Kind string `json:"kind"`
	Bug  string `json:"bug"`
	// Headline is the verdict in one line, Message what the execution itself says of the
	// failure: what a panic was about, or a test has reported.
	Headline string `json:"headline"`
	Message  string `json:"message"`
	// Cause says in one line how it has come about, where there is more to say than the
	// headline does.
	Cause string `json:"cause,omitempty"`
	late  bool   // the cause is a write that comes too late
	// Always says, where that is so, that other schedules fail as well, and how many of them
	// were tried: "in every schedule (all 6)". Then it is hardly a matter of concurrency.
	Always string `json:"always,omitempty"`
	// At is the user's line that the headline is about.
	At Frame `json:"at"`
	// Parties are the goroutines that wait, hold, race, panic or report. Those that the headline is
	// about come first.
	Parties []Party `json:"parties"`
	// Remarks are what else there is to say of them.
	Remarks []string `json:"remarks,omitempty"`
	// Also is what else is wrong with the execution.
	Also []Finding `json:"also,omitempty"`

	// Test and Package are where the search was asked for. Test is "" outside tests.
	Test    string `json:"test"`
	Package string `json:"package"`
	// Faults are what fails of the network and of files in the execution, in the order of time,
	// as the option por.Faults has it: "the dial of 127.0.0.1:80 is refused".
	Faults []string `json:"faults,omitempty"`
	// Note is something unusual about the report, which the text shows before the schedule.
	Note string `json:"note,omitempty"`
	// History is the calls of a failure of history.Linearizable or history.Refines as text: which
	// goroutine has called what, when, and what was returned. It is "" in other failures.
	History string `json:"history,omitempty"`
	Measure

	Goroutines []Goroutine `json:"goroutines"` // in the order in which they appear, main first
	Steps      []Step      `json:"steps"`
	// Log is what the closure has logged to its own testing.TB.
	Log    string `json:"log,omitempty"`
	Replay string `json:"replay"` // the schedule, for POR_REPLAY
	// Saved is the file in which it is saved, from the folder of the test's package.
	Saved   string `json:"saved,omitempty"`
	Command string `json:"command"` // what to type to replay it

	repeats bool // the execution hangs since main does the same again and again
}

// Measure is when an execution was run, how long it is, and how time passes in it.
type Measure struct {
	// Execution is the number of the one that has shown the failure first, 0 in a replay.
	Execution int64 `json:"execution"`
	// Preemptions and Length measure the execution up to where it fails; Fewest says that
	// none with fewer preemptions fails in this way.
	Preemptions int  `json:"preemptions"`
	Length      int  `json:"length"`
	Fewest      bool `json:"fewest"`
	// Lag says that time has passed by lag.
	Lag bool `json:"lag,omitempty"`
	// Seed is that of the random numbers; see por.RandSeed.
	Seed uint64 `json:"seed,omitempty"`
}

// Finding is one more thing that is wrong with an execution.
type Finding struct {
	Headline string   `json:"headline"`
	Parties  []Party  `json:"parties"`
	Remarks  []string `json:"remarks,omitempty"`
}

// Party is a goroutine that has to do with a failure.
type Party struct {
	Goroutine string `json:"goroutine"`
	// Does is what it does, in words: "waits in lock of bob.mu, held by g2".
	Does string `json:"does"`
	// Acts are what has brought it there, in the order of time: the locks that it holds,
	// each with the stack on which it took it, and what it waits for at last.
	Acts []Act `json:"acts"`

	wait *trace.Wait // what it waits for, nil if it does not, or that is not known
}

// Act is something that a party has done.
type Act struct {
	// Does says what was done: "holds alice.mu", "waits for bob.mu". It is "" where the party
	// says so.
	Does  string  `json:"does"`
	Stack []Frame `json:"stack"` // the user's calls, innermost first
}

// Goroutine is one that appears in an execution.
type Goroutine struct {
	Name string `json:"name"`
	// Started is the go statement. It is zero for main, and for what is not a goroutine, such
	// as a timer.
	Started Frame  `json:"started"`
	Call    string `json:"call,omitempty"` // what the go statement calls, such as "worker(results)"
}

// Step is an operation, or something between operations.
type Step struct {
	// Number is that of the event, from 0. It is -1 if the step is not an event: a go statement,
	// or an access of memory.
	Number    int    `json:"number"`
	Goroutine string `json:"goroutine"`
	Op        string `json:"op"`                 // "lock", "send", "write", "go", ...
	Case      string `json:"case,omitempty"`     // of a select: "send", "recv", "default"
	Ready     int    `json:"ready,omitempty"`    // how many cases a select could have taken
	Object    string `json:"object,omitempty"`   // what the program calls it: "alice.mu"
	Label     string `json:"label,omitempty"`    // what the record calls it: "Mutex 1"
	Value     string `json:"value,omitempty"`    // what was stored, loaded, sent or received
	Waits     bool   `json:"waits,omitempty"`    // it was not granted at once
	For       string `json:"for,omitempty"`      // the goroutine that held the lock
	Preempts  bool   `json:"preempts,omitempty"` // the goroutine before could have gone on
	Fails     bool   `json:"fails,omitempty"`    // it is the event that the headline is about
	// Matters says that the step is one that the failure depends on, as far as that is known:
	// it is of the happens-before cone of the failure, and on something that several
	// goroutines use. Steps of a long setup, before everything that could have come in
	// another order, do not matter.
	Matters bool `json:"matters,omitempty"`
	// Private says that it uses memory that no other goroutine uses, or that none writes once
	// there are several.
	Private bool `json:"private,omitempty"`
	// After says that it comes after the event that the headline is about.
	After bool `json:"after,omitempty"`
	// Library says that the standard library makes it, and uses no socket by it.
	Library bool `json:"library,omitempty"`
	// Omitted counts the steps that are not known any more, right before this one.
	Omitted int     `json:"omitted,omitempty"`
	Stack   []Frame `json:"stack,omitempty"` // the user's calls, innermost first

	kind trace.Kind
}

// Frame is a call of the program.
type Frame struct {
	Func   string `json:"func"` // with its package's name
	File   string `json:"file"`
	Line   int    `json:"line"`
	Source string `json:"source,omitempty"` // the text of that line, trimmed
	// Call is how the function was called, with what its arguments go by further up:
	// "Transfer(alice, bob)". It is "" where that is not known.
	Call string `json:"call,omitempty"`

	pkg   string // the path of the function's package
	brief bool   // the function is of a few lines
}

// Where returns the position of a frame, without folders.
func (f Frame) Where() string {
	if f.File == "" {
		return ""
	}
	return filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
}

// position returns where an entry is, without folders.
func position(e *exec.Entry) string { return Frame{File: e.File, Line: e.Line}.Where() }

// at is position in brackets, nothing where the program has no place of its own: a timer may call
// a method of a primitive.
func at(e *exec.Entry) string {
	if e.File == "" {
		return ""
	}
	return " (" + position(e) + ")"
}

// Case is a failure of an execution, of which a Diagnosis is made.
type Case struct {
	Failure   trace.Failure   // the most telling one
	All       []trace.Failure // everything that is wrong with the execution, Failure too
	Entries   []exec.Entry    // the record of the execution
	Preempted []int           // the events that are preemptions, ascending
	Length    int             // how many events the execution has
	Past      *trace.Tracker  // happens-before of its events, nil if unknown
}

// FailsAlways sets Always. Where other orders fail as well, no write is too late.
func (d *Diagnosis) FailsAlways(how string) {
	if d.Always = how; how != "" && d.late {
		d.Cause = ""
	}
}

// Diagnose returns the diagnosis, without what the search knows and the execution does not: its
// Test, Execution, Preemptions, Replay and so on. The objects in c get the names that the program
// has for them.
func (c *Case) Diagnose() *Diagnosis {
	names := naming.New()
	if name, ok := names.Apply(c.Entries); ok {
		c.Failure = c.Failure.Named(name)
		c.All = slices.Clone(c.All)
		for i, f := range c.All {
			c.All[i] = f.Named(name)
		}
	}
	d := &Diagnosis{Kind: c.Failure.Kind.String(), Message: c.Failure.String()}
	x := newExamination(c, names)
	d.Goroutines = x.goroutines()
	v := x.judge(c.Failure)
	d.Bug, d.Headline, d.Cause, d.Parties, d.Remarks = v.bug, v.headline, v.cause, v.parties, v.remarks
	d.late = v.late
	d.At, d.History, d.repeats = v.at, v.history, v.repeats
	second := false
	for _, f := range c.All {
		if f.Kind == c.Failure.Kind && f.Msg == c.Failure.Msg {
			continue
		}
		also := x.judge(f)
		d.Also = append(d.Also, Finding{Headline: also.headline, Parties: also.parties, Remarks: also.remarks})
		if trial.IsRace(c.Failure) && !trial.IsRace(f) && !second {
			// A reader of the first line should not take the race for all.
			d.Headline += "; also " + also.headline
			second = true
		}
	}
	d.Steps = x.steps(v)
	return d
}

// examination is what the parts of a diagnosis are made from.
type examination struct {
	*Case
	entries []exec.Entry
	names   *naming.Search
	waits   *waits
	private map[int]bool // entries of memory that one goroutine uses
	failed  int          // the event that shows the failure, -1 for the end of the execution
	src     sources
	frames  map[knownStack][]Frame
	lines   map[exec.Call]Frame
}

// knownStack is a stack by its first call, with how its functions were called or without.
type knownStack struct {
	first  *exec.Call
	called bool
}

func newExamination(c *Case, names *naming.Search) *examination {
	x := &examination{
		Case:    c,
		entries: c.Entries,
		names:   names,
		waits:   waitsOf(c.Entries),
		private: privateMemory(c.Entries),
		failed:  -1,
		src:     sources{},
		frames:  make(map[knownStack][]Frame),
		lines:   make(map[exec.Call]Frame),
	}
	if f := c.Failure; trial.Shows(f.Kind) && f.Step >= 0 {
		x.failed = f.Step
	}
	return x
}

// goroutines returns the goroutines that appear in the execution, main first.
func (x *examination) goroutines() []Goroutine {
	var all []Goroutine
	at := make(map[string]int)
	add := func(name string) *Goroutine {
		i, ok := at[name]
		if !ok {
			i = len(all)
			at[name] = i
			all = append(all, Goroutine{Name: name})
		}
		return &all[i]
	}
	for i := range x.entries {
		e := &x.entries[i]
		add(e.Name)
		if e.Remark == exec.RemarkGo {
			g := add(e.Value)
			if stack := x.stackOf(e); len(stack) > 0 {
				g.Started, g.Call = stack[0], x.names.Started(e.Stack)
			}
		}
	}
	return all
}

// stackOf returns the user's calls that have led to an entry, innermost first.
func (x *examination) stackOf(e *exec.Entry) []Frame { return x.stack(e, true) }

// place returns where the program has come to an entry.
func (x *examination) place(e *exec.Entry) string {
	if frames := x.stack(e, false); len(frames) > 0 {
		return frames[0].Where()
	}
	return position(e)
}

// stack is stackOf, with how the functions were called or without. To find that out takes most of
// the time for a long stack.
func (x *examination) stack(e *exec.Entry, called bool) []Frame {
	if len(e.Stack) == 0 {
		if e.File == "" {
			return nil
		}
		return []Frame{x.frame(e.Func, e.File, e.Line)}
	}
	known := knownStack{&e.Stack[0], called}
	frames, ok := x.frames[known]
	if !ok {
		for i, c := range e.Stack {
			if stack.IsUsers(c.Func, c.File) {
				f := x.frame(c.Func, c.File, c.Line)
				if called {
					f.Call, f.brief = x.names.Called(e.Stack, i), x.names.IsBrief(c)
				}
				frames = append(frames, f)
			}
		}
		if frames == nil {
			frames = []Frame{x.frame(e.Func, e.File, e.Line)}
		}
		x.frames[known] = frames
	}
	if e.Kind.OfSocket() || ofCall(e.Kind, frames) || isAccess(e.Kind) && stack.Package(frames[0].Func) == "reflect" {
		frames = frames[outermost(frames):]
	}
	return frames
}

// ofCall reports whether an operation is what a call of the standard library does for the program,
// with what the library keeps: a variable of the environment, a file, a flag.
func ofCall(kind trace.Kind, calls []Frame) bool {
	if kind != trace.OpLoad && kind != trace.OpStore {
		return false
	}
	n := outermost(calls)
	for _, f := range calls[:n] {
		if stack.Package(f.Func) != stack.Package(calls[0].Func) {
			return false
		}
	}
	return n > 0
}

// outermost returns the index of the innermost frame that is not of the standard library, 0 if
// there is none.
func outermost(calls []Frame) int {
	return max(0, slices.IndexFunc(calls, func(f Frame) bool { return !stack.Standard(f.File) }))
}

func (x *examination) frame(function, file string, line int) Frame {
	c := exec.Call{File: file, Line: line, Func: function}
	f, known := x.lines[c]
	if !known {
		f = Frame{Func: stack.ShortName(function), File: file, Line: line, Source: x.src.line(file, line), pkg: stack.Package(function)}
		x.lines[c] = f
	}
	return f
}

// entryOf returns the number of the entry of an event, -1 if there is none.
func (x *examination) entryOf(step int) int {
	if step < 0 {
		return -1
	}
	for i := range x.entries {
		if x.entries[i].Step == step {
			return i
		}
	}
	return -1
}

// outside returns the innermost frame that is not of the standard library, such as of package
// reflect, or else the innermost.
func outside(frames []Frame) Frame {
	i := slices.IndexFunc(frames, func(f Frame) bool { return f.pkg == "" || stack.IsRewritten(f.pkg) })
	return frames[max(i, 0)]
}
