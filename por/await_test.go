package por_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// This file has programs that poll, explored by engines that do not tell states apart. Who polls
// awaits something there, see sched.Loop. Drawn programs are judged by a model of their own, which
// has all of their states as a graph.

// A pollStatement is one of a drawn program: what it does is in pollGraph.step and in
// pollStatement.run.
type pollStatement struct {
	kind       pollKind
	x, y, v, w int64
	maps       bool // variables are keys of a map
}

type pollKind int

const (
	pollStore pollKind = iota
	pollAdd
	pollLoad
	pollAwait       // until x is v
	pollAwaitBoth   // until x is v and then y is w
	pollSwap        // x from v to w, again and again
	pollAwaitLocked // until x is v, looking under the lock
	pollHold        // until x is v, with the lock
	pollSection     // stores under the lock
	pollTry         // the lock, once
	pollAwaitTry    // the lock, until it was free
	pollCount       // looks twice whether x is v
	pollDown        // takes one from x by compare-and-swap until there is none
	pollSleep       // for a millisecond or two
	pollPublish     // writes plain memory under the lock
	pollRead        // reads plain memory under the lock
	pollAwaitPlain  // until plain memory is v, reading it under the lock
	pollKinds
)

type pollProgram [][]pollStatement

func drawPolls(r *rand.Rand) pollProgram {
	p := make(pollProgram, 2+r.IntN(2))
	for left := 5; left > 0; left-- {
		g := r.IntN(len(p))
		p[g] = append(p[g], pollStatement{kind: pollKind(r.IntN(int(pollKinds))), x: r.Int64N(2), y: r.Int64N(2), v: r.Int64N(2), w: r.Int64N(3)})
	}
	return p
}

// pollWorld is what a program is explored with, and what has come of it.
type pollWorld struct {
	p       pollProgram
	native  bool     // loops say where their turns begin as those of rewritten code do
	now     [4]int64 // what the variables hold: two of memory, and two of plain
	at      []int    // statements that are over, by goroutine
	results []string // by goroutine
	memory  [2]pollVariable
	plain   [2]int64
	lock    sched.Mutex
}

func (w *pollWorld) observed() string { return fmt.Sprint(w.now, w.at, w.results) }

// closure returns the program as a closure, and what tells of its latest execution.
func (p pollProgram) closure(native bool) (f func(), observed func() string) {
	var w *pollWorld
	return func() {
		w = &pollWorld{p: p, native: native, at: make([]int, len(p)), results: make([]string, len(p)), memory: polled(p.maps())}
		var hs []sched.Handle
		for g := range p {
			hs = append(hs, sched.Go(func() {
				for _, s := range w.p[g] {
					s.run(w, g)
					w.write(unsafe.Pointer(&w.at[g]))
					w.at[g]++
				}
			}))
		}
		for _, h := range hs {
			h.Join()
		}
	}, func() string { return w.observed() }
}

