package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// labels has the jumps to every label. A statement that gets another one around it has to share
// its label: goto leads to the outer statement.
type labels struct {
	*rewriting
	of   map[ast.Stmt]*ast.LabeledStmt
	uses map[types.Object][]*ast.BranchStmt
}

func (r *rewriting) labels() *labels {
	l := &labels{r, make(map[ast.Stmt]*ast.LabeledStmt), make(map[types.Object][]*ast.BranchStmt)}
	ast.Inspect(r.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			l.of[n.Stmt] = n
		case *ast.BranchStmt:
			if n.Label != nil {
				to := r.Info.Uses[n.Label]
				l.uses[to] = append(l.uses[to], n)
			}
		}
		return true
	})
	return l
}

// jumps returns the jumps of the given kinds to a label.
func (l *labels) jumps(to *ast.LabeledStmt, kinds ...token.Token) (list []*ast.BranchStmt) {
	for _, b := range l.uses[l.Info.Defs[to.Label]] {
		for _, k := range kinds {
			if b.Tok == k {
				list = append(list, b)
			}
		}
	}
	return list
}

// fresh returns a name for a new label. The offset makes it unique in the file.
func (l *labels) fresh(s ast.Stmt) string { return native + "L" + strconv.Itoa(l.Offset(s.Pos())) }

// redirect makes jumps lead to another label.
func (l *labels) redirect(list []*ast.BranchStmt, to string) {
	for _, b := range list {
		l.Replace(b.Label.Pos(), b.Label.End(), to)
	}
}

// drop removes a label that is not used any more.
func (l *labels) drop(s *ast.LabeledStmt) {
	l.Replace(s.Pos(), s.Colon+1, l.lines(s.Pos(), s.Colon+1))
}

// selects returns the label that s needs inside of a block: the target of break.
func (l *labels) selects(s *ast.SelectStmt) string {
	label := l.of[s]
	if label == nil {
		return ""
	}
	breaks := l.jumps(label, token.BREAK)
	if len(breaks) == 0 {
		return ""
	}
	if len(l.jumps(label, token.GOTO)) == 0 {
		l.drop(label)
		return label.Label.Name + ": "
	}
	name := l.fresh(s)
	l.redirect(breaks, name)
	return name + ": "
}

// loops returns the labels of a loop with s as its body, and of s inside of it. A break in s
// has to leave both, and continue goes on with s.
func (l *labels) loops(s *ast.RangeStmt) (outer, inner string) {
	breaks := unlabelled(token.BREAK, s.Body)
	label := l.of[s]
	name := ""
	if label != nil {
		name = label.Label.Name
		if again := l.jumps(label, token.CONTINUE); len(again) > 0 {
			inner = l.fresh(s)
			l.redirect(again, inner)
			inner += ": "
			if len(breaks) == 0 && len(l.jumps(label, token.BREAK, token.GOTO)) == 0 {
				l.drop(label)
			}
		}
	} else if len(breaks) > 0 {
		name = l.fresh(s)
		outer = name + ": "
	}
	for _, b := range breaks {
		l.Wrap(b, "", " "+name)
	}
	return outer, inner
}

// unlabelled returns the break or continue statements without a label that belong to the loop
// with a body.
func unlabelled(tok token.Token, body *ast.BlockStmt) (list []*ast.BranchStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			return false
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			return tok != token.BREAK
		case *ast.BranchStmt:
			if n.Tok == tok && n.Label == nil {
				list = append(list, n)
			}
		}
		return true
	})
	return list
}
