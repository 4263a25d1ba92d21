package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

func (m *memory) assignment(s *ast.AssignStmt, where inPlace) {
	switch {
	case s.Tok == token.DEFINE:
		m.define(s)
	case s.Tok != token.ASSIGN:
		m.update(s, s.Lhs[0], s.TokPos, strings.TrimSuffix(s.Tok.String(), "="), s.Rhs[0], where)
	case len(s.Lhs) == 1:
		m.assign(s, where)
	default:
		m.assignMany(s, where)
	}
}

// define rewrites a declaration of variables. There are writes that may matter
// only of those that were declared before.
func (m *memory) define(s *ast.AssignStmt) {
	m.values(s.Rhs)
	for i, l := range s.Lhs {
		id := l.(*ast.Ident)
		if m.Info.Defs[id] != nil || !m.marked(id) {
			continue
		}
		if len(s.Lhs) == len(s.Rhs) && m.untyped(s.Rhs[i]) || len(s.Rhs) == 1 && !isCall(s.Rhs[0]) && m.namedBool(id) {
			m.After(s, literal("; "+native+".Wrote(&"+id.Name+")"))
			continue
		}
		t := m.temp()
		m.Replace(id.Pos(), id.End(), t)
		m.After(s, literal("; "+native+".At(&"+id.Name+").Set("+t+")"))
	}
}

// operand is the left side of an assignment. An assignment has two phases: first
// the pointers and indexes on the left are evaluated, with the values on the
// right; then the operands are set, which may panic.
type operand struct {
	ast.Expr
	m     *memory
	kind  operandKind
	inner bool       // something in it is announced or called
	parts []ast.Expr // what is evaluated in the first phase
	names []string   // ... and the temporaries that hold it
	whole bool       // there is one temporary, which holds the operand's address
}

type operandKind uint8

const (
	nowhere  operandKind = iota // _
	simple                      // a variable that is not shared
	local                       // a part of one
	cell                        // shared
	mapEntry                    // of a map that is shared, or may be
)

// operand rewrites the left side of an assignment, as far as it is evaluated
// before the assignment.
func (m *memory) operand(l ast.Expr) *operand {
	o := &operand{Expr: l, m: m}
	bare := ast.Unparen(l)
	id, isIdent := bare.(*ast.Ident)
	x, isIndex := bare.(*ast.IndexExpr)
	switch {
	case isIdent && id.Name == "_":
	case isIndex && isMap(m.typeOf(x.X)):
		o.kind = mapEntry
		o.inner = m.changed(func() { m.value(x.X); m.value(x.Index) })
	default:
		o.inner = m.changed(func() { m.place(l) })
		switch {
		case m.marked(l):
			o.kind = cell
		case isIdent:
			o.kind = simple
		default:
			o.kind = local
		}
	}
	return o
}

// announced reports whether assignments to the operand are.
func (o *operand) announced() bool { return o.kind == cell || o.sharedMap() || o.ordered() }

// sharedMap reports whether the operand is an entry of a map that may be shared.
func (o *operand) sharedMap() bool { return o.kind == mapEntry && o.m.shared.pointee(o.mapExpr().X) }

// ordered reports whether the operand is an entry of a map that knows in which order
// its keys were inserted, since they may be told apart by nothing else.
func (o *operand) ordered() bool {
	if o.kind != mapEntry {
		return false
	}
	x := o.mapExpr()
	return !o.m.untyped(x.Index) && hasAddress(core(o.m.typeOf(x.X)).(*types.Map).Key())
}

// hasAddress reports whether values of a type may be, or have in them, what is told
// apart by its address.
func hasAddress(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Interface:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return hasAddress(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if hasAddress(f.Type()) {
				return true
			}
		}
	}
	return false
}

func (o *operand) mapExpr() *ast.IndexExpr { return ast.Unparen(o.Expr).(*ast.IndexExpr) }

// split lets temporaries take the place of what is evaluated in the first phase.
func (o *operand) split() *operand {
	switch o.kind {
	case mapEntry:
		x := o.mapExpr()
		o.part(x.X)
		o.part(x.Index)
	case local, cell:
		o.find(o.Expr)
	}
	if o.whole {
		o.names = []string{o.m.temp()}
		return o
	}
	for _, e := range o.parts {
		name := o.m.temp()
		o.names = append(o.names, name)
		o.m.standFor(e, literal(name))
	}
	return o
}

func (o *operand) part(e ast.Expr) {
	if !o.m.untyped(e) && o.m.early.op[e] == nil {
		o.parts = append(o.parts, e)
	}
}

