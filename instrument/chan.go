package instrument

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gopor/gopor/instrument/closing"
	"github.com/gopor/gopor/internal/known"
)

// channels rewrites operations on channels other than select and range. The text of the
// operands stays in place.
type channels struct {
	*rewriting
	cases map[ast.Node]bool // communications of select statements
	// Receives with a second result: the variable that gets it, nil for a new one.
	pairs map[*ast.UnaryExpr]ast.Expr
	drops map[*ast.UnaryExpr]bool // receives that are statements
}

func rewriteChannels(r *rewriting) {
	c := &channels{r, make(map[ast.Node]bool), make(map[*ast.UnaryExpr]ast.Expr), make(map[*ast.UnaryExpr]bool)}
	ast.Inspect(r.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CommClause:
			c.cases[communicates(n.Comm)] = true
		case *ast.ExprStmt:
			if u := receive(n.X); u != nil {
				c.drops[u] = true
			}
		case *ast.AssignStmt:
			if u := receive(n.Rhs[0]); u != nil && len(n.Lhs) == 2 && len(n.Rhs) == 1 {
				c.pairs[u] = n.Lhs[1]
			}
		case *ast.ValueSpec:
			if len(n.Names) == 2 && len(n.Values) == 1 {
				if u := receive(n.Values[0]); u != nil {
					c.pairs[u] = n.Names[1]
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && !c.cases[n] {
				c.recv(n)
			}
		case *ast.SendStmt:
			if !c.cases[n] {
				c.send(n)
			}
		case *ast.CallExpr:
			c.call(n)
			c.given(n)
		case *ast.SelectorExpr:
			c.reflected(n)
		}
		return true
	})
}

// receive returns e as a receive, or nil if it is not one.
func receive(e ast.Expr) *ast.UnaryExpr {
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u
	}
	return nil
}

// tells reports whether channel c sends times. Receives that drop the time are rewritten
// differently.
func (r *rewriting) tells(c ast.Expr) bool {
	ch := channel(r.Info.TypeOf(c))
	if ch == nil {
		return false
	}
	t, ok := types.Unalias(ch.Elem()).(*types.Named)
	return ok && t.Obj().Name() == "Time" && t.Obj().Pkg() != nil && original(t.Obj().Pkg().Path()) == "time"
}

// communicates returns the send statement or receive of a case, or nil for the default case.
func communicates(s ast.Stmt) ast.Node {
	switch s := s.(type) {
	case *ast.SendStmt:
		return s
	case *ast.ExprStmt:
		return receive(s.X)
	case *ast.AssignStmt:
		return receive(s.Rhs[0])
	}
	return nil
}

func (c *channels) recv(n *ast.UnaryExpr) {
	call := native + ".Recv("
	if c.drops[n] && c.tells(n.X) {
		call = native + ".Drop("
	}
	if to, ok := c.pairs[n]; ok {
		call = native + ".Recv2("
		if t := c.Info.TypeOf(to); t != nil && !types.AssignableTo(types.Typ[types.Bool], t) {
			call = "<-" + native + ".Received(" // an untyped bool is assignable, a bool is not
		}
	}
	c.Replace(n.OpPos, n.OpPos+2, call)
	c.Wrap(n, "", ")")
}

func (c *channels) send(n *ast.SendStmt) {
	to := ".To("
	if c.waits(n.Value) && !c.waits(n.Chan) && c.addressable(n.Chan) {
		// The channel is read after the value is computed, as the compiler does.
		to = ".ToAt(&"
	}
	c.Replace(n.Arrow, n.Arrow+2, ").Send(")
	c.Wrap(n, native+to, ")")
}

// call rewrites a call of a builtin function.
func (c *channels) call(n *ast.CallExpr) {
	name := c.builtin(n)
	var ch *types.Chan
	if len(n.Args) > 0 {
		ch = channel(c.Info.TypeOf(n.Args[0]))
	}
	switch {
	case name == "make" && ch != nil && ch.Dir() == types.SendRecv:
		if c.onlyClosed(n) {
			c.Wrap(n, native+".MadeToClose(", ")")
		} else {
			c.Wrap(n, native+".Made(", ")")
		}
	case name == "close" && ch == nil:
		c.refuse(n, "close of a channel whose element type is not known")
	case name == "close":
		c.callee(n, "Close")
	case name == "len" && ch != nil:
		c.callee(n, toward("Len", ch))
	case name == "cap" && ch != nil:
		c.callee(n, toward("Cap", ch))
	}
}

