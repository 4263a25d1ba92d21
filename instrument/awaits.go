package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// rewriteAwaits lets a loop that may await something say where its turns begin:
//
//	for !flag.Load() { ... }
//	for gopor_.Turns(17); !flag.Load(); gopor_.Turn(17) { ... }
//
// The number tells the loops of a function apart. The variables that the loop assigns to, and does
// not declare, are arguments as well, so that what a turn begins with is all there:
//
//	for gopor_.Turns(17, done); !done; gopor_.Turn(17, done) { mu.Lock(); done = ready; mu.Unlock() }
//
// It is done where that is so for certain. A loop calls nothing but what looks at things, or
// is an operation, and functions of the package that do no more than that. Its variables are numbers, strings and truth values, which no
// function literal uses and no pointer leads to. Memory that others may use is announced when
// it is written. A loop without any look is none that awaits something. There may be loops in a turn, if they are
// no others than that. To wait for a tick is to look.
//
// A timer that a turn makes, and nobody has after it, is made by [native.Timer]:
//
//	case <-time.After(d):
//	case <-gopor_.Timer(time.NewTimer, d, 42).C:
//
// So is one in a variable of the turn of which nothing is used but its methods and what its channel sends.
//
// It comes first of all rewriters: it puts something around a condition, and around what others
// put there.
func rewriteAwaits(r *rewriting) {
	ast.Inspect(r.AST, func(n ast.Node) bool {
		s, ok := n.(*ast.ForStmt)
		if !ok || s.Init != nil || s.Post != nil {
			return true
		}
		args, awaits := r.awaits(s)
		if !awaits {
			return true
		}
		begin, turn := native+".Turns("+args+"); ", "; "+native+".Turn("+args+")"
		if s.Cond != nil {
			r.Wrap(s.Cond, begin, turn)
		} else {
			end := s.For + token.Pos(len("for"))
			r.Replace(end, end, " "+begin+turn)
		}
		return true
	})
}

// awaits reports whether a loop is one of these, and returns the arguments of its turns.
func (r *rewriting) awaits(loop ast.Stmt) (args string, is bool) {
	a := &awaitLoop{rewriting: r, loop: loop, only: true}
	if !a.inspect() {
		return "", false
	}
	if r.sharing == nil {
		r.sharing = r.shared()
	}
	args = fmt.Sprint(r.offset(loop.Pos()) + 1)
	for _, v := range a.vars {
		if r.sharing[v] {
			return "", false
		}
		args += ", " + v.Name()
	}
	r.rewriteTurnTimers(a.made)
	return args, true
}

// shared returns the variables of the file that function literals use which they do not declare,
// and those whose address is taken.
func (r *rewriting) shared() map[types.Object]bool {
	found := make(map[types.Object]bool)
	var literals []*ast.FuncLit
	var within func(n ast.Node) bool
	within = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
			ast.Inspect(n.Body, within)
			literals = literals[:len(literals)-1]
			return false
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND {
				found[r.Info.Uses[id]] = true
			}
		case *ast.Ident:
			if len(literals) > 0 {
				inner := literals[len(literals)-1]
				if v, ok := r.Info.Uses[n].(*types.Var); ok && (v.Pos() < inner.Pos() || v.Pos() >= inner.End()) {
					found[v] = true
				}
			}
		}
		return true
	}
	ast.Inspect(r.AST, within)
	return found
}

// awaitLoop is a loop that may await something.
type awaitLoop struct {
	*rewriting
	loop  ast.Stmt
	only  bool          // it does nothing else, so far
	looks bool          // it looks at what others may change
	calls []*types.Func // those that it is in, one called by the other
	vars  []*types.Var  // assigned to, and declared outside
	refs  map[*ast.UnaryExpr]bool
	turnTimers
}

// inspect reports whether it may.
func (a *awaitLoop) inspect() bool {
	a.refs, a.turnTimers = make(map[*ast.UnaryExpr]bool), newTurnTimers()
	switch s := a.loop.(type) {
	case *ast.ForStmt:
		if s.Cond != nil {
			ast.Inspect(s.Cond, a.node)
		}
		ast.Inspect(s.Body, a.node)
	case *ast.RangeStmt: // over ticks
		a.looks = true
		ast.Inspect(s.Body, a.node)
	}
	return a.only && a.looks
}

func (a *awaitLoop) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit, *ast.GoStmt, *ast.LabeledStmt:
		a.only = false
	case *ast.DeferStmt:
		a.only = a.only && len(a.calls) > 0
	case *ast.ForStmt:
		a.only = a.only && len(a.calls) == 0
	case *ast.RangeStmt:
		a.only = a.only && len(a.calls) == 0 && a.ticks(n)
	case *ast.BranchStmt:
		a.only = a.only && n.Tok != token.GOTO
	case *ast.AssignStmt:
		a.declares(n)
		for _, x := range n.Lhs {
			a.assign(x)
		}
	case *ast.IncDecStmt:
		a.assign(n.X)
	case *ast.UnaryExpr:
		a.only = a.only && (n.Op != token.AND || a.refs[n])
		a.looks = a.looks || n.Op == token.ARROW && a.tells(n.X)
		a.receives(n)
	case *ast.Ident:
		a.only = a.only && a.keeps(n)
	case *ast.CommClause:
		a.looks = a.looks || n.Comm == nil
	case *ast.CallExpr:
		a.call(n)
	}
	return a.only
}

