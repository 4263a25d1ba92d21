package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// rewriteTwice gives code two texts, the rewritten one, and one as in the source:
//
//	if !gopor_.Off() { n := gopor_.Load(&s.n); ... } else { n := s.n; ... }
//
// So what runs outside of executions asks once whether anybody is controlled, and
// not once for every access: that is little beside a call, but not beside an
// addition. It is done to the largest parts that may be twice: the body of a
// function, any other list of statements, or a single statement. Where the body is
// one simple statement, it is
//
//	for gopor_.Off() { return s.n + s.m }; return gopor_.Load(&s.n) + gopor_.Load(&s.m)
//
// since the compiler takes it that a loop is entered, and leads there without a jump.
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
// because goroutines that are controlled may use it later. That is types, which
// would be different ones: what declares them is left alone, but not the
// statements around it. And it is function literals, which the body of a loop over
// a function is too. A small one is rewritten in both texts, and has two itself, if
// nobody can tell its name, in which literals are counted; statements with others
// are left alone, but not the bodies of the literals. All else that can be made is
// the same in both texts: a channel gets its shadow when an execution uses it, and
// functions that are called or started have two texts of their own.
//
// A function that asks is too large to be inlined. One that the compiler would else
// inline has a copy, see [calls], and texts as in the source call that: there, small
// functions cost what they did, and what is passed to them does not escape.
func rewriteTwice(r *rewriting) {
	t := &twice{rewriting: r, labels: r.labels(), done: make(map[ast.Stmt]bool)}
	for _, d := range r.AST.Decls {
		f, ok := d.(*ast.FuncDecl)
		switch {
		case !ok:
			ast.Inspect(d, t.visit)
		case f.Body != nil && !leftAlone(f):
			fn := r.Info.Defs[f.Name].(*types.Func)
			t.decl, t.quiet = f, !r.calls().noisy[fn]
			t.function(f.Type, f.Body)
			t.decl, t.quiet = nil, false
			if t.calls().copied[fn] {
				t.copy(f)
			}
		}
	}
	r.edits = append(r.edits, t.added...)
}

// twice finds what can have two texts.
type twice struct {
	*rewriting
	labels *labels
	decl   *ast.FuncDecl     // at hand
	quiet  bool              // nobody can tell the names of its literals
	exits  exits             // of the function or literal at hand
	done   map[ast.Stmt]bool // what has two texts
	added  []*edit
}

func (t *twice) function(ft *ast.FuncType, body *ast.BlockStmt) {
	outer := t.exits
	t.exits = exitsOf(ft, body)
	ast.Inspect(body, t.visit)
	t.exits = outer
}

func (t *twice) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		t.function(n.Type, n.Body)
		return false
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
	f := t.File
	from, to := f.offset(pos), f.offset(end)
	for _, s := range list {
		t.done[s] = true
		for _, lit := range literals(s) {
			t.function(lit.Type, lit.Body)
		}
	}
	around := func(c class, text func() string) {
		t.added = append(t.added, &edit{c, from, to, text, outermost})
	}
	leaves, simple := "", t.exits.simple(list)
	if last == t.exits.last && (simple || t.exits.defers > 0) {
		leaves = "; return"
	}
	if simple {
		pre, post := t.calls().cheaply(t.decl, t.exits.body)
		around(before, func() string {
			m := t.moving(pos)
			m.say("for %s.Off() { ", native)
			m.plain(from, to, t.pieces(list...))
			m.here = t.Fset.Position(end)
			m.say("%s }; ", leaves)
			m.at(pos)
			m.say("%s", pre)
			return m.String()
		})
		around(after, literal(post))
	} else {
		around(before, literal("if !"+native+".Off() { "))
		around(after, func() string {
			m := t.moving(end)
			m.say("%s } else { ", leaves)
			m.at(pos)
			m.plain(from, to, t.pieces(list...))
			m.say(" }")
			return m.String()
		})
	}
	return true
}

