package instrument

import (
	"go/ast"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/instrument/label"
)

// rewriteSelects evaluates the operands of a select statement before the statement, so that
// under control package native can decide which case is taken:
//
//	select {
//	case v, ok := <-a:
//	case b <- f():
//	}
//
// becomes
//
//	{ gopor_0 := a; gopor_1 := b; gopor_2 := gopor_.To(gopor_1).Elem(f())
//	  if gopor_.On() { gopor_3, gopor_4 := gopor_.From(gopor_0), gopor_.Into(gopor_1, gopor_2)
//	                   gopor_.Select(gopor_3, gopor_4)
//	                   gopor_0, gopor_1 = gopor_3.Chan(), gopor_4.Chan() }
//	select {
//	case v, ok := <-gopor_0:
//	case gopor_1 <- gopor_2:
//	} }
func rewriteSelects(r *rewriting) {
	l := label.Find(&r.File.File, r.Info, native+"L")
	ast.Inspect(r.AST, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectStmt); ok {
			x := &selectStmt{rewriting: r, SelectStmt: s, label: l.Select(s)}
			x.rewrite()
		}
		return true
	})
}

// selectStmt is a select statement that gets a block of its own.
type selectStmt struct {
	*rewriting
	*ast.SelectStmt
	*moved
	label    string   // goes between the block and the statement
	channels []string // names of variables
	values   []string // names of variables, "" for a receive
	operands []ast.Expr
	drops    []bool // per case, whether the received value is dropped
	n        int    // the number of variables so far
	def      bool
}

func (x *selectStmt) rewrite() {
	x.def = false
	for _, s := range x.Body.List {
		s := s.(*ast.CommClause).Comm
		switch comm := communicates(s).(type) {
		case nil:
			x.def = true
		case *ast.SendStmt:
			ch := x.operand(comm.Chan)
			x.channels, x.values = append(x.channels, ch), append(x.values, x.operand(comm.Value))
			x.drops = append(x.drops, false)
		case *ast.UnaryExpr:
			x.channels, x.values = append(x.channels, x.operand(comm.X)), append(x.values, "")
			_, drops := s.(*ast.ExprStmt)
			x.drops = append(x.drops, drops && x.tells(comm.X))
		}
	}
	f := x.File
	x.Before(x.SelectStmt, func() string {
		at := *x.rewriting
		at.File = f
		x.moved = at.moving(x.Select)
		x.prelude()
		return x.String()
	})
	x.After(x.SelectStmt, edit.Literal(" }"))
}

// operand replaces an operand by a variable.
func (x *selectStmt) operand(e ast.Expr) string {
	x.operands = append(x.operands, e)
	name := x.variable()
	x.Replace(e.Pos(), e.End(), x.Lines(e.Pos(), e.End())+name)
	return name
}

func (x *selectStmt) variable() string {
	x.n++
	return native + strconv.Itoa(x.n-1)
}

// prelude writes the text before the statement.
func (x *selectStmt) prelude() {
	x.say("{ ")
	operands := x.operands
	next := func() ast.Expr {
		e := operands[0]
		operands = operands[1:]
		return e
	}
	var cases, calls, chans []string
	for i, ch := range x.channels {
		x.say("%s := ", ch)
		x.put(next())
		x.say("; ")
		call := native + ".From(" + ch + ")"
		if x.drops[i] {
			call = native + ".Dropping(" + ch + ")"
		}
		if v := x.values[i]; v != "" {
			x.say("%s := %s.To(%s).Elem(", v, native, ch)
			x.put(next())
			x.say("); ")
			call = native + ".Into(" + ch + ", " + v + ")"
		}
		c := x.variable()
		cases, calls, chans = append(cases, c), append(calls, call), append(chans, c+".Chan()")
	}
	x.at(x.Select)
	list := func(s []string) string { return strings.Join(s, ", ") }
	name := "Select"
	if x.def {
		name = "Poll"
	}
	switch {
	case len(cases) > 0:
		x.say("if %s.On() { %s := %s; ", native, list(cases), list(calls))
		x.say("%s.%s(%s); %s = %s }; ", native, name, list(cases), list(x.channels), list(chans))
	case !x.def:
		x.say("if %s.On() { %s.%s() }; ", native, native, name)
	}
	x.say("%s", x.label)
}
