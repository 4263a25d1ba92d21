package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// turnTimers are the timers that each iteration of a loop makes and does not keep. These are
// results of time.After that are received from, and variables of the iteration of which only
// methods are used and the values of the channel.
type turnTimers struct {
	made  map[*ast.CallExpr]bool
	held  map[types.Object]bool
	inUse map[*ast.Ident]bool // identifiers of held timers in such uses
}

func newTurnTimers() turnTimers {
	return turnTimers{make(map[*ast.CallExpr]bool), make(map[types.Object]bool), make(map[*ast.Ident]bool)}
}

// declares notes the variable of an iteration that n declares to hold a timer.
func (a *awaitLoop) declares(n *ast.AssignStmt) {
	if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 || a.inFunction() {
		return
	}
	call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
	if v := a.Info.Defs[n.Lhs[0].(*ast.Ident)]; ok && v != nil && a.makes(call, "NewTimer") {
		a.made[call], a.held[v] = true, true
	}
}

// makes reports whether n is a call of a function of package time.
func (a *awaitLoop) makes(n *ast.CallExpr, function string) bool {
	pkg, name, _ := a.called(n)
	sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	return ok && pkg == "time" && name == function && a.Info.Selections[sel] == nil
}

// receives notes the operand of n, if that is a timer of the iteration.
func (a *awaitLoop) receives(n *ast.UnaryExpr) {
	if n.Op != token.ARROW {
		return
	}
	switch x := ast.Unparen(n.X).(type) {
	case *ast.CallExpr:
		if a.makes(x, "After") && !a.inFunction() {
			a.made[x] = true
		}
	case *ast.SelectorExpr:
		a.uses(x)
	}
}

// controls reports whether n is a call of a method of timers or tickers.
func (a *awaitLoop) controls(n *ast.CallExpr, method string) bool {
	sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if !ok || a.Info.Selections[sel] == nil || method != "Stop" && method != "Reset" {
		return false
	}
	a.uses(sel)
	return true
}

func (a *awaitLoop) uses(sel *ast.SelectorExpr) {
	if id, ok := ast.Unparen(sel.X).(*ast.Ident); ok {
		a.inUse[id] = true
	}
}

// keeps reports whether id, if it is a timer of the iteration, has no other use.
func (a *awaitLoop) keeps(id *ast.Ident) bool { return a.inUse[id] || !a.held[a.Info.Uses[id]] }

// rewriteTurnTimers makes package native make the timers.
func (r *rewriting) rewriteTurnTimers(made map[*ast.CallExpr]bool) {
	for n := range made {
		if r.timers[n] { // done for a loop around this one
			continue
		}
		if r.timers == nil {
			r.timers = make(map[*ast.CallExpr]bool)
		}
		r.timers[n] = true
		sel, end := ast.Unparen(n.Fun).(*ast.SelectorExpr), ""
		if sel.Sel.Name == "After" {
			end = ".C"
		}
		r.Wrap(n, native+".Timer(", "")
		r.Replace(sel.Sel.Pos(), n.Args[0].Pos(), "NewTimer, "+r.Lines(sel.Sel.Pos(), n.Args[0].Pos()))
		r.Replace(n.Args[0].End(), n.End(), fmt.Sprintf(", %d,%s)%s", r.Offset(n.Pos())+1, r.Lines(n.Args[0].End(), n.End()), end))
	}
}
