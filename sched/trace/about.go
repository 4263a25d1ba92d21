package trace

import "time"

// About is what an engine says of itself, for the verdict on its searches and for
// whoever sets it up. An engine says it by a method
//
//	About() trace.About
//
// and one without it is taken for a search of which nothing is known: the zero About.
// What one search has covered is said by its [Stats].
//
// The functions return the engine with something set, and are nil where there is nothing
// to set.
type About struct {
	// Title is what verdicts call the engine; "" stands for its Name.
	Title string
	// Counts is what the complete executions of a search are that has covered
	// everything, in the plural: "traces", "interleavings". "" says that some may show
	// the same thing twice.
	Counts string
	// Random says that all executions are drawn at random, so that nothing is ever
	// covered.
	Random bool
	// Endless says that the engine goes on until it is stopped.
	Endless bool
	// FixedUses says that the engine may miss executions of a transition system whose
	// operations come to use other objects while they are pending.
	FixedUses bool

	// WithSeed sets the seed of what the engine draws at random.
	WithSeed func(seed uint64) Engine
	// WithTime says how long a search may take, as far as that makes a difference to
	// what the engine does. What the engine was told before has precedence.
	WithTime func(time.Duration) Engine
	// WithBound sets a bound of n, of a kind such as "preemption" or "delay". The error
	// says that the engine does not know the kind, or that n is out of range.
	WithBound func(kind string, n int) (Engine, error)
	// WithK sets the parameter of an algorithm that is called k, k >= 1.
	WithK func(k int) Engine
	// WithWorkers has n executions explored at a time, n >= 2, of n programs that another makes,
	// which do the same as the one explored, and share nothing that any of them writes.
	// The visitor is called by one worker at a time, in any order; when it returns false, it
	// is still shown what one worker would have visited before, unless Execution.Over reports
	// true. It need not see what passes, see Execution.FailuresOnly.
	WithWorkers func(n int, another func() Program) Engine
	// WithKeying sets how states are told apart.
	WithKeying func(Keying) Engine
}

// Describe returns what e says of itself. Title is set in any case.
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
