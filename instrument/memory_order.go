package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// This file is about when variables are read that are operands together with calls
// and receives. The language leaves that open; the compiler of the toolchain
// evaluates calls, receives and a few other operations in the order of the source,
// and reads variables after them, when the statement, or the call whose arguments
// they are, is at last to happen. So in
//
//	return n, <-done
//
// n is read when the channel has been received from. An announcement of the read is
// a call, which would come too early. Therefore what comes before the read goes
// into temporaries:
//
//	{ gopor_v1 := <-done; return gopor_.Load(&n), gopor_v1 }
//
// Where there is no room for that, the read is announced elsewhere; see late.

// simple rewrites a simple statement, a declaration or one that leaves the function.
func (m *memory) simple(s ast.Stmt, where inPlace) {
	first, several := m.first, m.several
	defer func() { m.first, m.several = first, several }()
	m.first, m.several = nil, false
	goes, isGo := s.(*ast.GoStmt)
	room := where != inHeader || !m.declares(s)
	if isGo {
		room = !m.isThunk(goes.Call)
	}
	m.first = m.reorder(s, room, func(o *ordering) { o.simple(s) })
	m.alone(s, where)
	before, keyword := m.first, m.keyword
	switch {
	case before == nil || m.several:
	case isGo:
		m.early.first[goes] = before
	case !m.declares(s):
		m.sequence(s, where, func(t *moved) { t.piece(s, m.File.Text(s)) })
	case where == inInit:
		m.hoisted = true
		m.Before(s, func() string { return before() + keyword + " " })
	default:
		m.Before(s, before)
	}
}

// declares reports whether a statement declares variables, which have to be known
// after it.
func (m *memory) declares(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	_, isDecl := s.(*ast.DeclStmt)
	return isDecl || ok && a.Tok == token.DEFINE
}

// header rewrites the init statement of s and the expression after it.
func (m *memory) header(s, init ast.Stmt, e ast.Expr, keyword token.Token) {
	var first func() string
	if e != nil {
		first = m.reorder(e, m.labels.of[s] == nil, func(o *ordering) { o.value(e) })
	}
	switch {
	case first == nil:
		m.init(s, init, keyword)
		m.value(e)
		return
	case init == nil:
		m.ReplaceBy(s.Pos(), e.Pos(), func() string { return "{ " + m.lines(s.Pos(), e.Pos()) + first() + keyword.String() + " " })
	default:
		m.Replace(s.Pos(), init.Pos(), "{ "+m.lines(s.Pos(), init.Pos()))
		m.stmt(init, inBlock)
		m.ReplaceBy(init.End(), e.Pos(), func() string { return "; " + m.lines(init.End(), e.Pos()) + first() + keyword.String() + " " })
	}
	m.value(e)
	m.After(s, literal(" }"))
}

// ordering collects what of a statement is evaluated in the order of the source,
// and what late.
type ordering struct {
	*memory
	ops    []ast.Expr            // in order, inner ones first
	early  int                   // how many of them come before late reads that are announced
	read   bool                  // there is such a read so far, of those that are late together
	calls  int                   // how many of them there are up to the last that may do anything
	group  []inGroup             // that is at hand
	awaits map[ast.Expr]ast.Expr // what reads wait for
}

// reorderings are what reorder has done.
type reorderings struct {
	op    map[ast.Expr]*reordered
	first map[*ast.GoStmt]func() string // what comes before what go statements evaluate
}

// reordered is what a temporary stands for.
type reordered struct {
	names     string
	pre, post string // around it
}

func (r *reordered) text() string { return r.pre + r.names + r.post }

// Text is File.Text, but for what a temporary stands for.
func (r *rewriting) Text(n ast.Node) string {
	if e, ok := n.(ast.Expr); ok && r.early.op[e] != nil {
		return r.early.op[e].text()
	}
	return r.File.Text(n)
}

// reorder lets temporaries take the place of operations among the operands of a
// statement that come before reads that are announced. It returns what defines
// them, or nil if there are none, or no room for them.
func (m *memory) reorder(s ast.Node, room bool, collect func(*ordering)) func() string {
	o := m.ordering(collect)
	ops := o.ops[:o.early]
	if len(ops) == 0 {
		return nil
	}
	if !room {
		maps.Copy(m.later, o.awaits)
		return nil
	}
	for _, e := range ops {
		m.reordered(e)
	}
	return func() string {
		t := m.moving(s.Pos())
		for _, e := range ops {
			t.at(e.Pos())
			t.say("%s := %s; ", m.early.op[e].names, m.File.Text(e))
			t.here = m.Fset.Position(e.End())
		}
		t.at(s.Pos())
		return t.String()
	}
}

