package instrument

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gopor/gopor/internal/known"
)

// The functions of some classes of package known are noted where executions use them, since the
// result of a search depends on them. Twins are not noted: under control they do not depend on
// these functions. Neither are generic functions, which note their use themselves.

// marks has, for the full name of a function, the function of package native to put around it.
var marks = func() map[string]string {
	all := make(map[string]string)
	for class, mark := range map[string]string{"source": "Source", "lasting": "Lasting", "foreign": "Foreign", "felt": "Felt", "ending": "Ending", "kills": "Kills"} {
		for _, r := range known.Rows(class) {
			all[r.Symbol()] = mark
		}
	}
	// Source does the same for syscall.Fdatasync.
	for _, name := range []string{"Fsync", "Sync", "Syncfs", "Fdatasync", "SyncFileRange"} {
		all["golang.org/x/sys/unix."+name] = "Synced"
	}
	all["syscall.Fsync"], all["syscall.Sync"], all["syscall.SyncFileRange"] = "Synced", "Synced", "Synced"
	return all
}()

// rewriteSources puts gopor_.Source(f, "os.Getenv"), or the like, in place of functions that
// have to be noted, and of functions of the program that are not written in Go.
func rewriteSources(r *rewriting) {
	if r.isGenerated() || r.Path == "net" { // what package net asks of the system it notes itself
		return
	}
	for _, d := range r.AST.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() && d.Recv == nil {
			r.giveBody(d)
		}
	}
	r.declareStandIns(func(d *ast.FuncDecl) bool {
		fn, ok := r.Info.Defs[d.Name].(*types.Func)
		return !ok || r.isLinked(fn)
	})
	called := make(map[ast.Expr]bool)
	plain := make(map[ast.Expr]bool) // see ownNumber
	ast.Inspect(r.AST, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if plain[n] {
				return false
			}
			if r.Info.Selections[n] == nil && r.markFunction(n, n.Sel, called[n]) {
				return false
			}
		case *ast.Ident:
			r.markFunction(n, n, called[n])
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			plain[r.ownNumber(n)] = true
			r.markMethod(n)
			if r.printsAddress(n) {
				r.Wrap(n.Fun, native+".Source(", ", \"an address that is printed\")")
			}
		}
		return true
	})
}

// ownNumber returns the expression os.Getpid if it is an argument of a call that uses it to
// refer to this process, and nil otherwise. The value of the number makes no difference then.
func (r *rewriting) ownNumber(call *ast.CallExpr) ast.Expr {
	full := func(n *ast.CallExpr) string {
		if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
			if fn, ok := r.Info.Uses[sel.Sel].(*types.Func); ok {
				return fn.FullName()
			}
		}
		return ""
	}
	if name := full(call); len(call.Args) == 0 || marks[name] != "Kills" && name != "os.FindProcess" {
		return nil
	}
	if number, ok := ast.Unparen(call.Args[0]).(*ast.CallExpr); ok && full(number) == "os.Getpid" {
		return ast.Unparen(number.Fun)
	}
	return nil
}

// giveBody turns a function that stands for one of the runtime into a function that calls it by
// another name. Other packages, which do not know what it stands for, use it, too.
func (r *rewriting) giveBody(d *ast.FuncDecl) {
	fn, ok := r.Info.Defs[d.Name].(*types.Func)
	if !ok || !r.isLinked(fn) {
		return
	}
	name, target := native+d.Name.Name, r.linked(r.Package, fn.Name())
	body, end := asLiteral(fn.Signature(), native+".Linked("+name+", "+strconv.Quote(target)+")", "")
	body, ok = strings.CutPrefix(body, "func(")
	directive := r.directive(d.Name.Name)
	if !ok || directive == nil {
		return
	}
	r.Replace(directive.Pos(), directive.End(), "//go:linkname "+name+" "+target)
	r.Wrap(d.Name, native, "")
	r.Wrap(d, "", "; func "+d.Name.Name+"("+body+end)
}

// directive returns the comment of the file that says what a function stands for.
func (r *rewriting) directive(name string) *ast.Comment {
	for _, g := range r.AST.Comments {
		for _, c := range g.List {
			if words := strings.Fields(c.Text); len(words) == 3 && words[0] == "//go:linkname" && words[1] == name {
				return c
			}
		}
	}
	return nil
}

