// Package conformance judges engines, and the dependence of operations, by what
// users call: random programs over the primitives of package sched, as closures
// that run under it. Programs are data, with a text form that a corpus keeps
// ([Parse], [Program.String]); they are drawn ([Generate]), made smaller
// ([Shrink]), and run ([New]).
//
// A [Judge] enumerates the interleavings of a program and sorts them into trace
// classes, by a happens-before that it computes from the events itself, by its
// definition. Every engine is then held to what it promises of them.
//
// Independent of engines are two properties of the primitives themselves: no event
// takes an access away that is not accounted for ([Covered]), and operations that
// are called independent commute ([Commute]).
//
// # Text
//
// One declaration or step a line; # begins a comment. First options, then the
// objects, then the functions. Function 0 is main; functions call those after
// them, so every program ends, but for loops that poll.
//
//	time any           # timers fire in any order, or lag: early, instead of discrete time
//	lag 2              # the clock may be 2 ms ahead
//	polls 2            # after 2 looks in vain a goroutine waits for the clock
//	races explore      # plain memory is scheduled; or fail, ignore
//	mutex m            # main makes it
//	global chan c 1    # nobody has made it: it gets its number when it is used
//	chan d 0 in 2      # function 2 makes it, whenever it is called
//	cancelctx x
//	timeoutctx y x 5   # derived from x, 5 ms
//	after f 3 2        # runs function 2 after 3 ms
//	func
//		go 1
//		lock m
//		try unlock m   # a panic is recovered, and a result
//		defer close c
//		select send c 1, recv d, default
//		repeat 2 1     # call function 1 twice
//	func
//		...
//
// An object that its function has not made when a step comes to it is left alone;
// so every program means something, whatever is taken out of it.
package conformance

import "github.com/gopor/gopor/sched"

// Program is a program over the primitives of package sched. It must pass
// [Program.Check] before it is run.
type Program struct {
	Time    sched.TimeMode
	Lag     int64 // of time by lag, in milliseconds
	Polls   int64 // how many looks in vain are polling, 0 for the default
	Races   sched.RaceMode
	Model   sched.Model
	Own     bool // each goroutine has Pools of its own
	Objects []Object
	Funcs   [][]Step
}

// Object declares a primitive.
type Object struct {
	Kind *kind
	Name string
	N    int64 // what the kind says: a capacity, a type, milliseconds
	Ref  int   // an object before it that it is made of, or -1
	Fn   int   // the function that it runs, 0 for none
	Home int   // the function that makes it, or Global
}

// Global is the home of an object that no goroutine makes, like a package-level
// variable.
const Global = -1

// Step is one call.
type Step struct {
	Op      *op
	Obj     int // index of the object, -1 for none
	Args    [3]int64
	Try     bool // a panic is recovered
	Defer   bool // when the function returns
	Cases   []Case
	Default bool
}

// Case is a case of a select.
type Case struct {
	Send bool
	Obj  int
	Val  int64
}

// Clone returns a copy of p that shares nothing with it.
func (p *Program) Clone() *Program {
	q := *p
	q.Objects = append([]Object(nil), p.Objects...)
	q.Funcs = make([][]Step, len(p.Funcs))
	for f, steps := range p.Funcs {
		q.Funcs[f] = append([]Step(nil), steps...)
		for i := range steps {
			q.Funcs[f][i].Cases = append([]Case(nil), steps[i].Cases...)
		}
	}
	return &q
}
