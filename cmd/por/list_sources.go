package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// Whether a test starts goroutines is found out by names, from source that is parsed and not
// type-checked. A test starts some if it has a go statement, or calls a function that does, under
// no condition. Of methods by one name all have to do so. A test starts none if no function has a
// go statement that can be reached by names. A function reaches all functions and methods by the
// names in its body, in all packages that the test program is made of. It is not known what
// reflection, cgo and assembly run, nor what other tests leave in variables.

// sourcePackage is a package as go list prints it.
type sourcePackage struct {
	ImportPath, Dir, ForTest                  string
	Standard, DepOnly                         bool
	GoFiles, CgoFiles, SFiles, IgnoredGoFiles []string
	TestGoFiles, XTestGoFiles                 []string
	Imports, TestImports, XTestImports        []string
	ImportMap                                 map[string]string
	unit                                      *unit // its files without tests, once parsed
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
	files    []*sourceFile
	funcs    []*function
	// opaque says why the package runs code that is not parsed, "" if it does not.
	opaque string
}

// function is a function, a method, or what initialises the variables of a package.
type function struct {
	name    string
	of      *unit
	method  string          // the type of its receiver, "" if it has none
	starts  bool            // it has a go statement
	certain bool            // it has one under no condition
	reflect bool            // it calls functions by reflection
	names   map[symbol]bool // all that its body has
	locals  map[string]bool // names of its variables and parameters
	calls   []call          // under no condition
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
		name := lastElement(path)
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

// lastElement guesses the name of a package from its path: the last element that is no version,
// from its last dash or dot that separates words.
func lastElement(path string) string {
	parts := strings.Split(path, "/")
	last := parts[len(parts)-1]
	if n := len(parts); n > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = parts[n-2]
	}
	if before, _, ok := strings.Cut(last, ".v"); ok {
		last = before
	}
	last = strings.TrimPrefix(last, "go-")
	return strings.TrimSuffix(last, "-go")
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
				if d.Tok == token.VAR {
					initial.read(d, f)
				}
			case *ast.FuncDecl:
				u.declare(d, f, initial)
			}
		}
		if _, ok := f.imports["C"]; ok {
			u.opaque = path + " uses cgo"
		}
	}
	return u, nil
}

// declare adds a function of a file.
func (u *unit) declare(d *ast.FuncDecl, f *sourceFile, initial *function) {
	switch {
	case d.Body == nil:
		u.opaque = fmt.Sprintf("%s.%s, which has no body", u.path, d.Name.Name)
	case d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "TestMain"):
		initial.read(d.Body, f)
	default:
		fn := newFunction(u, d.Name.Name)
		if d.Recv != nil {
			fn.method = receiver(d.Recv.List[0].Type)
		}
		fn.certain = u.path == "iter" && (fn.name == "Pull" || fn.name == "Pull2") // by the runtime
		fn.starts = fn.certain
		fn.read(d, f)
		u.funcs = append(u.funcs, fn)
	}
}

// read adds what a piece of source does.
func (fn *function) read(n ast.Node, f *sourceFile) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			fn.starts = true
		case *ast.Ident:
			fn.names[symbol{fn.of.path, n.Name}] = true
			for _, path := range f.dotted {
				fn.names[symbol{path, n.Name}] = true
			}
		case *ast.SelectorExpr:
			fn.names[symbol{"", n.Sel.Name}] = true
			for name, path := range f.imports {
				// Packages may have other names than their paths end in.
				if x, ok := n.X.(*ast.Ident); ok && (name == x.Name || f.imports[x.Name] == "") {
					fn.names[symbol{path, n.Sel.Name}] = true
				}
			}
			switch n.Sel.Name {
			case "Call", "CallSlice", "Method", "MethodByName":
				for _, path := range f.imports {
					fn.reflect = fn.reflect || path == "reflect"
				}
			}
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
	fn.readCertain(n, f)
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