// find finds the parts of an operand that is no entry of a map.
func (o *operand) find(e ast.Expr) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		o.find(e.X)
	case *ast.StarExpr:
		o.part(e.X)
	case *ast.IndexExpr:
		if isArray(o.m.typeOf(e.X)) {
			o.find(e.X)
		} else {
			o.part(e.X)
		}
		o.part(e.Index)
	case *ast.SelectorExpr:
		sel := o.m.Info.Selections[e]
		if sel == nil {
			return // a variable of another package
		}
		embedded, _ := o.m.embedded(sel)
		o.whole = o.whole || slices.ContainsFunc(embedded, func(f *types.Var) bool { return isPointer(f.Type()) })
		if isPointer(o.m.typeOf(e.X)) {
			o.part(e.X)
		} else {
			o.find(e.X)
		}
	}
}

// prepare writes the statement of the first phase, for operands that are split.
func prepare(t *moved, operands ...*operand) {
	var names []string
	for _, o := range operands {
		names = append(names, o.names...)
	}
	if len(names) == 0 {
		return
	}
	t.say("%s := ", strings.Join(names, ", "))
	separator := ""
	for _, o := range operands {
		if o.whole {
			t.say("%s&", separator)
			t.put(o.Expr)
			separator = ", "
			continue
		}
		for _, e := range o.parts {
			t.say("%s", separator)
			t.put(e)
			separator = ", "
		}
	}
	t.say("; ")
}

// set writes the statement of the second phase. A value that goes nowhere may have
// been evaluated so already, into _.
func (o *operand) set(t *moved, value func(*moved)) {
	switch {
	case o.kind == cell:
		t.say("%s.At(&", native)
		o.place(t)
		t.say(").Set(")
		value(t)
		t.say("); ")
		return
	case o.kind == nowhere:
		t.say("_")
	default:
		o.place(t)
	}
	t.say(" = ")
	value(t)
	t.say("; ")
}

// place writes what is to be set.
func (o *operand) place(t *moved) {
	switch {
	case o.whole:
		t.say("*%s", o.names[0])
	case o.kind == mapEntry:
		x := o.mapExpr()
		switch ordered, shared := o.ordered(), o.sharedMap(); {
		case ordered && shared:
			t.say("%s.Insert(", native)
		case ordered:
			t.say("%s.InsertOwn(", native)
		case shared:
			t.say("%s.WriteMap(", native)
		default:
			t.say("(")
		}
		o.put(t, x.X)
		if o.ordered() {
			t.say(").Put(")
			o.put(t, x.Index)
		}
		t.say(")[")
		o.put(t, x.Index)
		t.say("]")
	default:
		t.put(o.Expr)
	}
}

// put writes a part, or what is no part because it is untyped.
func (o *operand) put(t *moved, e ast.Expr) {
	if i := slices.Index(o.parts, e); i >= 0 {
		t.say("%s", o.names[i])
		return
	}
	t.put(e)
}

// name writes the name of a value.
func name(s string) func(*moved) { return func(t *moved) { t.say("%s", s) } }

// assign rewrites an assignment of one value.
func (m *memory) assign(s *ast.AssignStmt, where inPlace) {
	left, right := s.Lhs[0], s.Rhs[0]
	o := m.operand(left)
	var grows *ast.CallExpr
	if o.kind != nowhere {
		grows = m.growth(right)
	}
	busy := m.changed(func() {
		if grows != nil {
			m.appended(grows)
		} else {
			m.value(right)
		}
	}) || m.waits(right)
	switch {
	case o.kind == nowhere || !o.announced() && grows == nil:
	case grows != nil:
		m.assignGrown(s, o, grows, where)
	case o.kind == mapEntry && (busy || o.inner || m.waits(left) || o.ordered()),
		o.kind == cell && !m.certain(left) && m.waits(right) && (where != inHeader || o.inner && !m.waits(left)),
		o.kind == cell && !m.certain(left) && !m.certain(right) && where != inHeader:
		late := !m.waits(left)
		if !late || o.kind == mapEntry {
			o.split() // otherwise one phase follows the other
		}
		vs := m.evaluated(s.Rhs, 1)
		m.sequence(s, where, func(t *moved) {
			inTurn(late, func() { prepare(t, o) }, func() { vs.define(t) })
			o.set(t, func(t *moved) { vs.use(t, 0) })
		})
	case o.kind == mapEntry:
		x := o.mapExpr() // around whatever is around the map already
		m.Before(x, literal(native+".WriteMap("))
		m.Replace(x.Lbrack, x.Lbrack+1, ")[")
	default:
		m.Wrap(left, native+".At(&", ")")
		m.Replace(s.TokPos, s.TokPos+1, ".Set(")
		m.After(s, literal(")"))
	}
}

