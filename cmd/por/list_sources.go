package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Whether a test starts goroutines is found out by names, from source that is parsed and not
// type-checked. A test starts some if it has a go statement, or calls a function that does, under
// no condition. Of methods by one name all have to do so. A test starts none if no function has a
// go statement that can be reached by names, neither from the test nor from what initialises its
// packages. What is reached by its name reaches all names in it: a function those in its body, a
// type those in its declaration, a variable those in its declaration. A method is reached where its
// name is, and the name of its type. It is not known what reflection, cgo and assembly run, nor
// what other tests leave in variables.

// sourcePackage is a package as go list prints it.
type sourcePackage struct {
	ImportPath, Name, Dir, ForTest     string
	Standard, DepOnly                  bool
	GoFiles, CgoFiles, IgnoredGoFiles  []string
	TestGoFiles, XTestGoFiles          []string
	Imports, TestImports, XTestImports []string
	ImportMap                          map[string]string
	unit                               *unit // its files without tests, once parsed
}

// sources are packages, parsed when they are needed.
type sources struct {
	fset     *token.FileSet
	packages map[string]*sourcePackage // by import path
	targets  []*sourcePackage          // those that were asked for
}

func newSources() *sources {
	return &sources{fset: token.NewFileSet(), packages: make(map[string]*sourcePackage)}
}

func (s *sources) add(p *sourcePackage) {
	s.packages[p.ImportPath] = p
	if !p.DepOnly {
		s.targets = append(s.targets, p)
	}
}

// sourceFile is a parsed file.
type sourceFile struct {
	*ast.File
	imports map[string]string // import paths by the name that the file has for the package
	dotted  []string          // paths of packages that the file has names of
}

// unit is what is compiled together: a package, perhaps with its tests inside.
type unit struct {
	path     string
	standard bool // of the standard library
	cgo      bool // it calls C, which may call any function
	files    []*sourceFile
	funcs    []*function
}

// function is a function, a method, the declaration of a type, of a variable or of constants, or
// what runs when a package is initialised.
type function struct {
	name     string
	of       *unit
	method   string          // the type of its receiver, "" if it has none
	starts   bool            // it has a go statement
	certain  bool            // it has one under no condition
	bare     bool            // it has no body, and may call anything
	reflect  bool            // it calls functions by reflection
	parallel bool            // it has subtests that run in parallel
	names    map[symbol]bool // all that its body has
	locals   map[string]bool // names of its variables and parameters
	calls    []call          // under no condition
}

// mayStart says how the function may start goroutines, "" if it does not do so itself.
func (fn *function) mayStart() string {
	switch {
	case fn.starts:
		return fn.String()
	case fn.parallel:
		return "parallel subtests of " + fn.String()
	case fn.bare:
		return fn.String() + ", which has no body"
	case fn.reflect:
		return "reflection in " + fn.String()
	}
	return ""
}

// symbol is a name of a function of the package by that path, or of methods if the path is "".
type symbol struct{ path, name string }

// call is a call by name.
type call struct {
	symbol
	by string // what stands before the name, "" if nothing does
}

// symbol returns the name of the function.
func (fn *function) symbol() symbol {
	if fn.method != "" {
		return symbol{"", fn.name}
	}
	return symbol{fn.of.path, fn.name}
}

func newFunction(u *unit, name string) *function {
	return &function{name: name, of: u, names: make(map[symbol]bool), locals: make(map[string]bool)}
}

// String returns the name with the package.
func (fn *function) String() string {
	if fn.method != "" {
		return fn.of.path + "." + fn.method + "." + fn.name
	}
	return fn.of.path + "." + fn.name
}

// receiver returns the name of the type of a receiver.
func receiver(x ast.Expr) string {
	switch x := ast.Unparen(x).(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}

// place returns the file and the line of a declaration.
func (s *sources) place(d *ast.FuncDecl) (file string, line int) {
	p := s.fset.Position(d.Pos())
	return p.Filename, p.Line
}

// parse parses a file of a package.
func (s *sources) parse(p *sourcePackage, name string) (*sourceFile, error) {
	name = filepath.Join(p.Dir, name)
	f, err := parser.ParseFile(s.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	read := &sourceFile{File: f, imports: make(map[string]string)}
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		path = p.imported(path)
		name := path
		if imported := s.packages[path]; imported != nil {
			name = imported.Name
		}
		if i.Name != nil {
			name = i.Name.Name
		}
		if name == "." {
			read.dotted = append(read.dotted, path)
			continue
		}
		read.imports[name] = path
	}
	return read, nil
}

// imported returns the package that an import of a file means.
func (p *sourcePackage) imported(path string) string {
	if mapped := p.ImportMap[path]; mapped != "" {
		path, _, _ = strings.Cut(mapped, " ") // as compiled for the tests
	}
	return path
}

// compile parses files of a package as one unit.
func (s *sources) compile(p *sourcePackage, path string, names ...string) (*unit, error) {
	u := &unit{path: path, standard: p.Standard}
	initial := newFunction(u, "init")
	u.funcs = append(u.funcs, initial)
	for _, name := range names {
		f, err := s.parse(p, name)
		if err != nil {
			return nil, err
		}
		u.files = append(u.files, f)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				u.declareOther(d, f, initial)
			case *ast.FuncDecl:
				u.declare(d, f, initial)
			}
		}
		if _, ok := f.imports["C"]; ok {
			u.cgo = true
		}
	}
	return u, nil
}

