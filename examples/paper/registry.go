// Package paper holds the programs on which the papers behind this project were
// evaluated, and some on Go's own primitives, as ordinary closures. For most of
// them it is known how many Mazurkiewicz traces they have, so they serve to test
// engines and to compare them.
package paper

import (
	"fmt"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// Program is a program of one or two parameters, or of none.
type Program struct {
	Name string
	Doc  string // one line
	N, M Size   // what Make's arguments mean
	// Options is how to run the program so that Traces holds.
	Options exec.Options
	// Make returns the program of the given size, which Check has passed.
	Make func(n, m int) func()
	// Traces returns the number of Mazurkiewicz traces, if it is known.
	Traces func(n, m int) (count int64, known bool)
}

// Size is a parameter of a program. The zero Size stands for none.
type Size struct {
	Name     string // what the paper calls it
	Min, Max int
	Default  int
}

// Check returns an error if the size is out of range. An argument for which the
// program has no parameter must be zero.
func (p *Program) Check(n, m int) error {
	if err := p.N.check(p.Name, "n", n); err != nil {
		return err
	}
	return p.M.check(p.Name, "m", m)
}

func (s Size) check(program, flag string, v int) error {
	switch {
	case s == Size{} && v != 0:
		return fmt.Errorf("%s has no parameter %s", program, flag)
	case v < s.Min || v > s.Max:
		return fmt.Errorf("%s: %s (%s) is %d, but has to be in %d..%d", program, flag, s.Name, v, s.Min, s.Max)
	}
	return nil
}

// Programs returns all programs, in the order of the papers.
func Programs() []Program { return append([]Program(nil), programs...) }

// Named returns the program of that name.
func Named(name string) (Program, bool) {
	for _, p := range programs {
		if p.Name == name {
			return p, true
		}
	}
	return Program{}, false
}

// explore makes accesses of shared variables events, as the papers have it.
var explore = exec.Options{Races: sched.RaceExplore, MaxSteps: longest}

// leaky is explore for a program in which a goroutine waits for ever.
var leaky = exec.Options{Races: sched.RaceExplore, MaxSteps: longest, AllowLeaks: true}

// longest is more than the events of any program at any size.
const longest = 1 << 20

func one(f func(int) func()) func(n, m int) func() {
	return func(n, _ int) func() { return f(n) }
}

func none(f func() func()) func(n, m int) func() {
	return func(_, _ int) func() { return f() }
}

// many is the largest size of programs that scale.
const many = 64

var programs = []Program{
	{"readers-writers", "one goroutine writes x, n-1 read it", Size{"N", 1, many, 8}, Size{}, explore,
		one(ReadersWriters), func(n, _ int) (int64, bool) { return power(2, n-1) }},
	{"ring", "goroutine p: x[(p+1) mod n] := x[p]", Size{"N", 2, many, 8}, Size{}, explore,
		one(Ring), func(n, _ int) (int64, bool) { return minus(2)(power(2, n)) }},
	{"ring-extended", "ring, every statement twice", Size{"N", 2, many, 4}, Size{}, explore,
		one(RingExtended), listed(2, 6, 90, 786, 5730, 38466, 247170, 1548546)},
	{"branching", "goroutine p, twice: if x[p] == 0 then x[(p+1) mod n] := 1", Size{"N", 2, many, 5}, Size{}, explore,
		one(Branching), listed(2, 11, 28, 103, 311, 1010, 3165, 10063, 31780, 100651, 318363)},
	{"lastzero", "n-1 workers a[j] := a[j-1]+1, a checker upwards", Size{"N", 2, many, 6}, Size{}, explore,
		one(LastZero), func(n, _ int) (int64, bool) { return times(n)(power(2, n-2)) }},
	{"lastzero-down", "n-1 workers a[j] := a[j-1]+1, a checker downwards", Size{"N", 3, many, 8}, Size{}, explore,
		one(LastZeroDown), func(n, _ int) (int64, bool) { return times(n + 2)(power(2, n-3)) }},
	{"shared-pointer", "two goroutines use n times what a pointer points at, then move the other's", Size{"N", 1, 2000, 50}, Size{}, explore,
		one(SharedPointer), func(n, _ int) (int64, bool) { return int64(2*n + 1), true }},
	{"indexer", "n goroutines insert four messages each into a hash table of 128", Size{"N", 1, indexerSize / indexerMessages, 13}, Size{}, explore,
		one(Indexer), indexerTraces},

	{"ssb", "n writers of x_i, a counter, a master that clears the x that was counted to", Size{"N", 1, many, 5}, Size{}, explore,
		one(SSB), func(n, _ int) (int64, bool) { return int64(2 * n), true }},
	{"ssb-steps", "ssb, every step of the counter and the master a goroutine", Size{"N", 1, many, 5}, Size{}, explore,
		one(SSBSteps), func(n, _ int) (int64, bool) { return int64(2 * n), true }},
	{"ssb-locks", "ssb with mutexes", Size{"K", 1, many, 5}, Size{}, explore,
		one(SSBLocks), func(n, _ int) (int64, bool) { return int64(2 * n), true }},
	{"disp", "a dispatcher with n servers and m requests", Size{"S", 1, many, 5}, Size{"R", 1, many, 2}, explore,
		Disp, dispTraces},
	{"mpat", "n mutexes taken alone, and below another one", Size{"K", 1, many, 4}, Size{}, explore,
		one(MPAT), func(n, _ int) (int64, bool) { return both(factorial(n))(power(2, n)) }},
	{"mpc", "n producers and m workers", Size{"P", 1, many, 2}, Size{"W", 1, many, 5}, explore,
		MPC, mpcTraces},
	{"pi", "n goroutines add to a sum under a mutex", Size{"T", 1, piTerms, 5}, Size{}, explore,
		one(Pi), func(n, _ int) (int64, bool) { return factorial(n) }},
	{"pol", "n flags, m rounds of a chooser and a reader", Size{"N", 1, many, 7}, Size{"K", 1, many, 3}, explore,
		Pol, polTraces},

	{"micro", "n goroutines, m times x := x+1 in two steps", Size{"T", 1, many, 2}, Size{"k", 1, 1000, 2}, explore,
		Micro, microTraces},
	{"writer-n-readers", "one goroutine writes x, n read something of their own and then x", Size{"N", 1, many, 3}, Size{}, explore,
		one(WriterNReaders), func(n, _ int) (int64, bool) { return power(2, n) }},
	{"writers-reader", "n goroutines write x, one reads it", Size{"N", 1, 19, 5}, Size{}, explore,
		one(WritersReader), func(n, _ int) (int64, bool) { return factorial(n + 1) }},
	{"account", "a deposit, a withdrawal and a check under a mutex", Size{}, Size{}, explore,
		none(Account), always(6)},
	{"lazy", "three goroutines use a number under a mutex", Size{}, Size{}, explore,
		none(Lazy), always(6)},
	{"indexer-mod", "n goroutines look for a slot each from 0 on", Size{"N", 1, many, 5}, Size{}, explore,
		one(IndexerMod), func(n, _ int) (int64, bool) { return factorial(n) }},

	// The same with a private read at the start of every goroutine.
	{"micro-start", "micro, each reads something of its own first", Size{"T", 1, many, 2}, Size{"k", 1, 1000, 2}, explore,
		Private{Start: 1}.Micro, microTraces},
	{"account-start", "account, each reads something of its own first", Size{}, Size{}, explore,
		none(Private{Start: 1}.Account), always(6)},
	{"lazy-start", "lazy, each reads something of its own first", Size{}, Size{}, explore,
		none(Private{Start: 1}.Lazy), always(6)},
	{"indexer-start", "indexer, each reads something of its own first", Size{"N", 1, indexerSize / indexerMessages, 13}, Size{}, explore,
		one(Private{Start: 1}.Indexer), indexerTraces},
	{"indexer-mod-start", "indexer-mod, each reads something of its own first", Size{"N", 1, many, 5}, Size{}, explore,
		one(Private{Start: 1}.IndexerMod), func(n, _ int) (int64, bool) { return factorial(n) }},
	{"lastzero-start", "lastzero, each reads something of its own first", Size{"N", 2, many, 6}, Size{}, explore,
		one(Private{Start: 1}.LastZero), func(n, _ int) (int64, bool) { return times(n)(power(2, n-2)) }},
	{"lastzero-down-start", "lastzero-down, each reads something of its own first", Size{"N", 3, many, 8}, Size{}, explore,
		one(Private{Start: 1}.LastZeroDown), func(n, _ int) (int64, bool) { return times(n + 2)(power(2, n-3)) }},

	{"locks", "n goroutines, m times lock, increment, unlock", Size{"T", 1, many, 2}, Size{"k", 1, 1000, 3}, explore,
		Locks, shuffles},
	{"abba", "two goroutines take two mutexes in opposite orders; deadlocks", Size{}, Size{}, explore,
		none(ABBA), always(3)},
	{"pipeline", "m messages through n goroutines", Size{"S", 1, many, 3}, Size{"messages", 0, 1000, 3}, explore,
		Pipeline, always(1)},
	{"fan-in", "n producers send m messages each to one consumer", Size{"P", 1, many, 2}, Size{"n", 1, 1000, 3}, explore,
		FanIn, shuffles},
	{"meet", "n producers and n consumers, m operations each on one channel", Size{"P=C", 1, many, 2}, Size{"n", 1, 1000, 2}, explore,
		Meet, func(n, m int) (int64, bool) { return both(shuffles(n, m))(shuffles(n, m)) }},
	{"waitgroup", "n goroutines work on their own; main waits", Size{"T", 1, many, 5}, Size{}, explore,
		one(WaitGroup), always(1)},
	{"readers", "n goroutines read under a read lock, m write under the write lock", Size{"R", 0, many, 5}, Size{"W", 0, many, 1}, explore,
		Readers, func(n, m int) (int64, bool) { return both(factorial(m))(power(m+1, n)) }},
	{"select-two", "two senders, one select over both; one sender waits for ever", Size{}, Size{}, leaky,
		none(SelectTwo), always(6)},
}