func (s pollStatement) run(w *pollWorld, g int) {
	x, y := w.memory[s.x], w.memory[s.y]
	loop := int32(0)
	head := func(first bool, values ...any) {
		if first {
			loop = 0
		}
		if w.native {
			loop = hook.Turn(uintptr(s.kind)+1, values, loop)
		} else {
			sched.Loop(append(values, w.at[g], w.results[g])...) // of which the end is made
		}
	}
	await := func(done func() bool) {
		for head(true); !done(); head(false) {
		}
	}
	note := func(v any) {
		w.write(unsafe.Pointer(&w.results[g]))
		w.results[g] += fmt.Sprint(v, " ")
	}
	switch s.kind {
	case pollStore:
		x.Store(s.v)
		w.now[s.x] = s.v
	case pollAdd:
		w.now[s.x] = x.Add(s.v)
		note(w.now[s.x])
	case pollLoad:
		note(x.Load())
	case pollAwait:
		await(func() bool { return x.Load() == s.v })
	case pollAwaitBoth:
		if k, ok := x.(pollKey); ok && s.x < s.y {
			await(func() bool { return k.both(s.v, y.(pollKey), s.w) })
		} else {
			await(func() bool { return x.Load() == s.v && y.Load() == s.w })
		}
	case pollSwap:
		await(func() bool { return x.CompareAndSwap(s.v, s.w) })
		w.now[s.x] = s.w
	case pollAwaitLocked:
		await(func() bool {
			w.lock.Lock()
			defer w.lock.Unlock()
			return x.Load() == s.v
		})
	case pollHold:
		w.lock.Lock()
		await(func() bool { return x.Load() == s.v })
		w.lock.Unlock()
	case pollSection:
		w.lock.Lock()
		x.Store(s.v)
		w.now[s.x] = s.v
		w.lock.Unlock()
	case pollTry:
		ok := w.lock.TryLock()
		note(ok)
		if ok {
			w.lock.Unlock()
		}
	case pollAwaitTry:
		await(w.lock.TryLock)
		w.lock.Unlock()
	case pollDown:
		await(func() bool {
			v := x.Load()
			if v > 0 && x.CompareAndSwap(v, v-1) {
				w.now[s.x] = v - 1
			}
			return v <= 0
		})
	case pollSleep:
		sched.Sleep(time.Duration(1+s.v) * time.Millisecond)
	case pollCount:
		i := 0
		for ; i < 2; i++ {
			head(i == 0, i)
			if x.Load() == s.v {
				break
			}
		}
		note(i)
	case pollPublish:
		w.lock.Lock()
		w.write(unsafe.Pointer(&w.plain[s.x]))
		w.plain[s.x] = s.v
		w.now[2+s.x] = s.v
		w.lock.Unlock()
	case pollRead:
		w.lock.Lock()
		note(w.plain[s.x])
		w.lock.Unlock()
	case pollAwaitPlain:
		await(func() bool {
			w.lock.Lock()
			defer w.lock.Unlock()
			if w.native {
				hook.ReadMemory(unsafe.Pointer(&w.plain[s.x]), 8)
			}
			return w.plain[s.x] == s.v
		})
	}
}

// write announces a write of plain memory, as rewritten code does.
func (w *pollWorld) write(p unsafe.Pointer) {
	if w.native {
		hook.WriteMemory(p, 8)
	}
}

// pollState is a state of the model.
type pollState struct {
	now     [4]int64
	holder  int // of the lock, -1 if it is free
	at, sub [3]int
	asleep  [3]int64 // for how long still
	results [3]string
}

// passTime wakes those who sleep for the shortest time. It returns false if nobody sleeps.
func (q pollState) passTime() (pollState, bool) {
	least := slices.Min(append([]int64{math.MaxInt64}, slices.DeleteFunc(slices.Clone(q.asleep[:]), func(d int64) bool { return d == 0 })...))
	if least == math.MaxInt64 {
		return q, false
	}
	for g := range q.asleep {
		if q.asleep[g] > 0 {
			if q.asleep[g] -= least; q.asleep[g] == 0 {
				q.at[g], q.sub[g] = q.at[g]+1, 0
			}
		}
	}
	return q, true
}

// atHead reports whether g, if it can go on, is about to begin a turn of a loop.
func (p pollProgram) atHead(q pollState, g int) bool {
	if _, can := p.step(q, g); !can {
		return true
	}
	return q.sub[g] == 0 || p[g][q.at[g]].kind == pollHold
}

