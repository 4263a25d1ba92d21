package instrument

import (
	"go/ast"
	"go/types"
	"strings"
)

// The standard library is not rewritten, so what it does to the memory of its
// callers is not seen. One case is common enough to be announced by the caller:
// buffers that are handed to readers and writers. By the contracts in package io,
// Read may use all of the buffer, and Write reads it.

// streaming are the folders of the standard library with readers and writers.
var streaming = map[string]bool{
	"archive": true, "bufio": true, "bytes": true, "compress": true, "crypto": true, "encoding": true,
	"hash": true, "io": true, "mime": true, "net": true, "os": true, "strings": true, "syscall": true, "text": true,
}

// buffers announces what a call of a function or method of the standard library
// does to the buffers among its arguments.
func (m *memory) buffers(c *ast.CallExpr) {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.SelectorExpr:
		id = f.Sel
	case *ast.Ident:
		id = f
	default:
		return
	}
	fn, ok := m.Info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg() == m.Types {
		return
	}
	path := strings.TrimPrefix(fn.Pkg().Path(), "github.com/gopor/gopor/sched/std/") // of a twin's original
	folder, _, _ := strings.Cut(path, "/")
	if !streaming[folder] {
		return
	}
	announce := ""
	switch fn.Name() {
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
