package hook

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/machine"
)

// packageVar is a package-level variable of a program that was brought under control.
type packageVar struct {
	Name string
	P    unsafe.Pointer
	T    reflect.Type
}

var Variables struct {
	Mu   sync.Mutex
	List []packageVar
}

// KeepVariable says that executions may change the variable of that name at p, a
// pointer, or what can be reached from it. Every execution begins with what has been
// left there outside of executions. From then on executions of this process take turns,
// see [Exclusive].
func KeepVariable(name string, p any) {
	Exclusive()
	v := reflect.ValueOf(p)
	Variables.Mu.Lock()
	defer Variables.Mu.Unlock()
	Variables.List = append(Variables.List, packageVar{name, v.UnsafePointer(), v.Type().Elem()})
}

// KeepProcess says that the execution of the calling goroutine is about to change the
// environment, or the directory that the process is in, which are put back after it.
func KeepProcess() {
	g := machine.Leave("KeepProcess")
	if g == nil || g.M.Undo != nil {
		return
	}
	env := os.Environ()
	dir, err := os.Getwd()
	g.M.Undo = func() {
		if !slices.Equal(env, os.Environ()) {
			os.Clearenv()
			for _, text := range env {
				if i := strings.Index(text[1:], "=") + 1; i > 0 { // some systems have names that begin with the sign
					os.Setenv(text[:i], text[i+1:])
				}
			}
		}
		if err == nil {
			os.Chdir(dir)
		}
	}
}
