package native

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"strings"
	"sync"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// The functions of this file are put around functions that are about to be called. In
// executions they note an assumption of the search.

// Source returns f, a function with results that may differ from run to run. In an execution,
// seeds of hashes are random numbers like others.
func Source[F any](f F, what string) F {
	if _, ok := any(f).(func() maphash.Seed); ok && hook.Active() {
		sched.Assume(sched.AssumeRandom, what)
		return any(makeSeed).(F)
	}
	if g, ok := ofFiles(f, sched.AssumeSource, what); ok {
		return g
	}
	switch {
	case what == "syscall.Getenv" || what == "syscall.Environ":
		f = consulting(f)
	case what == "syscall.Fdatasync":
		f = Synced(f, what)
	case what == "syscall.Read" || what == "syscall.Write":
		return ofDescriptor(f, what)
	case strings.HasPrefix(what, "syscall."):
		live.Feel(what)
	}
	return noting(f, sched.AssumeSource, what)
}

// ofDescriptor returns a function for f, which reads or writes a descriptor. What a socket that
// stands for a connection has is the execution's, see SocketStandIn. Of all others the function
// notes that the value comes from outside.
func ofDescriptor[F any](f F, what string) F {
	use, ok := any(f).(func(int, []byte) (int, error))
	if !ok { // a descriptor is a handle there
		live.Feel(what)
		return noting(f, sched.AssumeSource, what)
	}
	var in any = func(fd int, p []byte) (int, error) {
		if _, stands := standIns.Load(fd); !stands {
			live.Feel(what)
			noting(use, sched.AssumeSource, what)
		}
		return use(fd, p)
	}
	return in.(F)
}

// standIns has the descriptors of sockets that stand for connections.
var standIns sync.Map

// seeds stands for the sources of random numbers of an execution's goroutines.
var seeds struct{ _ byte }

// source returns the source of random numbers of the calling goroutine, which is controlled.
func source() *rand.PCG {
	all := hook.Shadow(unsafe.Pointer(&seeds), func() any { return make(map[trace.ID]*rand.PCG) }).(map[trace.ID]*rand.PCG)
	id := hook.Current()
	if all[id] == nil {
		all[id] = rand.NewPCG(hook.Seed(), 0)
	}
	return all[id]
}

// makeSeed is maphash.MakeSeed in an execution.
func makeSeed() maphash.Seed {
	s := struct{ s uint64 }{drawSeed()}
	return *(*maphash.Seed)(unsafe.Pointer(&s))
}

func drawSeed() uint64 { return source().Uint64() | 1 } // 0 is not a valid seed

// HashSeed returns the seed of a hash without a seed, which package hash/maphash makes at its
// first use.
func (execution) HashSeed() (x uint64, ok bool) {
	if !hook.Active() {
		return 0, false
	}
	sched.Assume(sched.AssumeRandom, "hash/maphash.MakeSeed")
	return drawSeed(), true
}

// Lasting returns f, which changes state that outlives an execution. The state is not put back,
// except for the environment and the working directory of the process, and registries (see
// [Registries]).
func Lasting[F any](f F, what string) F {
	switch what {
	case "os.Setenv", "os.Unsetenv", "os.Clearenv", "os.Chdir":
		if hook.Active() {
			hook.KeepProcess()
		}
		return f
	case "syscall.Setenv", "syscall.Unsetenv", "syscall.Clearenv":
		if hook.Active() {
			hook.KeepProcess()
		}
		return replacing(f)
	}
	if live.Keeps(what[:strings.LastIndexByte(what, '.')]) {
		return f
	}
	if g, ok := ofFiles(f, sched.AssumeVariable, what); ok {
		return g
	}
	return noting(f, sched.AssumeVariable, what)
}

// consulting returns a function for f, of package syscall, that announces the read of the
// environment, as functions of package os do.
func consulting[F any](f F) F {
	var in any = f
	switch f := any(f).(type) {
	case func(string) (string, bool):
		in = func(key string) (string, bool) { live.Consults(&live.Environment); return f(key) }
	case func() []string:
		in = func() []string { live.Consults(&live.Environment); return f() }
	}
	return in.(F)
}

// replacing returns a function for f, of package syscall, that announces the change of the
// environment.
func replacing[F any](f F) F {
	var in any = f
	switch f := any(f).(type) {
	case func(string, string) error:
		in = func(key, value string) error { live.Replaces(&live.Environment); return f(key, value) }
	case func(string) error:
		in = func(key string) error { live.Replaces(&live.Environment); return f(key) }
	case func():
		in = func() { live.Replaces(&live.Environment); f() }
	}
	return in.(F)
}

// Foreign returns f, which runs uncontrolled code. That counts as an external effect, unless f
// is a function in assembly that makes no system call.
func Foreign[F any](f F, what string) F {
	if !strings.HasSuffix(what, "not written in Go") || strings.Contains(what, "yscall") {
		live.Feel(what)
	}
	return noting(f, sched.AssumeCode, what)
}

// Felt returns f, which has an external effect.
func Felt[F any](f F, what string) F {
	live.Feel(what)
	return f
}

// Ending returns f, which ends the process. In an execution it returns a function that fails
// the execution instead, and ends the calling goroutine.
func Ending[F any](f F, what string) F {
	if !hook.Active() {
		return f
	}
	var in any
	switch any(f).(type) {
	case func(int):
		in = func(code int) { hook.Fatal(fmt.Sprintf("%s(%d) ends the process", what, code)) }
	case func(...any):
		in = func(v ...any) {
			hook.Fatal(fmt.Sprintf("%s ends the process: %s", what, strings.TrimSpace(fmt.Sprintln(v...))))
		}
	case func(string, ...any):
		in = func(format string, v ...any) {
			hook.Fatal(fmt.Sprintf("%s ends the process: %s", what, fmt.Sprintf(format, v...)))
		}
	default:
		return f
	}
	return in.(F)
}

func noting[F any](f F, k sched.AssumptionKind, what string) F {
	if live.On() {
		sched.Assume(k, what)
	}
	return f
}

// Uncontrolled notes that uncontrolled code runs. Functions of packages with rewritten text
// that does not compile begin with it.
func Uncontrolled(what string) {
	if live.On() {
		sched.Assume(sched.AssumeCode, what)
	}
}