// onlyClosed reports whether the channel that a call of make makes is only ever closed.
func (r *rewriting) onlyClosed(n *ast.CallExpr) bool {
	if r.closing == nil {
		r.closing = closing.Makes(r.syntax(), r.Info)
	}
	return r.closing[n]
}

// given rewrites a call of a function of a package that sends to channels in its arguments.
func (c *channels) given(n *ast.CallExpr) {
	f, ok := c.Info.Uses[called(n)].(*types.Func)
	if !ok || f.Pkg() == nil || !known.Is("sends", f.Pkg().Path()) {
		return
	}
	for _, a := range n.Args {
		if channel(c.Info.TypeOf(a)) != nil {
			c.Wrap(a, native+".Outside(", ")")
		}
	}
}

// called returns the name of the function or method that is called, if it has one.
func called(n *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(n.Fun).(type) {
	case *ast.SelectorExpr:
		return f.Sel
	case *ast.Ident:
		return f
	}
	return nil
}

// toward returns the name of a function of package native that exists for both directions of
// channels.
func toward(name string, ch *types.Chan) string {
	if ch.Dir() == types.SendOnly {
		return name + "To"
	}
	return name
}

// callee replaces a builtin function in a call by one of package native.
func (c *channels) callee(n *ast.CallExpr, name string) {
	c.Replace(n.Pos(), n.Lparen+1, native+"."+name+"("+c.Lines(n.Pos(), n.Lparen))
}

// builtin returns the name of the builtin function that is called, or "".
func (r *rewriting) builtin(n *ast.CallExpr) string {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	b, ok := r.Info.Uses[id].(*types.Builtin)
	if !ok {
		return ""
	}
	return b.Name()
}

// channel returns t as a channel type, or nil. For a type parameter it is the type that all its
// types have in common, in the direction that all allow.
func channel(t types.Type) *types.Chan {
	if t == nil {
		return nil
	}
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		ch, _ := t.Underlying().(*types.Chan)
		return ch
	}
	var common *types.Chan
	for _, term := range terms(p.Constraint()) {
		ch, ok := term.Underlying().(*types.Chan)
		switch {
		case !ok || common != nil && !types.Identical(common.Elem(), ch.Elem()):
			return nil
		case common == nil || common.Dir() == types.SendRecv:
			common = ch
		}
	}
	return common
}

// terms returns the types in the type set of a constraint that is not an intersection of
// several unions.
func terms(constraint types.Type) (list []types.Type) {
	switch t := types.Unalias(constraint).(type) {
	case *types.Union:
		for i := range t.Len() {
			list = append(list, terms(t.Term(i).Type())...)
		}
		return list
	}
	iface, ok := constraint.Underlying().(*types.Interface)
	if !ok {
		return []types.Type{constraint}
	}
	for i := range iface.NumEmbeddeds() {
		list = append(list, terms(iface.EmbeddedType(i))...)
	}
	return list
}

// reflected rewrites operations of package reflect on channels, which run native code: v.Len()
// becomes gopor_.ReflectChan(v).Len().
func (c *channels) reflected(n *ast.SelectorExpr) {
	f, ok := c.Info.Uses[n.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "reflect" || f.Pkg() == c.Types {
		return
	}
	switch f.FullName() {
	case "reflect.Select":
		c.Wrap(n, native+".ReflectSelect(", ")")
	case "(reflect.Value).Len", "(reflect.Value).Cap", "(reflect.Value).Send", "(reflect.Value).Recv",
		"(reflect.Value).TrySend", "(reflect.Value).TryRecv", "(reflect.Value).Seq", "(reflect.Value).Close":
		sel := c.Info.Selections[n]
		if named, ok := deref(sel.Recv()).(*types.Named); !ok || named.Obj().Pkg() != f.Pkg() || sel.Kind() != types.MethodVal {
			return // of a struct with an embedded Value
		}
		pre := native + ".ReflectChan("
		if isPointer(sel.Recv()) {
			pre += "*"
		}
		c.Wrap(n.X, pre, ")")
	}
}
