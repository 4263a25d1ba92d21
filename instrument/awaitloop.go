package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// awaitLoop is a loop that may await something. An iteration of such a loop has no lasting
// effect but on variables that are numbers, strings and truth values, that no function literal
// uses and no pointer leads to. Otherwise the iteration says that it has another effect.
//
// Calls of functions that only look have no effect. Neither have operations, which are recorded
// anyway, nor calls of functions of the package that do no more than that. Memory that other
// goroutines may use is announced when it is written, but an iteration may also write memory of
// its own goroutine. So before any other effect [native.Acts] is called:
//
//	if !q.empty() { gopor_.Acts(); q.items = q.items[1:] }
//
// It is called at the beginning of the list of statements that has the effect, or after the
// last statement before it that may leave the list. An iteration that has such an effect in any
// case is not worth announcing.
type awaitLoop struct {
	*rewriting
	loop   ast.Stmt
	only   bool                  // the present nodes have had no lasting effect so far
	never  bool                  // it is no such loop, whatever else it has
	looks  bool                  // it looks at what other goroutines may change
	calls  []*types.Func         // the calls that the analysis is in, outermost first
	vars   []*types.Var          // assigned in an iteration and declared outside of it
	acts   []token.Pos           // the braces and colons after which Acts is called
	asks   []ast.Expr            // operands of calls: Asked announces the effects of these
	lit    *ast.FuncLit          // what is analysed if it is no loop: see rewriteLooking
	visits map[*ast.FuncLit]bool // function literals that Range of a sync.Map calls
	turnTimers
}

// turnCall is the result of the analysis of a function that iterations may call.
type turnCall struct {
	only, looks bool
	acts        []token.Pos
	asks        []ast.Expr
}

// inspect reports whether the loop may await something.
func (a *awaitLoop) inspect() bool {
	a.visits, a.turnTimers = make(map[*ast.FuncLit]bool), newTurnTimers()
	only := true
	switch s := a.loop.(type) {
	case *ast.ForStmt:
		only = a.clean(s.Cond)
	case *ast.RangeStmt: // over ticks
		a.looks = true
	}
	return a.list(a.body().List, token.NoPos) && only && (a.looks || len(a.asks) > 0) && !a.never
}

func (a *awaitLoop) body() *ast.BlockStmt {
	if s, ok := a.loop.(*ast.RangeStmt); ok {
		return s.Body
	}
	return a.loop.(*ast.ForStmt).Body
}

// list reports whether statements have no lasting effect, or announce it. The announcement goes
// after mark, unless that is no position.
func (a *awaitLoop) list(list []ast.Stmt, mark token.Pos) bool {
	only := true
	for _, s := range list {
		switch {
		case a.statement(s, mark):
		case mark == token.NoPos:
			only = false
		default:
			a.acts = append(a.acts, mark)
		}
		if leaves(s) {
			mark = s.End() - 1
		}
	}
	return only
}

// leaves reports whether a statement may leave the list, so that later statements are skipped.
func leaves(s ast.Stmt) (is bool) {
	switch s.(type) {
	case *ast.BlockStmt, *ast.IfStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.ForStmt, *ast.RangeStmt:
	default:
		return false
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt, *ast.ReturnStmt:
			is = true
		}
		return true
	})
	return is
}

// statement is list for one statement, which does not announce effects of its own.
func (a *awaitLoop) statement(s ast.Stmt, mark token.Pos) bool {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return a.list(s.List, mark)
	case *ast.IfStmt:
		only := a.clean(s.Init, s.Cond)
		a.list(s.Body.List, s.Body.Lbrace)
		switch e := s.Else.(type) {
		case *ast.BlockStmt:
			a.list(e.List, e.Lbrace)
		case *ast.IfStmt:
			only = a.statement(e, mark) && only
		}
		return only
	case *ast.SwitchStmt:
		return a.clauses(s.Body, a.clean(s.Init, s.Tag))
	case *ast.TypeSwitchStmt:
		return a.clauses(s.Body, a.clean(s.Init, s.Assign))
	case *ast.SelectStmt:
		return a.clauses(s.Body, true)
	case *ast.ForStmt:
		only := a.clean(s.Init, s.Cond, s.Post)
		a.list(s.Body.List, s.Body.Lbrace)
		return only
	case *ast.RangeStmt:
		if a.overFunc(s) {
			break
		}
		only := a.clean(s.X, s.Key, s.Value)
		if s.Tok == token.ASSIGN {
			only = a.clean(&ast.AssignStmt{Lhs: operands(s.Key, s.Value), Tok: token.ASSIGN}) && only
		}
		a.list(s.Body.List, s.Body.Lbrace)
		return only
	}
	return a.clean(s)
}

