package instrument

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// calls knows what the functions of a package call, and which of them have a plain
// copy: the text of the source under another name, to be called where nobody is
// controlled. The compiler can inline that as it would the original, which asks and
// is too large.
//
// A copy has another name in stacks. So only functions have one that are quiet:
// none of what they call can tell who called it. Positions are right in any case.
type calls struct {
	*Package
	list   []*types.Func // those that have a body
	decls  map[*types.Func]*ast.FuncDecl
	files  map[*types.Func]*File
	noisy  map[*types.Func]bool
	copied map[*types.Func]bool
	types  map[types.Object]*ast.TypeSpec
	paths  map[*types.Package]string // what is imported, as the source has it
	made   map[string]bool           // functions that are copies of methods
}

func newCalls(p *Package) *calls {
	c := &calls{
		Package: p, decls: make(map[*types.Func]*ast.FuncDecl), files: make(map[*types.Func]*File),
		noisy: make(map[*types.Func]bool), copied: make(map[*types.Func]bool),
		types: make(map[types.Object]*ast.TypeSpec), paths: make(map[*types.Package]string), made: make(map[string]bool),
	}
	for _, f := range p.Files {
		c.index(f)
	}
	c.spread(func(fn *types.Func) bool { return !c.noisy[fn] && !c.quiet(c.decls[fn]) }, c.noisy)
	can := make(map[*types.Func]bool)
	for _, fn := range c.list {
		can[fn] = !c.noisy[fn] && c.inlinable(fn)
	}
	c.spread(func(fn *types.Func) bool {
		return can[fn] && !c.copied[fn] && c.asks(c.files[fn], c.decls[fn].Body) > 0
	}, c.copied)
	return c
}

// index notes what is declared and imported in a file.
func (c *calls) index(f *File) {
	for _, d := range f.AST.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				fn := c.Info.Defs[d.Name].(*types.Func)
				c.list = append(c.list, fn)
				c.decls[fn], c.files[fn] = d, f
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					c.types[c.Info.Defs[s.Name]] = s
				case *ast.ImportSpec:
					if p := c.Info.PkgNameOf(s); p != nil {
						c.paths[p.Imported()] = s.Path.Value
					}
				}
			}
		}
	}
}

// spread adds functions to a set until there are no more to add, since whether
// one belongs to it depends on those that it calls.
func (c *calls) spread(belongs func(*types.Func) bool, to map[*types.Func]bool) {
	for more := true; more; {
		more = false
		for _, fn := range c.list {
			if belongs(fn) {
				to[fn], more = true, true
			}
		}
	}
}

// callee returns the function that is called, if it is known from the text, and
// its name there.
func (p *Package) callee(call *ast.CallExpr) (*types.Func, *ast.Ident) {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch fun := fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		if s := p.Info.Selections[fun]; s != nil && s.Kind() != types.MethodVal {
			return nil, nil
		}
		id = fun.Sel
	default:
		return nil, nil
	}
	fn, ok := p.Info.Uses[id].(*types.Func)
	if !ok || fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type()) {
		return nil, nil
	}
	return fn.Origin(), id
}

// quiet reports whether nothing that a function calls can tell the name of the
// function, as far as is known.
func (c *calls) quiet(d *ast.FuncDecl) bool {
	quiet := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			quiet = quiet && c.quietCall(n)
		case *ast.RangeStmt:
			quiet = quiet && !c.overFunc(n)
		}
		return quiet
	})
	return quiet
}

// quietPackages are standard packages whose functions call nobody but what they
// are given, and do not look at stacks.
var quietPackages = []string{
	"bytes", "cmp", "maps", "math", "math/bits", "slices", "strconv", "strings", "sync", "sync/atomic", "unicode", "unicode/utf16",
	"unicode/utf8", "unsafe",
}

