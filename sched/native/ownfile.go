package native

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
)

// ofFiles returns a function for f, of package os or path/filepath, that is noted only if it
// uses a file that the execution has not made. It reports whether f is such a function.
func ofFiles[F any](f F, kind sched.AssumptionKind, what string) (F, bool) {
	if !strings.HasPrefix(what, "os.") && !strings.HasPrefix(what, "path/filepath.") || !hook.Active() {
		return f, false
	}
	noted := func() (done func()) { return noteFiles(kind, what) }
	var g any
	switch f := any(f).(type) {
	case func(string) (*os.File, error):
		g = func(a string) (*os.File, error) { defer noted()(); return f(a) }
	case func(string, int, fs.FileMode) (*os.File, error):
		g = func(a string, b int, c fs.FileMode) (*os.File, error) { defer noted()(); return f(a, b, c) }
	case func(string) (fs.FileInfo, error):
		g = func(a string) (fs.FileInfo, error) { defer noted()(); return f(a) }
	case func() (fs.FileInfo, error):
		g = func() (fs.FileInfo, error) { defer noted()(); return f() }
	case func(int) ([]fs.FileInfo, error):
		g = func(a int) ([]fs.FileInfo, error) { defer noted()(); return f(a) }
	case func(string, filepath.WalkFunc) error:
		g = func(a string, b filepath.WalkFunc) error { defer noted()(); return f(a, b) }
	case func(string) ([]byte, error):
		g = func(a string) ([]byte, error) { defer noted()(); return f(a) }
	case func(string, []byte, fs.FileMode) error:
		g = func(a string, b []byte, c fs.FileMode) error { defer noted()(); return f(a, b, c) }
	case func(string) ([]fs.DirEntry, error):
		g = func(a string) ([]fs.DirEntry, error) { defer noted()(); return f(a) }
	case func(string) ([]string, error):
		g = func(a string) ([]string, error) { defer noted()(); return f(a) }
	case func(string) (string, error):
		g = func(a string) (string, error) { defer noted()(); return f(a) }
	case func(string, fs.WalkDirFunc) error:
		g = func(a string, b fs.WalkDirFunc) error { defer noted()(); return f(a, b) }
	case func(string) error:
		g = func(a string) error { defer noted()(); return f(a) }
	case func(string, fs.FileMode) error:
		g = func(a string, b fs.FileMode) error { defer noted()(); return f(a, b) }
	case func(string, string) error:
		g = func(a, b string) error { defer noted()(); return f(a, b) }
	case func(string, string) (string, error):
		g = func(a, b string) (string, error) { defer noted()(); return f(a, b) }
	case func(string, string) (*os.File, error):
		g = func(a, b string) (*os.File, error) { defer noted()(); return f(a, b) }
	case func(string, int64) error:
		g = func(a string, b int64) error { defer noted()(); return f(a, b) }
	case func(string, time.Time, time.Time) error:
		g = func(a string, b, c time.Time) error { defer noted()(); return f(a, b, c) }
	case func(string, int, int) error:
		g = func(a string, b, c int) error { defer noted()(); return f(a, b, c) }
	case func([]byte) (int, error):
		g = func(a []byte) (int, error) { defer noted()(); return f(a) }
	case func([]byte, int64) (int, error):
		g = func(a []byte, b int64) (int, error) { defer noted()(); return f(a, b) }
	case func(int) ([]fs.DirEntry, error):
		g = func(a int) ([]fs.DirEntry, error) { defer noted()(); return f(a) }
	case func(int) ([]string, error):
		g = func(a int) ([]string, error) { defer noted()(); return f(a) }
	default:
		return any(f).(F), false
	}
	return g.(F), true
}

// noteFiles begins a call, and returns the function that ends it. What the call changes is put
// back. What it finds may differ from run to run, unless the execution itself has made that.
func noteFiles(kind sched.AssumptionKind, what string) (done func()) {
	call := beginFileCall()
	return func() {
		endFileCall(call)
		switch {
		case hook.Unwinding():
		case !call.Used:
			sched.Assume(kind, what)
		case call.Lasts && !overwriting[strings.Replace(what, ".Root.", ".", 1)]:
			sched.Assume(sched.AssumeSource, what)
		}
	}
}

// beginFileCall and endFileCall are for the goroutine that makes such a call.
func beginFileCall() *live.FileCall {
	call := new(live.FileCall)
	if co := machine.Callers.Look(); co != nil && co.G != nil {
		l := co.G.InLibrary()
		call.Above, l.Files = l.Files, call
	}
	return call
}

func endFileCall(call *live.FileCall) {
	if co := machine.Callers.Look(); co != nil && co.G != nil && co.G.Library.Files == call {
		co.G.Library.Files = call.Above
	}
}

// useFile is for a goroutine that uses a file, which may be one of the execution's own.
func useFile(own bool) {
	if co := machine.Callers.Look(); co != nil && co.G != nil && co.G.Library.Files != nil {
		co.G.Library.Files.Used = true
		co.G.Library.Files.Lasts = co.G.Library.Files.Lasts || !own
	}
}

// overwriting has the functions that leave the same behind, whatever was there before, and that say
// nothing about it.
var overwriting = map[string]bool{
	"os.Create":     true,
	"os.CreateTemp": true,
	"os.MkdirAll":   true,
	"os.MkdirTemp":  true,
	"os.RemoveAll":  true,
	"os.WriteFile":  true,
}
