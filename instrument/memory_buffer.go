package instrument

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/gopor/gopor/internal/known"
)

// This file announces what the system, or assembly, does to the buffers that readers and
// writers get. Readers and writers in Go announce their accesses themselves, when and where
// they happen. So a buffer that they do not use, or use under a lock of their own, is not
// announced by the call.

// buffers announces the buffers of a call of such a function: Read may use all of its buffer,
// by the contracts in package io, and Write reads all of it.
func (m *memory) buffers(c *ast.CallExpr) {
	id := called(c)
	if id == nil {
		return
	}
	fn, ok := m.Info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg() == m.Types {
		return
	}
	announce := ""
	switch fn.Name() {
	case "Read", "ReadAt", "ReadFull", "ReadAtLeast":
		announce = "Fills"
	case "Write", "WriteAt":
		announce = "Drains"
	default:
		if !summing(fn) {
			return
		}
		announce = "Drains"
	}
	folder, _, _ := strings.Cut(original(fn.Pkg().Path()), "/")
	by := ""
	switch {
	case summing(fn) || known.Is("outward", folder) && !isInterfaceMethod(fn):
		by = "nil"
	case folder != "io" && !known.Is("outward", folder):
		return
	default:
		if by = m.user(c, fn); by == "" {
			return
		}
	}
	for _, a := range c.Args {
		if s, ok := core(m.typeOf(a)).(*types.Slice); ok && types.Identical(s.Elem(), types.Typ[types.Byte]) {
			m.Wrap(a, native+"."+announce+"("+by+", ", ")")
		}
	}
}

// summing reports whether fn is a function that reads all of its bytes by assembly or the
// system, and no other memory of the program.
func summing(fn *types.Func) bool {
	name := fn.Name()
	if fn.Signature().Recv() != nil {
		return false
	}
	switch path := original(fn.Pkg().Path()); path {
	case "os":
		return name == "WriteFile"
	case "hash/crc32", "hash/crc64", "hash/adler32":
		return strings.HasPrefix(name, "Checksum") || name == "Update"
	default:
		return strings.HasPrefix(path, "crypto/") && strings.HasPrefix(name, "Sum")
	}
}

// isInterfaceMethod reports whether fn is the method of an interface.
func isInterfaceMethod(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// user returns, as text, the reader or writer that uses the buffer of a call of fn. It is "" if
// the text would evaluate a call or the like twice.
func (m *memory) user(c *ast.CallExpr, fn *types.Func) string {
	if fn.Signature().Recv() == nil { // such as io.ReadFull
		if len(c.Args) == 0 || m.waits(c.Args[0]) {
			return ""
		}
		return m.plain(c.Args[0])
	}
	f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok || m.waits(f.X) {
		return ""
	}
	sel := m.Info.Selections[f]
	if sel == nil || sel.Kind() != types.MethodVal {
		return ""
	}
	text := m.plain(f.X)
	t := sel.Recv()
	// The embedded fields on the path to the method.
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		s, ok := deref(t).Underlying().(*types.Struct)
		if !ok || text == "" {
			return ""
		}
		field := s.Field(i)
		if !field.Exported() && field.Pkg() != m.Types {
			return ""
		}
		text, t = text+"."+field.Name(), field.Type()
	}
	return text
}

// plain returns the text of an operand that is a variable, or a field of one, and "" for
// anything else.
func (m *memory) plain(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x := m.plain(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
	case *ast.StarExpr:
		if x := m.plain(e.X); x != "" {
			return "(*" + x + ")"
		}
	}
	return ""
}
