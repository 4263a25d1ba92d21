package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/instrument/fact"
)

// rewriteTurnFacts makes a package tell those that import it which of its functions an iteration
// may call: see awaitLoop. They are in a constant, which is in the export data of the package:
//
//	const GoporTurns_1f = "+Cache.Len Cache.Name"
//
// These have no lasting effect, or announce it, and Len looks at what other goroutines may
// change. So the build cache keeps the facts, and a package is analysed once. What an interface
// or a variable holds is known when it is called: Asked and AskedFunc of package native look for it
// in the facts.
//
// docs/design/effects.md says why this does not go by go/ssa.
func rewriteTurnFacts(r *rewriting) {
	if r.File != r.Files[0] || len(r.AST.Decls) == 0 || build.IsControlled(r.Path) {
		return
	}
	var facts []string
	local := r.localTypes()
	functions := slices.SortedFunc(maps.Keys(r.bodies()), func(f, g *types.Func) int { return int(f.Pos()) - int(g.Pos()) })
	for _, f := range functions {
		if !f.Exported() || strings.HasPrefix(f.Name(), "Test") || strings.HasPrefix(f.Name(), "Benchmark") {
			continue
		}
		in := &awaitLoop{rewriting: r, visits: make(map[*ast.FuncLit]bool), turnTimers: newTurnTimers()}
		known := in.turnCall(f)
		if name := fact.Of(f); name != "" && known.only && !local[fact.Receiver(name)] && r.announces(known) {
			facts = append(facts, known.sign()+name)
		}
	}
	if len(facts) > 0 {
		slices.Sort(facts)
		name := fact.Constant(r.Path)
		text := "; const " + name + " = " + strconv.Quote(strings.Join(facts, " "))
		text += "; func init() { " + r.native() + ".TurnFacts(" + strconv.Quote(r.Path) + ", " + name + ") }"
		r.Wrap(r.AST.Decls[len(r.AST.Decls)-1], "", text)
	}
}

// rewriteLooking tells package native which function literals an iteration may call:
//
//	eventually(func() bool { return n.Load() == 3 })
//	eventually(gopor_.Looking(func() bool { return n.Load() == 3 }))
//
// These have no lasting effect, or announce it, and look at what other goroutines may change.
func rewriteLooking(r *rewriting) {
	called := make(map[ast.Expr]bool)
	ast.Inspect(r.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
		case *ast.FuncLit:
			if called[n] {
				return true
			}
			in := &awaitLoop{rewriting: r, lit: n, visits: make(map[*ast.FuncLit]bool), turnTimers: newTurnTimers()}
			if known := in.function(n.Body); known.only && known.looks && r.announces(known) {
				r.Wrap(n, r.native()+".Looking(", ")")
			}
		}
		return true
	})
}

// localTypes returns the names of types that functions declare. At run time such a type cannot be
// told from one of the package with that name, and it may have other methods.
func (r *rewriting) localTypes() map[string]bool {
	local := make(map[string]bool)
	for id, obj := range r.Info.Defs {
		if t, ok := obj.(*types.TypeName); ok && t.Parent() != r.Types.Scope() {
			local[id.Name] = true
		}
	}
	return local
}

// sign is what the facts have before the name of a function.
func (c *turnCall) sign() string {
	if c.looks {
		return "+"
	}
	return ""
}

// announces reports whether a function announces all its effects from now on, whatever calls it. It
// has to look, since then what it does costs more than that, and no loop may repeat it.
func (r *rewriting) announces(c *turnCall) bool {
	if len(c.acts) == 0 && len(c.asks) == 0 {
		return true
	}
	repeats := func(x ast.Expr) bool { return r.isRepeated(x.Pos()) }
	if !c.looks || slices.ContainsFunc(c.acts, r.isRepeated) || slices.ContainsFunc(c.asks, repeats) {
		return false
	}
	r.announce(c.acts, c.asks)
	return true
}

// isRepeated reports whether a position is in a loop.
func (r *rewriting) isRepeated(pos token.Pos) bool {
	if r.loops == nil {
		r.loops = make([]ast.Node, 0)
		for _, f := range r.Files {
			ast.Inspect(f.AST, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.ForStmt, *ast.RangeStmt:
					r.loops = append(r.loops, n)
				}
				return true
			})
		}
	}
	return slices.ContainsFunc(r.loops, func(n ast.Node) bool { return n.Pos() <= pos && pos < n.End() })
}

// imported returns what is known of a function of another package.
func (r *rewriting) imported(f *types.Func) *turnCall {
	pkg := f.Pkg()
	if pkg == nil {
		return new(turnCall)
	}
	known, ok := r.imports[pkg]
	if !ok {
		known = fact.Read(pkg)
		if r.imports == nil {
			r.imports = make(map[*types.Package]map[string]bool)
		}
		r.imports[pkg] = known
	}
	looks, is := known[fact.Of(f)]
	return &turnCall{only: is || fact.Computes(f), looks: looks}
}
