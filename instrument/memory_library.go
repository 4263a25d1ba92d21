package instrument

import (
	"go/ast"
	"go/types"
	"strings"
)

// The standard library is not rewritten, so what it does to the memory of its
// callers is not seen. Three cases can be announced by the caller: buffers that are
// handed to readers and writers, of which Read may use all, by the contracts in
// package io, and Write reads all; variables that package reflect sets and reads; and
// those that methods are called on, see [access].

// streaming are the folders of the standard library with readers and writers.
var streaming = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "compress": true, "crypto": true, "encoding": true,
	"hash": true, "io": true, "mime": true, "net": true, "os": true, "strings": true, "syscall": true, "text": true,
}

// library announces what a call of a function or method of the standard library
// does to memory of the caller's.
func (m *memory) library(c *ast.CallExpr) {
	fn, ok := m.Info.Uses[called(c)].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg() == m.Types {
		return
	}
	m.receiver(c, fn)
	m.printed(c, fn)
	path := original(fn.Pkg().Path())
	folder, _, _ := strings.Cut(path, "/")
	switch {
	case streaming[folder]:
		m.buffers(c, fn.Name())
	case path == "reflect":
		m.reflected(c, fn.Name())
	}
}

// original returns the path of the package that one is the twin of, or its own.
func original(path string) string {
	return strings.TrimPrefix(path, "github.com/gopor/gopor/sched/std/")
}

// buffers announces what readers and writers do to their buffers.
func (m *memory) buffers(c *ast.CallExpr, name string) {
	announce := ""
	switch name {
	case "Read", "ReadAt", "ReadFull", "ReadAtLeast":
		announce = ".WroteSlice("
	case "Write", "WriteAt":
		announce = ".ReadSlice("
	default:
		return
	}
	for _, a := range c.Args {
		s, ok := core(m.typeOf(a)).(*types.Slice)
		if ok && types.Identical(s.Elem(), types.Typ[types.Byte]) && m.shared.pointee(a) {
			m.Wrap(a, native+announce, ")")
		}
	}
}

// reflected lets calls of package reflect announce what they do.
func (m *memory) reflected(c *ast.CallExpr, name string) {
	f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	sel := m.Info.Selections[f]
	if sel == nil {
		if name == "Copy" {
			m.Wrap(c.Fun, native+".ReflectCopy(", ")")
		}
		return
	}
	recv, ok := deref(sel.Recv()).(*types.Named)
	if !ok || sel.Kind() != types.MethodVal || recv.Obj().Pkg() != sel.Obj().Pkg() {
		return
	}
	switch recv.Obj().Name() + "." + name {
	case "MapIter.Next", "MapIter.Reset":
		pre := native + ".Iterate("
		if !isPointer(sel.Recv()) {
			pre += "&"
		}
		m.Wrap(f.X, pre, ")")
	}
	if recv.Obj().Name() != "Value" || isPointer(sel.Recv()) {
		return
	}
	switch name {
	case "Bool", "Int", "Uint", "Float", "Complex", "Interface", "String", "Set", "SetBool", "SetInt", "SetUint",
		"SetFloat", "SetComplex", "SetString", "SetBytes", "SetPointer", "SetZero",
		"MapKeys", "MapRange", "Seq", "Seq2":
		m.Wrap(f.X, native+".Reflect(", ")")
	}
}
