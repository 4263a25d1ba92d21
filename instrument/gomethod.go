package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// goMethod is a method with type parameters of its own, not all of them given, in a go
// statement. It is not a value that a variable can hold. A variable holds its receiver instead.
// So go b.Do(f) becomes
//
//	{ gopor_f, gopor_1 := b, f; gopor_.Go(func() { gopor_f.Do(gopor_1) }) }
type goMethod struct {
	*ast.SelectorExpr
	given []ast.Expr // type arguments
	whole ast.Expr   // the expression
}

// uninstantiated returns an expression as such a method, or nil if it is not one.
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

// method makes a variable hold the receiver, and returns a function that writes the method.
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

// receiver returns the text around the operand of a selection that makes it the receiver of the
// method: the embedded field that has the method, its address if the method has a pointer
// receiver, or what it points to.
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

// structOf returns the struct type of t, or of what t points to.
func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.Underlying().(*types.Struct)
}
