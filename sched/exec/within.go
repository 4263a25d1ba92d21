package exec

import (
	"runtime"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// This file tells the operations that libraries make from those of the program, see
// [sched.LibraryMode]. The stack of a goroutine shows which of them makes its operation: the
// innermost call of a library or of the program does. Calls of this module, of the runtime, and of
// packages of the standard library that are not under control are passed over. The caller of
// io.Copy makes the operations below that.
//
// Every operation looks at its stack, so that has to be cheap. A call is known by the address to
// which it returns, and what there is at an address is found out once. Programs without a library
// look at nothing.

// controlled has the packages of the standard library that are under control in this program, with
// commas between them. The linker sets it.
var controlled string

// library finds out which operations libraries make.
type library struct {
	mode     sched.LibraryMode
	packages []string // import paths; those with "/..." stand for packages below, too
	pcs      [16]uintptr
	known    [1024]site // by address
	all      map[uintptr]party
	places   map[uintptr]position // of the calls of libraries among them
	left     map[uintptr]bool     // calls of races that were left
}

// position is a line of a file.
type position struct {
	file string
	line int
}

// site is an address to which a call returns.
type site struct {
	pc uintptr
	party
}

// party says which code a call is part of.
type party uint8

const (
	partyUnknown party = iota
	partyPassed        // this module, the runtime, other packages of the standard library
	partyLibrary
	partyCarrier // packages that hand on what is read from a connection and written to it
	partyNetwork // what the standard library has in place of a network
	partyProgram
)

// newLibrary returns nil if no operation is to be told from others.
func newLibrary(o *Options) *library {
	packages := splitPaths(o.Libraries + "," + controlled)
	if o.Library == sched.LibraryAll || len(packages) == 0 {
		return nil
	}
	return &library{mode: o.Library, packages: packages, all: make(map[uintptr]party), places: make(map[uintptr]position)}
}

// splitPaths returns the paths in a list with commas.
func splitPaths(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(path string) bool { return path == "" })
}

// note says of g's request, which g has just published, whether a library makes it.
//
// What comes by a connection is the program's, even if a library uses it. So a Write, and what
// makes a connection or accepts it, is no library's own. How a library stops its reading is: by a
// Close of its own end, by a deadline, and when it reads.
func (l *library) note(g *machine.Goroutine) {
	if l.mode == sched.LibraryOwn && !g.Library.Started {
		return
	}
	switch k := g.Op.Kind; {
	case k == trace.OpNetClose, k == trace.OpDeadline, k == trace.OpNetRead:
		g.Op.Within = l.call(partyCarrier)
	case !k.OfSocket():
		g.Op.Within = l.call(partyPassed)
	}
}

// call looks for the innermost call of the calling goroutine that is part of a library or of the
// program. It returns where that call goes on if it is part of a library, else 0. Calls of party
// passed are passed over, too.
func (l *library) call(passed party) uintptr {
	pcs := l.pcs[:stack.Innermost(l.pcs[:])]
	for i, pc := range pcs {
		s := &l.known[pc>>2%uintptr(len(l.known))]
		if s.pc != pc {
			*s = site{pc, l.partyOf(pc, pcs)}
		}
		switch s.party {
		case partyPassed, passed:
		case partyLibrary, partyCarrier:
			return pcs[i]
		default:
			return 0
		}
	}
	return l.deepCall(passed)
}

// deepCall is call where the innermost calls are all passed over.
func (l *library) deepCall(passed party) uintptr {
	pcs := make([]uintptr, 64)
	n := stack.Innermost(pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 2*n)
		n = stack.Innermost(pcs)
	}
	for _, pc := range pcs[:n] {
		switch l.partyOf(pc, pcs[:n]) {
		case partyPassed, passed:
		case partyLibrary, partyCarrier:
			return pc
		default:
			return 0
		}
	}
	return 0
}

// partyOf returns what the call that returns to pc is part of. The calling goroutine is in that
// call, and in those that return to pcs, innermost first.
func (l *library) partyOf(pc uintptr, pcs []uintptr) party {
	if p := l.all[pc]; p != partyUnknown {
		return p
	}
	for _, pc := range pcs {
		if l.all[pc] == partyUnknown {
			l.all[pc] = partyPassed // as one that the runtime does not tell of
		}
	}
	l.look(pcs)
	return l.all[pc]
}

// look finds out what the calls that return to pcs are part of. The compiler may have inlined
// several calls at one of these addresses: the innermost one of them counts that is not passed
// over.
func (l *library) look(pcs []uintptr) {
	callers := make([]uintptr, 4*len(pcs)+64)
	callers = callers[:runtime.Callers(1, callers)]
	frames := runtime.CallersFrames(callers)
	at, found := uintptr(0), partyPassed
	for {
		f, more := frames.Next()
		if slices.Contains(pcs, f.PC+1) {
			at, found = f.PC+1, partyPassed
		}
		if at != 0 && found == partyPassed {
			found = l.party(f.Function, f.File)
			l.all[at], l.places[at] = found, position{f.File, f.Line}
		}
		if !more {
			return
		}
	}
}

// party returns what a function is part of.
func (l *library) party(function, file string) party {
	in := stack.Package(function)
	switch {
	case stack.Frame{Function: function, File: file}.Ours():
		return partyPassed
	case isConnection(function):
		return partyNetwork
	case stack.Standard(file) && (in == "net" || in == "crypto/tls"):
		return partyCarrier
	case slices.ContainsFunc(l.packages, func(path string) bool { return matches(in, path) }):
		return partyLibrary
	case stack.Standard(file) || strings.HasPrefix(function, "runtime.") || in == "":
		return partyPassed
	}
	return partyProgram
}

// isConnection reports whether a function of the standard library is part of a connection that the
// program has at both of its ends. What it does is not the library's own business.
func isConnection(function string) bool { return strings.HasPrefix(function, "net.(*pipe") }

// matches reports whether a package is one of those that a path stands for.
func matches(pkg, path string) bool {
	if folder, below := strings.CutSuffix(path, "/..."); below {
		return pkg == folder || strings.HasPrefix(pkg, folder+"/")
	}
	return pkg == path
}

// Left implements [trace.Leaving]: the search takes for granted that a race inside a library makes
// no difference.
func (c *Closure) Left(within uintptr) {
	l := c.library
	if l == nil || l.left[within] {
		return
	}
	if l.left == nil {
		l.left = make(map[uintptr]bool)
	}
	l.left[within] = true
	at := l.places[within]
	c.assumed.note(Assumption{Kind: sched.AssumeModel, What: hook.LibraryRace, File: at.file, Line: at.line})
}

// Leaves reports whether the search has left a race inside a library.
func (c *Closure) Leaves() bool { return c.library != nil && len(c.library.left) > 0 }

var _ trace.Leaving = (*Closure)(nil)
