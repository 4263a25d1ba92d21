package instrument

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/gopor/gopor/internal/known"
)

// This file announces the accesses that the runtime makes for package reflect, which the
// runtime itself announces only in its race mode. So the accesses of maps by fmt, encoding/json
// and the like are seen.

// reflectUse returns which argument is a map, in a call by package reflect of a function of the
// runtime, and what the function does to it. A map counts as one variable.
func reflectUse(name string) (argument int, does string, ok bool) {
	if args, is := known.Of("reflect", "reflect."+name); is {
		_, err := fmt.Sscan(args, &argument, &does)
		ok = err == nil
	}
	return argument, does, ok
}

// announceReflect announces the effects of such calls, in package reflect and in its
// counterpart for package sort.
func announceReflect(r *rewriting) {
	if r.Path != "reflect" && r.Path != "internal/reflectlite" {
		return
	}
	ast.Inspect(r.AST, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		id, ok := c.Fun.(*ast.Ident)
		if !ok {
			return true
		}
		if fn, ok := r.Info.Uses[id].(*types.Func); !ok || fn.Signature().Recv() != nil {
			return true
		}
		switch argument, does, ok := reflectUse(id.Name); {
		case ok:
			r.Wrap(c.Args[argument], access+"."+does+"(", ", 1)")
		case id.Name == "mapIterStart":
			r.Wrap(c.Args[1], "(*maps.Map)("+access+".Loads(unsafe.Pointer(", "), 1))")
		case id.Name == "typedmemmove":
			size := r.sizeBy(c.Args[0])
			r.Wrap(c.Args[1], access+".Stores(", size)
			r.Wrap(c.Args[2], access+".Loads(", size)
		case id.Name == "typedmemclr":
			r.Wrap(c.Args[1], access+".Stores(", r.sizeBy(c.Args[0]))
		}
		return true
	})
}

// sizeBy returns the end of a call with the size of a type as its last argument.
func (r *rewriting) sizeBy(t ast.Expr) string {
	return ", (" + string(r.Src[r.Offset(t.Pos()):r.Offset(t.End())]) + ").Size())"
}
