package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file rewrites entries of maps. An entry that is read, m[k], becomes gopor_.ReadMap(m)[k]
// or, if the key waits, gopor_.InMap(m).At(k). An entry that is set, m[k] = v, becomes
// gopor_.InMap(m).Set(k, v), since the access comes after the evaluation of k and v. Some keys
// differ in nothing but their address. Package native has to know the order of their insertion:
// then it is gopor_.InMap(m).Insert(k, v).

// entry returns the entry of a map that is assigned to, or nil if e is something else.
func (m *memory) entry(e ast.Expr) *ast.IndexExpr {
	if e == nil {
		return nil
	}
	x, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok || !isMap(m.typeOf(x.X)) {
		return nil
	}
	m.written[x] = true
	return x
}

// inMap returns the text before a map that is used with other operands. If these wait, a map
// that is a variable is read after them, as in compiled code.
func (m *memory) inMap(x ast.Expr, others ...ast.Expr) string {
	if m.anyWaits(others) && !m.waits(x) && m.addressable(x) {
		return access + ".InMapAt(&"
	}
	return access + ".InMap("
}

// lookup announces the read of a map.
func (m *memory) lookup(e *ast.IndexExpr) {
	method := ".At("
	pair, ok := m.typeOf(e).(*types.Tuple)
	if ok {
		method = ".Find("
	}
	if !m.waits(e.Index) || ok && !types.AssignableTo(types.Typ[types.Bool], pair.At(1).Type()) {
		m.Wrap(e.X, access+".ReadMap(", ")")
		if m.large(m.typeOf(e.Index)) && m.addressable(e.Index) {
			m.Wrap(e.Index, access+".ReadValue(&", ")")
		}
		return
	}
	m.Wrap(e.X, m.inMap(e.X, e.Index), ")")
	m.Replace(e.Lbrack, e.Lbrack+1, method)
	m.Replace(e.Rbrack, e.Rbrack+1, ")")
}

// large reports whether the runtime gets values of a type by their addresses, so that it reads
// them.
func (m *memory) large(t types.Type) bool {
	switch core(t).(type) {
	case *types.Struct, *types.Array:
		return !empty(t)
	}
	return false
}

// write announces writes of entries at the start of a statement, where text cannot be inserted
// after the values are known.
func (m *memory) write(list ...ast.Expr) {
	for _, l := range list {
		if x := m.entry(l); x != nil {
			m.Wrap(x.X, access+".WriteMap(", ")")
		}
	}
}

func (m *memory) assignment(s *ast.AssignStmt) {
	switch clause, isCase := m.parent().(*ast.CommClause); {
	case s.Tok == token.DEFINE:
	case isCase && clause.Comm == s:
		m.write(s.Lhs...)
	case len(s.Lhs) > 1:
		m.assignMany(s)
	default:
		x := m.entry(s.Lhs[0])
		switch {
		case x == nil:
		case s.Tok == token.ASSIGN:
			m.assign(s, x)
		default:
			m.update(s, x, s.Tok.String()[:len(s.Tok.String())-1], s.Rhs[0])
		}
	}
}

// setter returns the name of the method that sets an entry.
func (m *memory) setter(x *ast.IndexExpr) string {
	if !m.std && hasAddress(core(m.typeOf(x.X)).(*types.Map).Key()) {
		return "Insert"
	}
	return "Set"
}

// assign rewrites an assignment to an entry.
func (m *memory) assign(s *ast.AssignStmt, x *ast.IndexExpr) {
	m.Wrap(s, m.inMap(x.X, x.Index, s.Rhs[0]), ")")
	m.cut(s.Pos(), x.X.Pos())
	m.replaceBetween(x.X.End(), x.Index.Pos(), ")."+m.setter(x)+"(")
	m.replaceBetween(x.Index.End(), s.Rhs[0].Pos(), ", ")
}

// update rewrites m[k] op= v, or m[k]++ if v is nil. The entry is read after v is computed.
func (m *memory) update(s ast.Stmt, x *ast.IndexExpr, op string, v ast.Expr) {
	at := *m.rewriting
	e, with, setter := m.temp(), m.temp(), m.setter(x)
	first := v != nil && m.waits(v) && !m.waits(x.X) && !m.waits(x.Index)
	m.block(s, func() string {
		t := at.moving(s.Pos())
		if first {
			t.say("%s := ", with)
			t.put(v)
			t.say("; ")
		}
		t.say("%s := %s.InMap(", e, access)
		t.put(x.X)
		t.say(").Key(")
		t.put(x.Index)
		t.say("); %s.%s(%s.Get() %s (", e, setter, e, op)
		switch {
		case v == nil:
			t.say("1")
		case first:
			t.say("%s", with)
		default:
			t.put(v)
		}
		t.say("))")
		t.at(s.End())
		return t.String()
	})
}

