package witness

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// trait is what some steps have in common, for families of programs.
type trait uint32

const (
	yields    trait = 1 << iota // lets others run, or hopes to
	polls                       // looks again and again for what another thread does
	tries                       // takes a RWMutex if it is free
	sharesRW                    // holds a RWMutex for reading
	ranges                      // goes through a sync.Map
	writesMap                   // changes a sync.Map
	twice                       // a select with two cases on one channel
	waitsWG                     // waits for a WaitGroup
	addsWG                      // adds to one
	puts                        // puts into a Pool
	gets                        // gets out of a Pool
	cancels                     // cancels a context that others may be derived from
	derives                     // has to do with a derived context, or with what a context calls
	ordered                     // shows the order of a map
	ticks                       // receives from a ticker
	stops                       // stops a timer with a channel, or starts it again
	plain                       // uses plain memory
	unread                      // seems to use it, and does not or not yet
)

// groups are the steps by what they are about.
var groups = [][]*Step{
	chanSteps, selectSteps, lockSteps, rwSteps, syncSteps, condSteps, mapSteps, poolSteps,
	atomicSteps, valueSteps, contextSteps, timerSteps, languageSteps, memorySteps,
}

// void makes a step of something that returns nothing.
func void(f func(t *thread)) func(t *thread) string {
	return func(t *thread) string { f(t); return "ok" }
}

// seen is the text of values.
func seen(values ...any) string { return strings.TrimSuffix(fmt.Sprintln(values...), "\n") }

// errName is the text of an error of a context.
func errName(err error) string {
	switch {
	case err == nil:
		return "live"
	case err == context.Canceled:
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "late"
	}
	return err.Error()
}