// assign notes an assignment.
func (a *awaitLoop) assign(x ast.Expr) {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok {
		a.only = false
		return
	}
	v, ok := a.Info.Uses[id].(*types.Var)
	if id.Name == "_" || !ok || a.within(v) {
		return
	}
	if len(a.calls) > 0 {
		a.only = false // it is of the package, or of another function
		return
	}
	if _, basic := core(v.Type()).(*types.Basic); !basic || v.Parent() == a.Types.Scope() {
		a.only = false
		return
	}
	for _, known := range a.vars {
		if known == v {
			return
		}
	}
	a.vars = append(a.vars, v)
}

// within reports whether v is declared by what is looked at.
func (a *awaitLoop) within(v *types.Var) bool {
	var in ast.Node = a.loop
	if n := len(a.calls); n > 0 {
		in = a.bodies()[a.calls[n-1]]
	}
	return in.Pos() <= v.Pos() && v.Pos() < in.End()
}

// call judges a call.
func (a *awaitLoop) call(n *ast.CallExpr) {
	if f := a.Info.Types[n.Fun]; f.IsType() || a.Info.Types[n].Value != nil {
		return
	}
	if name := a.builtin(n); name != "" {
		switch name {
		case "len":
			_, channel := core(a.Info.TypeOf(n.Args[0])).(*types.Chan)
			a.looks = a.looks || channel
		case "cap", "min", "max", "panic":
		default:
			a.only = false
		}
		return
	}
	pkg, name, dynamic := a.called(n)
	if dynamic && pkg != "context" { // a Locker may do anything, and a context is one
		a.only = false
	}
	switch pkg {
	case "sync/atomic":
		a.looks = a.looks || strings.HasPrefix(name, "Load") || strings.HasPrefix(name, "CompareAndSwap") || strings.HasPrefix(name, "Swap")
		for _, arg := range n.Args {
			if ref, ok := ast.Unparen(arg).(*ast.UnaryExpr); ok {
				a.refs[ref] = true
			}
		}
	case "sync":
		switch name {
		case "Lock", "RLock", "TryLock", "TryRLock", "Unlock", "RUnlock":
			a.looks = true
		case "Load", "LoadOrStore", "LoadAndDelete", "CompareAndSwap", "CompareAndDelete": // of a Map
			a.looks = true
		case "Store", "Swap", "Delete":
		default:
			a.only = false
		}
	case "context":
		a.looks = a.looks || name == "Err"
		a.only = a.only && (name == "Err" || name == "Done")
	case "runtime":
		a.looks = a.looks || name == "NumGoroutine"
		a.only = a.only && (name == "Gosched" || name == "NumGoroutine")
	case "time":
		a.only = a.only && (name == "Sleep" || a.controls(n, name) || a.made[n])
	default:
		a.only = a.only && a.inspectCalled(n)
	}
}

// inspectCalled reports whether n calls a function of the package that may be a part of a turn, and looks into it. It has no
// loops: two loops that one turn goes round have places that differ if they are of one function.
func (a *awaitLoop) inspectCalled(n *ast.CallExpr) bool {
	f := a.static(n)
	if f == nil || slices.Contains(a.calls, f) {
		return false
	}
	d := a.bodies()[f]
	if d == nil {
		return false
	}
	a.calls = append(a.calls, f)
	ast.Inspect(d.Body, a.node)
	a.calls = a.calls[:len(a.calls)-1]
	return a.only
}

// static returns the function or method that is called, nil if that is not known.
func (a *awaitLoop) static(n *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch fun := callee(n).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
		if s := a.Info.Selections[fun]; s != nil && (types.IsInterface(s.Recv()) || s.Kind() != types.MethodVal) {
			return nil
		}
	default:
		return nil
	}
	f, _ := a.Info.Uses[id].(*types.Func)
	if f == nil {
		return nil
	}
	return f.Origin()
}

// callee returns what n calls, without the arguments of a generic function.
func callee(n *ast.CallExpr) ast.Expr {
	fun := ast.Unparen(n.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		return ast.Unparen(x.X)
	case *ast.IndexListExpr:
		return ast.Unparen(x.X)
	}
	return fun
}

// called returns the function or method that is called, and its package, "" if it is not known, and
// whether it is one of an interface.
func (a *awaitLoop) called(n *ast.CallExpr) (pkg, name string, dynamic bool) {
	sel, ok := callee(n).(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	f, ok := a.Info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == nil {
		return "", "", false
	}
	if recv := f.Signature().Recv(); recv != nil {
		dynamic = types.IsInterface(recv.Type())
	}
	return original(f.Pkg().Path()), f.Name(), dynamic
}
