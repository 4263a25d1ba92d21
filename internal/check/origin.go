package check

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// This file is about binaries that are not instrumented, in which native code is
// not under control: what shows that a closure has such code all the same. Nothing
// shows a goroutine that has come and gone, or a real lock, so where there is no
// reason to believe that a closure uses the primitives of package sched only, that
// is said.

// origin is where a closure's code is from.
type origin struct {
	direct bool // the option Direct says that it uses primitives only
	file   string
	line   int // where it begins
}

// NewOrigin returns the origin of f, a function.
func NewOrigin(f any, direct bool) origin {
	from := origin{direct: direct}
	if fn := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); fn != nil {
		from.file, from.line = fn.FileLine(fn.Entry())
	}
	return from
}

// assume returns the assumption that there is nothing like what, where the closure
// begins.
func (from origin) assume(what string) exec.Assumption {
	return exec.Assumption{Kind: sched.AssumeCode, What: what, File: from.file, Line: from.line}
}

// NewClosure returns the program that calls f, with its origin.
func NewClosure(f func(), o exec.Options, from origin) *exec.Closure {
	o.LooseDones = true
	if hook.Instrumented() || o.Record {
		return exec.New(f, o)
	}
	var p *exec.Closure
	probe, first := o.Probe, true
	o.Probe = func() []trace.Failure {
		if first {
			first = false
			from.examine(p)
		}
		if probe == nil {
			return nil
		}
		return probe()
	}
	p = exec.New(f, o)
	for _, n := range native {
		if !from.direct && n.Func == from.line && filepath.Base(n.File) == filepath.Base(from.file) {
			p.Note(exec.Assumption{Kind: sched.AssumeCode, What: n.What + ", which is not under control in a package that uses primitives of package sched", File: n.File, Line: n.Line})
		}
	}
	if testing.Testing() && !from.direct && os.Getenv(environ.Instrument) == "off" {
		p.Note(from.assume("native code, if there is any, under " + environ.Instrument + "=off"))
	}
	return p
}

// examine looks at what the first execution of p has done, which is over. The calling
// goroutine drives p.
func (from origin) examine(p *exec.Closure) {
	if p.Len() == 0 && !from.direct {
		p.Note(from.assume("a closure that performs no operation of package sched, in a binary in which nothing else is under control"))
	}
	for _, at := range startedBy(stack.All(), stack.Current()) {
		p.Note(exec.Assumption{Kind: sched.AssumeCode, What: "a goroutine that is not under control", File: at.File, Line: at.Line})
	}
}

// startedBy returns, of all goroutines, the go statements of those that controlled
// goroutines of the goroutine driver have started.
func startedBy(all []stack.Goroutine, driver uint64) []stack.Frame {
	controlled := map[uint64]bool{}
	for _, g := range all {
		controlled[g.ID] = g.Has(stack.Controlled)
	}
	var out []stack.Frame
	for _, g := range all {
		if n := len(g.Frames); n > 0 && g.Frames[n-1].Created && !controlled[g.ID] && controlled[g.Parent] && stack.Descends(all, g.Parent, driver) {
			out = append(out, g.Frames[n-1])
		}
	}
	slices.SortFunc(out, func(a, b stack.Frame) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return out
}
