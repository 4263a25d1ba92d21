package expr

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
)

// of returns the type of an expression.
func (p *Package) of(x ast.Expr) typ {
	if p.steps++; p.steps > longest {
		return typ{}
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return p.of(x.X)
	case *ast.Ident:
		o := p.lookup(x)
		if c := p.clause(o, x.Pos()); c != nil && len(c.List) == 1 && String(c.List[0]) != "nil" {
			return typ{x: c.List[0]}
		}
		return p.ofObject(o)
	case *ast.BasicLit:
		return constant(literals[x.Kind])
	case *ast.FuncLit:
		return typ{x: x.Type}
	case *ast.CompositeLit:
		return typ{x: x.Type}
	case *ast.TypeAssertExpr:
		if x.Type == nil { // a type switch, in a clause of several types
			return p.of(x.X)
		}
		return typ{x: x.Type}
	case *ast.SelectorExpr:
		return p.member(p.of(x.X), x.Sel.Name)
	case *ast.IndexExpr:
		return p.indexed(p.of(x.X), x.Index)
	case *ast.IndexListExpr:
		return p.indexed(p.of(x.X), x.Indices...)
	case *ast.SliceExpr:
		return p.sliced(p.of(x.X))
	case *ast.StarExpr:
		return p.pointee(p.of(x.X))
	case *ast.UnaryExpr:
		return p.ofUnary(x)
	case *ast.BinaryExpr:
		return p.ofBinary(x)
	case *ast.CallExpr:
		return p.result(x, 0)
	}
	return typ{}
}

// literals has the types of literals.
var literals = map[token.Token]string{token.INT: "int", token.FLOAT: "float64", token.IMAG: "complex128", token.CHAR: "rune", token.STRING: "string"}

func (p *Package) ofUnary(x *ast.UnaryExpr) typ {
	t := p.of(x.X)
	switch x.Op {
	case token.AND:
		return t.pointer()
	case token.ARROW:
		u := p.underlying(t)
		if c, ok := u.x.(*ast.ChanType); ok {
			return u.with(c.Value)
		}
		return typ{}
	}
	return t
}

func (p *Package) ofBinary(x *ast.BinaryExpr) typ {
	switch x.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant("bool")
	case token.SHL, token.SHR:
		return p.of(x.X)
	}
	return both(p.of(x.X), p.of(x.Y))
}

// both returns the type of the operation on two operands.
func both(a, b typ) typ {
	switch {
	case a.x != nil && !a.untyped:
		return a
	case b.x != nil && !b.untyped:
		return b
	case a.x == nil || b.x == nil:
		return typ{}
	}
	// Other untyped constants combine with those of their own kind only.
	order := []string{"int", "rune", "float64", "complex128"}
	if slices.Index(order, String(a.x)) < slices.Index(order, String(b.x)) {
		return b
	}
	return a
}

// ofObject returns the type of an object. It is unknown if the object is a type.
func (p *Package) ofObject(o *ast.Object) typ {
	switch {
	case o == nil || o.Kind == ast.Typ:
		return typ{}
	case o == universe["true"] || o == universe["false"]:
		return constant("bool")
	case o == universe["iota"]:
		return constant("int")
	}
	var t typ
	switch d := o.Decl.(type) {
	case *ast.Field:
		return typ{x: d.Type}
	case *ast.FuncDecl:
		return typ{x: d.Type}
	case *ast.AssignStmt:
		i := slices.IndexFunc(d.Lhs, func(x ast.Expr) bool { id, ok := x.(*ast.Ident); return ok && id.Obj == o })
		if r, ok := d.Rhs[0].(*ast.UnaryExpr); ok && r.Op == token.RANGE {
			t = p.ranged(p.of(r.X), i)
		} else {
			t = p.assigned(d.Rhs, i, len(d.Lhs))
		}
	case *ast.ValueSpec:
		from := d
		if p.repeated[d] != nil {
			from = p.repeated[d]
		}
		if from.Type != nil {
			return typ{x: from.Type}
		}
		t = p.assigned(from.Values, slices.IndexFunc(d.Names, func(id *ast.Ident) bool { return id.Obj == o }), len(d.Names))
	}
	t.untyped = t.untyped && o.Kind == ast.Con
	return t
}

// clause returns the clause of a type switch that contains a position, where o is the variable
// of the switch. It is nil if there is none.
func (p *Package) clause(o *ast.Object, at token.Pos) *ast.CaseClause {
	if o == nil {
		return nil
	}
	a, _ := o.Decl.(*ast.AssignStmt)
	if s := p.switches[a]; s != nil {
		for _, c := range s.Body.List {
			if c.Pos() <= at && at < c.End() {
				return c.(*ast.CaseClause)
			}
		}
	}
	return nil
}

