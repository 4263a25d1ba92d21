package instrument

import (
	"go/ast"
	"go/types"
)

// This file announces what package reflect has the runtime do, in the place of the runtime:
// it announces that in its own race mode only. So what is done to maps by fmt, encoding/json
// and the like is seen.

// reflectUses has the functions of the runtime's that package reflect calls, and what they do
// to the maps that are their arguments. A map counts as one variable.
var reflectUses = map[string]struct {
	argument int
	does     string
}{
	"maplen":            {0, "Loads"},
	"mapaccess":         {1, "Loads"},
	"mapaccess_faststr": {1, "Loads"},
	"mapassign":         {1, "StoresMap"},
	"mapassign_faststr": {1, "StoresMap"},
	"mapdelete":         {1, "Stores"},
	"mapdelete_faststr": {1, "Stores"},
	"mapclear":          {1, "Stores"},
}

// announceReflect announces what the calls of these functions do, in package reflect and in
// that which package sort has in its place.
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
		switch use, ok := reflectUses[id.Name]; {
		case ok:
			r.Wrap(c.Args[use.argument], access+"."+use.does+"(", ", 1)")
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

// sizeBy returns the end of a call that is told the size of a type.
func (r *rewriting) sizeBy(t ast.Expr) string {
	return ", (" + string(r.Src[r.offset(t.Pos()):r.offset(t.End())]) + ").Size())"
}
