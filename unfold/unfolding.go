package unfold

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Unfolding is the unfolding of a program as data. Package picture draws it.
type Unfolding struct {
	Threads []string // the goroutines that have events, by their names in reports
	// Events are in the order in which the search has met them. Drawings number them from 1, so
	// Events[0] is event 1.
	Events []Event
	// Conflicts are the pairs of events in immediate conflict, each once, as indexes into
	// Events: either can happen after the histories of both, but not both. Every other conflict
	// is inherited from one of these.
	Conflicts [][2]int
	// Maximal are the maximal configurations, one for each Mazurkiewicz trace.
	Maximal []Maximal
}

// Event is an event of an [Unfolding].
type Event struct {
	Thread int    // index into Threads
	Label  string // what the event does: "lock Mutex 1"
	Where  string // the position of the call, "" where it was not recorded
	// The latest events that have to come before, as indexes, ascending.
	Causes []int
}

// Maximal is a maximal configuration: a complete execution, up to the order of independent
// events.
type Maximal struct {
	Events   []int    // indexes, in an order in which the events can happen
	Failures []string // the failures of the execution, if any
}

// MaxMaximal is the largest number of maximal configurations of an [Unfolding]. There may be
// very many of them although there are few events.
const MaxMaximal = 10_000

// Unfold returns the whole unfolding of p. It returns an error if that has more than limit
// events or more than [MaxMaximal] maximal configurations, or if an execution of p does not
// end.
//
// Labels have positions, values and the kinds of objects only if p is a [exec.Closure] that
// records (see [exec.Options]). An object has one name wherever it is known to be the same.
// The time grows with the square of the number of events, and the result needs memory for the
// events of each maximal configuration.
func Unfold(p trace.Program, limit int) (*Unfolding, error) {
	s, err := newSurvey(p, limit)
	if err != nil {
		return nil, err
	}
	if _, err := s.search(bounded{p, limit}, s.visit); err != nil {
		return nil, err
	}
	if s.err != nil {
		return nil, s.err
	}
	return s.unfolding(), nil
}

// recorder is a program that may know more of its latest execution.
type recorder interface {
	Record() []exec.Entry
	Name(trace.ID) string
}

// survey collects the content of an [Unfolding] while its explorer searches.
type survey struct {
	*explorer
	recorder recorder // or nil
	recorded bool     // the recorder has a record of the latest execution
	limit    int
	err      error
	index    map[id]int // indexes into seen, by event
	seen     []sight
	maximal  []Maximal
	names    *naming
}

func newSurvey(p trace.Program, limit int) (*survey, error) {
	if limit < 1 {
		return nil, fmt.Errorf("unfold: the limit is %d events, but has to be at least 1", limit)
	}
	x, err := newExplorer(Tree{})
	if err != nil {
		return nil, err
	}
	x.alternative = x.combs.lazy
	x.full = math.MaxInt // no garbage is collected: events keep their numbers
	s := &survey{explorer: x, limit: limit, index: make(map[id]int), names: newNaming()}
	s.recorder, _ = p.(recorder)
	return s, nil
}

// sight is what is known of an event of the [Unfolding].
type sight struct {
	event  id
	kind   trace.Kind
	op     string
	things []int // the objects that it names, as indexes of names
	// The value that it has read or written, if that is the same in all executions.
	value string
	where string
	alts  string // its alternative, where there are several
}

// visit adds the latest execution.
func (s *survey) visit(e *trace.Execution) bool {
	if e.Blocked {
		return true // it is a part of others
	}
	if len(s.maximal) == MaxMaximal {
		s.err = fmt.Errorf("unfold: there are more than %d maximal configurations; make the program smaller", MaxMaximal)
		return false
	}
	var m Maximal
	for _, f := range e.Run.Outcome() {
		if f.Kind == trace.FailSteps || f.Kind == trace.FailStarved || f.Kind == trace.FailLong {
			s.err = fmt.Errorf("unfold: the program does not end: %v", f)
			return false
		}
		m.Failures = append(m.Failures, f.String())
	}
	entries := s.entries()
	s.names.begin()
	for k := range s.Events {
		i, ok := s.index[s.event(k)]
		if !ok {
			if i = len(s.seen); i == s.limit {
				s.err = tooLarge(s.limit)
				return false
			}
			s.index[s.event(k)] = i
			s.seen = append(s.seen, sight{event: s.event(k)})
		}
		s.look(&s.seen[i], k, entries[k], !ok)
		m.Events = append(m.Events, i)
	}
	s.names.end()
	s.maximal = append(s.maximal, m)
	return true
}

func tooLarge(limit int) error {
	return fmt.Errorf("unfold: there are more than %d events; make the program smaller, or raise the limit", limit)
}

