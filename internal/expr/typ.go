package expr

import (
	"go/ast"
	"go/token"
)

// Package is the source of a package, in which types are looked up.
type Package struct {
	decls   map[string]*ast.Object // of the package
	methods map[*ast.Object]map[string]*ast.FuncDecl
	// repeated maps a constant without a value to the constant above that it repeats.
	repeated map[*ast.ValueSpec]*ast.ValueSpec
	switches map[*ast.AssignStmt]*ast.TypeSwitchStmt // by the declaration of their variable
	steps    int                                     // of the current search
}

// longest is the limit of the steps of a search: source that does not compile may have cycles.
const longest = 1000

// NewPackage returns the package of the files, which have to be parsed with their objects
// resolved. The first of several declarations of a name counts, such as those for different
// systems.
func NewPackage(files []*ast.File) *Package {
	p := &Package{
		decls:    make(map[string]*ast.Object),
		methods:  make(map[*ast.Object]map[string]*ast.FuncDecl),
		repeated: make(map[*ast.ValueSpec]*ast.ValueSpec),
		switches: make(map[*ast.AssignStmt]*ast.TypeSwitchStmt),
	}
	for _, f := range files {
		for name, o := range f.Scope.Objects {
			if p.decls[name] == nil {
				p.decls[name] = o
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				p.addMethod(n)
			case *ast.GenDecl:
				p.addConstants(n)
			case *ast.TypeSwitchStmt:
				if a, ok := n.Assign.(*ast.AssignStmt); ok {
					p.switches[a] = n
				}
			}
			return true
		})
	}
	return p
}

func (p *Package) addMethod(f *ast.FuncDecl) {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return
	}
	id, params := instance(f.Recv.List[0].Type)
	for _, x := range params { // the parser does not resolve type parameters of receivers
		if id, ok := x.(*ast.Ident); ok {
			id.Obj = ast.NewObj(ast.Typ, id.Name)
		}
	}
	if id == nil || p.decls[id.Name] == nil {
		return
	}
	o := p.decls[id.Name]
	if p.methods[o] == nil {
		p.methods[o] = make(map[string]*ast.FuncDecl)
	}
	if p.methods[o][f.Name.Name] == nil {
		p.methods[o][f.Name.Name] = f
	}
}

func (p *Package) addConstants(d *ast.GenDecl) {
	var last *ast.ValueSpec
	for _, s := range d.Specs {
		if s, ok := s.(*ast.ValueSpec); ok && d.Tok == token.CONST {
			if s.Type != nil || len(s.Values) > 0 {
				last = s
			} else if last != nil {
				p.repeated[s] = last
			}
		}
	}
}

// A typ is a type as it is written in the source. The zero typ is unknown.
type typ struct {
	x       ast.Expr       // such as an *ast.Ident or an *ast.MapType
	args    map[string]typ // the types that type parameters in x stand for, by name
	untyped bool           // x is the default type of an untyped constant
}

// with returns x as a part of type t.
func (t typ) with(x ast.Expr) typ { return typ{x: x, args: t.args} }

// pointer returns the type of pointers to t.
func (t typ) pointer() typ { return t.with(&ast.StarExpr{X: t.x}) }

// named returns a predeclared type.
func named(name string) typ { return typ{x: &ast.Ident{Name: name, Obj: universe[name]}} }

// constant returns the type of an untyped constant.
func constant(name string) typ {
	t := named(name)
	t.untyped = true
	return t
}

// bind returns the types that type parameters stand for, given type arguments in t.
func (t typ) bind(params []*ast.Ident, args []ast.Expr) map[string]typ {
	bound := make(map[string]typ)
	for i, p := range params {
		if i < len(args) {
			bound[p.Name] = t.with(args[i])
		}
	}
	return bound
}

// names returns the names in a list of fields.
func names(list *ast.FieldList) (found []*ast.Ident) {
	if list != nil {
		for _, f := range list.List {
			found = append(found, f.Names...)
		}
	}
	return found
}

// nth returns the type of the i-th parameter or result, nil if there is none.
func nth(list *ast.FieldList, i int) ast.Expr {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		if i -= max(1, len(f.Names)); i < 0 {
			return f.Type
		}
	}
	return nil
}

