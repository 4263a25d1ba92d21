package instrument

import (
	"go/ast"
	"go/types"
)

// This file is about reads that wait for calls and receives where there is no room
// for temporaries: on the right of && and ||, which is evaluated now and then only, in
// the condition of a loop, in a case, or the header of a statement with a label. There the variable is read as it is in the source, when the compiler
// does it, and the last operation that it waits for announces that:
//
//	ok && n == <-done
//
// becomes
//
//	ok && n == gopor_.Then(gopor_.Recv(done), &n)
//
// A read that goes through operations of its own is announced where it is in the source.

// inGroup is an operation, or a read that is announced, among those that are operands
// of the same statement or operation: the reads are late together.
type inGroup struct {
	ast.Expr
	waits bool // it is an operation that may do anything
}

// ordering collects what of a statement, or of expressions, is in order.
func (m *memory) ordering(collect func(*ordering)) *ordering {
	o := &ordering{memory: m, awaits: make(map[ast.Expr]ast.Expr)}
	collect(o)
	o.settle()
	return o
}

// late lets reads in operands, which have no room before them, be announced by the
// operations that they wait for.
func (m *memory) late(operands ...ast.Expr) {
	m.reorder(nil, false, func(o *ordering) { o.values(operands...) })
}

// settle lets the reads of the group at hand wait for the last operation that may do
// anything, as far as they come before it in the source.
func (o *ordering) settle() {
	var last ast.Expr
	for i := len(o.group) - 1; i >= 0; i-- {
		switch g := o.group[i]; {
		case last == nil && g.waits:
			if last = g.Expr; !o.canAnnounce(last) {
				return
			}
		case last != nil && !g.waits && o.plain(g.Expr):
			o.awaits[g.Expr] = last
		}
	}
}

// canAnnounce reports whether an operation can announce reads: its value can be passed
// through a function.
func (m *memory) canAnnounce(e ast.Expr) bool {
	if c, ok := e.(*ast.CompositeLit); ok && c.Type == nil {
		return false
	}
	tv := m.Info.Types[e]
	_, pair := tv.Type.(*types.Tuple)
	return tv.IsValue() && !pair && !m.untyped(e)
}

// plain reports whether the place that an expression denotes can be found a second
// time, without doing anything.
func (m *memory) plain(e ast.Expr) bool {
	if !oneLine(m.source(e)) {
		return false
	}
	if m.Info.Types[e].Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.ParenExpr:
		return m.plain(e.X)
	case *ast.StarExpr:
		return m.plain(e.X)
	case *ast.IndexExpr:
		return m.plain(e.X) && m.plain(e.Index)
	case *ast.SelectorExpr:
		sel := m.Info.Selections[e]
		return sel == nil || len(sel.Index()) == 1 && m.plain(e.X)
	}
	return false
}

// announcedLater lets the operation that a read waits for announce it, if there is one.
func (m *memory) announcedLater(e ast.Expr) bool {
	op := m.later[e]
	if op == nil {
		return false
	}
	then, place := ".Then(", "&"+m.source(e)
	switch e := e.(type) {
	case *ast.IndexExpr:
		if isMap(m.typeOf(e.X)) {
			then, place = ".ThenMap(", m.source(e.X)
		}
	case *ast.SelectorExpr:
		if sel := m.Info.Selections[e]; sel != nil && sel.Kind() == types.MethodVal {
			place = m.source(e.X) // a pointer to a receiver
		}
	}
	t := m.then[op]
	if t == nil {
		t = new(around)
		m.then[op] = t
		from, to := m.offset(op.Pos()), m.offset(op.End())
		m.edits = append(m.edits, &edit{before, from, to, func() string { return t.pre }, outermost},
			&edit{after, from, to, func() string { return t.post }, outermost})
	}
	t.pre, t.post = native+then+t.pre, t.post+", "+place+")"
	return true
}

// around is what goes around an operation.
type around struct{ pre, post string }

// source returns the text of a node as it is in the source.
func (m *memory) source(n ast.Node) string { return string(m.Src[m.offset(n.Pos()):m.offset(n.End())]) }
