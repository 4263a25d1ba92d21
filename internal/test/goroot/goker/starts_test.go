package goker

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strconv"
	"strings"
)

// starts maps the positions of what starts a goroutine, as "file:line", to the
// name of the function that it begins with, in the way of stack traces without
// the package. There is no stack to read it from: the functions of a goroutine
// that waits are those of rewritten code.
type starts map[string]string

// otherwise says what a profile calls the functions that the syntax does not tell:
// a method behind an interface, and what the compiler makes of a call with
// arguments.
var otherwise = map[string]string{
	"(ControllerInterface_kubernetes30872).Run": "(*Controller_kubernetes30872).Run",
	"(*Mux_kubernetes1321).loop":                "NewMux_kubernetes1321.gowrap1",
}

// nothing imports packages without any contents: the names that matter here are
// declared in the kernels.
type nothing map[string]*types.Package

func (n nothing) Import(name string) (*types.Package, error) {
	if n[name] == nil {
		n[name] = types.NewPackage(name, path.Base(name))
		n[name].MarkComplete()
	}
	return n[name], nil
}

// findStarts looks for go statements, and for the calls of time.AfterFunc.
func (s *suite) findStarts() starts {
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	var trees []*ast.File
	for _, f := range s.files {
		trees = append(trees, f.tree)
	}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}}
	conf.Check("main", s.fset, trees, info) // fails, for want of imports
	out := make(starts)
	for _, f := range s.files {
		for _, d := range f.tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				w := &walk{suite: s, info: info, out: out, started: make(map[*ast.FuncLit]string)}
				w.body(d.Body, funcName(d), "func")
			}
		}
	}
	return out
}

// funcName returns the name of a function or method in stack traces.
func funcName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	recv := types.ExprString(d.Recv.List[0].Type)
	if strings.HasPrefix(recv, "*") {
		recv = "(" + recv + ")"
	}
	return recv + "." + d.Name.Name
}

// walk finds what starts goroutines in one function.
type walk struct {
	*suite
	info *types.Info
	out  starts
	// started holds where goroutines begin with a literal that was not named yet.
	started map[*ast.FuncLit]string
}

// body looks at the body of a function. Function literals in it are called
// outer.func1, outer.func2, and so on, and outer.func2.1 in the latter.
func (w *walk) body(body ast.Node, outer, prefix string) {
	count := 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			w.start(n.Pos(), n.Call.Fun)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "AfterFunc" {
				w.start(n.Pos(), n.Args[1])
			}
		case *ast.FuncLit:
			count++
			name := outer + "." + prefix + strconv.Itoa(count)
			if at, ok := w.started[n]; ok {
				w.out[at] = name
			}
			w.body(n.Body, name, "")
			return false
		}
		return true
	})
}

// start notes that a goroutine begins with fun.
func (w *walk) start(pos token.Pos, fun ast.Expr) {
	p := w.fset.Position(pos)
	at := fmt.Sprintf("%s:%d", p.Filename, p.Line)
	switch fun := fun.(type) {
	case *ast.FuncLit:
		w.started[fun] = at
	case *ast.Ident:
		w.out[at] = fun.Name
	case *ast.SelectorExpr:
		if f, ok := w.info.Uses[fun.Sel].(*types.Func); ok {
			name := strings.ReplaceAll(f.FullName(), "main.", "")
			w.out[at] = cmp.Or(otherwise[name], name)
		}
	}
}
