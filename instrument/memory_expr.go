package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func (m *memory) values(list []ast.Expr) {
	for _, e := range list {
		m.value(e)
	}
}

// value rewrites an expression whose value is used.
func (m *memory) value(e ast.Expr) { m.expr(e, false) }

// place rewrites an expression that is addressed only: what it denotes is not
// read, but the pointers and indexes on the way are.
func (m *memory) place(e ast.Expr) { m.expr(e, true) }

func (m *memory) expr(e ast.Expr, address bool) {
	if e == nil {
		return
	}
	if tv := m.Info.Types[e]; tv.Value != nil || tv.IsType() {
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
		m.load(e, address)
	case *ast.ParenExpr:
		m.expr(e.X, address)
	case *ast.SelectorExpr:
		m.selector(e, address)
	case *ast.IndexExpr:
		m.index(e, address)
	case *ast.StarExpr:
		m.load(e, address)
		m.value(e.X)
	case *ast.SliceExpr:
		if isArray(m.typeOf(e.X)) {
			m.place(e.X)
		} else {
			m.value(e.X)
		}
		m.values([]ast.Expr{e.Low, e.High, e.Max})
	case *ast.CallExpr:
		m.call(e)
	case *ast.UnaryExpr:
		m.expr(e.X, e.Op == token.AND)
	case *ast.BinaryExpr:
		m.value(e.X)
		if e.Op == token.LAND || e.Op == token.LOR {
			m.late(e.Y)
		}
		m.value(e.Y)
	case *ast.TypeAssertExpr:
		m.value(e.X)
	case *ast.CompositeLit:
		m.composite(e)
	case *ast.FuncLit:
		m.function(e.Type, e.Body)
	}
}

func (m *memory) composite(e *ast.CompositeLit) {
	t := core(m.typeOf(e))
	if p, ok := t.(*types.Pointer); ok { // the & is left out
		t = core(p.Elem())
	}
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if _, isMap := t.(*types.Map); isMap {
				m.value(kv.Key)
			}
			x = kv.Value
		}
		m.value(x)
	}
}

// load announces the read of an expression, if it is one of shared memory.
func (m *memory) load(e ast.Expr, address bool) {
	if !address && m.marked(e) && !m.announcedLater(e) {
		m.Wrap(e, native+".Load(&", ")")
	}
}

// marked reports whether accesses of what an expression denotes are announced.
func (m *memory) marked(e ast.Expr) bool {
	return m.addressable(e) && !empty(m.typeOf(e)) && m.sharedPlace(e)
}

func (m *memory) addressable(e ast.Expr) bool {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		_, ok := m.Info.Uses[id].(*types.Var)
		return ok && id.Name != "_"
	}
	return m.Info.Types[e].Addressable()
}

// sharedPlace reports whether an addressable expression denotes shared memory.
func (m *memory) sharedPlace(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v := m.Info.Uses[e].(*types.Var)
		return !isCounter(v.Name()) && m.shared.variable(v)
	case *ast.SelectorExpr:
		sel := m.Info.Selections[e]
		if sel == nil {
			v, ok := m.Info.Uses[e.Sel].(*types.Var)
			return ok && m.shared.variable(v)
		}
		embedded, _ := m.embedded(sel)
		for _, f := range embedded {
			if isPointer(f.Type()) {
				return true
			}
		}
		return m.sharedIn(e.X)
	case *ast.IndexExpr:
		return m.sharedIn(e.X)
	case *ast.StarExpr:
		return m.shared.pointee(e.X)
	}
	return true
}

// sharedIn is sharedPlace for the fields or elements of what an expression
// denotes or points to.
func (m *memory) sharedIn(e ast.Expr) bool {
	switch core(m.typeOf(e)).(type) {
	case *types.Struct, *types.Array:
		return m.addressable(e) && m.sharedPlace(e)
	}
	return m.shared.pointee(e)
}