// instance returns the name of a type and its type arguments, nil if the type has no name in
// this package. A pointer counts as its element type.
func instance(x ast.Expr) (name *ast.Ident, args []ast.Expr) {
	switch y := ast.Unparen(x).(type) {
	case *ast.StarExpr:
		return instance(y.X)
	case *ast.IndexExpr:
		x, args = y.X, []ast.Expr{y.Index}
	case *ast.IndexListExpr:
		x, args = y.X, y.Indices
	}
	name, _ = ast.Unparen(x).(*ast.Ident)
	return name, args
}

// lookup returns the object of a name, nil if it is unknown.
func (p *Package) lookup(id *ast.Ident) *ast.Object {
	if id.Obj != nil {
		return id.Obj
	}
	if o := p.decls[id.Name]; o != nil {
		return o
	}
	return universe[id.Name]
}

// underlying returns the underlying type of t. The only named types that it returns are
// predeclared numbers and strings.
func (p *Package) underlying(t typ) typ {
	for range longest {
		switch x := t.x.(type) {
		case *ast.ParenExpr:
			t = t.with(x.X)
		case *ast.Ident:
			o := p.lookup(x)
			if arg, ok := t.args[x.Name]; ok {
				t = arg
			} else if o == nil {
				return typ{}
			} else if spec, ok := o.Decl.(*ast.TypeSpec); ok {
				t = typ{x: spec.Type}
			} else if _, ok := basic[o.Name]; ok && o == universe[o.Name] {
				return typ{x: &ast.Ident{Name: o.Name, Obj: o}, untyped: t.untyped}
			} else if o.Kind == ast.Typ { // error, any, or a type parameter
				return typ{x: &ast.InterfaceType{Methods: new(ast.FieldList)}}
			} else {
				return typ{}
			}
		case *ast.IndexExpr, *ast.IndexListExpr:
			id, args := instance(x)
			if id == nil {
				return typ{}
			}
			o := p.lookup(id)
			if o == nil {
				return typ{}
			}
			spec, ok := o.Decl.(*ast.TypeSpec)
			if !ok {
				return typ{}
			}
			t = typ{x: spec.Type, args: t.bind(names(spec.TypeParams), args)}
		case *ast.Ellipsis:
			return t.with(&ast.ArrayType{Elt: x.Elt})
		case *ast.SelectorExpr:
			if String(x) == "unsafe.Pointer" {
				return typ{}.pointer()
			}
			return typ{}
		default:
			return t
		}
	}
	return typ{}
}

// pointee returns the element type of a pointer type.
func (p *Package) pointee(t typ) typ {
	u := p.underlying(t)
	if x, ok := u.x.(*ast.StarExpr); ok {
		return u.with(x.X)
	}
	return typ{}
}

// member returns the type of a field or method, which may be promoted from an embedded type.
func (p *Package) member(t typ, name string) typ {
	level := []typ{t}
	for range 10 { // a type may embed pointers to itself
		var embedded []typ
		for _, t := range level {
			if m := p.method(t, name); m.x != nil {
				return m
			}
			u := p.underlying(t)
			if x, ok := u.x.(*ast.StarExpr); ok {
				u = p.underlying(u.with(x.X))
			}
			for _, f := range fields(u.x) {
				for _, id := range f.Names {
					if id.Name == name {
						return u.with(f.Type)
					}
				}
				if len(f.Names) == 0 {
					if nameOf(f.Type) == name {
						return u.with(f.Type)
					}
					embedded = append(embedded, u.with(f.Type))
				}
			}
		}
		level = embedded
	}
	return typ{}
}

// fields returns the fields of a struct, or the methods of an interface.
func fields(x ast.Expr) []*ast.Field {
	switch x := x.(type) {
	case *ast.StructType:
		return x.Fields.List
	case *ast.InterfaceType:
		return x.Methods.List
	}
	return nil
}

// nameOf returns the field name of an embedded type.
func nameOf(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return nameOf(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	if id, _ := instance(x); id != nil {
		return id.Name
	}
	return ""
}

// method returns the type of a method that is declared for a type or its element type.
func (p *Package) method(t typ, name string) typ {
	id, args := instance(t.x)
	if id == nil {
		return typ{}
	}
	if arg, ok := t.args[id.Name]; ok {
		return p.method(arg, name)
	}
	f := p.methods[p.lookup(id)][name]
	if f == nil {
		return typ{}
	}
	var params []*ast.Ident
	_, of := instance(f.Recv.List[0].Type)
	for _, x := range of {
		if id, ok := x.(*ast.Ident); ok {
			params = append(params, id)
		}
	}
	return typ{x: f.Type, args: t.bind(params, args)}
}