// copy adds a copy of a function that calls nobody but what is plain.
func (t *twice) copy(d *ast.FuncDecl) {
	from, to := t.offset(d.Pos()), t.offset(d.End())
	fn := t.Info.Defs[d.Name].(*types.Func)
	pieces, method := append(t.pieces(d.Body), t.before(d.Name, t.calls().prefix(fn))), t.calls().method(d)
	t.added = append(t.added, &edit{after, from, to, func() string {
		m := t.moving(d.End())
		m.say("; ")
		m.at(d.Pos())
		m.plain(from, to, pieces)
		if method != "" {
			m.say("; %s", method)
		}
		return m.String()
	}, outermost})
}

// worth reports whether statements ask more than once: they have two calls of
// package native, or a loop has one, or they call a function that was small.
func (t *twice) worth(list []ast.Stmt) bool {
	n := 0
	for _, s := range list {
		n += t.calls().asks(t.File, s)
	}
	loop := false
	for _, s := range list {
		ast.Inspect(s, func(s ast.Node) bool {
			switch s.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				loop = loop || n == 1 && t.calls().asks(t.File, s) > 0
			}
			return n == 1 && !loop
		})
	}
	return n > 1 || loop
}

// asks returns how often code asks, but for the function literals in it: how many
// calls of package native it has, and of functions that ask and have a plain form.
// A call of a copy counts twice, since it is worth more.
func (c *calls) asks(f *File, n ast.Node) int {
	asks := f.hooks(n)
	for _, lit := range literals(n) {
		asks -= f.hooks(lit)
	}
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			_, lit := n.(*ast.FuncLit)
			return !lit
		}
		if len(c.plainly(f, call)) > 0 {
			asks++
			if fn, _ := c.callee(call); c.hasCopy(fn) {
				asks++
			}
		}
		return true
	})
	return asks
}

// hooks returns how many calls of package native there are in a node.
func (f *File) hooks(n ast.Node) int {
	from, to := f.offset(n.Pos()), f.offset(n.End())
	return strings.Count(f.render(from, to, func(e *edit) bool { return e.from >= from && e.to <= to }), native+".")
}

// literals returns the outermost function literals in a node.
func literals(n ast.Node) (list []*ast.FuncLit) {
	ast.Inspect(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if ok {
			list = append(list, lit)
		}
		return !ok
	})
	return list
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
			case *ast.FuncLit:
				can = can && t.quiet && size(n.Body) <= inlineBudget
			case *ast.TypeSpec:
				can = false
			case *ast.DeferStmt:
				can = can && t.exits.doubled()
			case *ast.RangeStmt:
				can = can && !t.overFunc(n)
			}
			return can
		})
	}
	return can
}

// exits is what matters of a function in the way it is left.
type exits struct {
	body            *ast.BlockStmt
	last            ast.Stmt // behind which it returns without saying so
	defers, returns int
	loop            bool // a defer statement is in a loop
}

func exitsOf(t *ast.FuncType, body *ast.BlockStmt) exits {
	e := exits{body: body, returns: 1}
	for _, s := range body.List {
		e.count(s, false)
		if t.Results == nil {
			e.last = s
		}
	}
	return e
}

// simple reports whether statements are all that a function has, and so little that
// a branch counts.
func (e exits) simple(list []ast.Stmt) bool {
	if len(list) != 1 || len(e.body.List) != 1 || list[0] != e.body.List[0] {
		return false
	}
	switch list[0].(type) {
	case *ast.ReturnStmt, *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt, *ast.SendStmt:
		return len(literals(list[0])) == 0
	}
	return false
}

// count counts what a node has.
func (e *exits) count(n ast.Node, loop bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			e.defers++
			e.loop = e.loop || loop
		case *ast.ReturnStmt:
			e.returns++
		case *ast.ForStmt:
			if !loop {
				e.count(n.Body, true)
			}
			return loop
		case *ast.RangeStmt:
			if !loop {
				e.count(n.Body, true)
			}
			return loop
		}
		return true
	})
}

// cheap reports whether the compiler puts deferred calls at the exits of a
// function: there are no more than eight, none of them is in a loop, and there are
// no more than 15 copies of them.
func (e exits) cheap() bool { return !e.loop && e.defers <= 8 && e.defers*e.returns <= 15 }

// doubled reports whether defer statements cost no more if they are in the text
// twice.
func (e exits) doubled() bool {
	return !e.cheap() || exits{defers: 2 * e.defers, returns: 2 * e.returns}.cheap()
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