// isCounter reports whether a variable is one that go test -cover adds.
func isCounter(name string) bool {
	return strings.HasPrefix(name, "goCover_") || strings.HasPrefix(name, "_cover_")
}

func (m *memory) index(e *ast.IndexExpr, address bool) {
	switch core(m.typeOf(e.X)).(type) {
	case *types.Signature:
		return // an instance of a generic function
	case *types.Map:
		m.lookup(e)
		m.value(e.X)
	case *types.Array:
		m.load(e, address)
		m.expr(e.X, m.addressable(e.X))
	default:
		m.load(e, address)
		m.value(e.X)
	}
	m.value(e.Index)
}

// lookup announces the read of a map, after what its key waits for.
func (m *memory) lookup(e *ast.IndexExpr) {
	switch method := "At"; {
	case !m.shared.pointee(e.X) || m.announcedLater(e):
	case m.waits(e.Index):
		if pair, ok := m.typeOf(e).(*types.Tuple); ok {
			method = "Find"
			if !types.AssignableTo(types.Typ[types.Bool], pair.At(1).Type()) {
				m.Wrap(e.X, native+".ReadMap(", ")") // too early, but of the right type
				return
			}
		}
		m.Wrap(e.X, native+".InMap(", ")")
		m.Replace(e.Lbrack, e.Lbrack+1, "."+method+"(")
		m.Replace(e.Rbrack, e.Rbrack+1, ")")
	default:
		m.Wrap(e.X, native+".ReadMap(", ")")
	}
}

// embedded returns the embedded fields that a selection goes through without
// naming them, and the type of what it selects from in the end.
func (m *memory) embedded(sel *types.Selection) (fields []*types.Var, last types.Type) {
	last = sel.Recv()
	path := sel.Index()
	for _, i := range path[:len(path)-1] {
		t := core(last)
		if p, ok := t.(*types.Pointer); ok {
			t = core(p.Elem())
		}
		f := t.(*types.Struct).Field(i)
		fields = append(fields, f)
		last = f.Type()
	}
	return fields, last
}

func (m *memory) selector(e *ast.SelectorExpr, address bool) {
	sel := m.Info.Selections[e]
	switch {
	case sel == nil: // a variable of another package
		m.load(e, address)
	case sel.Kind() == types.FieldVal:
		m.load(e, address)
		m.selectFrom(e, sel, false)
	case sel.Kind() == types.MethodVal:
		m.selectFrom(e, sel, !needsAddress(sel))
	}
}

// needsAddress reports whether a method has a pointer receiver.
func needsAddress(sel *types.Selection) bool {
	return isPointer(sel.Obj().(*types.Func).Signature().Recv().Type())
}

// selectFrom rewrites what a field or a method is selected from. Pointers among
// the embedded fields on the way are read, which the text then has to say. If
// the selection needs a copy of the value (the receiver of a method), that is
// read too.
func (m *memory) selectFrom(e *ast.SelectorExpr, sel *types.Selection, copied bool) {
	x, t := e.X, m.typeOf(e.X)
	isAddressable := isPointer(t) || m.addressable(x)
	shared := isAddressable && m.sharedIn(x)
	embedded, last := m.embedded(sel)
	copied = copied && !empty(last)
	pre, post, path, named := "", "", "", true
	for i, f := range embedded {
		if named = f.Exported() || f.Pkg() == m.Types; !named {
			break
		}
		path += "." + f.Name()
		read := isPointer(f.Type()) || copied && i == len(embedded)-1
		if read && isAddressable && shared {
			pre, post, path = native+".Load(&"+pre, post+path+")", ""
		}
		if isPointer(f.Type()) {
			isAddressable, shared = true, true
		}
	}
	if p, ok := core(last).(*types.Pointer); ok && copied && shared && named && !empty(p.Elem()) && !m.announcedLater(e) {
		pre, post = native+".Load("+pre, post+path+")"
	}
	m.Wrap(x, pre, post)
	m.expr(x, !isPointer(t) && m.addressable(x) && (!copied || len(embedded) > 0))
}