// assignMany rewrites an assignment of several values, some of them to entries. The entries are
// set when all values are known. Values that wait are computed before the maps and keys on the
// left are read. If another operand on the left panics, the entries before it are set, and
// those after it are not. So the assignment notes, among its operands, its progress.
func (m *memory) assignMany(s *ast.AssignStmt) {
	writes := ""
	for _, l := range s.Lhs {
		x := m.entry(l)
		if x == nil {
			continue
		}
		if writes == "" {
			writes = m.temp()
		}
		m.Wrap(l, "*"+access+".InMap(", "")
		m.cut(l.Pos(), x.X.Pos())
		m.replaceBetween(x.X.End(), x.Index.Pos(), ").Late"+m.setter(x)+"(&"+writes+", ")
		m.replaceBetween(x.Index.End(), l.End(), ")")
	}
	if writes == "" {
		return
	}
	names := m.ahead(s)
	noting := m.panicsLate(s) && (names != nil || len(s.Lhs) == len(s.Rhs))
	at := *m.rewriting
	m.block(s, func() string {
		t := at.moving(s.Pos())
		m.putAhead(t, s, names)
		t.say("var %s %s.Writes; ", writes, access)
		if noting {
			t.say("func() { defer %s.DoneSoFar(); ", writes)
		}
		m.noted(t, s, noting, func(i int) { t.put(s.Lhs[i]) }, func(int) { t.say("%s.SoFar", writes) })
		t.say(" = ")
		switch {
		case noting && names != nil:
			m.noted(t, s, noting, func(i int) { m.value(t, s, names, i) }, func(n int) { t.say("%d", n) })
		case noting:
			m.noted(t, s, noting, func(i int) { t.put(s.Rhs[i]) }, func(n int) { t.say("%d", n) })
		case names != nil:
			for i := range names {
				if i > 0 {
					t.say(", ")
				}
				m.value(t, s, names, i)
			}
		default:
			t.list(s.Rhs)
		}
		if noting {
			t.say(" }()")
		} else {
			t.say("; %s.Done()", writes)
		}
		t.at(s.End())
		return t.String()
	})
}

// noted writes the operands of an assignment. If that notes its progress, noted also writes a
// note after each entry, with the number of entries so far.
func (m *memory) noted(t *moved, s *ast.AssignStmt, noting bool, operand, entry func(i int)) {
	entries := 0
	for i, l := range s.Lhs {
		if i > 0 {
			t.say(", ")
		}
		if operand(i); noting && m.entry(l) != nil {
			entries++
			t.say(", ")
			entry(entries)
		}
	}
}

// panicsLate reports whether an operand after an entry on the left may panic when the values
// are known. It reports false if the statement calls recover, which must not move.
func (m *memory) panicsLate(s *ast.AssignStmt) (is bool) {
	entries := false
	for _, l := range s.Lhs {
		if m.entry(l) != nil {
			entries = true
		} else if _, variable := ast.Unparen(l).(*ast.Ident); !variable {
			is = is || entries
		}
	}
	ast.Inspect(s, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && m.builtin(c) == "recover" {
			is = false
		}
		return true
	})
	return is
}

// ahead returns the names of temporaries for the values of an assignment that have to be
// evaluated first. It returns nil if they need not, or if a value has no type of its own.
func (m *memory) ahead(s *ast.AssignStmt) (names []string) {
	if !m.anyWaits(s.Rhs) || m.anyWaits(s.Lhs) {
		return nil
	}
	for i, l := range s.Lhs {
		if m.constant(s, i) {
			names = append(names, "")
			continue
		}
		if t := m.typeOf(l); t != nil && isBool(t) && !types.Identical(t, types.Typ[types.Bool]) {
			return nil
		}
		names = append(names, m.temp())
	}
	return names
}

// constant reports whether value i of an assignment is a constant or nil. Such a value needs no
// temporary, and may have no type of its own.
func (m *memory) constant(s *ast.AssignStmt, i int) bool {
	if len(s.Rhs) != len(s.Lhs) {
		return false
	}
	tv := m.Info.Types[s.Rhs[i]]
	return tv.Value != nil || tv.IsNil()
}

// putAhead writes the assignment of the values to temporaries, if there are any.
func (m *memory) putAhead(t *moved, s *ast.AssignStmt, names []string) {
	if names == nil {
		return
	}
	named := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" })
	t.say("%s := ", strings.Join(named, ", "))
	comma := false
	for i, v := range s.Rhs {
		if m.constant(s, i) {
			continue
		}
		if comma {
			t.say(", ")
		}
		comma = true
		t.put(v)
	}
	t.say("; ")
}

// value writes value i of an assignment, or the temporary that has it.
func (m *memory) value(t *moved, s *ast.AssignStmt, names []string, i int) {
	if names[i] != "" {
		t.say("%s", names[i])
		return
	}
	t.put(s.Rhs[i])
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// cut removes parentheses.
func (m *memory) cut(from, to token.Pos) {
	if from < to {
		m.replaceBetween(from, to, "")
	}
}

// block replaces a statement by a block, or by a call of a function literal where only a simple
// statement may be.
func (m *memory) block(s ast.Stmt, text func() string) {
	pre, post := "{ ", " }"
	switch p := m.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.LabeledStmt:
	case *ast.CommClause:
		if p.Comm == s {
			pre, post = "func() { ", " }()"
		}
	default:
		pre, post = "func() { ", " }()"
	}
	m.ReplaceBy(s.Pos(), s.End(), func() string { return pre + text() + post })
}

// temp returns the name of a new temporary.
func (m *memory) temp() string {
	m.temps++
	return fmt.Sprint(native, "v", m.temps)
}

// hasAddress reports whether values of a type are, or may have in them, values that are
// distinguished by their address.
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
