package trace

import "time"

// About describes an engine, for verdicts and for the code that configures the engine. An
// engine returns it from a method
//
//	About() trace.About
//
// An engine without the method has the zero About: nothing is known of its search. The [Stats]
// of a search say what that search has covered.
//
// The functions return the engine with a setting. They are nil where the engine has no such
// setting.
type About struct {
	// Title is the name of the engine in verdicts; "" stands for its Name.
	Title string
	// Counts says what the complete executions of a search are that has covered everything, in
	// the plural: "traces", "interleavings". "" says that several may show the same.
	Counts string
	// Random says that all executions are drawn at random, so that the search never covers
	// everything.
	Random bool
	// Endless says that the engine goes on until it is stopped.
	Endless bool
	// FixedUses says that the engine may miss executions of a transition system with operations
	// that use other objects while they are pending.
	FixedUses bool

	// WithSeed sets the seed of the engine's random numbers.
	WithSeed func(seed uint64) Engine
	// WithTime sets the time limit of the search, if the engine depends on it. An earlier
	// setting has precedence.
	WithTime func(time.Duration) Engine
	// WithBound sets a bound of n, of a kind such as "preemption" or "delay". It returns an
	// error if the engine does not know the kind, or if n is out of range.
	WithBound func(kind string, n int) (Engine, error)
	// WithK sets the parameter k of an algorithm, k >= 1.
	WithK func(k int) Engine
	// WithWorkers explores n executions at a time, n >= 2. The function another makes their
	// programs, which do the same as the explored one, and share no memory that any of them
	// writes. One worker at a time calls the visitor, in any order. When it returns false, it
	// is still shown what one worker would have visited before, unless Execution.Over reports
	// true. It may not see executions that pass, see Execution.FailuresOnly.
	WithWorkers func(n int, another func() Program) Engine
	// WithKeying sets how states are distinguished.
	WithKeying func(Keying) Engine
}

// Describe returns the About of e. Its Title is always set.
func Describe(e Engine) About {
	var a About
	if e, ok := e.(interface{ About() About }); ok {
		a = e.About()
	}
	if a.Title == "" {
		a.Title = e.Name()
	}
	return a
}