func (m *memory) call(c *ast.CallExpr) {
	fun := m.Info.Types[c.Fun]
	switch {
	case fun.IsType():
		m.conversion(c)
	case fun.IsBuiltin():
		m.builtin(c)
	default:
		m.library(c)
		m.value(c.Fun)
		m.values(c.Args)
	}
}

// conversion rewrites a conversion. From slices to strings and arrays it reads
// the elements.
func (m *memory) conversion(c *ast.CallExpr) {
	arg := c.Args[0]
	_, fromSlice := core(m.typeOf(arg)).(*types.Slice)
	if fromSlice && m.shared.pointee(arg) {
		switch t := core(m.typeOf(c)).(type) {
		case *types.Basic:
			m.Wrap(arg, native+".ReadSlice(", ")")
		case *types.Array:
			if !empty(t) {
				m.Wrap(c, native+".Load(", ")")
				m.Wrap(c.Fun, "(*", ")")
			}
		}
	}
	m.value(arg)
}

func (m *memory) builtin(c *ast.CallExpr) {
	var name string
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	switch name {
	case "Sizeof", "Offsetof", "Alignof":
		return // of types only
	case "len", "cap":
		m.length(c.Args[0])
		return
	case "delete":
		if m.shared.pointee(c.Args[0]) {
			m.curry(c, "InMap", "Delete")
		}
	case "clear":
		m.clear(c)
	case "copy":
		m.copy(c)
	case "append":
		m.appendTo(c)
		return
	}
	m.values(c.Args)
}

// builtinCall reports whether a call is one of a builtin function.
func (m *memory) builtinCall(c *ast.CallExpr) bool { return m.Info.Types[c.Fun].IsBuiltin() }

// callNative lets a call of a builtin function call one of package native.
func (m *memory) callNative(c *ast.CallExpr, name string) {
	m.Replace(c.Fun.Pos(), c.Fun.End(), native+"."+name)
}

// curry lets a call of a builtin function call one of package native with the
// first argument, and a method of its result with the others. They are assigned
// to parameters then, without their types having a part in the inference of
// others.
func (m *memory) curry(c *ast.CallExpr, name, method string) {
	m.callNative(c, name)
	first, second := c.Args[0], c.Args[1]
	m.Replace(first.End(), second.Pos(), ")."+method+"("+m.lines(first.End(), second.Pos()))
}

// length rewrites the argument of len or cap.
func (m *memory) length(x ast.Expr) {
	switch core(m.typeOf(x)).(type) {
	case *types.Map:
		if m.shared.pointee(x) {
			m.Wrap(x, native+".ReadMap(", ")")
		}
	case *types.Array:
		m.expr(x, m.addressable(x))
		return
	}
	m.value(x)
}

// clear rewrites a call of clear.
func (m *memory) clear(c *ast.CallExpr) {
	if !m.shared.pointee(c.Args[0]) {
		return
	}
	switch core(m.typeOf(c.Args[0])).(type) {
	case *types.Map:
		m.callNative(c, "ClearMap")
	case *types.Slice:
		m.callNative(c, "ClearSlice")
	}
}

// copy rewrites a call of copy.
func (m *memory) copy(c *ast.CallExpr) {
	dst, src := c.Args[0], c.Args[1]
	_, fromSlice := core(m.typeOf(src)).(*types.Slice)
	switch {
	case !m.shared.pointee(dst) && !(fromSlice && m.shared.pointee(src)):
	case fromSlice:
		m.callNative(c, "Copy")
	default:
		m.callNative(c, "CopyBytes")
	}
}

// readAll announces that all elements are read.
func (m *memory) readAll(x ast.Expr) {
	if _, ok := core(m.typeOf(x)).(*types.Slice); ok && m.shared.pointee(x) {
		m.Wrap(x, native+".ReadSlice(", ")")
	}
}