// step performs g's next step. It returns false if it has none.
func (p pollProgram) step(q pollState, g int) (pollState, bool) {
	if q.at[g] == len(p[g]) {
		return q, false
	}
	if q.asleep[g] > 0 {
		return q, false
	}
	s := p[g][q.at[g]]
	next := func() { q.at[g], q.sub[g] = q.at[g]+1, 0 }
	note := func(v any) { q.results[g] += fmt.Sprint(v, " ") }
	x := &q.now[s.x]
	locked := func(then func()) bool { // in three steps, of which the second is then
		switch {
		case q.sub[g] == 0 && q.holder >= 0:
			return false
		case q.sub[g] == 0:
			q.holder, q.sub[g] = g, 1
		case q.sub[g] == 1:
			q.sub[g] = 2
			then()
		case q.sub[g] == 2:
			q.holder = -1
			next()
		default: // it is not over
			q.holder, q.sub[g] = -1, 0
		}
		return true
	}
	switch s.kind {
	case pollStore:
		*x = s.v
		next()
	case pollAdd:
		*x += s.v
		note(*x)
		next()
	case pollLoad:
		note(*x)
		next()
	case pollAwait:
		if *x == s.v {
			next()
		}
	case pollAwaitBoth:
		switch {
		case q.sub[g] == 0 && *x == s.v:
			q.sub[g] = 1
		case q.sub[g] == 1 && q.now[s.y] == s.w:
			next()
		default:
			q.sub[g] = 0
		}
	case pollSwap:
		if *x == s.v {
			*x = s.w
			next()
		}
	case pollAwaitLocked:
		return q, locked(func() {
			if *x != s.v {
				q.sub[g] = 3
			}
		})
	case pollHold:
		return q, locked(func() {
			if *x != s.v {
				q.sub[g] = 1
			}
		})
	case pollSection:
		return q, locked(func() { *x = s.v })
	case pollPublish:
		return q, locked(func() { q.now[2+s.x] = s.v })
	case pollRead:
		return q, locked(func() { note(q.now[2+s.x]) })
	case pollAwaitPlain:
		return q, locked(func() {
			if q.now[2+s.x] != s.v {
				q.sub[g] = 3
			}
		})
	case pollTry, pollAwaitTry:
		free := q.holder < 0
		switch {
		case q.sub[g] == 1:
			q.holder = -1
			next()
		case s.kind == pollTry:
			if note(free); !free {
				next()
				break
			}
			fallthrough
		case free:
			q.holder, q.sub[g] = g, 1
		}
	case pollDown:
		v := int64(q.sub[g])
		switch {
		case v == 0 && *x <= 0:
			next()
		case v == 0:
			q.sub[g] = int(*x)
		default:
			if q.sub[g] = 0; *x == v {
				*x--
			}
		}
	case pollSleep:
		q.asleep[g] = 1 + s.v
	case pollCount:
		if q.sub[g]++; *x == s.v || q.sub[g] == 2 {
			i := q.sub[g]
			if *x == s.v {
				i--
			}
			note(i)
			next()
		}
	}
	return q, true
}

// pollGraph is all of the states of a program.
type pollGraph struct {
	p      pollProgram
	index  map[pollState]int
	states []pollState
	succ   [][]int
}

func (x *pollGraph) add(q pollState) int {
	i, known := x.index[q]
	if !known {
		i = len(x.states)
		x.index[q] = i
		x.states = append(x.states, q)
	}
	return i
}

// expand adds what the latest states lead to.
func (x *pollGraph) expand() {
	for i := len(x.succ); i < len(x.states); i++ {
		x.succ = append(x.succ, nil)
		for g := range x.p {
			if q, ok := x.p.step(x.states[i], g); ok {
				x.succ[i] = append(x.succ[i], x.add(q))
			}
		}
	}
}

// reach returns the states to which state i leads.
func (x *pollGraph) reach(i int) map[int]bool {
	seen := map[int]bool{i: true}
	for open := []int{i}; len(open) > 0; {
		j := open[len(open)-1]
		open = open[:len(open)-1]
		for _, k := range x.succ[j] {
			if !seen[k] {
				seen[k] = true
				open = append(open, k)
			}
		}
	}
	return seen
}

