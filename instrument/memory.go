package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// memory rewrites plain accesses of memory that may be shared, so that they are
// announced: a read of x becomes gopor_.Load(&x), an assignment to it
// gopor_.At(&x).Set(v). Maps are announced as a whole, by gopor_.ReadMap(m) and
// gopor_.WriteMap(m).
//
// A read is announced where it stands in the source. A write is announced when
// its value has been computed, so after all that the computation waits for. The
// language leaves open whether a variable on the left is read before or after the
// calls on the right; where it matters, the calls come first, as the compiler of
// the toolchain has it.
//
// Where a statement becomes several, they are in a block, or in a function
// literal where only a simple statement may be. Temporaries get their types from
// what is assigned to them, since types may have no name where they are needed.
type memory struct {
	*rewriting
	shared  *sharing
	labels  *labels
	temps   int                   // how many names of temporaries there are
	results []*types.Var          // the named results of the function at hand
	defers  bool                  // it has defer statements
	keyword string                // of the statement whose init statement is at hand
	hoisted bool                  // ... which becomes several, before it
	later   map[ast.Expr]ast.Expr // operations that reads wait for, which announce them
	then    map[ast.Expr]*around  // ... by what is around them
	first   func() string         // what comes before the statement at hand, or nil
	several bool                  // which becomes several
}

func rewriteMemory(r *rewriting) {
	if filepath.Base(r.Name) == "covervars.go" {
		return
	}
	m := &memory{rewriting: r, shared: r.shares(), labels: r.labels(),
		later: make(map[ast.Expr]ast.Expr), then: make(map[ast.Expr]*around)}
	for _, d := range r.AST.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil && !leftAlone(d) {
				m.function(d.Type, d.Body)
			}
		case *ast.GenDecl:
			// Initial values are computed when there is nobody else, but they
			// may be functions.
			ast.Inspect(d, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				if ok {
					m.function(lit.Type, lit.Body)
				}
				return !ok
			})
		}
	}
}

// leftAlone reports whether a function has a directive that says that calls, or
// memory of its own, would not do it good.
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

func (m *memory) function(t *ast.FuncType, body *ast.BlockStmt) {
	outer, outerDefers := m.results, m.defers
	m.results, m.defers = nil, hasDefers(body)
	if t.Results != nil {
		for _, f := range t.Results.List {
			for _, id := range f.Names {
				v, _ := m.Info.Defs[id].(*types.Var)
				m.results = append(m.results, v)
			}
		}
	}
	if m.defers {
		m.readResultsLast(body)
	}
	m.block(body)
	m.results, m.defers = outer, outerDefers
}