// assigned returns the type of the value that is assigned to the i-th of n variables.
func (p *Package) assigned(values []ast.Expr, i, n int) typ {
	switch {
	case i < 0:
		return typ{}
	case len(values) == n:
		return p.of(values[i])
	case len(values) != 1:
		return typ{}
	}
	x := ast.Unparen(values[0])
	if call, ok := x.(*ast.CallExpr); ok {
		return p.result(call, i)
	}
	if i == 1 { // the second result of a map index, type assertion or receive
		return named("bool")
	}
	return p.of(x)
}

// ranged returns the type of the first or second variable of a range loop over a value of type
// t.
func (p *Package) ranged(t typ, i int) typ {
	u := p.underlying(t)
	if x, ok := u.x.(*ast.StarExpr); ok {
		u = p.underlying(u.with(x.X))
	}
	switch x := u.x.(type) {
	case *ast.ArrayType:
		if i == 1 {
			return u.with(x.Elt)
		}
		return named("int")
	case *ast.MapType:
		if i == 1 {
			return u.with(x.Value)
		}
		return u.with(x.Key)
	case *ast.ChanType:
		return u.with(x.Value)
	case *ast.FuncType:
		yield := p.underlying(u.with(nth(x.Params, 0)))
		if f, ok := yield.x.(*ast.FuncType); ok {
			return yield.with(nth(f.Params, i))
		}
	case *ast.Ident:
		switch {
		case x.Name != "string":
			return t
		case i == 1:
			return named("rune")
		}
		return named("int")
	}
	return typ{}
}

// indexed returns the type of an element of a value of type t, or the type of an instance of a
// generic function.
func (p *Package) indexed(t typ, by ...ast.Expr) typ {
	u := p.underlying(t)
	switch x := u.x.(type) {
	case *ast.StarExpr:
		if a := p.underlying(u.with(x.X)); a.x != nil {
			if _, ok := a.x.(*ast.ArrayType); ok {
				return p.indexed(a)
			}
		}
	case *ast.ArrayType:
		return u.with(x.Elt)
	case *ast.MapType:
		return u.with(x.Value)
	case *ast.FuncType:
		return typ{x: x, args: u.bind(names(x.TypeParams), by)}
	case *ast.Ident:
		if x.Name == "string" {
			return named("byte")
		}
	}
	return typ{}
}

// sliced returns the type of a slice expression on a value of type t.
func (p *Package) sliced(t typ) typ {
	u := p.underlying(t)
	if x, ok := u.x.(*ast.StarExpr); ok {
		u = p.underlying(u.with(x.X))
	}
	if x, ok := u.x.(*ast.ArrayType); ok && x.Len != nil {
		return u.with(&ast.ArrayType{Elt: x.Elt})
	}
	t.untyped = false
	return t
}

// result returns the type of the i-th result of a call.
func (p *Package) result(call *ast.CallExpr, i int) typ {
	fun := ast.Unparen(call.Fun)
	if p.isType(fun) {
		return typ{x: fun}
	}
	if id, ok := fun.(*ast.Ident); ok {
		if o := p.lookup(id); o != nil && o == universe[o.Name] {
			return p.builtin(o.Name, call.Args)
		}
	}
	u := p.underlying(p.of(fun))
	f, ok := u.x.(*ast.FuncType)
	if !ok {
		return typ{}
	}
	args := make(map[string]typ) // inferred type arguments are unknown
	for _, id := range names(f.TypeParams) {
		args[id.Name] = typ{}
	}
	maps.Copy(args, u.args)
	return typ{x: nth(f.Results, i), args: args}
}

// builtin returns the type of a call of a predeclared function.
func (p *Package) builtin(name string, args []ast.Expr) typ {
	if len(args) == 0 {
		return typ{}
	}
	switch name {
	case "new":
		if p.isType(args[0]) {
			return typ{x: args[0]}.pointer()
		}
		return p.of(args[0]).pointer()
	case "make":
		return typ{x: args[0]}
	case "append":
		return p.of(args[0])
	case "len", "cap", "copy":
		return named("int")
	case "min", "max":
		t := p.of(args[0])
		for _, x := range args[1:] {
			t = both(t, p.of(x))
		}
		return t
	}
	return typ{}
}

// isType reports whether an expression is a type, as far as is known.
func (p *Package) isType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.InterfaceType, *ast.MapType, *ast.ChanType:
		return true
	case *ast.ParenExpr:
		return p.isType(x.X)
	case *ast.StarExpr:
		return p.isType(x.X)
	case *ast.IndexExpr:
		return p.isType(x.X)
	case *ast.IndexListExpr:
		return p.isType(x.X)
	case *ast.SelectorExpr:
		return String(x) == "unsafe.Pointer"
	case *ast.Ident:
		o := p.lookup(x)
		return o != nil && o.Kind == ast.Typ
	}
	return false
}