// rests returns the states that can be left only for such as lead back. A fair execution stays in
// no others.
func (x *pollGraph) rests() (list []int) {
	for i := range x.states {
		stays := true
		for j := range x.reach(i) {
			stays = stays && x.reach(j)[i]
		}
		if stays {
			list = append(list, i)
		}
	}
	return list
}

// pass lets time pass in the states that rests returns, if nobody who can go on is in the middle of
// a turn. It returns false if there is nothing new.
func (x *pollGraph) pass() bool {
	n := len(x.states)
	for _, i := range x.rests() {
		heads := true
		for g := range x.p {
			heads = heads && x.p.atHead(x.states[i], g)
		}
		if q, ok := x.states[i].passTime(); ok && heads {
			x.succ[i] = append(x.succ[i], x.add(q))
		}
	}
	x.expand()
	return len(x.states) > n
}

// ends returns what executions come to: final states, deadlocks, and livelocks.
func (p pollProgram) ends() map[string]bool {
	x := pollGraph{p: p, index: make(map[pollState]int)}
	x.add(pollState{holder: -1})
	x.expand()
	for x.pass() {
	}
	found := make(map[string]bool)
	for _, i := range x.rests() {
		q, kind, n := x.states[i], "deadlock", len(p)
		if len(x.succ[i]) > 0 {
			kind = "livelock"
		} else if !slices.ContainsFunc(p, func([]pollStatement) bool { n--; return q.at[n] < len(p[n]) }) {
			kind = "over"
		}
		found[kind+" "+(&pollWorld{now: q.now, at: q.at[:len(p)], results: q.results[:len(p)]}).observed()] = true
	}
	return found
}

var awaitingEngines = []trace.Engine{engine.DFS{}, engine.DPOR{}, engine.Source{}, engine.Optimal{}, engine.Reverse{}, engine.Eager{}, engine.EagerShort{}, engine.EagerAdaptive{}, unfold.Optimal{}, unfold.QPOR{K: 2}}

// mostSteps is how many steps the executions of a search of all orders may have together. Where there are more it is
// not judged.
const mostSteps = 300_000

// judge explores p with an engine and compares what it has come to with the model's.
func (p pollProgram) judge(e trace.Engine, want map[string]bool, traces int64) error {
	f, observed := p.closure(false)
	c := exec.New(f, exec.Options{Awaits: true, MaxSteps: 2000})
	defer c.Shutdown()
	got := make(map[string]bool)
	_, all := e.(engine.DFS)
	shown := 0
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		if shown += x.Run.Len(); all && shown > mostSteps {
			return false
		}
		if x.Blocked {
			return true
		}
		kind := "over"
		if fails := x.Run.Outcome(); len(fails) > 0 {
			kind = map[trace.FailureKind]string{trace.FailDeadlock: "deadlock", trace.FailSteps: "livelock"}[fails[0].Kind]
		}
		got[kind+" "+observed()] = true
		return true
	})
	if err == nil && all && shown > mostSteps {
		return nil
	}
	if err != nil || !stats.Exhaustive {
		return fmt.Errorf("%v, %+v", err, stats)
	}
	if err := sameEnds(got, want); err != nil {
		return err
	}
	switch e.(type) {
	case engine.Optimal, engine.Reverse, unfold.Optimal:
		if n := stats.Executions + stats.Blocked; n != traces {
			return fmt.Errorf("%d executions, %d traces", n, traces)
		}
	}
	return nil
}

func sameEnds(got, want map[string]bool) error {
	for end := range want {
		if !got[end] {
			return fmt.Errorf("misses %s, has %v", end, got)
		}
	}
	for end := range got {
		if !want[end] {
			return fmt.Errorf("comes to %s, which is none of %v", end, want)
		}
	}
	return nil
}

// judgeStates judges p with engines that recognise states, as a program of this module's primitives, and as
// rewritten code, in both modes.
func (p pollProgram) judgeStates() error {
	return cmp.Or(p.judgeKeyed(false, true), p.judgeKeyed(true, true), p.judgeKeyed(true, false))
}

