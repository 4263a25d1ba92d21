package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"strconv"
	"strings"
)

// rangeOver rewrites the header of a range loop.
func (m *memory) rangeOver(s *ast.RangeStmt) {
	t := core(m.typeOf(s.X))
	value := s.Value != nil && !isBlank(s.Value)
	array, _ := t.(*types.Array)
	if p, ok := t.(*types.Pointer); ok {
		array, _ = core(p.Elem()).(*types.Array)
	}
	m.late(s.X)
	if array != nil && s.Value == nil {
		m.expr(s.X, !isPointer(m.typeOf(s.X)) && m.addressable(s.X)) // for its length only
		m.rangeWrites(s)
		return
	}
	if isMap(m.typeOf(s.X)) && m.shared.pointee(s.X) {
		m.Wrap(s.X, native+".ReadMap(", ")")
	}
	_, isSlice := t.(*types.Slice)
	if elements := isSlice || isPointer(m.typeOf(s.X)); !elements || !value || !m.shared.pointee(s.X) {
		m.value(s.X)
		m.rangeWrites(s)
		return
	}
	if s.Tok == token.DEFINE && !m.perIteration() && (m.captured(s.Key) || m.captured(s.Value)) {
		// The closures are to see one variable, so the loop stays as it is.
		if isSlice {
			m.Wrap(s.X, native+".ReadSlice(", ")")
		}
		m.value(s.X)
		m.rangeWrites(s)
		return
	}
	m.rangeByIndex(s)
}

// rangeWrites announces assignments by a loop that stays as it is: before Go 1.22 these
// are also assignments of the variables that it declares.
func (m *memory) rangeWrites(s *ast.RangeStmt) {
	if s.Tok == token.DEFINE && !m.perIteration() {
		text := ""
		for _, l := range []ast.Expr{s.Key, s.Value} {
			if v, ok := m.loopVar(l).(*types.Var); ok && m.shared.variable(v) {
				text += " " + native + ".Wrote(&" + v.Name() + ");"
			}
		}
		if text != "" {
			m.add(after, s.Body.Lbrace, s.Body.Lbrace+1, literal(text))
		}
	}
	if s.Tok != token.ASSIGN {
		return
	}
	for _, l := range []ast.Expr{s.Key, s.Value} {
		if l != nil && !isBlank(l) {
			m.written(l)
		}
	}
}

// rangeByIndex makes a loop of three clauses of one over the elements of a slice
// or the array that a pointer points to: elements are read one by one. The
// variables are declared outside the block that was the body.
func (m *memory) rangeByIndex(s *ast.RangeStmt) {
	m.value(s.X)
	over, index := m.temp(), m.temp()
	count := native + ".Count(" + over + ")"
	if p, ok := core(m.typeOf(s.X)).(*types.Pointer); ok {
		count = strconv.FormatInt(core(p.Elem()).(*types.Array).Len(), 10)
	}
	m.ReplaceBy(s.Key.Pos(), s.X.End(), func() string {
		t := over + ", " + index + " := " + m.Text(s.X) + ", 0; " +
			index + " < " + count + "; " + index + "++"
		lines := strings.Count(string(m.Src[m.offset(s.Key.Pos()):m.offset(s.X.Pos())]), "\n")
		return strings.Repeat("\n", lines) + t
	})
	element := native + ".Load(&" + over + "[" + index + "])"
	key := !isBlank(s.Key)
	set := func(t *moved) { t.say("%s := %s; ", s.Value.(*ast.Ident).Name, element) }
	switch {
	case s.Tok == token.DEFINE && key:
		set = func(t *moved) {
			t.say("%s, %s := %s, %s; ", s.Key.(*ast.Ident).Name, s.Value.(*ast.Ident).Name, index, element)
		}
	case s.Tok == token.ASSIGN:
		var operands []*operand
		var values []string
		if key {
			operands, values = []*operand{m.operand(s.Key).split()}, []string{index}
		}
		operands, values = append(operands, m.operand(s.Value).split()), append(values, element)
		set = func(t *moved) {
			prepare(t, operands...)
			for i, o := range operands {
				o.set(t, name(values[i]))
			}
		}
	}
	m.ReplaceBy(s.Body.Lbrace, s.Body.Lbrace+1, func() string {
		t := m.moving(s.Body.Lbrace)
		t.say("{ ")
		set(t)
		t.at(s.Body.Lbrace)
		t.say("{")
		return t.String()
	})
	m.Replace(s.Body.Rbrace, s.Body.Rbrace+1, "}}")
}

// loopCopies announces that the variables of a loop with three clauses are read
// at the end of every iteration: the next one has copies of them.
func (m *memory) loopCopies(s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || !m.perIteration() {
		return
	}
	for _, l := range init.Lhs {
		v, _ := m.Info.Defs[l.(*ast.Ident)].(*types.Var)
		if v == nil || !m.shared.variable(v) || !m.known(v, s.Body.Rbrace) {
			continue
		}
		read := native + ".Read(&" + v.Name() + ")"
		m.add(before, s.Body.Rbrace, s.Body.Rbrace+1, literal("; "+read+" "))
		for _, b := range m.continues(s) {
			if m.known(v, b.Pos()) {
				m.Wrap(b, "{ "+read+"; ", " }")
			}
		}
	}
}

// continues returns the statements that begin the next iteration of a loop.
func (m *memory) continues(loop *ast.ForStmt) []*ast.BranchStmt {
	list := unlabelled(token.CONTINUE, loop.Body)
	if l := m.labels.of[loop]; l != nil {
		list = append(list, m.labels.jumps(l, token.CONTINUE)...)
	}
	return list
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// perIteration reports whether loop variables are new in every iteration.
func (m *memory) perIteration() bool {
	v := m.Info.FileVersions[m.AST]
	return v == "" || version.Compare(v, "go1.22") >= 0
}

// captured reports whether a loop variable may be one of a function literal.
func (m *memory) captured(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && m.shared.inMemory(m.Info.Defs[id])
}
