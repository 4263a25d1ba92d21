// Package closing finds channels that are only ever closed: no code sends to them. Goroutines that
// receive from such a channel all get the same, in whatever order they come.
//
// A channel is followed from its make expression through the variables, parameters and unexported
// fields of one package, and the results of unexported functions with one result. It is given up
// where it might get out of sight as a channel that can be sent to. That is in an exported
// variable, an interface, a slice, a map, a pointer, or the result of another function. A
// receive-only channel cannot be sent to, so it may go anywhere.
package closing

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Makes returns the make expressions in the files of a package that make a channel which is only
// closed.
func Makes(files []*ast.File, info *types.Info) map[*ast.CallExpr]bool {
	a := analysis{info: info, bad: make(map[*types.Var]bool), flows: make(map[*types.Var][]*types.Var),
		results: make(map[string][]*types.Var), byInterface: make(map[string]bool)}
	for _, f := range files {
		a.file(f)
	}
	if len(a.makes) == 0 {
		return nil
	}
	a.spread()
	found := make(map[*ast.CallExpr]bool)
	for _, m := range a.makes {
		if m.to == nil || !a.bad[m.to] {
			found[m.call] = true
		}
	}
	return found
}

// analysis is about one package.
type analysis struct {
	info *types.Info
	// The variables with channels that may be sent to, or that get out of sight.
	bad   map[*types.Var]bool
	flows map[*types.Var][]*types.Var // to what variables the channel in a variable is assigned
	makes []made
	// The results of functions, by the names of the functions. A call by way of an interface does
	// not say which function is called.
	results     map[string][]*types.Var
	byInterface map[string]bool
}

// made is a make expression, with the variable that it is assigned to, nil for none.
type made struct {
	call *ast.CallExpr
	to   *types.Var
}

// file looks at all uses of channels in a file.
func (a *analysis) file(f *ast.File) {
	var path []ast.Node // from the file to the present node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		switch n := n.(type) {
		case *ast.Ident:
			if v := a.channel(n); v != nil {
				a.use(v, path)
			} else if f, ok := a.info.Uses[n].(*types.Func); ok {
				a.function(f, path)
			}
		case *ast.CallExpr:
			if ch := channel(a.info.TypeOf(n)); ch != nil && ch.Dir() == types.SendRecv && a.builtin(n) == "make" {
				if to, ok := a.where(path); ok {
					a.makes = append(a.makes, made{n, to})
				}
			}
		}
		return true
	})
}

// channel returns the variable or field that id uses, if it has a channel that can be sent to.
func (a *analysis) channel(id *ast.Ident) *types.Var {
	v, ok := a.info.Uses[id].(*types.Var)
	if !ok {
		return nil
	}
	if ch := channel(v.Type()); ch == nil || ch.Dir() != types.SendRecv {
		return nil
	}
	return v.Origin()
}

// use notes a use of v, the last node of path.
func (a *analysis) use(v *types.Var, path []ast.Node) {
	switch p := path[len(path)-2].(type) {
	case *ast.SelectorExpr:
		if p.Sel == path[len(path)-1] { // x.v, else v.method
			path = path[:len(path)-1]
		}
	case *ast.KeyValueExpr:
		if p.Key == path[len(path)-1] && v.IsField() { // T{v: x}
			return
		}
	}
	to, ok := a.where(path)
	switch {
	case !ok:
		a.bad[v] = true
	case to != nil:
		a.flows[v] = append(a.flows[v], to)
	}
}

// function notes a use of f, the last node of path.
func (a *analysis) function(f *types.Func, path []ast.Node) {
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		a.byInterface[f.Name()] = true
		return
	}
	v := result(f)
	if v == nil {
		return
	}
	if s, ok := path[len(path)-2].(*ast.SelectorExpr); ok && s.Sel == path[len(path)-1] { // x.f
		path = path[:len(path)-1]
	}
	switch p := path[len(path)-2].(type) {
	case *ast.IndexExpr: // f[int]
		if p.X == path[len(path)-1] {
			path = path[:len(path)-1]
		}
	case *ast.IndexListExpr:
		path = path[:len(path)-1]
	}
	if call, ok := path[len(path)-2].(*ast.CallExpr); !ok || call.Fun != path[len(path)-1] {
		a.bad[v] = true // another function may call it
	} else if to, ok := a.where(path[:len(path)-1]); !ok {
		a.bad[v] = true
	} else if to != nil {
		a.flows[v] = append(a.flows[v], to)
	}
}

// result returns the result of f, if it is the only one, a channel that can be sent to, and all
// calls of f are in the package.
func result(f *types.Func) *types.Var {
	results := f.Origin().Signature().Results()
	if f.Exported() || results.Len() != 1 {
		return nil
	}
	if ch := channel(results.At(0).Type()); ch == nil || ch.Dir() != types.SendRecv {
		return nil
	}
	return results.At(0)
}