// overFunc reports whether a loop is over a function, which may have any effect.
func (a *awaitLoop) overFunc(s *ast.RangeStmt) bool {
	_, is := core(a.Info.TypeOf(s.X)).(*types.Signature)
	return is
}

// operands returns the expressions that are not nil.
func operands(list ...ast.Expr) []ast.Expr {
	return slices.DeleteFunc(list, func(x ast.Expr) bool { return x == nil })
}

// clauses analyses the clauses of a switch or select.
func (a *awaitLoop) clauses(body *ast.BlockStmt, only bool) bool {
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				only = a.clean(x) && only
			}
			a.list(c.Body, c.Colon)
		case *ast.CommClause:
			a.looks = a.looks || c.Comm == nil
			if !a.clean(c.Comm) {
				a.acts = append(a.acts, c.Colon)
			}
			a.list(c.Body, c.Colon)
		}
	}
	return only
}

// clean reports whether nodes have no lasting effect. Only then their looks count.
func (a *awaitLoop) clean(nodes ...ast.Node) bool {
	only, looks, acts, asks := a.only, a.looks, len(a.acts), len(a.asks)
	a.only = true
	for _, n := range nodes {
		if n != nil {
			ast.Inspect(n, a.node)
		}
	}
	clean := a.only
	if !clean {
		a.looks, a.acts, a.asks = looks, a.acts[:acts], a.asks[:asks]
	}
	a.only = only
	return clean
}

func (a *awaitLoop) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		if a.visits[n] {
			a.only = a.list(n.Body.List, token.NoPos) && a.only
			return false
		}
		a.only = false
	case *ast.GoStmt, *ast.LabeledStmt:
		a.only = false
	case *ast.RangeStmt:
		a.only = a.only && !a.overFunc(n)
	case *ast.DeferStmt:
		a.only = a.only && a.inFunction()
	case *ast.BranchStmt:
		a.never = a.never || n.Tok == token.GOTO
	case *ast.AssignStmt:
		a.declares(n)
		for _, x := range n.Lhs {
			a.assign(x)
		}
	case *ast.IncDecStmt:
		a.assign(n.X)
	case *ast.UnaryExpr:
		_, makes := ast.Unparen(n.X).(*ast.CompositeLit)
		a.only = a.only && (n.Op != token.AND || !makes)
		a.looks = a.looks || n.Op == token.ARROW && a.tells(n.X)
		a.receives(n)
	case *ast.Ident:
		a.never = a.never || !a.keeps(n)
	case *ast.CallExpr:
		a.call(n)
	}
	return true
}

// assign analyses an assignment to x.
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
	if a.inFunction() {
		a.only = false // it belongs to the package, or to another function
		return
	}
	if !isBasic(v.Type()) || v.Parent() == a.Types.Scope() || a.isShared(v) {
		a.only = false
		return
	}
	if !slices.Contains(a.vars, v) {
		a.vars = append(a.vars, v)
	}
}

// inFunction reports whether the analysis is in a function, and not in the loop itself.
func (a *awaitLoop) inFunction() bool { return len(a.calls) > 0 || a.lit != nil }

// within reports whether v is declared in the body of the loop or of the called function.
func (a *awaitLoop) within(v *types.Var) bool {
	var in ast.Node
	switch n := len(a.calls); {
	case n > 0:
		in = a.bodies()[a.calls[n-1]]
	case a.lit != nil:
		in = a.lit
	default:
		in = a.body()
	}
	return in.Pos() <= v.Pos() && v.Pos() < in.End()
}

