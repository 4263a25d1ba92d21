package runtime

import (
	"runtime"
	"unsafe"
)

// What this file declares is that of package runtime.

const (
	Compiler = runtime.Compiler
	GOARCH   = runtime.GOARCH
	GOOS     = runtime.GOOS
)

var (
	MemProfileRate = runtime.MemProfileRate
)

type (
	BlockProfileRecord = runtime.BlockProfileRecord
	Cleanup            = runtime.Cleanup
	Error              = runtime.Error
	Frame              = runtime.Frame
	Frames             = runtime.Frames
	Func               = runtime.Func
	MemProfileRecord   = runtime.MemProfileRecord
	MemStats           = runtime.MemStats
	PanicNilError      = runtime.PanicNilError
	Pinner             = runtime.Pinner
	StackRecord        = runtime.StackRecord
	TypeAssertionError = runtime.TypeAssertionError
)

func BlockProfile(p []BlockProfileRecord) (n int, ok bool) { return runtime.BlockProfile(p) }
func Breakpoint()                                          { runtime.Breakpoint() }
func CPUProfile() []byte                                   { return runtime.CPUProfile() }
func CallersFrames(callers []uintptr) *Frames              { return runtime.CallersFrames(callers) }
func FuncForPC(pc uintptr) *Func                           { return runtime.FuncForPC(pc) }
func GC()                                                  { runtime.GC() }
func GOMAXPROCS(n int) int                                 { return runtime.GOMAXPROCS(n) }
func GOROOT() string                                       { return runtime.GOROOT() }
func Goexit()                                              { runtime.Goexit() }
func GoroutineProfile(p []StackRecord) (n int, ok bool)    { return runtime.GoroutineProfile(p) }
func KeepAlive(x any)                                      { runtime.KeepAlive(x) }
func MemProfile(p []MemProfileRecord, inuseZero bool) (n int, ok bool) {
	return runtime.MemProfile(p, inuseZero)
}
func MutexProfile(p []BlockProfileRecord) (n int, ok bool) { return runtime.MutexProfile(p) }
func NumCPU() int                                          { return runtime.NumCPU() }
func NumCgoCall() int64                                    { return runtime.NumCgoCall() }
func ReadMemStats(m *MemStats)                             { runtime.ReadMemStats(m) }
func ReadTrace() (buf []byte)                              { return runtime.ReadTrace() }
func SetBlockProfileRate(rate int)                         { runtime.SetBlockProfileRate(rate) }
func SetCPUProfileRate(hz int)                             { runtime.SetCPUProfileRate(hz) }
func SetCgoTraceback(version int, traceback unsafe.Pointer, context unsafe.Pointer, symbolizer unsafe.Pointer) {
	runtime.SetCgoTraceback(version, traceback, context, symbolizer)
}
func SetDefaultGOMAXPROCS()                                { runtime.SetDefaultGOMAXPROCS() }
func SetFinalizer(obj any, finalizer any)                  { runtime.SetFinalizer(obj, finalizer) }
func SetMutexProfileFraction(rate int) int                 { return runtime.SetMutexProfileFraction(rate) }
func StartTrace() error                                    { return runtime.StartTrace() }
func StopTrace()                                           { runtime.StopTrace() }
func ThreadCreateProfile(p []StackRecord) (n int, ok bool) { return runtime.ThreadCreateProfile(p) }
func Version() string                                      { return runtime.Version() }
