package instrument

import (
	"cmp"
	"go/ast"
	"slices"
)

// piece is a part of a text that is not as in the source.
type piece struct {
	from, to int
	text     string
}

// plain adds text as it is in the source, but for some pieces.
func (m *moved) plain(from, to int, pieces []piece) {
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	for _, p := range pieces {
		m.Write(m.f.Src[from:p.from])
		m.WriteString(p.text)
		from = p.to
	}
	m.Write(m.f.Src[from:to])
}

// pieces returns what is not as in the source in a text that runs where nobody is
// controlled: labels have names of their own, calls go to functions that do not ask,
// and function literals are rewritten, since they may be called later.
func (t *twice) pieces(nodes ...ast.Stmt) (list []piece) {
	insert := func(id *ast.Ident, prefix string) {
		at := t.offset(id.Pos())
		list = append(list, piece{at, at, prefix})
	}
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.LabeledStmt:
				insert(n.Label, native+"_")
			case *ast.BranchStmt:
				if n.Label != nil {
					insert(n.Label, native+"_")
				}
				return false
			case *ast.CallExpr:
				if fn, id := t.callee(n); fn != nil {
					insert(id, t.calls().plainName(fn))
				}
			case *ast.FuncLit:
				list = append(list, piece{t.offset(n.Pos()), t.offset(n.End()), t.Inner(n)})
				return false
			}
			return true
		})
	}
	return list
}