// entries returns the record of the latest execution, by event.
func (s *survey) entries() []exec.Entry {
	out := make([]exec.Entry, len(s.Events))
	if s.recorder == nil {
		return out
	}
	record := s.recorder.Record()
	s.recorded = len(record) > 0
	for _, e := range record {
		if e.Step >= 0 && e.Step < len(out) {
			out[e.Step] = e
		}
	}
	return out
}

// look notes what event k of the latest execution, which is the event of v, shows.
func (s *survey) look(v *sight, k int, entry exec.Entry, first bool) {
	things := s.names.see(s, v.event, k, entry)
	if !first {
		if entry.Value != v.value {
			v.value = ""
		}
		return
	}
	e := &s.Events[k]
	v.kind, v.op, v.things, v.value = e.Kind, e.Kind.String(), things, entry.Value
	if entry.File != "" {
		v.where = fmt.Sprintf("%s:%d", filepath.Base(entry.File), entry.Line)
	}
	if e.Alts > 1 && (e.Kind != trace.OpChoose || v.value == "") {
		v.alts = fmt.Sprintf(" #%d of %d", e.Alt+1, e.Alts)
	}
}

// unfolding makes the result.
func (s *survey) unfolding() *Unfolding {
	u := &Unfolding{Maximal: s.maximal}
	names := s.names.resolve(&s.objects)
	threads := make(map[int32]int)
	for _, v := range s.seen {
		threads[s.nodes[v.event].g] = 0
	}
	var order []int32
	for g := range threads {
		order = append(order, g)
	}
	slices.Sort(order)
	for i, g := range order {
		threads[g] = i
		u.Threads = append(u.Threads, s.thread(trace.ID(g)))
	}
	for _, v := range s.seen {
		e := Event{Thread: threads[s.nodes[v.event].g], Label: v.label(names), Where: v.where}
		for _, c := range s.causes(v.event) {
			e.Causes = append(e.Causes, s.index[c])
		}
		slices.Sort(e.Causes)
		u.Events = append(u.Events, e)
	}
	u.Conflicts = s.immediate()
	return u
}

// thread returns the name of a goroutine.
func (s *survey) thread(g trace.ID) string {
	if s.recorder != nil {
		return s.recorder.Name(g)
	}
	return fmt.Sprintf("thread %d", g)
}

// label returns the description of an event.
func (v *sight) label(names []string) string {
	text, sep := v.op, " "
	for _, t := range v.things {
		text += sep + names[t]
		if sep = ", "; v.kind == trace.OpTransfer {
			sep = " from "
		}
	}
	text += v.alts
	if v.value != "" {
		text += " = " + v.value
	}
	return text
}

// causes returns the latest events before e: those of [e) that do not precede another one.
func (s *survey) causes(e id) []id {
	var all []id
	for _, c := range s.history(e) {
		if c != bottom {
			all = append(all, c)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(c id) bool {
		return slices.ContainsFunc(all, func(d id) bool { return c != d && s.precedes(c, d) })
	})
}

// history returns the configuration [e).
func (s *survey) history(e id) configuration {
	h := slices.Clone(s.at(e))
	h[s.nodes[e].g] = s.nodes[e].parent
	return h
}

// immediate returns the pairs in immediate conflict, as indexes. Events e and f are, if they
// are in conflict, and [e) and [f] are not, and [e] and [f) are not.
func (s *survey) immediate() [][2]int {
	var pairs [][2]int
	histories := make([]configuration, len(s.seen))
	for i, v := range s.seen {
		histories[i] = s.history(v.event)
	}
	for i, v := range s.seen {
		for j := range i {
			e, f := s.at(s.seen[j].event), s.at(v.event)
			if s.conflict(e, f) && !s.conflict(histories[j], f) && !s.conflict(e, histories[i]) {
				pairs = append(pairs, [2]int{j, i})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return pairs
}

// bounded is a program with executions that end in an error when they become longer than limit
// events.
type bounded struct {
	trace.Program
	limit int
}

// Start implements [trace.Program].
func (b bounded) Start() trace.Run {
	run := boundedRun{b.Program.Start(), b.limit}
	if d, ok := run.Run.(trace.Driver); ok {
		return boundedDriver{run, d}
	}
	return run
}

type boundedRun struct {
	trace.Run
	limit int
}

// Step implements [trace.Run].
func (r boundedRun) Step(c trace.Choice) (*trace.Event, error) {
	if r.Len() >= r.limit {
		return nil, tooLarge(r.limit)
	}
	return r.Run.Step(c)
}

type boundedDriver struct {
	boundedRun
	driver trace.Driver
}

// Drive implements [trace.Driver].
func (r boundedDriver) Drive(s trace.Schedule, decide func(*trace.Event) (trace.Choice, bool)) error {
	var err error
	failed := r.driver.Drive(s, func(ev *trace.Event) (trace.Choice, bool) {
		c, ok := decide(ev)
		if ok && r.driver.Len() >= r.limit {
			err, ok = tooLarge(r.limit), false
		}
		return c, ok
	})
	if failed != nil {
		return failed
	}
	return err
}
