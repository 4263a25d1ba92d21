// Package label keeps labels right where the rewriter puts statements into another statement.
package label

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gopor/gopor/instrument/edit"
)

// Labels has the jumps to every label of a file. A statement that gets another one around it has to
// share its label: goto leads to the outer statement.
type Labels struct {
	file   *edit.File
	info   *types.Info
	prefix string // of the names of new labels
	of     map[ast.Stmt]*ast.LabeledStmt
	uses   map[types.Object][]*ast.BranchStmt
}

// Find returns the labels of a file. The names of new ones begin with a prefix.
func Find(file *edit.File, info *types.Info, prefix string) *Labels {
	l := &Labels{file, info, prefix, make(map[ast.Stmt]*ast.LabeledStmt), make(map[types.Object][]*ast.BranchStmt)}
	ast.Inspect(file.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			l.of[n.Stmt] = n
		case *ast.BranchStmt:
			if n.Label != nil {
				to := info.Uses[n.Label]
				l.uses[to] = append(l.uses[to], n)
			}
		}
		return true
	})
	return l
}

// jumps returns the jumps of the given kinds to a label.
func (l *Labels) jumps(to *ast.LabeledStmt, kinds ...token.Token) (list []*ast.BranchStmt) {
	for _, b := range l.uses[l.info.Defs[to.Label]] {
		for _, k := range kinds {
			if b.Tok == k {
				list = append(list, b)
			}
		}
	}
	return list
}

// fresh returns a name for a new label. The offset makes it unique in the file.
func (l *Labels) fresh(s ast.Stmt) string { return l.prefix + strconv.Itoa(l.file.Offset(s.Pos())) }

// redirect makes jumps lead to another label.
func (l *Labels) redirect(list []*ast.BranchStmt, to string) {
	for _, b := range list {
		l.file.Replace(b.Label.Pos(), b.Label.End(), to)
	}
}

// drop removes a label that is not used any more.
func (l *Labels) drop(s *ast.LabeledStmt) {
	l.file.Replace(s.Pos(), s.Colon+1, l.file.Lines(s.Pos(), s.Colon+1))
}

// Select returns the label that s needs inside of a block: the target of break.
func (l *Labels) Select(s *ast.SelectStmt) string {
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

// Loop returns the labels of a loop with s as its body, and of s inside of it. A break in s
// has to leave both, and continue goes on with s.
func (l *Labels) Loop(s *ast.RangeStmt) (outer, inner string) {
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
		l.file.Wrap(b, "", " "+name)
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
