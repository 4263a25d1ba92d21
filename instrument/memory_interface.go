package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file announces conversions of values to interfaces. The compiler passes a large value to
// the runtime by its address, if the interface outlives the function, and the runtime reads it.
// If x is such a variable, gopor_.Value(x) replaces it by a copy that the function itself
// makes.

// boxing handles the conversions to interfaces that a node implies.
func (m *memory) boxing(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
			for i, e := range n.Rhs {
				m.boxed(e, m.typeOf(n.Lhs[i]))
			}
		}
	case *ast.ValueSpec:
		if n.Type != nil {
			for _, e := range n.Values {
				m.boxed(e, m.typeOf(n.Type))
			}
		}
	case *ast.ReturnStmt:
		if to := m.results(); to != nil && to.Len() == len(n.Results) {
			for i, e := range n.Results {
				m.boxed(e, to.At(i).Type())
			}
		}
	case *ast.SendStmt:
		if c, ok := core(m.typeOf(n.Chan)).(*types.Chan); ok {
			m.boxed(n.Value, c.Elem())
		}
	case *ast.CompositeLit:
		m.boxedElements(n)
	case *ast.CallExpr:
		m.boxedArguments(n)
	}
}

// boxed rewrites e if it is a large variable that is converted to an interface type.
func (m *memory) boxed(e ast.Expr, to types.Type) {
	if to == nil || !isInterface(to) {
		return
	}
	from := m.typeOf(e)
	if from == nil || isInterface(from) || !m.copied(from) || !m.addressable(e) || m.followed(e) {
		return
	}
	m.Wrap(e, access+".Value(", ")")
}

// copied reports whether the runtime copies values of a type when they become interfaces.
func (m *memory) copied(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	b, ok := core(t).(*types.Basic)
	return m.large(t) || ok && b.Kind() == types.Complex128
}

// isInterface reports whether a type is an interface, and not a type parameter.
func isInterface(t types.Type) bool {
	_, isParam := types.Unalias(t).(*types.TypeParam)
	return !isParam && types.IsInterface(t)
}

// results returns the results of the function around the present node.
func (m *memory) results() *types.Tuple {
	for i := len(m.parents) - 1; i >= 0; i-- {
		if lit, ok := m.parents[i].(*ast.FuncLit); ok {
			return m.typeOf(lit).(*types.Signature).Results()
		}
	}
	return m.outer
}

// boxedElements is boxed for the elements of a composite literal.
func (m *memory) boxedElements(c *ast.CompositeLit) {
	t := core(m.typeOf(c))
	if p, ok := t.(*types.Pointer); ok { // &T{...} in a list of pointers
		t = core(p.Elem())
	}
	for i, e := range c.Elts {
		kv, keyed := e.(*ast.KeyValueExpr)
		if keyed {
			e = kv.Value
		}
		switch t := t.(type) {
		case *types.Struct:
			to := t.Field(min(i, t.NumFields()-1)).Type()
			if keyed {
				to = m.typeOf(kv.Key)
			}
			m.boxed(e, to)
		case *types.Map:
			m.boxed(kv.Key, t.Key())
			m.boxed(e, t.Elem())
		case *types.Slice:
			m.boxed(e, t.Elem())
		case *types.Array:
			m.boxed(e, t.Elem())
		}
	}
}

// boxedArguments is boxed for the arguments of a call.
func (m *memory) boxedArguments(c *ast.CallExpr) {
	if m.Info.Types[c.Fun].IsType() {
		m.boxed(c.Args[0], m.typeOf(c))
		return
	}
	switch m.builtin(c) {
	case "panic":
		m.boxed(c.Args[0], types.NewInterfaceType(nil, nil))
		return
	case "append":
		if s, ok := core(m.typeOf(c.Args[0])).(*types.Slice); ok && !c.Ellipsis.IsValid() {
			for _, e := range c.Args[1:] {
				m.boxed(e, s.Elem())
			}
		}
		return
	case "":
	default:
		return
	}
	s, ok := core(m.typeOf(c.Fun)).(*types.Signature)
	if !ok {
		return
	}
	for i, e := range c.Args {
		last := s.Params().Len() - 1
		switch {
		case s.Variadic() && i >= last && !c.Ellipsis.IsValid():
			m.boxed(e, core(s.Params().At(last).Type()).(*types.Slice).Elem())
		case i <= last:
			m.boxed(e, s.Params().At(i).Type())
		}
	}
}