// declare adds a function of a file.
func (u *unit) declare(d *ast.FuncDecl, f *sourceFile, initial *function) {
	switch {
	case d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "TestMain"):
		initial.read(d.Body, f)
	default:
		fn := newFunction(u, d.Name.Name)
		if d.Recv != nil {
			fn.method = receiver(d.Recv.List[0].Type)
		}
		fn.certain = u.path == "iter" && (fn.name == "Pull" || fn.name == "Pull2") // by the runtime
		fn.starts = fn.certain
		fn.bare = d.Body == nil && !u.standard
		fn.read(d, f)
		u.funcs = append(u.funcs, fn)
	}
}

// declareOther adds the types, variables and constants of a declaration. What a variable is set to
// runs at the beginning if it may call something. Those calls in the standard library start
// nothing, and leave nothing anywhere else.
func (u *unit) declareOther(d *ast.GenDecl, f *sourceFile, initial *function) {
	for _, spec := range d.Specs {
		var names []*ast.Ident
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = []*ast.Ident{spec.Name}
		case *ast.ValueSpec:
			names = spec.Names
			if d.Tok == token.VAR && !u.standard && slices.ContainsFunc(spec.Values, mayCall) {
				initial.read(spec, f)
			}
		}
		for _, name := range names {
			if name.Name == "_" {
				continue // nothing reaches it
			}
			fn := newFunction(u, name.Name)
			fn.read(spec, f)
			fn.certain, fn.calls = false, nil // it takes a call
			u.funcs = append(u.funcs, fn)
		}
	}
}

// mayCall reports whether the value of an expression takes a call or a receive. A conversion to a
// pointer is seen not to.
func mayCall(x ast.Expr) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			_, pointer := ast.Unparen(n.Fun).(*ast.StarExpr)
			found = found || !pointer
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

// read adds what a piece of source does.
func (fn *function) read(n ast.Node, f *sourceFile) {
	fn.readLocals(n)
	own := ownParallel(n)
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			fn.starts = true
		case *ast.Ident:
			fn.names[symbol{fn.of.path, n.Name}] = true
			for _, path := range f.dotted {
				fn.names[symbol{path, n.Name}] = true
			}
		case *ast.SelectorExpr:
			switch n.Sel.Name {
			case "Parallel":
				fn.parallel = fn.parallel || !own[n]
			case "Call", "CallSlice", "Method", "MethodByName":
				for _, path := range f.imports {
					fn.reflect = fn.reflect || path == "reflect"
				}
			}
			x, ok := n.X.(*ast.Ident)
			if path := ""; ok {
				if path = f.imports[x.Name]; path != "" {
					fn.names[symbol{path, n.Sel.Name}] = true
				}
				if path != "" && !fn.locals[x.Name] {
					return false
				}
			}
			fn.names[symbol{"", n.Sel.Name}] = true
			ast.Inspect(n.X, visit)
			return false
		}
		return true
	}
	ast.Inspect(n, visit)
	fn.readCertain(n, f)
}

// ownParallel returns the calls of Parallel by a test itself, which is explored alone.
func ownParallel(n ast.Node) map[*ast.SelectorExpr]bool {
	d, ok := n.(*ast.FuncDecl)
	if !ok || d.Recv != nil || !isTest(d, "Test") {
		return nil
	}
	own := make(map[*ast.SelectorExpr]bool)
	for _, x := range d.Body.List {
		if x, ok := x.(*ast.ExprStmt); ok {
			if x, ok := x.X.(*ast.CallExpr); ok {
				if x, ok := x.Fun.(*ast.SelectorExpr); ok {
					own[x] = true
				}
			}
		}
	}
	return own
}

// readLocals adds the names of the variables and parameters in a piece of source.
func (fn *function) readLocals(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			fn.declares(n.Names...)
		case *ast.ValueSpec:
			fn.declares(n.Names...)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, x := range n.Lhs {
					if x, ok := x.(*ast.Ident); ok {
						fn.declares(x)
					}
				}
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				if x, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					fn.declares(x)
				}
			}
		}
		return true
	})
}

// readCertain adds what a piece of source does under no condition. The body of a loop has a turn,
// and a function literal is called, as far as this goes. Users' functions return early if something
// is wrong, and those of the standard library if there is less to do.
func (fn *function) readCertain(n ast.Node, f *sourceFile) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			fn.certain = true
		case *ast.CallExpr:
			fn.call(n.Fun, f)
		case *ast.BlockStmt:
			for _, x := range n.List {
				if fn.readCertain(x, f); fn.of.standard && returns(x) {
					break
				}
			}
			return false
		case *ast.IfStmt:
			if n.Init != nil {
				fn.readCertain(n.Init, f)
			}
			fn.readCertain(n.Cond, f)
			return false
		case *ast.CaseClause, *ast.CommClause:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				fn.readCertain(n.X, f)
				return false
			}
		}
		return true
	})
}

// returns reports whether a statement may return from the function.
func returns(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ReturnStmt:
			found = true
		case *ast.FuncLit:
			return false
		}
		return !found
	})
	return found
}

func (fn *function) declares(names ...*ast.Ident) {
	for _, x := range names {
		fn.locals[x.Name] = true
	}
}

// call adds a call of an expression.
func (fn *function) call(called ast.Expr, f *sourceFile) {
	switch x := ast.Unparen(called).(type) {
	case *ast.IndexExpr: // of a generic function
		fn.call(x.X, f)
	case *ast.IndexListExpr:
		fn.call(x.X, f)
	case *ast.Ident:
		fn.calls = append(fn.calls, call{symbol{fn.of.path, x.Name}, ""})
	case *ast.SelectorExpr:
		c := call{symbol{"", x.Sel.Name}, ""}
		if p, ok := x.X.(*ast.Ident); ok {
			c.path, c.by = f.imports[p.Name], p.Name
		}
		fn.calls = append(fn.calls, c)
	}
}
