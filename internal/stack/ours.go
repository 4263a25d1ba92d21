package stack

import (
	"path"
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// Module is the path of this module.
var Module = strings.TrimSuffix(reflect.TypeFor[Frame]().PkgPath(), "/internal/stack")

// folder is where the files of this module were compiled.
var folder = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(path.Dir(file)))
}()

// programs are the folders of this module with code that is run as a program under
// control, as that of its tests is.
var programs = []string{"cmd/", "examples/", "internal/test/"}

// twins is the folder of the packages that stand for those of the standard library.
const twins = "/sched/std/"

// rewritten is the folder of what else rewritten code calls.
const rewritten = "/sched/native/"

// Ours reports whether a frame is of this module and of none of the programs in it.
func (f Frame) Ours() bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	// A function literal of a function that is inlined has the name of who calls that.
	if strings.HasPrefix(f.File, folder+twins) || strings.HasPrefix(f.File, folder+rewritten) {
		return true
	}
	at, ok := strings.CutPrefix(f.Function, Module+"/")
	for _, p := range programs {
		ok = ok && !strings.HasPrefix(at, p)
	}
	return ok
}

// Testing reports whether a function is one of package testing, or of the twins of that
// and of packages below it.
func Testing(function string) bool {
	return strings.HasPrefix(function, "testing.") || strings.HasPrefix(function, Module+"/por/testing")
}

// User reports whether a frame is of code that a user has written, or of a package of
// the standard library, or its twin, that is neither the runtime nor a test's.
func (f Frame) User() bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return true
	}
	for _, prefix := range []string{"runtime.", "runtime/", "iter.", "testing.", "internal/"} {
		if strings.HasPrefix(f.Function, prefix) {
			return false
		}
	}
	return f.Function != "panic" && (!f.Ours() || strings.HasPrefix(f.Function, Module+twins))
}

// Package returns the import path in a function's name, "" if there is none.
func Package(function string) string {
	slash := strings.LastIndex(function, "/") + 1
	dot := strings.Index(function[slash:], ".")
	if dot < 0 {
		return ""
	}
	return Unescape(function[:slash+dot])
}

// Unescape returns the name of a function, or a part of it, as people write it: the compiler writes the dots in the last
// element of an import path, and some other bytes, as % and two digits.
func Unescape(name string) string {
	plain, rest, more := strings.Cut(name, "%")
	for more {
		var next string
		next, rest, more = strings.Cut(rest, "%")
		if len(next) < 2 {
			return name
		}
		b, err := strconv.ParseUint(next[:2], 16, 8)
		if err != nil {
			return name
		}
		plain += string([]byte{byte(b)}) + next[2:]
	}
	return plain
}

// Role is what it means that a function of this module is on a stack.
type Role uint8

// The roles.
const (
	Controlled Role = iota + 1 // the goroutine is under control: the function is at its bottom
	Deciding                   // the goroutine lends its stack to the engine
	First                      // the goroutine begins there: below are calls of others, which have ended
	Reporting                  // the goroutine shows how far a search is, beside its executions
)

var roles = map[string]Role{}

// Register says which functions have a role. It is to be called when a package is
// initialised.
func Register(r Role, functions ...any) {
	for _, f := range functions {
		roles[Name(f)] = r
	}
}

// RoleOf returns the role of a function with that name, 0 for none.
func RoleOf(function string) Role {
	function, _, _ = strings.Cut(function, "[")
	return roles[function]
}

// Has reports whether a function of a role is on the goroutine's stack.
func (g *Goroutine) Has(r Role) bool {
	for _, f := range g.Frames {
		if !f.Created && RoleOf(f.Function) == r {
			return true
		}
	}
	return false
}

// Name returns the name of a function as stacks have it, without type arguments. A
// method is given as an expression: (*T).Method.
func Name(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name, _, _ = strings.Cut(name, "[")
	return name
}
