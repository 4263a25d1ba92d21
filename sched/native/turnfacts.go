package native

import (
	"reflect"
	"strings"
	"sync"

	"github.com/gopor/gopor/internal/hook"
)

// turnFacts has, by the paths of packages, the functions and methods that an iteration may call:
// see package instrument. Locks are operations.
var turnFacts = map[string]string{
	"github.com/gopor/gopor/sched/std/sync": " Mutex.Lock Mutex.Unlock RWMutex.Lock RWMutex.Unlock rlocker.Lock rlocker.Unlock ",
}

// TurnFacts notes what iterations may call of a package, which calls it at its initialisation.
func TurnFacts(path, facts string) { turnFacts[path] = " " + strings.ReplaceAll(facts, "+", "") + " " }

// asked has whether methods are among the facts.
var asked sync.Map // from method to bool

type method struct {
	of   reflect.Type
	name string
}

// Asked returns x, an interface, of which an iteration calls a method next. It announces a lasting
// effect, unless the method of what is in x is known to have none, or to announce it.
func Asked[T any](x T, name string) T {
	if hook.Controlled() && !isAsked(method{reflect.TypeOf(x), name}) {
		hook.Acts()
	}
	return x
}

func isAsked(m method) bool {
	if m.of == nil {
		return true // the call panics
	}
	if known, ok := asked.Load(m); ok {
		return known.(bool)
	}
	t := m.of
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[") // type arguments
	known := name != "" && strings.Contains(turnFacts[t.PkgPath()], " "+name+"."+m.name+" ")
	asked.Store(m, known)
	return known
}