// judgeKeyed judges p with engines that recognise states. Of livelocks they show one.
func (p pollProgram) judgeKeyed(native, tracked bool) error {
	if tracked && (p.has(pollPublish) || p.has(pollRead) || p.has(pollAwaitPlain)) {
		return nil // it shares memory that is not tracked
	}
	want := make(map[string]bool)
	for end := range p.ends() {
		if strings.HasPrefix(end, "livelock") {
			end = "livelock"
		}
		want[end] = true
	}
	engines := statefulEngines(trace.Keying{Tracked: tracked, Exact: len(want)%2 == 0})
	if native {
		engines = engines[:4]
	}
	for i, e := range engines {
		f, observed := p.closure(native)
		c := exec.New(f, exec.Options{MaxSteps: 2000})
		got := make(map[string]bool)
		stats, err := e.Explore(c, func(x *trace.Execution) bool {
			kind := "over"
			if fails := x.Run.Outcome(); len(fails) > 0 {
				kind = map[trace.FailureKind]string{trace.FailDeadlock: "deadlock", trace.FailSteps: "livelock"}[fails[0].Kind]
			}
			if kind != "livelock" {
				kind += " " + observed()
			}
			got[kind] = true
			return !x.Blocked
		})
		c.Shutdown()
		if err == nil {
			err = sameEnds(got, want)
		}
		if err != nil || !stats.Exhaustive || (stats.Livelocks > 0) != want["livelock"] {
			return fmt.Errorf("%v, %s (%d), native %v, tracked %v: %v, %+v", p, e.Name(), i, native, tracked, err, stats)
		}
	}
	return nil
}

func (p pollProgram) has(kind pollKind) bool {
	return slices.ContainsFunc(p, func(f []pollStatement) bool {
		return slices.ContainsFunc(f, func(s pollStatement) bool { return s.kind == kind })
	})
}

// statefulEngines are those that recognise states, with and without a seed or safe sets.
func statefulEngines(k trace.Keying) []trace.Engine {
	s, drawn := engine.Stateful{Keying: k}, engine.Stateful{Keying: k, Seed: 1}
	return []trace.Engine{s, engine.SPOR{Stateful: s}, engine.DESPOR{Stateful: s}, engine.DLSPOR{Stateful: s},
		engine.DESPOR{Stateful: s, EverySafe: true}, engine.DLSPOR{Stateful: s, EverySafe: true},
		engine.SPOR{Stateful: drawn}, engine.DESPOR{Stateful: drawn}, engine.DLSPOR{Stateful: drawn}}
}

// judgeAll judges p with all engines. A program that is too large it leaves out.
func (p pollProgram) judgeAll() error {
	want := p.ends()
	f, _ := p.closure(false)
	c := exec.New(f, exec.Options{Awaits: true, MaxSteps: 2000})
	all, err := oracle.Traces(c, oracle.Limits{Executions: 2000})
	c.Shutdown()
	if errors.Is(err, oracle.ErrTooBig) || err == nil && len(all.Classes) > 300 {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range awaitingEngines {
		if _, ok := e.(engine.DFS); ok && len(all.Classes) > 50 {
			continue
		}
		if err := p.judge(e, want, int64(len(all.Classes))); err != nil {
			return fmt.Errorf("%v, %s: %w", p, e.Name(), err)
		}
	}
	return nil
}

func testPolls(t *testing.T, seed uint64, n int, judge func(pollProgram) error) {
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		if err := judge(drawPolls(r)); err != nil {
			t.Errorf("program %d of seed %d: %v", i, seed, err)
		}
	}
}