// certain reports whether the evaluation of an expression cannot but succeed: it
// does not matter what else is evaluated first.
func (m *memory) certain(e ast.Expr) bool {
	if tv := m.Info.Types[e]; tv.Value != nil || tv.IsNil() || tv.IsType() {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit, *ast.FuncLit:
		return true
	case *ast.ParenExpr:
		return m.certain(e.X)
	case *ast.SelectorExpr:
		sel := m.Info.Selections[e]
		return sel == nil || sel.Kind() == types.FieldVal && !sel.Indirect() && m.certain(e.X)
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && m.certain(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.QUO, token.REM, token.SHL, token.SHR, token.EQL, token.NEQ:
			return false
		}
		return m.certain(e.X) && m.certain(e.Y)
	case *ast.CompositeLit:
		return !slices.ContainsFunc(e.Elts, func(x ast.Expr) bool {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				return !m.certain(kv.Value) || isMap(m.typeOf(e))
			}
			return !m.certain(x)
		})
	}
	return false
}

// assignMany rewrites an assignment of several values.
func (m *memory) assignMany(s *ast.AssignStmt, where inPlace) {
	var operands []*operand
	announced, inner, calls := false, false, false
	for _, l := range s.Lhs {
		o := m.operand(l)
		operands = append(operands, o)
		announced = announced || o.announced()
		inner = inner || o.inner
		calls = calls || m.waits(l)
	}
	m.values(s.Rhs)
	if !announced {
		return
	}
	vs := m.evaluated(s.Rhs, len(s.Lhs))
	late := inner && !calls && m.anyWaits(s.Rhs)
	for i, o := range operands {
		if o.split().kind == nowhere {
			vs.names[i] = "_"
		}
		if len(s.Rhs) == 1 && i == 1 && !isCall(s.Rhs[0]) && o.kind != nowhere {
			vs.truth[1] = m.namedBool(s.Lhs[1])
		}
	}
	m.sequence(s, where, func(t *moved) {
		inTurn(late, func() { prepare(t, operands...) }, func() { vs.define(t) })
		for i, o := range operands {
			if o.kind != nowhere || vs.inline[i] {
				o.set(t, func(t *moved) { vs.use(t, i) })
			}
		}
	})
}

// inTurn does one thing after the other, or the other way round.
func inTurn(late bool, first, second func()) {
	if late {
		first, second = second, first
	}
	first()
	second()
}

// update rewrites x op= y, or x++ if there is no y.
func (m *memory) update(s ast.Stmt, x ast.Expr, at token.Pos, op string, y ast.Expr, where inPlace) {
	o := m.operand(x)
	m.value(y)
	if !o.announced() {
		return
	}
	operator := " " + op + " "
	plain := y == nil || !m.waits(y)
	if src := string(m.Src[m.offset(x.Pos()):m.offset(x.End())]); o.kind == cell && !o.inner && plain &&
		!m.waits(x) && oneLine(src) {
		m.Wrap(x, native+".At(&", ")")
		m.ReplaceBy(at, at+token.Pos(len(op)+1), func() string {
			t := ".Set(" + native + ".Load(&" + m.Inner(x) + ")" + operator
			if y == nil {
				return t + "1)"
			}
			return t + "("
		})
		if y != nil {
			m.After(s, literal("))"))
		}
		return
	}
	var vs *evaluated
	if y != nil {
		vs = m.evaluated([]ast.Expr{y}, 1)
	}
	late := !plain && !m.waits(x)
	if o.kind == cell {
		o.whole, o.names = true, []string{m.temp()}
	} else {
		o.split()
	}
	m.sequence(s, where, func(t *moved) { m.updateText(t, o, vs, operator, late) })
}

// updateText writes the statements of an update: its operands are evaluated, the
// variable is read, and it is written. If late, the variable is found when its
// other operand is known.
func (m *memory) updateText(t *moved, o *operand, vs *evaluated, operator string, late bool) {
	by := func() { t.say("%s1", operator) }
	define := func() {}
	if vs != nil {
		by = func() {
			t.say("%s(", operator)
			vs.use(t, 0)
			t.say(")")
		}
		define = func() { vs.define(t) }
	}
	inTurn(late, func() { prepare(t, o) }, define)
	if o.kind == cell {
		p := o.names[0]
		t.say("%s.At(%s).Set(%s.Load(%s)", native, p, native, p)
		by()
		t.say(")")
		return
	}
	v, x, reads := m.temp(), o.mapExpr(), ""
	if o.sharedMap() {
		reads = native + ".ReadMap"
	}
	t.say("%s := %s(", v, reads)
	o.put(t, x.X)
	t.say(")[")
	o.put(t, x.Index)
	t.say("]")
	by()
	t.say("; ")
	o.set(t, name(v))
}