// reordered lets a temporary take the place of an operation.
func (m *memory) reordered(e ast.Expr) {
	n := 1
	if t, ok := m.typeOf(e).(*types.Tuple); ok {
		n = t.Len()
	}
	names := make([]string, n)
	for i := range names {
		names[i] = m.temp()
	}
	r := &reordered{names: strings.Join(names, ", ")}
	if m.untyped(e) { // a bool, which may have to be of another type
		r.pre, r.post = "(", " == "+native+".True)"
	}
	m.early.op[e] = r
	m.standFor(e, r.text)
}

// Wrap is File.Wrap. What goes around an operation that has a temporary, goes around
// that.
func (m *memory) Wrap(n ast.Node, pre, post string) {
	if e, ok := n.(ast.Expr); ok && m.early.op[e] != nil {
		r := m.early.op[e]
		r.pre, r.post = r.pre+pre, post+r.post
		return
	}
	m.File.Wrap(n, pre, post)
}

// simple is reorder for a simple statement.
func (o *ordering) simple(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		o.value(s.X)
	case *ast.SendStmt:
		o.values(s.Chan, s.Value)
	case *ast.IncDecStmt:
		o.place(s.X)
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			for _, l := range s.Lhs {
				o.place(l)
			}
			// If a write is announced, that comes after all calls anyway.
			o.read = o.read && (len(o.ops) > 0 || !slices.ContainsFunc(s.Lhs, o.announced))
		}
		o.values(s.Rhs...)
	case *ast.ReturnStmt:
		o.values(s.Results...)
	case *ast.DeferStmt:
		o.operands(s.Call)
	case *ast.GoStmt:
		o.operands(s.Call)
	case *ast.DeclStmt:
		d := s.Decl.(*ast.GenDecl)
		if d.Tok == token.VAR && len(d.Specs) == 1 {
			o.values(d.Specs[0].(*ast.ValueSpec).Values...)
		}
	}
}

// operands collects what is evaluated by a defer or go statement.
func (o *ordering) operands(c *ast.CallExpr) {
	if !o.builtinCall(c) {
		o.value(c.Fun)
	}
	o.values(c.Args...)
}

// announced reports whether writes of an operand are.
func (o *ordering) announced(l ast.Expr) bool {
	x, ok := ast.Unparen(l).(*ast.IndexExpr)
	if ok && isMap(o.typeOf(x.X)) {
		return o.shared.pointee(x.X)
	}
	return !isBlank(l) && o.marked(l)
}

func (o *ordering) values(list ...ast.Expr) {
	for _, e := range list {
		o.value(e)
	}
}

// value collects what is in an expression whose value is used, and place what is
// in one that is only addressed.
func (o *ordering) value(e ast.Expr) { o.expr(e, false) }
func (o *ordering) place(e ast.Expr) { o.expr(e, true) }

// op collects an operation with operands of its own.
func (o *ordering) op(e ast.Expr, waits bool, operands func()) {
	outer, calls, group := o.read, o.calls, o.group
	o.read, o.group = false, nil
	operands()
	o.settle()
	o.read, o.group = outer, group
	o.ops = append(o.ops, e)
	if waits {
		o.calls = len(o.ops)
	}
	if o.calls > calls {
		o.group = append(o.group, inGroup{e, true})
		if outer {
			o.early = o.calls
		}
	}
}