// pollCorpus has programs in which a turn that leads back has done more than look.
var pollCorpus = map[string]pollProgram{
	"its lock was found taken": {
		{{kind: pollAwaitLocked, x: 0, v: 1}},
		{{kind: pollTry}, {kind: pollSection, x: 0, v: 1}},
	},
	"its lock was found taken by who awaits it": {
		{{kind: pollAwaitLocked, x: 0, v: 1}},
		{{kind: pollAwaitTry}, {kind: pollStore, x: 0, v: 1}},
	},
	"it sees in time what another one does": {
		{{kind: pollSleep}, {kind: pollLoad, x: 0}},
		{{kind: pollAwait, x: 1, v: 1}, {kind: pollStore, x: 0, v: 1}},
		{{kind: pollStore, x: 1, v: 1}},
	},
	"it sees what a sleeper does": {
		{{kind: pollSleep, v: 1}, {kind: pollStore, x: 0, v: 1}},
		{{kind: pollAwaitBoth, x: 0, v: 1, y: 1}, {kind: pollLoad, x: 0}},
		{{kind: pollSleep}, {kind: pollAwaitLocked, x: 0, v: 1}},
	},
	"it has swapped": {
		{{kind: pollStore, x: 0, v: 2}, {kind: pollDown, x: 0}},
		{{kind: pollLoad, x: 0}},
		{{kind: pollLoad, x: 0}},
	},
	"nobody comes to an end, in more ways than an execution has steps": {
		{{kind: pollAwaitPlain, x: 0, v: 1}},
		{{kind: pollAwaitPlain, x: 0, v: 1}},
		{{kind: pollAwaitLocked, x: 1, v: 1}},
	},
}