// where says what becomes of the channel that is the value of the last node of path. It returns the
// variable that it is assigned to, nil if it is only received from, closed or compared, and false
// if it may be sent to or is lost.
func (a *analysis) where(path []ast.Node) (to *types.Var, ok bool) {
	e := path[len(path)-1].(ast.Expr)
	path = path[:len(path)-1]
	for {
		p, ok := path[len(path)-1].(*ast.ParenExpr)
		if !ok {
			break
		}
		e, path = p, path[:len(path)-1]
	}
	switch p := path[len(path)-1].(type) {
	case *ast.UnaryExpr:
		return nil, p.Op == token.ARROW
	case *ast.BinaryExpr:
		return nil, p.Op == token.EQL || p.Op == token.NEQ
	case *ast.RangeStmt:
		return nil, p.X == e
	case *ast.AssignStmt:
		return a.assigned(p.Lhs, p.Rhs, e)
	case *ast.ValueSpec:
		names := make([]ast.Expr, len(p.Names))
		for i, n := range p.Names {
			names[i] = n
		}
		return a.assigned(names, p.Values, e)
	case *ast.CallExpr:
		return a.passed(p, e)
	case *ast.ReturnStmt:
		return a.returned(path, p, e)
	case *ast.ExprStmt:
		return nil, true
	case *ast.KeyValueExpr:
		key, ok := p.Key.(*ast.Ident)
		if !ok || p.Value != e {
			return nil, false
		}
		v, ok := a.info.Uses[key].(*types.Var)
		if !ok || !v.IsField() {
			return nil, false
		}
		return a.target(v)
	case *ast.CompositeLit:
		s, ok := a.info.TypeOf(p).Underlying().(*types.Struct)
		for i, x := range p.Elts {
			if ok && x == e {
				return a.target(s.Field(i))
			}
		}
	}
	return nil, false
}

// assigned is where for one side of an assignment.
func (a *analysis) assigned(lhs, rhs []ast.Expr, e ast.Expr) (to *types.Var, ok bool) {
	for _, x := range lhs {
		if x == e {
			return nil, true // another channel takes its place
		}
	}
	if len(lhs) != len(rhs) {
		return nil, false
	}
	for i, x := range rhs {
		if x != e {
			continue
		}
		var id *ast.Ident
		switch l := ast.Unparen(lhs[i]).(type) {
		case *ast.Ident:
			if id = l; id.Name == "_" {
				return nil, true
			}
		case *ast.SelectorExpr:
			id = l.Sel
		default:
			return nil, false
		}
		v, ok := a.info.ObjectOf(id).(*types.Var)
		if !ok {
			return nil, false
		}
		return a.target(v)
	}
	return nil, false
}

// target is where for an assignment to v.
func (a *analysis) target(v *types.Var) (to *types.Var, ok bool) {
	v = v.Origin()
	ch := channel(v.Type())
	switch {
	case ch == nil:
		return nil, false // an interface
	case ch.Dir() == types.RecvOnly:
		return nil, true
	case ch.Dir() == types.SendOnly:
		return nil, false
	case v.Exported() && (v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope()):
		return nil, false
	case v.Pkg() == nil || v.Kind() == types.ResultVar:
		return nil, false
	}
	return v, true
}

// passed is where for an argument of a call, or an operand of a conversion.
func (a *analysis) passed(call *ast.CallExpr, e ast.Expr) (to *types.Var, ok bool) {
	switch a.builtin(call) {
	case "close", "len", "cap":
		return nil, true
	case "":
	default:
		return nil, false
	}
	if t := a.info.Types[call.Fun]; t.IsType() {
		ch := channel(t.Type)
		return nil, ch != nil && ch.Dir() == types.RecvOnly
	}
	sig, ok := a.info.TypeOf(call.Fun).Underlying().(*types.Signature)
	if !ok {
		return nil, false
	}
	for i, x := range call.Args {
		if x != e || i >= sig.Params().Len() || sig.Variadic() && i >= sig.Params().Len()-1 {
			continue
		}
		p := sig.Params().At(i)
		if ch := channel(p.Type()); ch != nil && ch.Dir() == types.RecvOnly {
			return nil, true
		}
		if declared := a.declared(call); declared != nil && declared.Params().Len() == sig.Params().Len() {
			return a.target(declared.Params().At(i))
		}
	}
	return nil, false
}

// declared returns the signature of the function that is called, with the parameters that its body
// uses, if the function is known and its body is in the package.
func (a *analysis) declared(call *ast.CallExpr) *types.Signature {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		sig, _ := a.info.TypeOf(f).(*types.Signature)
		return sig
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, ok := a.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil {
		return nil
	}
	sig := f.Origin().Signature()
	if f.Origin().Scope() == nil || sig.Recv() != nil && types.IsInterface(sig.Recv().Type()) {
		return nil // of another package, or an interface
	}
	return sig
}

// returned is where for e that is returned.
func (a *analysis) returned(path []ast.Node, s *ast.ReturnStmt, e ast.Expr) (to *types.Var, ok bool) {
	for i := len(path) - 1; i >= 0; i-- {
		var t types.Type
		switch f := path[i].(type) {
		case *ast.FuncLit:
			t = a.info.TypeOf(f)
		case *ast.FuncDecl:
			declared := a.info.Defs[f.Name].(*types.Func)
			if v := result(declared); v != nil {
				a.results[f.Name.Name] = append(a.results[f.Name.Name], v)
				return v, true
			}
			t = declared.Type()
		default:
			continue
		}
		results := t.(*types.Signature).Results()
		for k, x := range s.Results {
			if x == e && k < results.Len() {
				ch := channel(results.At(k).Type())
				return nil, ch != nil && ch.Dir() == types.RecvOnly
			}
		}
		return nil, false
	}
	return nil, false
}

// spread makes the variables bad that are assigned to bad ones.
func (a *analysis) spread() {
	for name := range a.byInterface {
		for _, v := range a.results[name] {
			a.bad[v] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for v, to := range a.flows {
			for _, w := range to {
				if a.bad[w] && !a.bad[v] {
					a.bad[v], changed = true, true
				}
			}
		}
	}
}

// builtin returns the name of the builtin function that is called, or "".
func (a *analysis) builtin(call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := a.info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

// channel returns t as a channel type, or nil. Type parameters are none.
func channel(t types.Type) *types.Chan {
	if t == nil {
		return nil
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return nil
	}
	ch, _ := t.Underlying().(*types.Chan)
	return ch
}
