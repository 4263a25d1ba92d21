package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// evaluated are values on the right of an assignment that are evaluated into
// temporaries.
type evaluated struct {
	m      *memory
	exprs  []ast.Expr // one, if a tuple
	names  []string   // _ for what is not used, none for what is repeated instead
	inline []bool
	counts [][]shiftCount // of what is repeated
	truth  []bool         // a bool that may have to be of another type
}

// shiftCount is what an untyped constant is shifted by, and the temporary that holds it.
type shiftCount struct {
	ast.Expr
	name string
}

// evaluated gives names to n values. Constants, and what has a name already, need
// none: they are repeated where they are used, where constants get their types. So does
// a constant that is shifted, if its type has no name here.
func (m *memory) evaluated(exprs []ast.Expr, n int) *evaluated {
	vs := &evaluated{m, exprs, make([]string, n), make([]bool, n), make([][]shiftCount, n), make([]bool, n)}
	for i := range vs.names {
		if len(exprs) == n {
			e := exprs[i]
			tv := m.Info.Types[e]
			switch {
			case m.early.op[e] != nil || tv.Value != nil || tv.IsNil():
				vs.inline[i] = true
				continue
			case m.untyped(e) && isBool(tv.Type):
				vs.truth[i] = true
			case m.untyped(e) && m.converted(e) == "":
				vs.inline[i], vs.counts[i] = true, m.shiftCounts(e)
				continue
			}
		}
		vs.names[i] = m.temp()
	}
	return vs
}

// shiftCounts lets temporaries take the place of what constants are shifted by.
func (m *memory) shiftCounts(e ast.Expr) (counts []shiftCount) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return m.shiftCounts(e.X)
	case *ast.UnaryExpr:
		return m.shiftCounts(e.X)
	case *ast.BinaryExpr:
		counts = m.shiftCounts(e.X)
		if e.Op != token.SHL && e.Op != token.SHR || m.untyped(e.Y) {
			return append(counts, m.shiftCounts(e.Y)...)
		}
		if m.early.op[e.Y] == nil {
			c := shiftCount{e.Y, m.temp()}
			m.standFor(e.Y, literal(c.name))
			counts = append(counts, c)
		}
	}
	return counts
}

// define writes the statement that evaluates the values.
func (vs *evaluated) define(t *moved) {
	var names []string
	var values []ast.Expr
	used := false
	for i, name := range vs.names {
		for _, c := range vs.counts[i] {
			names, values, used = append(names, c.name), append(values, c.Expr), true
		}
		if vs.inline[i] {
			continue
		}
		names = append(names, name)
		used = used || name != "_"
		if len(vs.exprs) == len(vs.names) {
			values = append(values, vs.exprs[i])
		}
	}
	if len(names) == 0 {
		return
	}
	if len(vs.exprs) != len(vs.names) {
		values = vs.exprs[:1]
	}
	t.say("%s", strings.Join(names, ", "))
	if used {
		t.say(" :")
	} else {
		t.say(" ")
	}
	t.say("= ")
	for i, e := range values {
		if i > 0 {
			t.say(", ")
		}
		vs.m.defined(t, e)
	}
	t.say("; ")
}

// defined writes the value of a new variable.
func (m *memory) defined(t *moved, e ast.Expr) {
	c := m.converted(e)
	if c != "" {
		t.say("%s(", c)
	}
	t.put(e)
	if c != "" {
		t.say(")")
	}
}

// use writes a value.
func (vs *evaluated) use(t *moved, i int) {
	switch {
	case vs.inline[i]:
		t.put(vs.exprs[i])
	default:
		t.say("%s", vs.text(i))
	}
}

// text returns the text of a value that has a name.
func (vs *evaluated) text(i int) string {
	if vs.truth[i] {
		return vs.names[i] + " == " + native + ".True" // of whatever boolean type
	}
	return vs.names[i]
}

func (m *memory) typeOf(e ast.Expr) types.Type { return m.Info.TypeOf(e) }

// untyped reports whether an expression gets its type, or may get it, from where
// it is used: a temporary that it defines would have another one.
func (m *memory) untyped(e ast.Expr) bool {
	tv := m.Info.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && e.Op != token.AND && m.untyped(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.SHL, token.SHR:
			return m.untyped(e.X)
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return !types.Identical(tv.Type, types.Typ[types.Bool])
		}
		return m.untyped(e.X) && m.untyped(e.Y)
	}
	return false
}

// converted returns the type that an untyped expression has to be converted to in
// a temporary. It has none if it is a constant or a bool, or if the type has no name
// here.
func (m *memory) converted(e ast.Expr) string {
	tv := m.Info.Types[e]
	if tv.Value != nil || tv.IsNil() || !m.untyped(e) || isBool(tv.Type) {
		return ""
	}
	var name *types.TypeName
	switch t := tv.Type.(type) {
	case *types.Basic:
		name, _ = types.Universe.Lookup(t.Name()).(*types.TypeName)
	case *types.Named:
		if t.TypeArgs() == nil {
			name = t.Obj()
		}
	case *types.TypeParam:
		name = t.Obj()
	}
	if name == nil || !m.known(name, e.Pos()) {
		return ""
	}
	return name.Name()
}

// namedBool reports whether the bool of v, ok := ... cannot be assigned as it is.
func (m *memory) namedBool(l ast.Expr) bool {
	t := m.typeOf(l)
	return isBool(t) && !types.Identical(t, types.Typ[types.Bool])
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

func isCall(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok
}

// waits reports whether the evaluation of an expression may do anything: it has
// calls or receives.
func (r *rewriting) waits(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && r.early.op[x] != nil {
			return false // it has been evaluated
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			f := r.Info.Types[n.Fun]
			found = found || !f.IsType() && !f.IsBuiltin() && r.Info.Types[n].Value == nil
		}
		return !found
	})
	return found
}

func (m *memory) anyWaits(list []ast.Expr) bool { return slices.ContainsFunc(list, m.waits) }

// core returns the underlying type; of a type parameter, that of all its types if
// they have one in common, and nil otherwise.
func core(t types.Type) types.Type {
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var common types.Type
	for _, term := range terms(p.Constraint()) {
		u := core(term)
		if common != nil && !types.Identical(common, u) {
			return nil
		}
		common = u
	}
	return common
}

func isPointer(t types.Type) bool {
	_, ok := core(t).(*types.Pointer)
	return ok
}

func isArray(t types.Type) bool {
	_, ok := core(t).(*types.Array)
	return ok
}

func isMap(t types.Type) bool {
	_, ok := core(t).(*types.Map)
	return ok
}

// empty reports whether values of a type take no memory.
func empty(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Array:
		return t.Len() == 0 || empty(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !empty(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}
