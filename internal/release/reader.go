package main

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
)

// A reader collects what the files of a package declare.
type reader struct {
	path    string
	text    []byte // text of the current file
	imports map[string]string
	symbols map[string]declared
	linked  map[string]bool
	aliases []aliased
}

// aliased is a type that has the fields and methods of another one, as an alias has: path.as
// has those of target.name.
type aliased struct{ path, as, target, name string }

func (p *reader) file(f *ast.File) {
	p.imports = make(map[string]string)
	for _, spec := range f.Imports {
		at := unquote(spec)
		name := path.Base(at)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		p.imports[name] = at
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" {
				p.linked[p.path+"."+words[1]] = true
				p.linked[words[len(words)-1]] = true
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				p.spec(d.Tok, spec)
			}
		}
	}
}

func (p *reader) function(d *ast.FuncDecl) {
	if d.Recv == nil {
		p.symbols[d.Name.Name] = declared{"func", p.source(d.Type)}
		return
	}
	if of := base(d.Recv.List[0].Type); of != "" {
		p.symbols[of+"."+d.Name.Name] = declared{"method", p.source(d.Type)}
	}
}

// base returns the type name of a receiver or an embedded field.
func base(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		case *ast.SelectorExpr:
			return t.Sel.Name
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

func (p *reader) spec(tok token.Token, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range s.Names {
			p.symbols[id.Name] = declared{tok.String(), ""}
		}
	case *ast.TypeSpec:
		p.symbols[s.Name.Name] = declared{"type", kindOf(s.Type)}
		p.members(s.Name.Name, s.Type)
		if s.Assign.IsValid() {
			p.alias(s.Name.Name, s.Type)
		}
	}
}

// kindOf returns "struct" or "interface", or "" for all other types.
func kindOf(x ast.Expr) string {
	switch x.(type) {
	case *ast.StructType:
		return "struct"
	case *ast.InterfaceType:
		return "interface"
	}
	return ""
}

// members collects the fields of a struct type and the methods of an interface type.
func (p *reader) members(of string, x ast.Expr) {
	fields, kind := (*ast.FieldList)(nil), "field"
	switch t := x.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields, kind = t.Methods, "method"
	default:
		return
	}
	for _, f := range fields.List {
		for _, id := range f.Names {
			p.symbols[of+"."+id.Name] = declared{kind, p.source(f.Type)}
		}
		if name := base(f.Type); f.Names == nil && name != "" && kind == "field" {
			p.symbols[of+"."+name] = declared{kind, p.source(f.Type)}
			if !ast.IsExported(name) { // its methods are visible as those of the type only
				p.alias(of, f.Type)
			}
		}
	}
}

// alias notes that a type has the fields and methods of a type of this package or another one.
func (p *reader) alias(as string, x ast.Expr) {
	if i, ok := x.(*ast.IndexExpr); ok {
		x = i.X
	}
	if s, ok := x.(*ast.StarExpr); ok {
		x = s.X
	}
	switch x := x.(type) {
	case *ast.Ident:
		p.aliases = append(p.aliases, aliased{p.path, as, p.path, x.Name})
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			p.aliases = append(p.aliases, aliased{p.path, as, p.imports[id.Name], x.Sel.Name})
		}
	}
}

// source returns the text of a node in one line. For the type of a function it omits receiver
// and name.
func (p *reader) source(n ast.Node) string {
	from, begin := n.Pos(), ""
	if t, ok := n.(*ast.FuncType); ok {
		from, begin = t.Params.Pos(), "func"
		if t.TypeParams != nil {
			from = t.TypeParams.Pos()
		}
	}
	return begin + strings.Join(strings.Fields(string(p.text[from-1:n.End()-1])), " ")
}
