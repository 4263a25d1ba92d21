package machine

import (
	"time"
	"unsafe"

	"github.com/gopor/gopor/sched/trace"
)

// NoExecutor is the [Executor] of a machine that has no other: of one that model programs drive. It
// notes nothing and names nothing, and panics if a goroutine has to run or to wait. An executor
// that embeds it need have only the methods that matter to it.
type NoExecutor struct{}

func (NoExecutor) Submit(*Goroutine) { noExecutor("request") }
func (NoExecutor) Park(*Goroutine)   { noExecutor("wait") }
func (NoExecutor) Launch(*Goroutine) { noExecutor("start a goroutine") }
func (NoExecutor) Shared()           { noExecutor("share an object with another execution") }

func noExecutor(what string) {
	panic("sched: a goroutine of a machine without an executor cannot " + what)
}

func (NoExecutor) Advance()                                              {}
func (NoExecutor) Use(*Goroutine, unsafe.Pointer, uintptr, trace.Kind)   {}
func (NoExecutor) Watch(*Goroutine, unsafe.Pointer, uintptr, bool, bool) {}
func (NoExecutor) Glanced(*Goroutine)                                    {}
func (NoExecutor) Assume(*Goroutine, AssumptionKind, string)             {}
func (NoExecutor) Crossed()                                              {}
func (NoExecutor) Wants(AssumptionKind) bool                             { return false }
func (NoExecutor) Naming(bool)                                           {}
func (NoExecutor) Output(*Goroutine, bool, []byte)                       {}
func (NoExecutor) Label(Object) string                                   { return "" }
func (NoExecutor) NameAt(unsafe.Pointer) string                          { return "" }
func (NoExecutor) Caller(*Goroutine) uintptr                             { return 0 }
func (NoExecutor) Stack(*Goroutine) []uintptr                            { return nil }
func (NoExecutor) NoteGo(*Goroutine, *Goroutine)                         {}
func (NoExecutor) NoteTimer(*Goroutine, time.Duration)                   {}
func (NoExecutor) NoteVar(*Goroutine, trace.Kind, string, uintptr)       {}
func (NoExecutor) Value(*Goroutine, any)                                 {}
func (NoExecutor) LastRemark(*Goroutine, any)                            {}
func (NoExecutor) Show(*Goroutine, any) string                           { return "" }
