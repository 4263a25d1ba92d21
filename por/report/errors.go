package report

import (
	"fmt"
	"time"
)

// This file has the errors of a search that could not be done, by what is at fault. Use [errors.As]
// to tell them from each other, and from invalid options. A failing execution is no error.

// NotDeterministicError says that the program does not do the same under the same schedule.
type NotDeterministicError struct {
	Likely string // what the search has met that is the likeliest cause; "" if nothing

	What   string
	Engine string // may be wrong instead, "" if not
	Err    error
}

func (u *NotDeterministicError) Error() string {
	text := fmt.Sprintf("the %s is not deterministic: under one and the same schedule it did something else than before: %v; look for the order of a map, time, random numbers, or state that outlives an execution (a global variable, a file)", u.What, u.Err)
	if u.Likely != "" {
		text += "; the likeliest is " + u.Likely
	}
	switch {
	case u.Engine == "" || u.Likely != "":
	case u.What == "program":
		text += ". If it is deterministic, the accesses of its operations break the laws of trace.Program"
	default:
		text += fmt.Sprintf(". If it is deterministic, the engine %s is wrong: please report this as a bug of gopor", u.Engine)
	}
	return text
}

// Unwrap returns what shows it, such as a [trace.DivergenceError].
func (u *NotDeterministicError) Unwrap() error { return u.Err }

// EngineError says that the engine is wrong: it breaks a rule of [trace.Engine], or panics.
type EngineError struct {
	Engine string // its name
	Text   string
	Err    error // what shows it, may be nil
}

func (e *EngineError) Error() string { return e.Text }

// Unwrap returns what shows it, such as a [trace.ChoiceError]; it may be nil.
func (e *EngineError) Unwrap() error { return e.Err }

// ProgramError says that the program, which is no closure, is wrong: it breaks a law of
// [trace.Program], or panics in a method that an engine calls.
type ProgramError struct{ Err error }

func (e *ProgramError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the program.
func (e *ProgramError) Unwrap() error { return e.Err }

// StuckError says that an execution has performed no operation for long: a goroutine waits for what
// is not under control, or computes without end.
type StuckError struct {
	For  time.Duration // how long that is
	Text string
}

func (e *StuckError) Error() string { return e.Text }

// TooLongError says that no execution has completed in the time of the search.
type TooLongError struct {
	After time.Duration // the time of the search
	Text  string
}

func (e *TooLongError) Error() string { return e.Text }