// call analyses a call.
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
	if x := a.asked(n); x != nil && pkg != "context" && a.internal(n) == nil {
		a.asks = append(a.asks, x) // a Locker may have any effect; a context is an interface, too
		return
	}
	if dynamic && pkg != "context" && a.internal(n) == nil {
		a.only = false
	}
	switch pkg {
	case "sync/atomic":
		a.looks = a.looks || strings.HasPrefix(name, "Load") || strings.HasPrefix(name, "CompareAndSwap") || strings.HasPrefix(name, "Swap")
	case "sync":
		switch name {
		case "Lock", "RLock", "TryLock", "TryRLock", "Unlock", "RUnlock":
			a.looks = true
		// Methods of a Map.
		case "Load", "LoadOrStore", "LoadAndDelete", "CompareAndSwap", "CompareAndDelete":
			a.looks = true
		case "Store", "Swap", "Delete":
		case "Range":
			lit, ok := ast.Unparen(n.Args[0]).(*ast.FuncLit)
			a.looks, a.only = true, a.only && ok
			a.visits[lit] = true
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
		a.looks = a.looks || name == "Sleep"
		a.only = a.only && (name == "Sleep" || a.controls(n, name) || a.made[n])
	default:
		a.only = a.only && a.inspectCalled(n)
	}
}

// inspectCalled analyses the functions that n may call. It reports whether these have no lasting
// effect, or announce it.
func (a *awaitLoop) inspectCalled(n *ast.CallExpr) bool {
	looks, acts, asks := true, a.acts, a.asks
	callees := a.callees(n)
	for _, f := range callees {
		known := a.turnCall(f)
		if !known.only {
			return false
		}
		looks, acts, asks = looks && known.looks, append(acts, known.acts...), append(asks, known.asks...)
	}
	if len(callees) == 0 {
		return false
	}
	a.looks, a.acts, a.asks = a.looks || looks, acts, asks
	return true
}

// turnCall analyses a function. One that calls itself counts as one that has an effect.
func (a *awaitLoop) turnCall(f *types.Func) *turnCall {
	d := a.bodies()[f]
	if f.Pkg() != a.Types {
		return a.imported(f)
	}
	if d == nil || slices.Contains(a.calls, f) {
		return new(turnCall)
	}
	known := a.turnCalls[f]
	if known == nil {
		in := &awaitLoop{rewriting: a.rewriting, loop: a.loop, calls: append(a.calls, f), visits: a.visits, turnTimers: newTurnTimers()}
		known = in.function(d.Body)
		a.turnCalls[f] = known
	}
	return known
}

// function analyses the body of a function.
func (a *awaitLoop) function(b *ast.BlockStmt) *turnCall {
	only := a.list(b.List, token.NoPos) && !a.never
	return &turnCall{only: only, looks: a.looks, acts: a.acts, asks: a.asks}
}

// callees returns the functions or methods that n may call, or none if they are not known. An
// unexported method of an interface is one that this package declares.
func (a *awaitLoop) callees(n *ast.CallExpr) []*types.Func {
	if f := a.static(n); f != nil {
		return []*types.Func{f}
	}
	method := a.internal(n)
	if method == nil {
		return nil
	}
	var callees []*types.Func
	for f := range a.bodies() {
		if f.Name() == method.Name() && f.Signature().Recv() != nil {
			callees = append(callees, f)
		}
	}
	slices.SortFunc(callees, func(f, g *types.Func) int { return int(f.Pos()) - int(g.Pos()) })
	return callees
}

// asked returns what Asked is called with if n calls a method of an interface, which is a selector,
// or a variable that is a function. Otherwise it returns nil.
func (a *awaitLoop) asked(n *ast.CallExpr) ast.Expr {
	fun := callee(n)
	if sel, ok := fun.(*ast.SelectorExpr); ok {
		if s := a.Info.Selections[sel]; s != nil && s.Kind() == types.MethodVal {
			if _, param := types.Unalias(s.Recv()).(*types.TypeParam); !param && types.IsInterface(s.Recv()) {
				return sel // a value of a type parameter may be large
			}
			return nil
		}
		fun = sel.Sel
	}
	if id, ok := fun.(*ast.Ident); ok {
		if _, ok := a.Info.Uses[id].(*types.Var); ok {
			return ast.Unparen(n.Fun)
		}
	}
	return nil
}

// internal returns the unexported method of an interface that n calls, if it calls one.
func (a *awaitLoop) internal(n *ast.CallExpr) *types.Func {
	sel, ok := callee(n).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if s := a.Info.Selections[sel]; s == nil || s.Kind() != types.MethodVal {
		return nil
	}
	f, ok := a.Info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Exported() || f.Pkg() != a.Types {
		return nil
	}
	return f
}

// static returns the function or method that n calls, or nil if that is not known.
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

// callee returns the expression of the called function, without type arguments.
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

// called returns the name of the function or method that n calls, and its package, "" if not
// known. It reports whether the method is one of an interface.
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