func TestPollsByHand(t *testing.T) {
	effort.Computes(t)
	judges := []func(pollProgram) error{pollProgram.judgeStates, pollProgram.judgeAll}
	for name, p := range pollCorpus {
		for _, judge := range judges[:effort.Of(2, 1)] {
			if err := judge(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestPollsAsModel: what executions come to that await something is what those come to that
// go on polling, in programs that are the same every time.
func TestPollsAsModel(t *testing.T) {
	effort.Computes(t)
	testPolls(t, 1, effort.Of(60, 5), pollProgram.judgeAll)
}

// TestPolledStates is TestPollsAsModel for engines that recognise states, and with other programs
// as well.
func TestPolledStates(t *testing.T) {
	effort.Computes(t)
	testPolls(t, 1, effort.Of(150, 8), pollProgram.judgeStates)
	testPolls(t, effort.Seed(t, 3), effort.Of(150, 8), pollProgram.judgeStates)
}

// TestAwaits has the programs of TestUnboundedPolling in which time does not matter: engines agree
// on the traces in which nobody has looked in vain, and on those that are given up since somebody
// has, and find what is wrong.
func TestAwaits(t *testing.T) {
	effort.Computes(t)
	for _, test := range []struct {
		name            string
		f               func()
		traces, blocked int64
		fails, lost     bool
	}{
		{"peterson", peterson, 4, 6, false, false},
		{"hasty", hasty, 14, 4, true, false},
		{"dekker", dekker, 4, 8, false, false},
		{"lamport", lamport, 9, 13, false, false},
		{"stack", stack, 22, 12, false, false},
		{"polite", polite, 3, 2, false, true},
		{"once", once, 4, 2, false, true},
		{"tied", tied, 9, 6, false, true},
		{"empty", empty, 5, 0, false, true},
	} {
		for _, e := range awaitingEngines {
			c := exec.New(test.f, exec.Options{Awaits: true, MaxSteps: 1000})
			fails, lost := false, false
			res, err := por.ExploreProgram(trace.CheckLaws(c), por.Engine(e), por.KeepGoing(3))
			c.Shutdown()
			for _, f := range res.Failures {
				fails, lost = fails || f.Kind == trace.FailPanic, lost || f.Kind == trace.FailSteps
			}
			s := res.Verdict.Stats
			right := s.Executions == test.traces && s.Blocked == test.blocked
			if _, ok := e.(engine.DFS); ok {
				right = s.Executions >= test.traces
			}
			if err != nil || !s.Exhaustive || !right || fails != test.fails || lost != test.lost {
				t.Errorf("%s, %s: %+v, %v, fails %v, lost %v", test.name, e.Name(), s, err, fails, lost)
			}
		}
	}
}

// TestAwaitsWhereAsked: loops await something, whoever says where their turns begin, if that is asked for and time does not
// pass by lag.
func TestAwaitsWhereAsked(t *testing.T) {
	for name, head := range map[string]func(loop int32) int32{
		"this module's": func(int32) int32 { sched.Loop(); return 0 },
		"rewritten":     func(loop int32) int32 { return hook.Turn(1, nil, loop) },
	} {
		for _, test := range []struct {
			o      exec.Options
			awaits bool
		}{
			{exec.Options{Awaits: true}, true},
			{exec.Options{}, false},
			{exec.Options{Awaits: true, Time: sched.TimeLag}, false},
		} {
			var looks int
			c := exec.New(func() {
				looks = 0
				var flag sched.Bool
				sched.Go(func() { flag.Store(true) })
				for loop := head(0); !flag.Load(); loop = head(loop) {
					looks++
				}
			}, test.o)
			most := 0
			stats, err := engine.Source{}.Explore(c, func(x *trace.Execution) bool {
				most = max(most, looks)
				return x.Stats.Executions < 5
			})
			c.Shutdown()
			if err != nil || stats.Exhaustive != test.awaits || (stats.Blocked == 1) != test.awaits || (most > 2) == test.awaits {
				t.Errorf("%s, %+v: looked %d times, %+v, %v", name, test.o, most, stats, err)
			}
		}
	}
}

// TestPollsDrawn is TestPollsAsModel with other programs.
func TestPollsDrawn(t *testing.T) {
	effort.Computes(t)
	testPolls(t, effort.Seed(t, 4), effort.Of(20, 5), pollProgram.judgeAll)
}

// TestWhoAwaits: by default, and with engines that explore all orders, a loop that polls
// comes to its end. A replay string tells whether a schedule is one of those.
func TestWhoAwaits(t *testing.T) {
	for name, e := range map[string]trace.Engine{"": nil, "auto": engine.Auto{}, "source": engine.Source{}, "reverse": engine.Reverse{}} {
		opts := []por.Option{por.MaxTime(time.Minute)}
		if e != nil {
			opts = append(opts, por.Engine(e))
		}
		res, err := por.Explore(lamport, opts...)
		if err != nil || !res.Exhaustive || res.Verdict.Stats.Executions != 9 || res.Verdict.Stats.Blocked != 13 {
			t.Errorf("%q: %v, %v", name, res.Verdict, err)
		}
	}
	random := por.Engine(engine.Random{Executions: 5000, Seed: 1})
	for _, test := range []struct {
		f    func()
		kind trace.FailureKind
		opts []por.Option
	}{
		{once, trace.FailSteps, nil},
		{hasty, trace.FailPanic, nil},
		{hasty, trace.FailPanic, []por.Option{random}},
	} {
		found, err := por.Explore(test.f, append(test.opts, por.Name("p"), por.MaxSteps(2000))...)
		if err != nil || len(found.Failures) != 1 || found.Failures[0].Kind != test.kind {
			t.Errorf("%v: %v, %v, %d failures", test.kind, found.Verdict, err, len(found.Failures))
			continue
		}
		for _, others := range [][]por.Option{nil, {random}} {
			again, err := por.Explore(test.f, append(others, por.Name("p"), por.MaxSteps(2000), por.Replay(found.Failures[0].Replay))...)
			if err != nil || len(again.Failures) != 1 || again.Failures[0].Kind != test.kind {
				t.Errorf("%v again: %v, %d failures", test.kind, err, len(again.Failures))
			}
		}
	}
}
