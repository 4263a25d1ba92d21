package naming

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// composite returns the composite literal that an expression is, or points to; nil for other
// expressions.
func composite(x ast.Expr) (lit *ast.CompositeLit, pointer bool) {
	x = ast.Unparen(x)
	if a, ok := x.(*ast.UnaryExpr); ok && a.Op == token.AND {
		x, pointer = ast.Unparen(a.X), true
	}
	lit, _ = x.(*ast.CompositeLit)
	return lit, pointer
}

// assigned returns the variables that an assignment writes on a line. On the lines of a
// composite literal below the first, these are the elements on the line, otherwise the left
// side. vague says that an element may be meant all the same. On the lines of a function
// literal below the first, the assignment writes nothing: the function does.
func (f *sourceFile) assigned(a *ast.AssignStmt, line int) (found []ast.Expr, vague bool) {
	if fn := f.functionAt(line); fn != nil && fn.node.Pos() > a.Pos() && fn.from < line {
		return nil, false
	}
	for i, x := range a.Lhs {
		var lit *ast.CompositeLit
		if len(a.Rhs) == len(a.Lhs) {
			lit, _ = composite(a.Rhs[i])
		}
		switch {
		case lit == nil || len(lit.Elts) == 0:
			found = append(found, x)
		case line > f.line(lit.Lbrace) && line <= f.line(lit.Rbrace):
			found = append(found, f.elements(x, lit, line)...)
		default:
			found, vague = append(found, x), true
		}
	}
	return found, vague
}

// elements returns the elements on a line of a composite literal that is the value of x.
func (f *sourceFile) elements(x ast.Expr, lit *ast.CompositeLit, line int) (found []ast.Expr) {
	for i, e := range lit.Elts {
		if line < f.line(e.Pos()) || line > f.line(e.End()) {
			continue
		}
		var element ast.Expr
		kv, keyed := e.(*ast.KeyValueExpr)
		switch {
		case keyed && f.fields[kv.Key]:
			element, e = &ast.SelectorExpr{X: x, Sel: kv.Key.(*ast.Ident)}, kv.Value
		case keyed:
			element, e = &ast.IndexExpr{X: x, Index: kv.Key}, kv.Value
		default:
			element = &ast.IndexExpr{X: x, Index: &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(i)}}
		}
		if inner, _ := composite(e); inner != nil && line > f.line(inner.Lbrace) {
			found = append(found, f.elements(element, inner, line)...)
		} else {
			found = append(found, element)
		}
	}
	return found
}

// noteFields notes the keys of a composite literal that are field names: identifiers before a
// colon, unless the type is written as an array or a map.
func (f *sourceFile) noteFields(lit *ast.CompositeLit) {
	switch lit.Type.(type) {
	case *ast.ArrayType, *ast.MapType:
		return
	}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				f.fields[id] = true
			}
		}
	}
}

// filled returns the first element that a call of copy or Read writes, nil for other calls.
func filled(call *ast.CallExpr) ast.Expr {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		if f.Name != "copy" || len(call.Args) != 2 {
			return nil
		}
	case *ast.SelectorExpr: // of an io.Reader or an io.ReaderAt
		if f.Sel.Name != "Read" && f.Sel.Name != "ReadAt" || len(call.Args) == 0 {
			return nil
		}
	default:
		return nil
	}
	to, from := ast.Unparen(call.Args[0]), ast.Expr(&ast.BasicLit{Kind: token.INT, Value: "0"})
	if s, ok := to.(*ast.SliceExpr); ok {
		to = s.X
		if s.Low != nil {
			from = s.Low
		}
	}
	return &ast.IndexExpr{X: to, Index: from}
}

// fresh reports whether a written expression is a variable that no other goroutine can use yet:
// one that the statement declares, or a result of the function.
func (f *sourceFile) fresh(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	line := f.line(x.Pos())
	for _, n := range f.lines[line] {
		if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && slices.Contains(a.Lhs, x) {
			return true
		}
	}
	fn := f.functionAt(line)
	return fn != nil && slices.Contains(fn.results, id.Name)
}
