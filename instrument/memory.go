package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/internal/known"
)

// memory announces the accesses of memory that the compiler leaves to the runtime when it
// compiles with -race: the runtime has a race mode for them, in which programs under control do
// not run. These are accesses of maps, which count as one variable each; the elements that
// append moves, and those of copy and clear; and conversions of slices to strings and of values
// to interfaces. The compiler announces all others, see memorybyte.go in package machine.
//
// An announcement is where the access happens: after the calls and receives that the access
// waits for.
type memory struct {
	*rewriting
	parents []ast.Node              // the nodes around the present one, outermost first
	written map[*ast.IndexExpr]bool // entries of maps that are assigned to
	outer   *types.Tuple            // the results of the present function
	temps   int
	std     bool // the package belongs to the standard library
}

func rewriteMemory(r *rewriting) { rewriteAccesses(r, false) }

// announceMemory is rewriteMemory for a package of the standard library, which can import only
// the package that it calls.
func announceMemory(r *rewriting) { rewriteAccesses(r, true) }

func rewriteAccesses(r *rewriting, std bool) {
	if name := filepath.Base(r.Name); name == "covervars.go" || strings.HasPrefix(name, "_cgo_") {
		return
	}
	m := &memory{rewriting: r, std: std, written: make(map[*ast.IndexExpr]bool)}
	for _, d := range r.AST.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if f.Body != nil && !leftAlone(f) && !m.isHushed(m.Path, f) {
				m.outer = m.Info.Defs[f.Name].(*types.Func).Signature().Results()
				m.within(f.Body)
			}
			continue
		}
		// No other goroutine runs while initial values are computed, but they may be functions.
		ast.Inspect(d, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if ok {
				m.outer = m.typeOf(lit).(*types.Signature).Results()
				m.within(lit.Body)
			}
			return !ok
		})
	}
}

// leftAlone reports whether a function has a directive with which inserted calls, or variables
// of its own, could do harm.
func leftAlone(d *ast.FuncDecl) bool {
	if d.Doc == nil {
		return false
	}
	return slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool {
		name, _, _ := strings.Cut(strings.TrimPrefix(c.Text, "//go:"), " ")
		switch name {
		case "nosplit", "norace", "linkname", "systemstack", "nowritebarrier", "nowritebarrierrec",
			"yeswritebarrierrec", "nointerface", "noescape", "uintptrescapes", "uintptrkeepalive", "nocheckptr",
			"cgo_unsafe_args":
			return strings.HasPrefix(c.Text, "//go:")
		}
		return false
	})
}

// within rewrites the body of a function.
func (m *memory) within(body *ast.BlockStmt) {
	m.parents = m.parents[:0]
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			m.parents = m.parents[:len(m.parents)-1]
			return true
		}
		m.node(n)
		m.parents = append(m.parents, n)
		return true
	})
}

func (m *memory) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		m.assignment(n)
	case *ast.IncDecStmt:
		if x := m.entry(n.X); x != nil {
			m.update(n, x, n.Tok.String()[:1], nil)
		}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			m.write(n.Key, n.Value)
		}
	case *ast.IndexExpr:
		if isMap(m.typeOf(n.X)) && !m.written[n] && !m.Info.Types[n].IsType() {
			m.lookup(n)
		}
	case *ast.CallExpr:
		m.call(n)
	}
	m.boxing(n)
}

// parent returns the parent of the present node.
func (m *memory) parent() ast.Node {
	if len(m.parents) == 0 {
		return nil
	}
	return m.parents[len(m.parents)-1]
}

// statement returns the innermost statement around the present node.
func (m *memory) statement() ast.Stmt {
	for _, n := range slices.Backward(m.parents) {
		if s, ok := n.(ast.Stmt); ok {
			return s
		}
	}
	return nil
}

func (m *memory) call(c *ast.CallExpr) {
	if fun := m.Info.Types[c.Fun]; fun.IsType() {
		m.conversion(c)
		return
	}
	switch m.builtin(c) {
	case "len":
		if isMap(m.typeOf(c.Args[0])) {
			m.Wrap(c.Args[0], access+".ReadMap(", ")")
		}
	case "copy":
		m.copy(c)
	case "append":
		m.appendTo(c)
	case "clear":
		if _, starts := m.parent().(*ast.GoStmt); starts {
			return
		}
		switch core(m.typeOf(c.Args[0])).(type) {
		case *types.Map:
			m.callNative(c, "ClearMap")
		case *types.Slice:
			m.callNative(c, "ClearSlice")
		}
	case "delete":
		m.delete(c)
	case "":
		if m.std {
			m.searching(c)
		} else {
			m.reflected(c)
			m.buffers(c)
		}
	}
}

// searching rewrites calls of functions that are not written in Go.
func (m *memory) searching(c *ast.CallExpr) {
	f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	fn, ok := m.Info.Uses[f.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "internal/bytealg" {
		return
	}
	if by, ok := known.Of("search", "internal/bytealg."+fn.Name()); ok && len(c.Args) == 2 && isSlice(m.typeOf(c.Args[0])) {
		m.Before(c.Fun, edit.Literal(access+"."+by+"("))
		m.replaceBetween(c.Fun.End(), c.Args[0].Pos(), ", ")
	}
}

// callNative replaces a builtin function in a call by one of package native.
func (m *memory) callNative(c *ast.CallExpr, name string) {
	m.Replace(c.Fun.Pos(), c.Fun.End(), access+"."+name)
}

// conversion rewrites a conversion of a slice to a string, which reads the elements. If a later
// part of the statement waits, the conversion happens after that, and cannot be announced here.
func (m *memory) conversion(c *ast.CallExpr) {
	_, isSlice := core(m.typeOf(c.Args[0])).(*types.Slice)
	_, isString := core(m.typeOf(c)).(*types.Basic)
	if isSlice && isString && !m.followed(c) {
		m.Wrap(c.Args[0], access+".ReadSlice(", ")")
	}
}

// followed reports whether a part of the statement after an expression waits for other
// goroutines.
func (m *memory) followed(e ast.Expr) bool {
	s, found := m.statement(), false
	if s == nil {
		return false
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.FuncLit:
			return false
		case ast.Expr:
			if n.Pos() >= e.End() {
				found = found || m.waits(n)
				return false
			}
		}
		return !found
	})
	return found
}