func (o *ordering) expr(e ast.Expr, address bool) {
	if e == nil {
		return
	}
	if tv := o.Info.Types[e]; tv.Value != nil || tv.IsType() {
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		o.expr(e.X, address)
	case *ast.Ident:
		o.load(e, address)
	case *ast.SelectorExpr:
		o.selector(e, address)
	case *ast.IndexExpr:
		o.index(e, address)
	case *ast.StarExpr:
		o.value(e.X)
		o.load(e, address)
	case *ast.SliceExpr:
		o.op(e, false, func() {
			o.expr(e.X, isArray(o.typeOf(e.X)))
			o.values(e.Low, e.High, e.Max)
		})
	case *ast.CallExpr:
		o.call(e)
	case *ast.UnaryExpr:
		if e.Op == token.ARROW {
			o.receive(e)
			return
		}
		o.expr(e.X, e.Op == token.AND)
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			o.op(e, o.waits(e.Y), func() { o.value(e.X) })
			return
		}
		o.values(e.X, e.Y)
	case *ast.TypeAssertExpr:
		if o.pair(e) {
			o.value(e.X)
			return
		}
		o.op(e, false, func() { o.value(e.X) })
	case *ast.CompositeLit:
		o.composite(e)
	}
}

// pair reports whether an expression has a second value, which says whether the
// first is one: it is not an operand of anything.
func (o *ordering) pair(e ast.Expr) bool {
	_, ok := o.typeOf(e).(*types.Tuple)
	return ok
}

func (o *ordering) receive(e *ast.UnaryExpr) {
	if o.pair(e) {
		o.value(e.X)
		return
	}
	o.op(e, true, func() { o.value(e.X) })
}

func (o *ordering) load(e ast.Expr, address bool) {
	if !address && o.marked(e) {
		o.reads(e)
	}
}

// reads collects a read that is announced.
func (o *ordering) reads(e ast.Expr) {
	o.read = true
	o.group = append(o.group, inGroup{e, false})
}

func (o *ordering) selector(e *ast.SelectorExpr, address bool) {
	sel := o.Info.Selections[e]
	switch {
	case sel == nil:
		o.load(e, address)
		return
	case sel.Kind() == types.MethodExpr:
		return
	}
	copied := sel.Kind() == types.MethodVal && !needsAddress(sel)
	embedded, _ := o.embedded(sel)
	isAddressable := isPointer(o.typeOf(e.X)) || o.addressable(e.X)
	o.expr(e.X, !isPointer(o.typeOf(e.X)) && isAddressable && !(copied && len(embedded) == 0))
	if sel.Kind() == types.FieldVal {
		o.load(e, address)
	}
	through := copied || slices.ContainsFunc(embedded, func(f *types.Var) bool { return isPointer(f.Type()) })
	if through && isAddressable && o.sharedIn(e.X) {
		o.reads(e)
	}
}

func (o *ordering) index(e *ast.IndexExpr, address bool) {
	switch core(o.typeOf(e.X)).(type) {
	case *types.Signature:
		return
	case *types.Array:
		o.expr(e.X, o.addressable(e.X))
	default:
		o.value(e.X)
	}
	o.value(e.Index)
	if isMap(o.typeOf(e.X)) {
		if !address && o.shared.pointee(e.X) {
			o.reads(e)
		}
	} else {
		o.load(e, address)
	}
}

// composite collects what is in a composite literal. The entries of a map are set
// one after the other.
func (o *ordering) composite(e *ast.CompositeLit) {
	if isMap(o.typeOf(e)) {
		o.op(e, o.waits(e), func() {})
		return
	}
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			x = kv.Value
		}
		o.value(x)
	}
}

func (o *ordering) call(c *ast.CallExpr) {
	fun := o.Info.Types[c.Fun]
	switch {
	case fun.IsType() && !o.copies(c):
		o.value(c.Args[0])
		if o.readsElements(c) {
			o.reads(c)
		}
	case fun.IsType(), fun.IsBuiltin():
		o.op(c, false, func() { o.values(c.Args...) })
	default:
		o.op(c, true, func() {
			o.value(c.Fun)
			o.values(c.Args...)
		})
	}
}

// copies reports whether a conversion is one of a string to a slice.
func (o *ordering) copies(c *ast.CallExpr) bool {
	_, toSlice := core(o.typeOf(c)).(*types.Slice)
	_, fromSlice := core(o.typeOf(c.Args[0])).(*types.Slice)
	return toSlice && !fromSlice && !o.Info.Types[c.Args[0]].IsNil()
}

// readsElements reports whether a conversion is one of a slice that is shared to a
// string or an array.
func (o *ordering) readsElements(c *ast.CallExpr) bool {
	_, toSlice := core(o.typeOf(c)).(*types.Slice)
	_, fromSlice := core(o.typeOf(c.Args[0])).(*types.Slice)
	return fromSlice && !toSlice && o.shared.pointee(c.Args[0])
}