// hasDefers reports whether a function has defer statements of its own.
func hasDefers(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// readResultsLast announces that a function reads its results when it returns,
// after all that it has deferred.
func (m *memory) readResultsLast(body *ast.BlockStmt) {
	text := ""
	for _, v := range m.results {
		if m.sharedResult(v, body.Lbrace+1) {
			text += " defer " + native + ".Read(&" + v.Name() + ");"
		}
	}
	if text != "" {
		m.add(after, body.Lbrace, body.Lbrace+1, literal(text))
	}
}

// temp returns the name of a new temporary.
func (m *memory) temp() string {
	m.temps++
	return native + "v" + strconv.Itoa(m.temps)
}

// inPlace says where a statement is: in a header there is room for a simple
// statement only.
type inPlace uint8

const (
	inBlock  inPlace = iota
	inInit           // of an if, switch or for statement, which can move before it
	inHeader         // anywhere else
)

// sequence puts several statements in place of one. The pieces of the source in them
// are on their lines, and what comes after it too.
func (m *memory) sequence(s ast.Stmt, where inPlace, write func(*moved)) {
	keyword, first := m.keyword, m.first
	m.hoisted, m.several = m.hoisted || where == inInit, true
	m.ReplaceBy(s.Pos(), s.End(), func() string {
		t := m.moving(s.Pos())
		if where == inHeader {
			t.say("func() ")
		}
		t.say("{ ")
		if first != nil {
			t.WriteString(first())
		}
		write(t)
		t.at(s.End())
		switch where {
		case inHeader:
			t.say(" }()")
		case inInit:
			t.say(" }; %s ", keyword)
		default:
			t.say(" }")
		}
		return t.String()
	})
}

// standFor lets names take the place of an expression, and keeps the lines after it.
func (m *memory) standFor(e ast.Expr, names func() string) {
	m.ReplaceBy(e.Pos(), e.End(), func() string {
		t := m.moving(e.Pos())
		t.say("%s", names())
		t.at(e.End())
		return t.String()
	})
}

// init rewrites the init statement of s. If it becomes several, they go before s,
// in a block with it: a function literal would come between recover, or
// runtime.Caller, and its caller. Where s has a label there is no room for that.
func (m *memory) init(s, init ast.Stmt, keyword token.Token) {
	if init == nil {
		return
	}
	if m.labels.of[s] != nil {
		m.stmt(init, inHeader)
		return
	}
	outer := *m
	m.keyword, m.hoisted = keyword.String(), false
	m.stmt(init, inInit)
	hoisted := m.hoisted
	m.keyword, m.hoisted = outer.keyword, outer.hoisted
	if hoisted {
		m.Replace(s.Pos(), init.Pos(), "{ "+m.lines(s.Pos(), init.Pos()))
		m.After(s, literal(" }"))
	}
}

// oneLine returns the text of a node that is used a second time.
func oneLine(text string) bool { return !strings.Contains(text, "\n") }

// changed reports whether do rewrites anything.
func (m *memory) changed(do func()) bool {
	n := len(m.edits)
	do()
	return len(m.edits) > n
}

func (m *memory) block(b *ast.BlockStmt) {
	if b != nil {
		m.stmts(b.List)
	}
}

func (m *memory) stmts(list []ast.Stmt) {
	for _, s := range list {
		m.stmt(s, inBlock)
	}
}

func (m *memory) stmt(s ast.Stmt, where inPlace) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		m.block(s)
	case *ast.LabeledStmt:
		m.stmt(s.Stmt, where)
	case *ast.ExprStmt, *ast.SendStmt, *ast.IncDecStmt, *ast.AssignStmt, *ast.GoStmt, *ast.DeferStmt, *ast.ReturnStmt,
		*ast.DeclStmt:
		m.simple(s, where)
	default:
		m.compound(s)
	}
}

// alone rewrites a simple statement without what comes before it.
func (m *memory) alone(s ast.Stmt, where inPlace) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		m.value(s.X)
	case *ast.SendStmt:
		m.value(s.Chan)
		m.value(s.Value)
	case *ast.IncDecStmt:
		m.update(s, s.X, s.TokPos, s.Tok.String()[:1], nil, where)
	case *ast.AssignStmt:
		m.assignment(s, where)
	case *ast.GoStmt:
		if m.builtinCall(s.Call) {
			m.values(s.Call.Args)
		} else {
			m.value(s.Call)
		}
	case *ast.DeferStmt:
		m.value(s.Call)
	case *ast.ReturnStmt:
		m.returns(s)
	case *ast.DeclStmt:
		m.declaration(s.Decl.(*ast.GenDecl))
	}
}

// compound is stmt for statements that have others in them.
func (m *memory) compound(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.IfStmt:
		m.header(s, s.Init, s.Cond, token.IF)
		m.block(s.Body)
		m.stmt(s.Else, inBlock)
	case *ast.ForStmt:
		m.init(s, s.Init, token.FOR)
		m.late(s.Cond)
		m.value(s.Cond)
		m.stmt(s.Post, inHeader)
		m.block(s.Body)
		m.loopCopies(s)
	case *ast.RangeStmt:
		m.rangeOver(s)
		m.block(s.Body)
	case *ast.SwitchStmt:
		m.header(s, s.Init, s.Tag, token.SWITCH)
		m.block(s.Body)
	case *ast.TypeSwitchStmt:
		m.init(s, s.Init, token.SWITCH)
		switch a := s.Assign.(type) {
		case *ast.ExprStmt:
			m.late(a.X)
			m.value(a.X)
		case *ast.AssignStmt:
			m.late(a.Rhs[0])
			m.value(a.Rhs[0])
		}
		m.block(s.Body)
	case *ast.CaseClause:
		for _, e := range s.List {
			m.late(e)
			m.value(e)
		}
		m.stmts(s.Body)
	case *ast.SelectStmt:
		m.block(s.Body)
	case *ast.CommClause:
		m.communication(s.Comm)
		m.stmts(s.Body)
	}
}

