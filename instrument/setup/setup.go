// Package setup finds local variables that outlive what runs before the tests of a package:
// TestMain, init functions, what initialises variables, and functions and methods of the same
// package that these call. Nothing else leads to what a handler has captured there.
package setup

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A Place is a statement that declares some of the variables, or the beginning of a function that
// has them as parameters or results.
type Place struct {
	Of   string    // the function, or the variable that is initialised
	Node ast.Node  // the statement, or nil
	Body token.Pos // the brace at the beginning of the function
	Vars []*types.Var
}

// Find returns the places in each file of a package. A variable counts if a function literal uses
// it, or if its value leads to other memory. Variables that statements other than declarations
// declare, such as a loop, are left out.
func Find(files []*ast.File, info *types.Info) map[*ast.File][]Place {
	p := pkg{info: info, bodies: make(map[*types.Func]*ast.FuncDecl), before: make(map[*ast.FuncDecl]bool)}
	p.search(files)
	places := make(map[*ast.File][]Place)
	for _, f := range files {
		for _, d := range f.Decls {
			v := variables{info: info, captured: make(map[types.Object]bool)}
			switch d := d.(type) {
			case *ast.FuncDecl:
				if p.before[d] {
					v.of = d.Name.Name
					v.function(d.Type, d.Recv, d.Body)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						v.of = s.Names[0].Name
						v.block(s)
					}
				}
			}
			places[f] = append(places[f], v.places...)
		}
	}
	return places
}

// pkg is a package.
type pkg struct {
	info   *types.Info
	bodies map[*types.Func]*ast.FuncDecl
	before map[*ast.FuncDecl]bool // what runs before tests
}

// search finds what runs before tests.
func (p *pkg) search(files []*ast.File) {
	var begin []ast.Node
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body == nil {
					continue
				}
				if fn, ok := p.info.Defs[d.Name].(*types.Func); ok {
					p.bodies[fn] = d
				}
				if name := d.Name.Name; d.Recv == nil && (name == "init" || name == "TestMain") {
					p.before[d] = true
					begin = append(begin, d.Body)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					begin = append(begin, d)
				}
			}
		}
	}
	for _, n := range begin {
		p.calls(n)
	}
}

// calls adds the functions and methods that are called by name. Of function literals it looks into
// those that are called, or are handed to a function that may call them: others, such as those in a
// table of tests, run later.
func (p *pkg) calls(n ast.Node) {
	run := make(map[ast.Expr]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncLit); ok {
			return run[f]
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		run[ast.Unparen(call.Fun)] = true
		for _, arg := range call.Args {
			run[ast.Unparen(arg)] = true
		}
		if d := p.bodies[called(p.info, call)]; d != nil && !p.before[d] {
			p.before[d] = true
			p.calls(d.Body)
		}
		return true
	})
}

// called returns the function or method that a call names, or nil.
func called(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	if fn, ok := info.Uses[id].(*types.Func); ok {
		return fn.Origin()
	}
	return nil
}

// variables are those of one declaration.
type variables struct {
	info     *types.Info
	of       string
	captured map[types.Object]bool
	places   []Place
}

// function finds variables of a function that runs before tests.
func (v *variables) function(t *ast.FuncType, recv *ast.FieldList, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncLit)
		if !ok {
			return true
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				v.captured[v.info.Uses[id]] = true
			}
			return true
		})
		return false
	})
	var params []*ast.Ident
	for _, list := range []*ast.FieldList{recv, t.Params, t.Results} {
		if list != nil {
			for _, f := range list.List {
				params = append(params, f.Names...)
			}
		}
	}
	v.add(Place{Body: body.Lbrace}, params)
	v.block(body)
}

// block finds what the statements below a node declare. Of function literals it looks into those
// that are called where they stand.
func (v *variables) block(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if f, ok := ast.Unparen(n.Fun).(*ast.FuncLit); ok {
				v.function(f.Type, nil, f.Body)
			}
		case *ast.BlockStmt:
			v.statements(n.List)
		case *ast.CaseClause:
			v.statements(n.Body)
		case *ast.CommClause:
			v.statements(n.Body)
		}
		return true
	})
}

func (v *variables) statements(list []ast.Stmt) {
	for _, s := range list {
		var names []*ast.Ident
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				for _, e := range s.Lhs {
					if id, ok := e.(*ast.Ident); ok {
						names = append(names, id)
					}
				}
			}
		case *ast.DeclStmt:
			if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				for _, spec := range d.Specs {
					names = append(names, spec.(*ast.ValueSpec).Names...)
				}
			}
		}
		v.add(Place{Node: s}, names)
	}
}

// add adds a place with those of its variables that count.
func (v *variables) add(p Place, names []*ast.Ident) {
	for _, id := range names {
		x, ok := v.info.Defs[id].(*types.Var)
		if ok && id.Name != "_" && !isPlain(x.Type()) && (v.captured[x] || LeadsOn(x.Type())) {
			p.Vars = append(p.Vars, x)
		}
	}
	if len(p.Vars) > 0 {
		p.Of = v.of
		v.places = append(v.places, p)
	}
}

// isPlain reports whether no value of a type is worth to be kept: it is an error, or a *testing.M.
func isPlain(t types.Type) bool {
	if types.Identical(t, types.Universe.Lookup("error").Type()) {
		return true
	}
	p, ok := t.(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && n.Obj().Name() == "M" && n.Obj().Pkg() != nil && n.Obj().Pkg().Name() == "testing"
}

// LeadsOn reports whether values of a type may refer to memory that can be changed.
func LeadsOn(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return true
	case *types.Array:
		return LeadsOn(t.Elem())
	case *types.Chan: // executions have channels of their own, with the same values
		return LeadsOn(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if LeadsOn(f.Type()) {
				return true
			}
		}
	}
	return false
}
