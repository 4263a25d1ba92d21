package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// rewriteGo turns go f() into a call gopor_.Go(f). A call with arguments, or with results, is
// put into a function literal: go f(x, y) becomes
//
//	{ gopor_f, gopor_1, gopor_2 := f, x, y; gopor_.Go(func() { gopor_f(gopor_1, gopor_2) }) }
//
// As in compiled code, calls and receives come before reads of variables. An operand that is
// the same whenever it is evaluated needs no variable.
func rewriteGo(r *rewriting) {
	ast.Inspect(r.AST, func(n ast.Node) bool {
		s, ok := n.(*ast.GoStmt)
		if !ok {
			return true
		}
		if fun := s.Call.Fun; r.isThunk(s.Call) {
			r.Replace(s.Go, fun.Pos(), native+".Go("+r.Lines(s.Go, fun.Pos()))
			r.Replace(fun.End(), s.Call.End(), ")"+r.Lines(fun.End(), s.Call.End()))
			return true
		}
		g := &goStmt{rewriting: r, GoStmt: s}
		f := r.File
		r.ReplaceBy(s.Pos(), s.End(), func() string {
			at := *r
			at.File = f
			g.moved = at.moving(s.Pos())
			return g.text()
		})
		return true
	})
}

// isThunk reports whether a call is one of a func() without arguments.
func (r *rewriting) isThunk(c *ast.CallExpr) bool {
	t := r.Info.TypeOf(c.Fun)
	if t == nil || r.builtin(c) != "" {
		return false
	}
	f, ok := t.Underlying().(*types.Signature)
	return ok && f.Params().Len() == 0 && f.Results().Len() == 0
}

// goStmt is a go statement that becomes a block.
type goStmt struct {
	*rewriting
	*ast.GoStmt
	*moved
	vars  int
	temps []goTemp
}

// goTemp is a variable that holds a value, or several that hold the results of a call.
type goTemp struct {
	names string
	value ast.Expr
	pre   string // around the value
	post  string
}

func (g *goStmt) text() string {
	g.vars, g.temps = 0, nil
	g.say("{ ")
	name := g.function()
	var args []func()
	for _, a := range g.Call.Args {
		args = append(args, g.argument(a))
	}
	g.evaluate()
	g.at(g.GoStmt.Pos())
	g.say("%s.Go(func() { ", native)
	name()
	g.say("(")
	for i, arg := range args {
		if i > 0 {
			g.say(", ")
		}
		arg()
	}
	if g.Call.Ellipsis.IsValid() {
		g.say("...")
	}
	g.say(") }) }")
	g.at(g.GoStmt.End())
	return g.String()
}

// evaluate assigns the values to the variables. A call with several values comes first, unless
// the function value itself is computed by a call.
func (g *goStmt) evaluate() {
	t := g.temps
	if n := len(t); n > 1 && g.values(t[n-1].value) > 1 {
		if g.waits(t[0].value) {
			g.assign(t[:1])
			g.assign(t[1:])
			return
		}
		g.assign(t[1:])
		t = t[:1]
	}
	g.assign(t)
}

func (g *goStmt) assign(temps []goTemp) {
	for i, t := range temps {
		if i > 0 {
			g.say(", ")
		}
		g.say("%s", t.names)
	}
	for i, t := range temps {
		if i == 0 {
			g.say(" := ")
		} else {
			g.say(", ")
		}
		g.say("%s", t.pre)
		g.put(t.value)
		g.say("%s", t.post)
	}
	if len(temps) > 0 {
		g.say("; ")
	}
}

// function evaluates the function value, and returns a function that writes it in the call.
func (g *goStmt) function() func() {
	switch name := g.builtin(g.Call); {
	case name == "close" && channel(g.Info.TypeOf(g.Call.Args[0])) != nil:
		return func() { g.say("%s.Close", native) }
	case name != "" || g.declared(g.Call.Fun):
		return func() { g.put(g.Call.Fun) }
	}
	if m := g.uninstantiated(g.Call.Fun); m != nil {
		return g.method(m, native+"f")
	}
	g.temps = append(g.temps, goTemp{names: native + "f", value: g.Call.Fun})
	return func() { g.say("%sf", native) }
}

// argument is function for an argument.
func (g *goStmt) argument(a ast.Expr) func() {
	tv := g.Info.Types[a]
	if tv.Value != nil || tv.IsNil() || tv.IsType() || g.declared(a) {
		return func() { g.put(a) }
	}
	if m := g.uninstantiated(a); m != nil {
		g.vars++
		return g.method(m, fmt.Sprint(native, g.vars))
	}
	var names []string
	for range g.values(a) {
		g.vars++
		names = append(names, fmt.Sprint(native, g.vars))
	}
	all := strings.Join(names, ", ")
	t, use := goTemp{names: all, value: a}, all
	if g.untyped(a) {
		t.pre, t.post, use = g.typed(tv.Type, all)
	}
	g.temps = append(g.temps, t)
	return func() { g.say("%s", use) }
}

// values returns the number of values of an expression.
func (g *goStmt) values(e ast.Expr) int {
	if t, ok := g.Info.TypeOf(e).(*types.Tuple); ok {
		return t.Len()
	}
	return 1
}

// declared reports whether e is a declared function, which is always the same. One with type
// parameters may not be a value.
func (g *goStmt) declared(e ast.Expr) bool {
	var id *ast.Ident
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		if g.Info.Selections[e] != nil {
			return false // a method
		}
		id = e.Sel
	case *ast.IndexExpr:
		return g.declared(e.X)
	case *ast.IndexListExpr:
		return g.declared(e.X)
	default:
		return false
	}
	_, ok := g.Info.Uses[id].(*types.Func)
	return ok
}

// untyped reports whether an expression that is not a constant gets its type from its context:
// a comparison, or a shift of a constant.
func (g *goStmt) untyped(e ast.Expr) bool {
	if g.Info.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op != token.ARROW && e.Op != token.AND && g.untyped(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.SHL, token.SHR:
			return g.untyped(e.X)
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return true
		}
		return g.untyped(e.X) && g.untyped(e.Y)
	}
	return false
}

// typed returns the text around an untyped expression that is assigned to a new variable, and
// the use of that variable as an argument of type t.
func (g *goStmt) typed(t types.Type, name string) (pre, post, use string) {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 {
		return "", "", name + " == " + native + ".True"
	}
	return types.TypeString(t, g.qualify) + "(", ")", name
}

// qualify returns the file's name of a package.
func (g *goStmt) qualify(p *types.Package) string {
	if p == g.Types {
		return ""
	}
	for _, spec := range g.f.AST.Imports {
		if name := g.Info.PkgNameOf(spec); name != nil && name.Imported() == p {
			return name.Name()
		}
	}
	return p.Name()
}
