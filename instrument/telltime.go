package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"

	"github.com/gopor/gopor/instrument/divert"
	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/internal/known"
)

// tellTime makes a package of the standard library that is not part of the program ask for the
// time of the execution. It replaces time.Now by
//
//	func() time.Time {
//		if s, n, ok := gopor_live.Time(true); ok { return time.Unix(s, n) }; return time.Now() }
func tellTime(r *rewriting) {
	args, ok := known.Of("time", r.Path)
	if !ok {
		return
	}
	found := false
	ast.Inspect(r.AST, func(n ast.Node) bool {
		x, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if f, ok := r.Info.Uses[x.Sel].(*types.Func); ok && f.FullName() == "time.Now" {
			r.Replace(x.Pos(), x.End(), fmt.Sprintf(
				"func() %[1]s.Time { if s, n, ok := gopor_live.Time(%[2]t); ok { return %[1]s.Unix(s, n) }; return %[1]s.Now() }", r.Source(x.X), args == "looks"))
			found = true
		}
		return true
	})
	if found {
		r.importLive()
	}
}

// importLive makes the file import package live.
func (r *rewriting) importLive() {
	if r.live {
		return
	}
	r.live = true
	r.Add(edit.After, r.AST.Name.Pos(), r.AST.Name.End(), edit.Literal("; import gopor_live "+strconv.Quote(divert.Live)))
}