// markFunction puts the mark of a function around a use of it, or in its place. The function is
// the one that id names. The flag says that the use is a call.
func (r *rewriting) markFunction(e ast.Expr, id *ast.Ident, called bool) bool {
	fn, ok := r.Info.Uses[id].(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil || fn.Signature().TypeParams() != nil {
		return false
	}
	if !called && r.hasStandIn(fn) {
		r.Replace(id.Pos(), id.End(), standInFor(fn))
		return true
	}
	return r.mark(e, fn, fn.Name())
}

// markMethod puts the mark of a method around a call of it.
func (r *rewriting) markMethod(call *ast.CallExpr) {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := r.Info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal {
		return
	}
	fn := s.Obj().(*types.Func)
	if recv, ok := deref(fn.Signature().Recv().Type()).(*types.Named); ok && fn.Pkg() != nil {
		r.mark(sel, fn, recv.Obj().Name()+"."+fn.Name())
	}
}

func (r *rewriting) mark(e ast.Expr, fn *types.Func, name string) bool {
	what := original(fn.Pkg().Path()) + "." + name
	mark := marks[what]
	if r.isLinked(fn) {
		mark, what = "Linked", r.linked(r.Package, fn.Name())
	} else if mark == "" || fn.Pkg() == r.Types {
		mark, what = "Foreign", r.describeNotGo(fn)
	}
	if what == "" {
		return false
	}
	before, after := native+"."+mark+"(", ", "+strconv.Quote(what)+")"
	if mark == "Linked" && r.initialises(e) {
		before, after = asLiteral(fn.Signature(), before, after)
	}
	r.Wrap(e, before, after)
	return true
}

// isLinked reports whether fn stands for a function of the runtime with a result that differs
// under control.
func (r *rewriting) isLinked(fn *types.Func) bool {
	return fn.Pkg() == r.Types && known.Is("linked", r.linked(r.Package, fn.Name())) && r.withoutBody()[fn]
}

// initialises reports whether e is the initial value of a variable of the package.
func (r *rewriting) initialises(e ast.Expr) bool {
	for _, d := range r.AST.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.VAR {
			for _, spec := range d.Specs {
				if slices.Contains(spec.(*ast.ValueSpec).Values, e) {
					return true
				}
			}
		}
	}
	return false
}

// asLiteral puts the text before and after a function into a function literal that calls the
// result. So the result is computed at the time of the call, and not when a variable is
// initialised with it. And the linker ignores an unused variable, as natively, although it may
// name a function that the runtime has no more. It is for functions of numbers.
func asLiteral(sig *types.Signature, before, after string) (string, string) {
	var params, args, results []string
	for i := range sig.Params().Len() {
		args = append(args, "a"+strconv.Itoa(i))
		params = append(params, args[i]+" "+sig.Params().At(i).Type().String())
	}
	for v := range sig.Results().Variables() {
		results = append(results, v.Type().String())
	}
	for _, tuple := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range tuple.Variables() {
			if b, ok := v.Type().(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
				return before, after
			}
		}
	}
	returns := ""
	if len(results) > 0 {
		returns = "return "
	}
	return "func(" + strings.Join(params, ", ") + ") (" + strings.Join(results, ", ") + ") { " + returns + before,
		after + "(" + strings.Join(args, ", ") + ") }"
}

// linked returns the function or variable for which one of the package stands by a directive,
// such as "runtime.nanotime". It returns "" if there is no directive.
func (f *facts) linked(p *Package, name string) string {
	if f.linknames == nil {
		f.linknames = make(map[string]string)
		for _, file := range p.Files {
			for _, g := range file.AST.Comments {
				for _, c := range g.List {
					if words := strings.Fields(c.Text); len(words) > 1 && words[0] == "//go:linkname" {
						f.linknames[words[1]] = words[len(words)-1]
					}
				}
			}
		}
	}
	return f.linknames[name]
}

// printing are the packages with functions that print their arguments.
var printing = []string{"fmt", "log", "testing", twinOfTesting}

// printsAddress reports whether the text of a call shows that it prints an address: by %p, or
// since an argument is of a type that is printed as an address.
func (r *rewriting) printsAddress(call *ast.CallExpr) bool {
	fn, ok := r.Info.Uses[called(call)].(*types.Func)
	if !ok || fn.Pkg() == nil || !slices.Contains(printing, fn.Pkg().Path()) || !fn.Signature().Variadic() {
		return false
	}
	for _, a := range call.Args {
		tv := r.Info.Types[a]
		if strings.HasSuffix(fn.Name(), "f") && tv.Value != nil && tv.Value.Kind() == constant.String &&
			strings.Contains(constant.StringVal(tv.Value), "%p") {
			return true
		}
	}
	if fn.Pkg().Path() != "fmt" || strings.HasSuffix(fn.Name(), "f") || !strings.Contains(fn.Name(), "rint") {
		return false
	}
	return slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return isAddress(r.Info.TypeOf(a)) })
}

// isAddress reports whether values of a type are printed as addresses.
func isAddress(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Array, *types.Slice, *types.Map:
			return false
		}
	default:
		return false
	}
	methods := types.NewMethodSet(t)
	return !slices.ContainsFunc([]string{"Error", "Format", "String"}, func(name string) bool { return methods.Lookup(nil, name) != nil })
}
