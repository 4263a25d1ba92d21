package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// This file announces what methods of the standard library do to the variables that
// they are called on: buffers, builders, lists, big numbers, sources of random numbers.
// They are no use to several goroutines without a lock. What they do to other variables
// is not seen.

// changing has types of the standard library whose methods with a pointer receiver
// change it, by package, with those that only read it. None of them has locks.
var changing = map[string]map[string]string{
	"archive/tar":    {"Writer": "", "Reader": ""},
	"archive/zip":    {"Writer": ""},
	"bufio":          {"Reader": "Buffered Size", "Writer": "Available Buffered Size", "Scanner": "Bytes Err Text"},
	"bytes":          {"Buffer": "Available Bytes Cap Len String", "Reader": "Len Size"},
	"compress/flate": {"Writer": ""},
	"compress/gzip":  {"Reader": "", "Writer": ""},
	"compress/zlib":  {"Writer": ""},
	"container/list": {"List": "Back Front Len"},
	"container/ring": {"Ring": "Len"},
	"encoding/csv":   {"Reader": "FieldPos InputOffset", "Writer": "Error"},
	"encoding/json":  {"Decoder": "InputOffset", "Encoder": ""},
	"encoding/xml":   {"Decoder": "InputOffset InputPos", "Encoder": ""},
	"math/big": {
		"Float": "Acc Append Cmp Float32 Float64 Format Int64 IsInf IsInt MantExp MarshalText MinPrec Mode Prec Sign Signbit String Text Uint64",
		"Int":   "Append Bit BitLen Bits Bytes Cmp CmpAbs FillBytes Float64 Format Int64 IsInt64 IsUint64 MarshalJSON MarshalText ProbablyPrime Sign String Text TrailingZeroBits Uint64",
		"Rat":   "Cmp Float32 Float64 FloatPrec FloatString IsInt MarshalText RatString Sign String",
	},
	"math/rand":      {"Rand": "", "Zipf": ""},
	"math/rand/v2":   {"ChaCha8": "", "PCG": "", "Rand": "", "Zipf": ""},
	"strings":        {"Builder": "Cap Len String", "Reader": "Len Size"},
	"text/scanner":   {"Scanner": ""},
	"text/tabwriter": {"Writer": ""},
}

// keepsNothing reports whether a function is a method of the standard library that
// keeps its receiver to itself: it does not pass it on or return it.
func keepsNothing(fn *ssa.Function) bool {
	m, ok := fn.Object().(*types.Func)
	if !ok || len(fn.Blocks) > 0 || access(m) == "" {
		return false
	}
	switch original(m.Pkg().Path()) {
	case "bytes", "strings", "bufio":
		return true
	}
	return false
}

// access says whether a method of one of these types reads or writes its receiver: ""
// if it has no such receiver.
func access(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil || fn.Pkg() == nil || !isPointer(recv.Type()) {
		return ""
	}
	named, ok := deref(recv.Type()).(*types.Named)
	if !ok {
		return ""
	}
	readers, ok := changing[original(fn.Pkg().Path())][named.Obj().Name()]
	switch {
	case !ok:
		return ""
	case slices.Contains(strings.Fields(readers), fn.Name()):
		return "Read"
	}
	return "Write"
}

// receiver announces the access of the variable that a method is called on.
func (m *memory) receiver(c *ast.CallExpr, fn *types.Func) {
	f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	how := access(fn)
	if !ok || how == "" {
		return
	}
	sel := m.Info.Selections[f]
	if sel == nil || sel.Kind() != types.MethodVal {
		return
	}
	path := ""
	embedded, last := m.embedded(sel)
	for _, v := range embedded {
		if !v.Exported() && v.Pkg() != m.Types || isPointer(v.Type()) && last != v.Type() {
			return
		}
		path += "." + v.Name()
	}
	operator := ""
	if !isPointer(last) {
		operator = "&"
	}
	if !isPointer(m.typeOf(f.X)) && !m.addressable(f.X) || !m.sharedReceiver(f.X) {
		return
	}
	m.announceArgument(c, f.X, operator, path, how)
}

// sharedReceiver reports whether what a method changes by way of x may be shared.
func (m *memory) sharedReceiver(x ast.Expr) bool {
	if isPointer(m.typeOf(x)) {
		return m.shared.pointee(x)
	}
	return m.sharedPlace(x)
}

// printed announces the write of what package fmt or io prints to, where that has a
// type that is known.
func (m *memory) printed(c *ast.CallExpr, fn *types.Func) {
	prints := fn.Pkg().Path() == "fmt" && strings.HasPrefix(fn.Name(), "Fprint") ||
		original(fn.Pkg().Path()) == "io" && slices.Contains([]string{"Copy", "CopyN", "WriteString"}, fn.Name())
	if !prints || len(c.Args) == 0 {
		return
	}
	to := ast.Unparen(c.Args[0])
	p, ok := types.Unalias(m.typeOf(to)).(*types.Pointer)
	if !ok {
		return
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return
	}
	if _, changes := changing[original(named.Obj().Pkg().Path())][named.Obj().Name()]; !changes {
		return
	}
	if u, ok := to.(*ast.UnaryExpr); ok {
		if m.sharedReceiver(u.X) {
			m.announceArgument(c, u, "", "", "Write")
		}
	} else if m.shared.pointee(to) {
		m.announceArgument(c, to, "", "", "Write")
	}
}

// stable reports whether an expression denotes the same variable, or points to it,
// whenever it is evaluated, unless a variable with a plain name is set meanwhile.
func (m *memory) stable(x ast.Expr) bool {
	if _, named := x.(*ast.Ident); !named && isPointer(m.typeOf(x)) {
		u, ok := x.(*ast.UnaryExpr)
		return ok && u.Op == token.AND && m.stable(u.X)
	}
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return m.stable(x.X)
	case *ast.SelectorExpr:
		sel := m.Info.Selections[x]
		return sel == nil || sel.Kind() == types.FieldVal && m.stable(x.X)
	}
	return false
}

// announceArgument announces what a call does to the variable that x leads to: where x
// is evaluated or, if arguments wait for something, after the last one that does. Then
// it is left out if x might be something else by then, or if that argument has no type.
func (m *memory) announceArgument(c *ast.CallExpr, x ast.Expr, operator, path, how string) {
	if !m.anyWaits(c.Args) {
		m.Wrap(x, native+"."+how+"("+operator, path+")")
		return
	}
	last := len(c.Args) - 1
	for !m.waits(c.Args[last]) {
		last--
	}
	text := string(m.Src[m.offset(x.Pos()):m.offset(x.End())])
	_, several := m.typeOf(c.Args[last]).(*types.Tuple)
	if several || m.untyped(c.Args[last]) || !m.stable(x) || !oneLine(text) || m.early.op[c.Args[last]] != nil {
		return
	}
	m.Wrap(c.Args[last], native+".Then"+how+"(", ", "+operator+text+path+")")
}
