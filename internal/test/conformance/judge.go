package conformance

import (
	"errors"
	"fmt"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// ErrTooBig says that a program has more interleavings, or longer ones, than the
// judge wants to see. Such a program says nothing.
var ErrTooBig = errors.New("too many interleavings")

// Promise is what an engine promises of the executions that it visits, beside one
// of every trace.
type Promise uint8

const (
	// Once: no trace is visited twice.
	Once Promise = 1 << iota
	// Unblocked: no execution is given up as redundant.
	Unblocked
	// Outcomes: what executions return, and how they fail, is covered, rather than traces.
	Outcomes
)

// Candidate is an engine and what it promises.
type Candidate struct {
	Engine  trace.Engine
	Promise Promise
	// Name defaults to the engine's.
	Name string
}

func (c Candidate) name() string {
	if c.Name != "" {
		return c.Name
	}
	return c.Engine.Name()
}

// Judge compares what engines visit of a program with all of its interleavings. It
// may be used for one program after the other, by one goroutine.
type Judge struct {
	Candidates []Candidate
	// Most is how many interleavings a program may have, 0 for a thousand.
	Most int64
	// Needless shows engines which races they need not reverse: see [trace.Needless].
	Needless bool
	// Wrap, if not nil, puts something between a program and the engines.
	Wrap func(Subject) Subject

	// Programs, Executions and Classes count what has been judged so far, and
	// Blocked what the engine of that name has given up.
	Programs, Executions, Classes int64
	Blocked                       map[string]int64
	Visits                        int64 // of programs that are judged, by all engines together

	classes map[uint64]*class
	spare   []*class
	raced   bool // an interleaving has a data race
	tracer  tracer
}

// class is a trace.
type class struct {
	executions int64
	extensions int64
	results    uint64
	failures   uint64
	schedule   trace.Schedule
	visits     int64 // by the engine that is judged
}

// Verify judges the engines on a program. It returns ErrTooBig if the program is
// not one for the judge, and otherwise the first disagreement.
func (j *Judge) Verify(p *Program) (err error) {
	x := New(p)
	defer x.Shutdown()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var s Subject = x
	if j.Wrap != nil {
		s = j.Wrap(s)
	}
	if err := j.enumerate(s); err != nil {
		return err
	}
	for _, c := range j.Candidates {
		if err := j.verify(c, s); err != nil {
			return fmt.Errorf("%s: %w", c.name(), err)
		}
	}
	j.Programs++
	return j.again(p)
}

func (j *Judge) limit() int64 {
	if j.Most == 0 {
		return 1000
	}
	return j.Most
}

// begin makes ready for the executions of s.
func (j *Judge) begin(s Subject) *tracer {
	j.tracer = tracer{Subject: s, events: j.tracer.events[:0], apart: j.tracer.apart, needless: j.Needless}
	return &j.tracer
}

// outcome is what an execution returns, and how it fails.
type outcome struct{ results, failures uint64 }

// enumerate finds the classes of s, and holds them to the law: one result, and as
// many interleavings as there are linear extensions.
func (j *Judge) enumerate(s Subject) (err error) {
	for _, c := range j.classes {
		j.spare = append(j.spare, c)
	}
	if j.classes == nil {
		j.classes = make(map[uint64]*class)
	}
	clear(j.classes)
	j.raced = false
	t := j.begin(s)
	var executions int64
	stats, failed := engine.DFS{}.Explore(t, func(x *trace.Execution) bool {
		if executions++; executions > j.limit() || t.long || t.n >= mostSteps {
			err = ErrTooBig
			return false
		}
		err = j.classify(t)
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		return fmt.Errorf("dfs: %w", failed)
	case !stats.Exhaustive:
		return fmt.Errorf("dfs is not exhaustive")
	}
	j.Executions += executions
	j.Classes += int64(len(j.classes))
	if j.raced {
		return nil
	}
	for _, c := range j.classes {
		if c.executions != c.extensions {
			return fmt.Errorf("a trace has %d interleavings, but what happens before what has %d linear extensions: %v", c.executions, c.extensions, c.schedule)
		}
	}
	return nil
}

// classify puts the execution that has ended into its class.
func (j *Judge) classify(t *tracer) error {
	if t.err != nil {
		return t.err
	}
	fp := t.fingerprint()
	failures, race := judged(t, t.Outcome())
	j.raced = j.raced || race
	c := j.classes[fp]
	if c == nil {
		c = j.newClass()
		*c = class{results: t.Results(), failures: failures, extensions: t.extensions(j.limit()), schedule: append(c.schedule[:0], t.schedule()...)}
		j.classes[fp] = c
	}
	c.executions++
	return j.agrees(t, c, failures)
}

func (j *Judge) newClass() *class {
	if n := len(j.spare); n > 0 {
		c := j.spare[n-1]
		j.spare = j.spare[:n-1]
		return c
	}
	return &class{}
}

// agrees holds an execution to what is known of its class.
func (j *Judge) agrees(t *tracer, c *class, failures uint64) error {
	if j.raced {
		return nil // a program with a data race promises nothing
	}
	if results := t.Results(); c.results != results {
		return fmt.Errorf("executions of one trace return different results: %v, and %v, which returns %s", c.schedule, t.schedule(), t.ResultsText())
	}
	if c.failures != failures {
		return fmt.Errorf("executions of one trace fail differently: %v, and %v, which has %v", c.schedule, t.schedule(), t.Outcome())
	}
	return nil
}

// judged returns a number for what is wrong with an execution, other than data
// races, and whether there is one of those.
func judged(t *tracer, fs []trace.Failure) (sum uint64, race bool) {
	for _, f := range fs {
		if f.Kind == trace.FailRace {
			race = true
			continue
		}
		h := mix(uint64(f.Kind) ^ hashText(f.Msg))
		if f.G >= 0 {
			h = mix(h ^ t.GoroutineName(f.G))
		}
		sum += h
	}
	return sum, race
}

// verify holds an engine to its promise.
func (j *Judge) verify(c Candidate, s Subject) (err error) {
	for _, k := range j.classes {
		k.visits = 0
	}
	t := j.begin(s)
	var executions, blocked int64
	raced := false
	stats, failed := c.Engine.Explore(t, func(x *trace.Execution) bool {
		switch {
		case x.Pruned:
			return true
		case x.Blocked:
			if blocked++; blocked > 100*j.limit() {
				err = fmt.Errorf("%d blocked executions", blocked)
			}
		default:
			executions++
			err = j.visit(c, t, x, &raced)
		}
		return err == nil
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case !stats.Exhaustive:
		return fmt.Errorf("the engine says that it was not exhaustive")
	case stats.Executions != executions || stats.Blocked != blocked:
		return fmt.Errorf("the engine counts %d executions and %d blocked, but has visited %d and %d", stats.Executions, stats.Blocked, executions, blocked)
	case raced != j.raced:
		return fmt.Errorf("the engine has seen a data race: %v, some interleaving has one: %v", raced, j.raced)
	case c.Promise&Unblocked != 0 && blocked > 0:
		return fmt.Errorf("%d blocked executions", blocked)
	}
	j.Visits += executions
	if j.Blocked == nil {
		j.Blocked = make(map[string]int64)
	}
	j.Blocked[c.name()] += blocked
	if c.Promise&Outcomes != 0 {
		return j.outcomes()
	}
	return j.covered()
}

// visit judges one execution.
func (j *Judge) visit(c Candidate, t *tracer, x *trace.Execution, raced *bool) error {
	switch {
	case t.err != nil:
		return t.err
	case !t.matches(x.Schedule):
		return fmt.Errorf("it shows the schedule %v after running %v", x.Schedule, t.schedule())
	case len(x.Run.Pending()) > 0:
		return fmt.Errorf("an execution that is not at its end: %v", x.Schedule)
	}
	failures, race := judged(t, x.Run.Outcome())
	*raced = *raced || race
	k := j.classes[t.fingerprint()]
	if k == nil && c.Promise&Outcomes != 0 {
		k = j.alike(t.Results(), failures)
	}
	if k == nil {
		return fmt.Errorf("an execution of no known trace: %v", x.Schedule)
	}
	k.visits++
	switch {
	case c.Promise&Once != 0 && k.visits > 1:
		return fmt.Errorf("a trace is visited twice, the second time by %v", x.Schedule)
	case k.visits > k.executions && c.Promise&Outcomes == 0: // it may have begun again
		return fmt.Errorf("a trace with %d interleavings is visited %d times, at last by %v", k.executions, k.visits, x.Schedule)
	}
	return j.agrees(t, k, failures)
}

// alike returns a class with an outcome. While states are told apart, some operations depend on
// each other that commute otherwise, and there are other traces.
func (j *Judge) alike(results, failures uint64) *class {
	for _, k := range j.classes {
		if k.results == results && k.failures == failures {
			return k
		}
	}
	return nil
}

// covered reports what should have been visited and was not.
func (j *Judge) covered() error {
	missing := 0
	var first trace.Schedule
	for _, k := range j.classes {
		if k.visits == 0 {
			if missing++; first == nil || oracle.Less(k.schedule, first) {
				first = k.schedule
			}
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d traces are missed, one of them %v", missing, len(j.classes), first)
	}
	return nil
}

// outcomes is covered for an engine that promises Outcomes.
func (j *Judge) outcomes() error {
	if j.raced {
		return nil // a program with a data race promises nothing
	}
	seen := make(map[outcome]bool)
	for _, k := range j.classes {
		if k.visits > 0 {
			seen[outcome{k.results, k.failures}] = true
		}
	}
	for _, k := range j.classes {
		if !seen[outcome{k.results, k.failures}] {
			return fmt.Errorf("an outcome is missed, that of %v", k.schedule)
		}
	}
	return nil
}

// again performs one execution of the program on a new instance, by the names of
// its goroutines: it has to be of the same class, and to end in the same way.
func (j *Judge) again(p *Program) error {
	if j.Wrap != nil || j.raced {
		return nil
	}
	var fp uint64
	var c *class
	for f, k := range j.classes {
		if c == nil || oracle.Less(c.schedule, k.schedule) {
			fp, c = f, k
		}
	}
	old := j.tracer.Subject.(*Instance)
	x := New(p)
	defer x.Shutdown()
	t := j.begin(x)
	run := t.Start()
	defer run.Close()
	for _, choice := range c.schedule {
		if _, err := run.Step(trace.Choice{G: x.Lookup(old.Path(choice.G)), Alt: choice.Alt}); err != nil {
			return fmt.Errorf("a new instance: %w", err)
		}
	}
	if len(run.Pending()) > 0 {
		return fmt.Errorf("on a new instance, %v is not at its end", c.schedule)
	}
	failures, _ := judged(t, run.Outcome())
	if t.fingerprint() != fp {
		return fmt.Errorf("on a new instance, %v is of another trace", c.schedule)
	}
	return j.agrees(t, c, failures)
}
