package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gopor/gopor/instrument/edit"
)

// rewriteAwaits makes a loop that may await something announce its iterations:
//
//	for !flag.Load() { ... }
//	for gopor_l := gopor_.Turns(17); !flag.Load(); gopor_l.Turn(17) { ... }
//
// The number tells the loops of a function apart. The other arguments are the variables that
// the loop assigns to and an iteration does not declare. So the arguments are all that an
// iteration begins with:
//
//	for gopor_l := gopor_.Turns(17, done); !done; gopor_l.Turn(17, done) {
//		mu.Lock(); done = ready; mu.Unlock() }
//
// The init statement of a loop moves in front of it, see [rewriting.takeOut].
//
// A loop is rewritten if it certainly has no other effect, or announces it: see awaitLoop. A
// loop that does not look at anything does not await anything. Waiting for a tick is a look.
//
// A timer that an iteration makes, and that is not used after it, is made by [native.Timer]:
//
//	case <-time.After(d):
//	case <-gopor_.Timer(time.NewTimer, d, 42).C:
//
// That includes a timer in a variable of the iteration, if only its methods and the values of
// its channel are used.
//
// It is the first rewriter, since it puts text around a condition, and around the text of other
// rewriters there.
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

// rewriteAwait makes a loop announce its iterations.
func (r *rewriting) rewriteAwait(s *ast.ForStmt, args string) {
	from, to, end := s.For+token.Pos(len("for")), s.Body.Lbrace, ""
	begin := " " + native + "l := " + native + ".Turns(" + args + "); "
	if s.Init != nil {
		r.Replace(s.For, s.Init.Pos(), "{ "+r.Lines(s.For, s.Init.Pos()))
		from, begin, end = s.Init.End(), "; for"+begin, " }"
	}
	turn := "; " + native + "l.Turn(" + args + ") "
	if s.Cond == nil {
		r.Replace(from, to, begin+turn+r.Lines(from, to))
	} else {
		r.Replace(from, s.Cond.Pos(), begin+r.Lines(from, s.Cond.Pos()))
		r.Replace(s.Cond.End(), to, turn+r.Lines(s.Cond.End(), to))
	}
	r.Wrap(s, "", end)
}

// takesOut reports whether the init statement of a loop may move in front of it, into a block:
//
//	for n := 0; n < 2; { ... }
//	{ n := 0; for gopor_l := gopor_.Turns(17, n); n < 2; gopor_l.Turn(17, n) { ... } }
//
// The loop then has one set of variables in place of one per iteration. So no function literal
// and no pointer may use them.
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

// awaits reports whether a loop may await something, and returns the arguments for its
// iterations.
func (r *rewriting) awaits(loop ast.Stmt) (args string, is bool) {
	a := &awaitLoop{rewriting: r, loop: loop}
	if !a.inspect() {
		return "", false
	}
	args = fmt.Sprint(r.Offset(loop.Pos()) + 1)
	for _, v := range a.vars {
		args += ", " + v.Name()
	}
	r.announce(a.acts, a.asks)
	r.rewriteTurnTimers(a.made)
	return args, true
}

// announce has lasting effects announced at what [awaitLoop] has found.
func (r *rewriting) announce(acts []token.Pos, asks []ast.Expr) {
	for _, pos := range acts {
		r.acting[pos] = true
	}
	for _, x := range asks {
		r.asking[x] = true
	}
}

// rewriteActs inserts the announcements of lasting effects at the positions that [awaitLoop]
// has found: at the beginning of a list of statements, or after one of them. It inserts those of
// effects that methods of interfaces, and variables that are functions, may have, too.
func rewriteActs(r *rewriting) {
	for x := range r.asking {
		if x.Pos() < r.AST.FileStart || x.Pos() >= r.AST.FileEnd {
			continue
		}
		if sel, ok := x.(*ast.SelectorExpr); ok && r.Info.Selections[sel] != nil && r.Info.Selections[sel].Kind() == types.MethodVal {
			r.Wrap(sel.X, native+".Asked(", ", "+strconv.Quote(sel.Sel.Name)+")")
		} else {
			r.Wrap(x, native+".AskedFunc(", ")")
		}
	}
	for pos := range r.acting {
		if pos < r.AST.FileStart || pos >= r.AST.FileEnd {
			continue
		}
		text := " " + native + ".Acts();"
		if r.Src[r.Offset(pos)] == '}' {
			text = "; " + native + ".Acts()"
		}
		r.Add(edit.After, pos, pos+1, edit.Literal(text))
	}
}

// isShared reports whether the address of v is taken, or a function literal uses v that does
// not declare it.
func (r *rewriting) isShared(v types.Object) bool {
	if r.sharing == nil {
		r.sharing = r.shared()
	}
	return r.sharing[v]
}

// shared returns the variables of the file that are shared: see isShared.
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