// communication is stmt for what a case of a select does. The write of what has
// been received is announced on the left, wherever that ends up: what comes after
// the receive is only the assignment.
func (m *memory) communication(s ast.Stmt) {
	a, ok := s.(*ast.AssignStmt)
	switch s := s.(type) { // it has no room
	case *ast.SendStmt:
		m.late(s.Chan)
		m.late(s.Value)
	case *ast.ExprStmt:
		m.late(s.X)
	case *ast.AssignStmt:
		m.late(s.Rhs[0])
	}
	if !ok {
		if s != nil {
			m.alone(s, inHeader)
		}
		return
	}
	m.value(a.Rhs[0])
	if a.Tok == token.ASSIGN {
		for _, l := range a.Lhs {
			m.written(l)
		}
	}
}

// written announces the write of an operand of an assignment in which nothing
// can be done when the value is known.
func (m *memory) written(l ast.Expr) {
	if x, ok := ast.Unparen(l).(*ast.IndexExpr); ok && isMap(m.typeOf(x.X)) {
		if m.shared.pointee(x.X) {
			m.Wrap(x.X, native+".WriteMap(", ")")
		}
		m.value(x.X)
		m.value(x.Index)
		return
	}
	if m.marked(l) {
		m.Wrap(l, "*"+native+".Write(&", ")")
	}
	m.place(l)
}

func (m *memory) declaration(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		v := s.(*ast.ValueSpec)
		if len(d.Specs) > 1 {
			m.late(v.Values...)
		}
		m.values(v.Values)
	}
}

// returns rewrites a return statement. It writes the results, which matters where
// they have names that other goroutines know, and the function reads them.
func (m *memory) returns(s *ast.ReturnStmt) {
	m.values(s.Results)
	shared := make(map[int]string) // names by index
	for i, v := range m.results {
		if m.sharedResult(v, s.Pos()) && !m.returnsItself(s, i) {
			shared[i] = v.Name()
		}
	}
	switch {
	case len(shared) == 0:
	case len(s.Results) == 0:
		m.returnsBare(s, shared)
	default:
		m.returnsValues(s, shared)
	}
}

// returnsItself reports whether a return statement sets a result to its own value,
// which writes nothing.
func (m *memory) returnsItself(s *ast.ReturnStmt, i int) bool {
	if len(s.Results) != len(m.results) {
		return false
	}
	id, ok := ast.Unparen(s.Results[i]).(*ast.Ident)
	return ok && m.Info.Uses[id] == m.results[i]
}

func (m *memory) returnsBare(s *ast.ReturnStmt, shared map[int]string) {
	if m.defers {
		return // they are read later
	}
	text := ""
	for i := range m.results {
		if name, ok := shared[i]; ok {
			text += native + ".Read(&" + name + "); "
		}
	}
	m.sequence(s, inBlock, func(t *moved) { t.say("%sreturn", text) })
}

func (m *memory) returnsValues(s *ast.ReturnStmt, shared map[int]string) {
	vs := m.evaluated(s.Results, len(m.results))
	m.sequence(s, inBlock, func(t *moved) {
		vs.define(t)
		for i := range vs.names {
			if name, ok := shared[i]; ok {
				t.say("%s.At(&%s).Set(", native, name)
				vs.use(t, i)
				t.say("); ")
			}
		}
		t.say("return ")
		for i := range vs.names {
			if i > 0 {
				t.say(", ")
			}
			vs.use(t, i)
		}
	})
}

// sharedResult reports whether a named result is shared, and has its name at a
// place in the function.
func (m *memory) sharedResult(v *types.Var, at token.Pos) bool {
	return v != nil && v.Name() != "_" && !empty(v.Type()) && m.shared.variable(v) && m.known(v, at)
}

// known reports whether an object's name means it at a place in a function.
func (m *memory) known(o types.Object, at token.Pos) bool {
	_, known := m.Types.Scope().Innermost(at).LookupParent(o.Name(), at)
	return known == o
}
