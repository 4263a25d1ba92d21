package hook

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
)

// packageVar is a package-level variable of an instrumented program.
type packageVar struct {
	Name string
	P    unsafe.Pointer
	T    reflect.Type
}

var Variables struct {
	Mu   sync.Mutex
	List []packageVar
}

// KeepVariable says that executions may change the variable at the pointer p, or memory that
// can be reached from it. Every execution begins with what code outside of executions has left
// there. From then on executions of this process take turns, see [Exclusive].
func KeepVariable(name string, p any) {
	Exclusive()
	v := reflect.ValueOf(p)
	Variables.Mu.Lock()
	defer Variables.Mu.Unlock()
	Variables.List = append(Variables.List, packageVar{name, v.UnsafePointer(), v.Type().Elem()})
}

// KeepProcess says that the execution of the calling goroutine is about to change the
// environment or the working directory of the process. They are put back after the execution.
func KeepProcess() {
	g := machine.Leave("KeepProcess")
	if g == nil || g.M.Outside.Undo != nil {
		return
	}
	env := os.Environ()
	dir, err := os.Getwd()
	g.M.Outside.Undo = func() {
		if !slices.Equal(env, os.Environ()) {
			os.Clearenv()
			for _, text := range env {
				// Names begin with the sign on some systems.
				if i := strings.Index(text[1:], "=") + 1; i > 0 {
					os.Setenv(text[:i], text[i+1:])
				}
			}
		}
		if err == nil {
			os.Chdir(dir)
		}
	}
}

// LastingFile begins the assumption of a search for a change of a file that is not put back.
const LastingFile = "a file that is not put back: "

// KeepFiles returns what keeps the files that the executions of the calling goroutine change, made
// by mk at the first call that has one. It returns nil if files are not put back after these
// executions.
func KeepFiles(mk func() live.FileKeeper) live.FileKeeper {
	co := machine.Callers.Look()
	if co == nil || co.M.Parallel != nil {
		return nil
	}
	if co.M.Outside.Files == nil && mk != nil {
		Exclusive()
		co.M.Outside.Files = mk()
	}
	return co.M.Outside.Files
}
