package oracle

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// Futures is what brute force knows of the states of a program.
type Futures struct {
	Prefixes int // of executions, which lead to as many states, if none are the same
	Keys     int // that these states have
	Merged   int // prefixes with the key of another one
	// Raced says that an execution has a data race: then nothing is promised.
	Raced bool
}

// EqualFutures walks through all interleavings of p and holds it to the promise of
// [trace.Keyed]: states with one key have the same future, to the end. Its error is
// ErrTooBig if there are more interleavings, or longer ones, than the limits allow, and a
// [*trace.UnkeyedError] if p cannot name its states.
func EqualFutures(p trace.Keyed, k trace.Keying, limits Limits) (Futures, error) {
	return equalFutures(futures{p: p, limits: limits}, k)
}

// EqualFuturesTo is EqualFutures for a program with executions that need not end. They are cut
// after depth events. The futures of states that come at least ahead events before that are
// compared, for ahead events.
func EqualFuturesTo(p trace.Keyed, k trace.Keying, depth, ahead int) (Futures, error) {
	return equalFutures(futures{p: p, limits: Limits{Depth: depth}, ahead: ahead}, k)
}

func equalFutures(f futures, k trace.Keying) (Futures, error) {
	p := f.p
	if err := p.KeyStates(&k); err != nil {
		return Futures{}, err
	}
	defer p.KeyStates(nil)
	for {
		f.run, f.all, f.schedule, f.executions, f.called = p.Start(), nil, nil, 0, nil
		_, err := f.explore(make(map[int32]int32))
		f.run.Close()
		switch {
		case err == nil:
			r, err := f.judge()
			if err == nil && !f.raced {
				err = errors.Join(f.oneName(), f.again())
			}
			return r, err
		case err != trace.ErrRenamed:
			return Futures{}, err
		}
	}
}

type futures struct {
	p          trace.Keyed
	run        trace.Run
	limits     Limits
	ahead      int // how many events of futures are compared, 0 for all
	schedule   trace.Schedule
	executions int64
	raced      bool
	all        []*prefix
	called     map[[2]int32]trace.Schedule // names that an object has had in one execution, and in which
}

// prefix is an execution as far as it has come.
type prefix struct {
	schedule trace.Schedule
	key      string
	offers   []future
	end      string // how the execution ends, if it does
}

// future is what one choice leads to.
type future struct {
	op     trace.Op
	choice trace.Choice
	uses   []trace.Access // by names
	next   *prefix
}

