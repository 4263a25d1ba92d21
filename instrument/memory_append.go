package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file is about append. As for the race detector, it writes the new elements
// where there is room for them, and reads the old ones if it moves them.

// growth returns the call of append to shared memory that an expression is, if it
// is one.
func (m *memory) growth(e ast.Expr) *ast.CallExpr {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || !m.Info.Types[c.Fun].IsBuiltin() || len(c.Args) < 2 {
		return nil
	}
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || id.Name != "append" || m.convertedNil(c.Args[0]) || !m.shared.pointee(c.Args[0]) {
		return nil
	}
	return c
}

// convertedNil reports whether an expression is nil converted to a type.
func (m *memory) convertedNil(e ast.Expr) bool {
	c, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && m.Info.Types[c.Fun].IsType() && m.Info.Types[c.Args[0]].IsNil()
}

// appended rewrites the arguments of a call of append.
func (m *memory) appended(c *ast.CallExpr) {
	if c.Ellipsis.IsValid() {
		m.readAll(c.Args[1])
	}
	m.values(c.Args)
}

// appendTo rewrites a call of append: append(s, x, y) becomes
// gopor_.Grow(s).By(x, y), if s may be shared. Where the elements are computed by
// calls, these come before s is read, as the compiler has it; then it has to be a
// variable.
func (m *memory) appendTo(c *ast.CallExpr) {
	if m.growth(c) == nil {
		m.appended(c)
		return
	}
	first, others := c.Args[0], c.Args[1:]
	t, ok := core(m.typeOf(first)).(*types.Slice)
	late := !m.waits(first) && m.anyWaits(others)
	if !ok || late && !m.addressable(first) {
		m.appended(c)
		return
	}
	by := ".By("
	if c.Ellipsis.IsValid() {
		if _, ok := core(m.typeOf(others[0])).(*types.Slice); !ok && !m.Info.Types[others[0]].IsNil() {
			if !types.Identical(t.Elem(), types.Typ[types.Byte]) {
				m.appended(c)
				return
			}
			by = ".By([]byte("
			m.After(others[0], literal(")"))
		}
		m.readAll(others[0])
	}
	m.values(others)
	grow := ".Grow("
	if late {
		m.place(first)
		grow = ".GrowAt(&"
	} else {
		m.value(first)
	}
	m.replaceBetween(c.Pos(), first.Pos(), native+grow)
	m.replaceBetween(first.End(), others[0].Pos(), ")"+by)
}

// replaceBetween puts text in place of what is between two nodes, and keeps the
// ends of lines there.
func (m *memory) replaceBetween(from, to token.Pos, text string) {
	lines := strings.Count(string(m.Src[m.offset(from):m.offset(to)]), "\n")
	m.Replace(from, to, text+strings.Repeat("\n", lines))
}

// assignGrown rewrites an assignment of what append returns. There is room to
// evaluate the slice when the elements are known.
func (m *memory) assignGrown(s *ast.AssignStmt, o *operand, c *ast.CallExpr, where inPlace) {
	old, grown := m.temp(), m.temp()
	first, others := c.Args[0], c.Args[1:]
	m.standFor(first, literal(old))
	compute := func(*moved) {}
	if !m.waits(first) && m.anyWaits(others) {
		vs := m.evaluated(others, len(others))
		for i, e := range others {
			if !vs.inline[i] {
				m.standFor(e, literal(vs.text(i)))
			}
		}
		compute = vs.define
	}
	early := m.waits(o.Expr)
	if early || o.kind == mapEntry {
		o.split()
	}
	m.sequence(s, where, func(t *moved) {
		inTurn(!early, func() { prepare(t, o) }, func() {
			compute(t)
			t.say("%s := ", old)
			t.put(first)
			t.say("; %s := %s.Grown(%s, ", grown, native, old)
			t.put(c)
			t.say("); ")
		})
		o.set(t, name(grown))
	})
}
