package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// rewriteAwaits lets a loop that may await something say where its turns begin:
//
//	for !flag.Load() { ... }
//	for gopor_l := gopor_.Turns(17); !flag.Load(); gopor_l.Turn(17) { ... }
//
// The number tells the loops of a function apart. The variables that the loop assigns to, and a turn does
// not declare, are arguments as well, so that what a turn begins with is all there:
//
//	for gopor_l := gopor_.Turns(17, done); !done; gopor_l.Turn(17, done) { mu.Lock(); done = ready; mu.Unlock() }
//
// What a loop has of its own before the first turn comes before it, see [rewriting.takeOut].
//
// It is done where that is so for certain, or the turn says when it is not: see awaitLoop. A loop without any look is none that
// awaits something. To wait for a tick is to look.
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
	labelled := make(map[ast.Stmt]bool)
	ast.Inspect(r.AST, func(n ast.Node) bool {
		switch s := n.(type) {
		case *ast.LabeledStmt:
			labelled[s.Stmt] = true
		case *ast.ForStmt:
			if s.Post != nil || s.Init != nil && (labelled[s] || !r.takesOut(s.Init)) {
				break
			}
			if args, awaits := r.awaits(s); awaits {
				r.rewriteAwait(s, args)
			}
		}
		return true
	})
}

// rewriteAwait lets a loop say where its turns begin.
func (r *rewriting) rewriteAwait(s *ast.ForStmt, args string) {
	from, to, end := s.For+token.Pos(len("for")), s.Body.Lbrace, ""
	begin := " " + native + "l := " + native + ".Turns(" + args + "); "
	if s.Init != nil {
		r.Replace(s.For, s.Init.Pos(), "{ "+r.lines(s.For, s.Init.Pos()))
		from, begin, end = s.Init.End(), "; for"+begin, " }"
	}
	turn := "; " + native + "l.Turn(" + args + ") "
	if s.Cond == nil {
		r.Replace(from, to, begin+turn+r.lines(from, to))
	} else {
		r.Replace(from, s.Cond.Pos(), begin+r.lines(from, s.Cond.Pos()))
		r.Replace(s.Cond.End(), to, turn+r.lines(s.Cond.End(), to))
	}
	r.Wrap(s, "", end)
}

// takesOut reports whether a loop may have the statement before it, in a block, with which it begins:
//
//	for n := 0; n < 2; { ... }
//	{ n := 0; for gopor_l := gopor_.Turns(17, n); n < 2; gopor_l.Turn(17, n) { ... } }
//
// That its variables are others in every turn must be seen by nobody.
func (r *rewriting) takesOut(init ast.Stmt) bool {
	s, ok := init.(*ast.AssignStmt)
	if !ok {
		return false
	}
	for _, x := range s.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok {
			return false
		}
		if v := r.Info.Defs[id]; v != nil && (!isBasic(v.Type()) || r.isShared(v)) {
			return false
		}
	}
	return true
}

func isBasic(t types.Type) bool {
	_, basic := core(t).(*types.Basic)
	return basic
}

// awaits reports whether a loop is one of these, and returns the arguments of its turns.
func (r *rewriting) awaits(loop ast.Stmt) (args string, is bool) {
	a := &awaitLoop{rewriting: r, loop: loop}
	if !a.inspect() {
		return "", false
	}
	args = fmt.Sprint(r.offset(loop.Pos()) + 1)
	for _, v := range a.vars {
		args += ", " + v.Name()
	}
	for _, pos := range a.acts {
		r.acting[pos] = true
	}
	r.rewriteTurnTimers(a.made)
	return args, true
}

// rewriteActs lets turns say that they do more than look, where [awaitLoop] has it: at the beginning of a list of
// statements, or after one of them.
func rewriteActs(r *rewriting) {
	for pos := range r.acting {
		if pos < r.AST.FileStart || pos >= r.AST.FileEnd {
			continue
		}
		text := " " + native + ".Acts();"
		if r.Src[r.offset(pos)] == '}' {
			text = "; " + native + ".Acts()"
		}
		r.add(after, pos, pos+1, literal(text))
	}
}

// isShared reports whether a function literal uses v which does not declare it, or its address is taken.
func (r *rewriting) isShared(v types.Object) bool {
	if r.sharing == nil {
		r.sharing = r.shared()
	}
	return r.sharing[v]
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