// explore walks through what follows the current state, in which objects of those numbers have had those names.
func (f *futures) explore(names map[int32]int32) (*prefix, error) {
	if f.ahead == 0 && f.limits.Depth > 0 && len(f.schedule) > f.limits.Depth {
		return nil, ErrTooBig
	}
	x := &prefix{schedule: slices.Clone(f.schedule)}
	for _, op := range f.run.Pending() {
		uses := slices.Clone(op.Accesses())
		for i := range uses {
			if uses[i].Obj >= 0 {
				uses[i].Obj = f.name(uses[i].Obj, names)
			}
		}
		for alt := range op.Alts {
			x.offers = append(x.offers, future{op: *op, choice: trace.Choice{G: op.G, Alt: alt}, uses: uses})
		}
	}
	key, err := f.p.AppendKey(nil)
	if err != nil {
		return nil, err
	}
	x.key = string(key)
	f.all = append(f.all, x)
	if len(x.offers) == 0 {
		if f.executions++; f.limits.Executions > 0 && f.executions > f.limits.Executions {
			return nil, ErrTooBig
		}
		failures := f.run.Outcome()
		for i := range failures {
			f.raced = f.raced || failures[i].Kind == trace.FailRace
		}
		x.end = fmt.Sprint(FailureTexts(failures))
		if s, ok := f.run.(Stateful); ok {
			x.end += string(s.AppendState(nil))
		}
		if s, ok := f.p.(interface{ Results() uint64 }); ok {
			x.end += fmt.Sprint(s.Results())
		}
		return x, nil
	}
	if f.ahead > 0 && len(f.schedule) == f.limits.Depth {
		return x, nil // what comes next is not looked at
	}
	for i := range x.offers {
		if i > 0 {
			f.run.Close()
			f.schedule = f.schedule[:len(x.schedule)]
			if f.run = f.p.Start(); len(f.schedule) > 0 {
				if err := f.run.Replay(f.schedule); err != nil {
					return nil, err
				}
			}
		}
		o := &x.offers[i]
		if _, err := f.run.Step(o.choice); err != nil {
			return nil, err
		}
		f.schedule = append(f.schedule, o.choice)
		if o.next, err = f.explore(maps.Clone(names)); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// name returns the name of an object, and notes it in names.
func (f *futures) name(obj int32, names map[int32]int32) int32 {
	name := f.p.ObjectName(obj)
	if was, known := names[obj]; known && was != name {
		if f.called == nil {
			f.called = make(map[[2]int32]trace.Schedule)
		}
		f.called[[2]int32{was, name}] = slices.Clone(f.schedule)
	}
	names[obj] = name
	return name
}

// ErrTwoNames says that an object has names in an execution that are not of one object.
var ErrTwoNames = errors.New("an object has two names")

// oneName checks that all names that an object has had in one execution are of one object. So
// events that have used different names of it have used the same object.
func (f *futures) oneName() error {
	for names, schedule := range f.called {
		if !f.p.SameObject(names[0], names[1]) {
			return fmt.Errorf("%w: %v after %v", ErrTwoNames, names, schedule)
		}
	}
	return nil
}

var futureSeed = maphash.MakeSeed()

// sum sums up the future of x, so many events of it.
func (f *futures) sum(x *prefix, ahead int) uint64 {
	text := []byte(x.end)
	for i := range x.offers {
		o := &x.offers[i]
		var uses []string // in whatever order the objects have been met
		for _, a := range o.uses {
			for b := range a.Obj { // the first of the names that it has
				if f.p.SameObject(a.Obj, b) {
					a.Obj = b
					break
				}
			}
			uses = append(uses, fmt.Sprint(a))
		}
		slices.Sort(uses)
		text = fmt.Append(text, o.choice, o.op.Kind, o.op.Alts, uses)
		if ahead > 0 {
			text = fmt.Append(text, f.sum(o.next, ahead-1), ";")
		}
	}
	return maphash.Bytes(futureSeed, text)
}

// ErrChanged says that a state has not the key that it had, by the same events.
var ErrChanged = errors.New("a state has another key when it is come to again")

// mostAgain is how many states are come to again.
const mostAgain = 200

// again comes to states by the events by which they were visited, after executions that were others
// then, and compares keys: what a machine keeps of earlier executions is no part of a state.
func (f *futures) again() error {
	for i := len(f.all) - 1; i >= 0; i -= 1 + len(f.all)/mostAgain {
		x := f.all[i]
		if err := f.comesTo(x); err != nil {
			return err
		}
	}
	return nil
}

func (f *futures) comesTo(x *prefix) error {
	run := f.p.Start()
	defer run.Close()
	if len(x.schedule) > 0 {
		if err := run.Replay(x.schedule); err != nil {
			return err
		}
	} else {
		run.Pending() // main has to come to its first operation
	}
	key, err := f.p.AppendKey(nil)
	if err == nil && string(key) != x.key {
		err = fmt.Errorf("%w: %v, %q before, %q now", ErrChanged, x.schedule, x.key, key)
	}
	return err
}

// ErrUnequal says that a key is of two states that are not the same.
var ErrUnequal = errors.New("two states have one key and not one future")

func (f *futures) judge() (r Futures, err error) {
	if f.raced {
		return Futures{Raced: true}, nil
	}
	ahead := f.ahead
	if ahead == 0 {
		ahead = math.MaxInt
	}
	first, sums := make(map[string]*prefix), make(map[*prefix]uint64)
	for _, x := range f.all {
		if f.ahead > 0 && len(x.schedule)+ahead > f.limits.Depth {
			continue
		}
		sums[x] = f.sum(x, ahead)
		r.Prefixes++
		y := first[x.key]
		if y == nil {
			first[x.key] = x
			continue
		}
		r.Merged++
		if sums[x] != sums[y] {
			return r, fmt.Errorf("%w: after %v and after %v", ErrUnequal, y.schedule, x.schedule)
		}
	}
	r.Keys = len(first)
	return r, nil
}
