package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// goMethod is a method with type parameters of its own in a go statement, of which not all are given: it is not a
// value that a variable could hold. A variable holds its receiver instead. So go b.Do(f) becomes
//
//	{ gopor_f, gopor_1 := b, f; gopor_.Go(func() { gopor_f.Do(gopor_1) }) }
type goMethod struct {
	*ast.SelectorExpr
	given []ast.Expr // type arguments
	whole ast.Expr   // the expression
}

// uninstantiated returns the method that an expression is, nil if it is not such a method.
func (g *goStmt) uninstantiated(e ast.Expr) *goMethod {
	m := &goMethod{whole: e}
	x := ast.Unparen(e)
	switch i := x.(type) {
	case *ast.IndexExpr:
		x, m.given = ast.Unparen(i.X), []ast.Expr{i.Index}
	case *ast.IndexListExpr:
		x, m.given = ast.Unparen(i.X), i.Indices
	}
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || g.Info.Selections[sel] == nil {
		return nil
	}
	fn, ok := g.Info.Selections[sel].Obj().(*types.Func)
	if !ok || fn.Signature().TypeParams().Len() <= len(m.given) {
		return nil
	}
	m.SelectorExpr = sel
	return m
}

// method has a variable of that name hold the receiver, and returns what says the method.
func (g *goStmt) method(m *goMethod, name string) func() {
	s := g.Info.Selections[m.SelectorExpr]
	if s.Kind() == types.MethodExpr {
		return func() { g.put(m.whole) }
	}
	t := goTemp{names: name, value: m.X}
	t.pre, t.post = receiver(s)
	g.temps = append(g.temps, t)
	return func() {
		g.say("%s.%s", name, m.Sel.Name)
		for i, a := range m.given {
			g.say("%s", []string{"[", ", "}[min(i, 1)])
			g.put(a)
		}
		if m.given != nil {
			g.say("]")
		}
	}
}

// receiver returns what to write around the operand of a selection to get the receiver of its method: the embedded
// field that has the method, its address if the method has a pointer, or what it points to.
func receiver(s *types.Selection) (pre, post string) {
	t := s.Recv()
	path := s.Index()
	for _, i := range path[:len(path)-1] {
		f := structOf(t).Field(i)
		post += "." + f.Name()
		t = f.Type()
	}
	_, has := types.Unalias(t).(*types.Pointer)
	_, wants := types.Unalias(s.Obj().(*types.Func).Signature().Recv().Type()).(*types.Pointer)
	switch {
	case wants && !has:
		pre = token.AND.String()
	case has && !wants:
		pre = token.MUL.String()
	}
	return pre + "(", ")" + post
}

// structOf returns the struct that a type is, or points to.
func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.Underlying().(*types.Struct)
}
