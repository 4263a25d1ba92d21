package native

import (
	"reflect"
	"runtime"
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

// looking has the functions, by their code, that Looking was called with, and whether others are
// among the facts.
var looking sync.Map // from uintptr to bool

// Looking returns f, a function literal that an iteration may call.
func Looking[F any](f F) F {
	code := reflect.ValueOf(f).Pointer()
	if _, known := looking.Load(code); !known {
		looking.Store(code, true)
	}
	return f
}

// AskedFunc returns f, a function that an iteration calls next. It announces a lasting effect,
// unless f is known to have none, or to announce it.
func AskedFunc[F any](f F) F {
	if hook.Controlled() && !isLooking(reflect.ValueOf(f).Pointer()) {
		hook.Acts()
	}
	return f
}

func isLooking(code uintptr) bool {
	if code == 0 {
		return true // the call panics
	}
	if known, ok := looking.Load(code); ok {
		return known.(bool)
	}
	known := false
	if f := runtime.FuncForPC(code); f != nil {
		path, fact := factOf(f.Name())
		known = fact != "" && strings.Contains(turnFacts[path], " "+fact+" ")
	}
	looking.Store(code, known)
	return known
}

// factOf returns the path of a package and the fact that a function or method of it would have. The
// name is as in package runtime. The fact is "" for a function literal.
func factOf(name string) (path, fact string) {
	name, value := strings.CutSuffix(name, "-fm") // the value of a method
	name = strings.ReplaceAll(name, "[...]", "")  // type arguments
	slash := strings.LastIndexByte(name, '/') + 1
	pkg, fact, _ := strings.Cut(name[slash:], ".")
	if value {
		fact = strings.NewReplacer("(*", "", ")", "").Replace(fact)
	}
	if strings.Count(fact, ".") > 1 || !value && strings.Contains(fact, ".") || strings.Contains(pkg, "%") {
		return "", ""
	}
	return name[:slash] + pkg, fact
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
