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

// folder is the folder of this module at compile time.
var folder = func() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(path.Dir(path.Dir(file)))
}()

// programs are the folders of this module with code that runs as a program under control, like
// the module's tests.
var programs = []string{"cmd/", "examples/", "internal/test/"}

// twins is the folder of the twins of packages of the standard library.
const twins = "/sched/std/"

// rewritten is the folder of the other packages that rewritten code calls.
const rewritten = "/sched/native/"

// Ours reports whether a frame belongs to this module, and to none of the programs in it.
func (f Frame) Ours() bool {
	if strings.HasSuffix(f.File, "_test.go") {
		return false
	}
	// A function literal of an inlined function has the name of the caller.
	if strings.HasPrefix(f.File, folder+twins) || strings.HasPrefix(f.File, folder+rewritten) {
		return true
	}
	if strings.HasPrefix(f.Function, "net.") && strings.HasPrefix(path.Base(f.File), "gopor_") {
		return true // added to package net
	}
	at, ok := strings.CutPrefix(f.Function, Module+"/")
	for _, p := range programs {
		ok = ok && !strings.HasPrefix(at, p)
	}
	return ok
}

// Testing reports whether a function is one of package testing, or of its twin or the twins
// below it.
func Testing(function string) bool {
	return strings.HasPrefix(function, "testing.") || strings.HasPrefix(function, Module+"/por/testing")
}

// User reports whether a frame belongs to code of a user, or to a package of the standard
// library or its twin, other than the runtime and package testing.
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

// Unescape returns the readable form of a function's name, or a part of it. The compiler writes
// dots in the last element of an import path, and some other bytes, as % and two digits.
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

// Role is the meaning of a function of this module on a stack.
type Role uint8

// The roles.
const (
	Controlled Role = iota + 1 // the goroutine is under control: the function is at its bottom
	Deciding                   // the engine runs on the goroutine's stack
	First                      // the goroutine begins there; the calls below have returned
	Reporting                  // the goroutine shows the progress of a search
)

var roles = map[string]Role{}

// Register assigns a role to functions. It has to be called during the initialisation of a
// package.
func Register(r Role, functions ...any) {
	for _, f := range functions {
		roles[Name(f)] = r
	}
}

// RoleOf returns the role of the function with a name, 0 for none.
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

// Name returns the name of a function in stacks, without type arguments. Methods are passed as
// expressions: (*T).Method.
func Name(f any) string {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	name, _, _ = strings.Cut(name, "[")
	return name
}