// copy rewrites a call of copy.
func (m *memory) copy(c *ast.CallExpr) {
	if _, starts := m.parent().(*ast.GoStmt); starts {
		return
	}
	if _, ok := core(m.argument(c, 1)).(*types.Slice); ok {
		m.callNative(c, "Copy")
	} else {
		m.callNative(c, "CopyBytes")
	}
}

// argument returns the type of the i-th argument of a call. A call with several results may be
// all of the arguments.
func (m *memory) argument(c *ast.CallExpr, i int) types.Type {
	if all, ok := m.typeOf(c.Args[0]).(*types.Tuple); ok {
		return all.At(i).Type()
	}
	return m.typeOf(c.Args[i])
}

// delete rewrites a call of delete.
func (m *memory) delete(c *ast.CallExpr) {
	if _, starts := m.parent().(*ast.GoStmt); starts || !isMap(m.argument(c, 0)) {
		return
	}
	if len(c.Args) == 1 {
		if t := core(m.argument(c, 0)).(*types.Map); types.Identical(t.Key(), m.argument(c, 1)) {
			m.callNative(c, "Delete")
		} else {
			m.refuse(c, "delete of what one call returns, of which the key is converted")
		}
		return
	}
	m.Replace(c.Pos(), c.Args[0].Pos(), m.inMap(c.Args[0], c.Args[1])+m.Lines(c.Pos(), c.Args[0].Pos()))
	m.replaceBetween(c.Args[0].End(), c.Args[1].Pos(), ").Delete(")
}

// appendTo rewrites a call of append: append(s, x, y) becomes gopor_.Grow(s).By(x, y). If calls
// compute the elements, they come before the read of s, as in compiled code; then s has to be a
// variable.
func (m *memory) appendTo(c *ast.CallExpr) {
	if len(c.Args) < 2 {
		if all, ok := m.typeOf(c.Args[0]).(*types.Tuple); ok && m.elements(all) {
			m.callNative(c, "Append")
		} else if ok {
			m.refuse(c, "append of what one call returns, of which an element is converted")
		}
		return
	}
	first, others := c.Args[0], c.Args[1:]
	t, ok := core(m.typeOf(first)).(*types.Slice)
	late := !m.waits(first) && m.anyWaits(others)
	grow := ".Grow("
	if late {
		grow = ".GrowAt(&"
	}
	by := ".By("
	if c.Ellipsis.IsValid() {
		_, isSlice := core(m.typeOf(others[0])).(*types.Slice)
		switch {
		case isSlice:
			m.Wrap(others[0], access+".ReadSlice(", ")")
		case m.Info.Types[others[0]].IsNil():
		case ok && types.Identical(t.Elem(), types.Typ[types.Byte]):
			by = ".By([]byte("
			m.After(others[0], edit.Literal(")"))
		default:
			return
		}
	}
	if !ok || m.convertedNil(first) || late && !m.addressable(first) {
		if by != ".By(" {
			m.Wrap(others[0], "[]byte(", "")
		}
		return
	}
	m.replaceBetween(c.Pos(), first.Pos(), access+grow)
	m.replaceBetween(first.End(), others[0].Pos(), ")"+by)
}

// elements reports whether the results of a call are a slice and elements of it, without a
// conversion.
func (m *memory) elements(all *types.Tuple) bool {
	t, ok := core(all.At(0).Type()).(*types.Slice)
	for i := 1; ok && i < all.Len(); i++ {
		ok = types.Identical(t.Elem(), all.At(i).Type())
	}
	return ok
}

// convertedNil reports whether an expression is nil converted to a type.
func (m *memory) convertedNil(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && m.Info.Types[c.Fun].IsType() && m.Info.Types[c.Args[0]].IsNil()
}

// replaceBetween replaces the text between two nodes, and keeps the line breaks there.
func (m *memory) replaceBetween(from, to token.Pos, text string) {
	m.Replace(from, to, text+m.Lines(from, to))
}

// reflected makes calls of package reflect announce what they have the runtime do, and go
// through maps in gopor's order.
func (m *memory) reflected(c *ast.CallExpr) {
	f, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	fn, ok := m.Info.Uses[f.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "reflect" || fn.Pkg() == m.Types {
		return
	}
	sel := m.Info.Selections[f]
	if sel == nil {
		if fn.Name() == "Copy" {
			m.Wrap(c.Fun, native+".ReflectCopy(", ")")
		}
		return
	}
	recv, ok := deref(sel.Recv()).(*types.Named)
	if !ok || sel.Kind() != types.MethodVal || recv.Obj().Pkg() != fn.Pkg() {
		return
	}
	switch recv.Obj().Name() + "." + fn.Name() {
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
	switch fn.Name() {
	case "Bool", "Int", "Uint", "Float", "Complex", "Interface", "String", "Set", "SetBool", "SetInt", "SetUint",
		"SetFloat", "SetComplex", "SetString", "SetBytes", "SetPointer", "SetZero", "SetMapIndex",
		"MapKeys", "MapRange", "Seq2": // ReflectChan handles Seq
		m.Wrap(f.X, native+".Reflect(", ")")
	}
}
