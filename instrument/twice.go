package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// rewriteTwice gives code two texts, one as in the source, and the rewritten one:
//
//	if gopor_.Off() { n := s.n; ... } else { n := gopor_.Load(&s.n); ... }
//
// So what runs outside of executions asks once whether anybody is controlled, and
// not once for every access: that is little beside a call, but not beside an
// addition. It is done to the largest parts that may be twice: the body of a
// function, any other list of statements, or a single statement.
//
// The answer stays right for as long as the text runs. If nobody is controlled,
// the calling goroutine is not, and it never will be: a goroutine is controlled
// from before its first function is called until after its last one has
// returned, and it is counted all that time. Executions that begin meanwhile are
// not concerned: what goroutines do that are not controlled is announced to
// nobody, and their channel operations are native. The rewritten text would do
// just the same, and only find out again and again.
//
// What outlives the text, or is called by others, must not be as in the source,
// because goroutines that are controlled may use it later. That is function
// literals, which the body of a loop over a function is too; and types, which
// would be different ones. What has these is left alone, but not the statements
// around them, nor the bodies of the literals. All else that can be made is the
// same in both texts: a channel gets its shadow when an execution uses it, and
// functions that are called or started have two texts of their own. Defer
// statements could be twice, but a function that has more than a few of them is
// slow.
//
// No function is inlined less than before: one that announces as much is too
// large for that already.
func rewriteTwice(r *rewriting) {
	t := &twice{rewriting: r, labels: r.labels(), done: make(map[ast.Stmt]bool)}
	for _, d := range r.AST.Decls {
		if f, ok := d.(*ast.FuncDecl); !ok || !leftAlone(f) {
			ast.Inspect(d, t.visit)
		}
	}
	r.edits = append(r.edits, t.added...)
}

// twice finds what can have two texts.
type twice struct {
	*rewriting
	labels *labels
	done   map[ast.Stmt]bool // what has two texts
	added  []*edit
}

func (t *twice) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		if len(n.List) > 0 && !isClause(n.List[0]) {
			t.list(n.List)
		}
	case *ast.CaseClause:
		t.list(n.Body)
	case *ast.CommClause:
		t.list(n.Body)
	case ast.Stmt:
		return !t.done[n]
	}
	return true
}

func isClause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// list gives two texts to a list of statements or, if that cannot be, to as many
// of them as can have them.
func (t *twice) list(list []ast.Stmt) {
	if len(list) == 0 || t.double(list) {
		return
	}
	for i, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				t.double(list[i : i+1])
			}
		case *ast.DeclStmt, *ast.BranchStmt, *ast.DeferStmt, *ast.GoStmt:
		default:
			t.double(list[i : i+1])
		}
	}
}

// double puts the text of statements, as it is in the source, before them, if that
// can be and is worth it. Labels get other names there.
func (t *twice) double(list []ast.Stmt) bool {
	first, last := list[0], list[len(list)-1]
	pos, end := first.Pos(), last.End()
	if !t.worth(list) || !t.possible(list) || !t.labels.closed(pos, end) {
		return false
	}
	at := *t.rewriting
	f := t.File
	from, to := f.offset(pos), f.offset(end)
	var labels []*ast.Ident
	for _, s := range list {
		t.done[s] = true
		labels = append(labels, labelsIn(s)...)
	}
	around := func(c class, text func() string) {
		t.added = append(t.added, &edit{c, from, to, text, outermost})
	}
	around(before, func() string {
		m := at.moving(pos)
		m.say("if %s.Off() { ", native)
		m.raw(from, to, labels)
		m.here = at.Fset.Position(end)
		m.say(" } else { ")
		m.at(pos)
		return m.String()
	})
	around(after, literal(" }"))
	f.doubled = append(f.doubled, part{from, to})
	return true
}

// worth reports whether statements ask more than once: they have two calls of
// package native, or a loop has one.
func (t *twice) worth(list []ast.Stmt) bool {
	n := 0
	for _, s := range list {
		n += t.calls(s)
	}
	loop := false
	for _, s := range list {
		ast.Inspect(s, func(s ast.Node) bool {
			switch s.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				loop = loop || n == 1 && t.calls(s) > 0
			}
			return n == 1 && !loop
		})
	}
	return n > 1 || loop
}

// calls returns how many calls of package native a node has.
func (t *twice) calls(n ast.Node) int {
	from, to := t.offset(n.Pos()), t.offset(n.End())
	return strings.Count(t.render(from, to, func(e *edit) bool { return e.from >= from && e.to <= to }), native+".")
}

// possible reports whether statements may be in the text twice: they have nothing
// that could tell, or that others could come by.
func (t *twice) possible(list []ast.Stmt) bool {
	can := true
	for _, s := range list {
		if b, ok := s.(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			return false // it has to be the last of its clause
		}
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && t.sets(a, list[0].Pos()) {
			return false
		}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit, *ast.TypeSpec, *ast.DeferStmt:
				can = false
			case *ast.RangeStmt:
				_, overFunc := core(t.Info.TypeOf(n.X)).(*types.Signature)
				can = can && !overFunc
			}
			return can
		})
	}
	return can
}

// sets reports whether a declaration sets a variable that was declared before a
// position: a parameter, most often. In a block of its own it would declare a new
// one.
func (t *twice) sets(a *ast.AssignStmt, before token.Pos) bool {
	return slices.ContainsFunc(a.Lhs, func(l ast.Expr) bool {
		v, ok := t.Info.Uses[l.(*ast.Ident)]
		return ok && v.Pos() < before
	})
}

// part is a part of a file that is in the text twice.
type part struct{ from, to int }

// hasTwice reports whether a part of a node is in the text twice. Then the text
// has line directives, and more lines than the node.
func (f *File) hasTwice(n ast.Node) bool {
	return slices.ContainsFunc(f.doubled, func(p part) bool {
		return p.from >= f.offset(n.Pos()) && p.to <= f.offset(n.End())
	})
}

// raw adds text as it is in the source, but for names of labels, which are in
// order.
func (m *moved) raw(from, to int, labels []*ast.Ident) {
	for _, id := range labels {
		at := m.f.offset(id.Pos())
		m.Write(m.f.Src[from:at])
		m.say("%s_", native)
		from = at
	}
	m.Write(m.f.Src[from:to])
}

// closed reports whether no jump to a label leads into a part of the file or out
// of it.
func (l *labels) closed(from, to token.Pos) bool {
	for label, jumps := range l.uses {
		in := label.Pos() >= from && label.Pos() < to
		for _, b := range jumps {
			if in != (b.Pos() >= from && b.Pos() < to) {
				return false
			}
		}
	}
	return true
}

// labelsIn returns the names of labels in a statement, where they are declared and
// where they are used, in order.
func labelsIn(s ast.Stmt) (names []*ast.Ident) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			names = append(names, n.Label)
		case *ast.BranchStmt:
			if n.Label != nil {
				names = append(names, n.Label)
			}
		}
		return true
	})
	return names
}