func (c *calls) quietCall(call *ast.CallExpr) bool {
	if tv := c.Info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return true
	}
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return true
	}
	fn, _ := c.callee(call)
	switch {
	case fn == nil:
		return false
	case fn.Pkg() == c.Types:
		return c.decls[fn] != nil && !c.noisy[fn]
	case c.hasCopy(fn):
		return true
	case !slices.Contains(quietPackages, strings.TrimPrefix(fn.Pkg().Path(), twins)):
		return false
	}
	return !slices.ContainsFunc(call.Args, func(e ast.Expr) bool {
		_, lit := ast.Unparen(e).(*ast.FuncLit)
		_, f := core(c.Info.TypeOf(e)).(*types.Signature)
		return f && !lit
	})
}

// overFunc reports whether a loop goes round over a function.
func (p *Package) overFunc(s *ast.RangeStmt) bool {
	_, ok := core(p.Info.TypeOf(s.X)).(*types.Signature)
	return ok
}

// inlinable reports whether the compiler would inline a function as it is in the
// source, or nearly.
func (c *calls) inlinable(fn *types.Func) bool {
	d := c.decls[fn]
	switch {
	case d.Name.Name == "_", d.Recv == nil && d.Name.Name == "init":
		return false
	case d.Doc != nil && slices.ContainsFunc(d.Doc.List, isDirective):
		return false
	case strings.HasPrefix(filepath.Base(c.files[fn].Name), "_cgo_"):
		return false // that file stays as it is
	}
	can := true
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.TypeSpec, *ast.DeferStmt, *ast.GoStmt, *ast.SelectStmt:
			can = false
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			can = can && !(ok && id.Name == "recover")
		}
		return can
	})
	return can && size(d.Body) <= inlineBudget
}

func isDirective(c *ast.Comment) bool {
	return strings.HasPrefix(c.Text, "//go:") || strings.HasPrefix(c.Text, "//export ")
}

// inlineBudget is what the size of a function may be if the compiler is to inline
// it, and wrapperCost what is gone of that in a function that calls package native's
// Do or Get.
const (
	inlineBudget = 80
	wrapperCost  = 51
)

// size counts expressions and statements, about as the compiler does.
func size(n ast.Node) (size int) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BlockStmt, *ast.ExprStmt, *ast.ParenExpr:
		case *ast.SelectorExpr: // its name counts
		case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType:
			return false
		case ast.Expr, ast.Stmt:
			size++
		}
		return true
	})
	return size
}

// cheaply returns what goes around the rewritten text of a function, which is one
// simple statement, if so the compiler can inline the function with both texts.
// Else it is called where it would be inlined: by the methods that the compiler makes
// for pointers, and so for interfaces, of one that has a value as its receiver.
func (c *calls) cheaply(d *ast.FuncDecl, body *ast.BlockStmt) (pre, post string) {
	if d == nil || d.Body != body || !c.copied[c.Info.Defs[d.Name].(*types.Func)] || size(body) > inlineBudget-wrapperCost {
		return "", ""
	}
	f := c.files[c.Info.Defs[d.Name].(*types.Func)]
	if s := body.List[0]; f.lines(s.Pos(), s.End()) != "" {
		return "", "" // reports have the line of one of three frames
	}
	results, ok := c.resultTypes(f, d)
	switch {
	case !ok:
		return "", ""
	case len(results) == 0:
		return native + ".Do(func() { ", " })"
	case len(results) == 1:
		return "return " + native + ".Get(func() " + results[0] + " { ", " })"
	case len(results) == 2:
		return "return " + native + ".Get2(func() (" + results[0] + ", " + results[1] + ") { ", " })"
	}
	return "", ""
}

// resultTypes returns the types of the results of a function as text that means the
// same in its body, or false if it would not.
func (c *calls) resultTypes(f *File, d *ast.FuncDecl) (list []string, ok bool) {
	if d.Type.Results == nil {
		return nil, true
	}
	ok = true
	scope := c.Info.Scopes[d.Type]
	for _, field := range d.Type.Results.List {
		ast.Inspect(field.Type, func(n ast.Node) bool {
			if id, is := n.(*ast.Ident); is {
				v, _ := scope.Lookup(id.Name).(*types.Var)
				ok = ok && v == nil
			}
			return ok
		})
		text := string(f.Src[f.offset(field.Type.Pos()):f.offset(field.Type.End())])
		ok = ok && oneLine(text)
		for range max(1, len(field.Names)) {
			list = append(list, text)
		}
	}
	return list, ok
}
