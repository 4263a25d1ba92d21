package instrument

import (
	"go/ast"
	"go/token"
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
		if len(s.Lhs) == len(s.Rhs) && m.untyped(s.Rhs[i]) {
			m.After(s, literal("; "+native+".Wrote(&"+id.Name+")"))
			continue
		}
		t := m.temp()
		m.Replace(id.Pos(), id.End(), t)
		m.After(s, literal("; "+native+".At(&"+id.Name+").Set("+t+")"))
	}
}

// operand is the left side of an assignment.
type operand struct {
	ast.Expr
	m     *memory
	kind  operandKind
	inner bool     // something in it is announced or called
	names []string // of temporaries, in phases
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
func (o *operand) announced() bool {
	if o.kind == mapEntry {
		return o.m.shared.pointee(o.mapExpr().X)
	}
	return o.kind == cell
}

func (o *operand) mapExpr() *ast.IndexExpr { return ast.Unparen(o.Expr).(*ast.IndexExpr) }

// phases returns the values that determine the operand, which are evaluated
// before anything is assigned, and gives them names.
func (o *operand) phases() (values []string) {
	switch o.kind {
	case local, cell:
		text := "&" + o.m.Text(o)
		if o.kind == cell {
			text = native + ".At(" + text + ")"
		}
		values = []string{text}
	case mapEntry:
		x := o.mapExpr()
		values = []string{o.m.Text(x.X)}
		if !o.m.untyped(x.Index) {
			values = append(values, o.m.Text(x.Index))
		}
	}
	o.names = nil
	for range values {
		o.names = append(o.names, o.m.temp())
	}
	return values
}

// set returns the statement that assigns a value to the operand, after its phases.
func (o *operand) set(value string) string {
	switch o.kind {
	case nowhere:
		return ""
	case simple:
		return o.m.Text(o) + " = " + value + "; "
	case local:
		return "*" + o.names[0] + " = " + value + "; "
	case cell:
		return o.names[0] + ".Set(" + value + "); "
	}
	name := o.names[0]
	if o.announced() {
		name = native + ".WriteMap(" + name + ")"
	}
	return name + "[" + o.key() + "] = " + value + "; "
}

// key returns the key of an entry of a map.
func (o *operand) key() string {
	if len(o.names) > 1 {
		return o.names[1]
	}
	return o.m.Text(o.mapExpr().Index)
}

// prepare returns the statement that evaluates operands.
func prepare(operands ...*operand) string {
	var names, values []string
	for _, o := range operands {
		values = append(values, o.phases()...)
		names = append(names, o.names...)
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " := " + strings.Join(values, ", ") + "; "
}

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
	case !o.announced() && grows == nil || o.kind == nowhere:
	case grows != nil:
		m.assignGrown(s, o, grows, where)
	case !m.untyped(right) && o.inner && m.waits(right) && !m.waits(left),
		o.kind == mapEntry && (busy || o.inner) && !m.untyped(right):
		vs := m.evaluated(s.Rhs, 1)
		late := !m.waits(left)
		m.sequence(s, where, func() string {
			if late {
				return vs.define() + prepare(o) + o.set(vs.use(0))
			}
			return prepare(o) + vs.define() + o.set(vs.use(0))
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
		if o.kind == nowhere {
			vs.names[i] = "_"
		}
		if len(s.Rhs) == 1 && i == 1 && !isCall(s.Rhs[0]) && o.kind != nowhere {
			vs.truth = m.namedBool(s.Lhs[1])
		}
	}
	m.sequence(s, where, func() string {
		t := ""
		if late {
			t = vs.define() + prepare(operands...)
		} else {
			t = prepare(operands...) + vs.define()
		}
		for i, o := range operands {
			t += o.set(vs.use(i))
		}
		return t
	})
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
	m.sequence(s, where, func() string { return m.updateText(o, vs, operator, late) })
}

// updateText returns the statements of an update: its operands are evaluated, the
// variable is read, and it is written. If late, the variable is found when its
// other operand is known.
func (m *memory) updateText(o *operand, vs *evaluated, operator string, late bool) string {
	values := o.phases()
	if o.kind == cell {
		values[0] = "&" + m.Text(o) // for the read and the write
	}
	place := strings.Join(o.names, ", ") + " := " + strings.Join(values, ", ") + "; "
	by, compute := "1", ""
	if vs != nil {
		by, compute = "("+vs.use(0)+")", vs.define()
	}
	t := place + compute
	if late {
		t = compute + place
	}
	if o.kind == cell {
		p := o.names[0]
		return t + native + ".At(" + p + ").Set(" + native + ".Load(" + p + ")" + operator + by + ")"
	}
	v := m.temp()
	return t + v + " := " + native + ".ReadMap(" + o.names[0] + ")[" + o.key() + "]" + operator + by + "; " + o.set(v)
}
