package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// This file is about functions of the program that are not written in Go. Where one is called
// by its name, gopor_.Foreign notes it. Where it is used as a value, nobody knows when it is
// called: another function takes its place, which is declared beside it and notes it then. That one is
// exported if the function is, so what packages are imported have tells which of
// their functions are not written in Go.

// standIn returns the name of what is declared beside a function that is not written in Go. Of a
// function it is one that calls it; of a method, which is called by its name only, a constant.
func standIn(recv, name string) string {
	if recv != "" {
		name = recv + "_" + name
	}
	if ast.IsExported(name) || recv != "" {
		return "Gopor_" + name
	}
	return native + name
}

// standInFor returns the name of what is declared beside fn, which may be of another package.
func standInFor(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return standIn("", fn.Name())
	}
	if named, ok := deref(recv.Type()).(*types.Named); ok {
		return standIn(named.Obj().Name(), fn.Name())
	}
	return ""
}

// declareStandIns declares what is beside the functions of a file that are not written in Go, but
// for those that are none of its concern.
func (f *File) declareStandIns(except func(*ast.FuncDecl) bool) {
	for _, d := range f.AST.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil && d.Name.Name != "_" && !except(d) {
			f.Wrap(d, "", "; "+f.standInText(d))
		}
	}
}

// standInText declares what is beside a function.
func (f *File) standInText(d *ast.FuncDecl) string {
	if d.Recv != nil {
		recv := ast.Unparen(d.Recv.List[0].Type)
		if star, ok := recv.(*ast.StarExpr); ok {
			recv = ast.Unparen(star.X)
		}
		return fmt.Sprintf("const %s = true", standIn(recv.(*ast.Ident).Name, d.Name.Name))
	}
	params, args := fields(d.Type.Params, f.native())
	results, _ := fields(d.Type.Results, "")
	returns := ""
	if results != "" {
		returns = "return "
	}
	return fmt.Sprintf("func %s(%s) (%s) { %s.Uncontrolled(%s); %s%s(%s) }", standIn("", d.Name.Name), params, results,
		f.native(), strconv.Quote(notGo(d.Name.Name)), returns, d.Name.Name, args)
}

// fields returns parameters or results with names that begin like that, without names if it is "", and
// what is between the parentheses of a call that hands them on.
func fields(list *ast.FieldList, name string) (declared, args string) {
	if list == nil {
		return "", ""
	}
	var names, all []string
	for _, field := range list.List {
		kind := types.ExprString(field.Type)
		for range max(1, len(field.Names)) {
			arg, dots := name+strconv.Itoa(len(all)), ""
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				dots = "..."
			}
			if names = append(names, arg+dots); name == "" {
				arg = ""
			}
			all = append(all, strings.TrimSpace(arg+" "+kind))
		}
	}
	return strings.Join(all, ", "), strings.Join(names, ", ")
}

// notGo is how verdicts call a function.
func notGo(name string) string { return "the function " + name + ", which is not written in Go" }

// harmlessC are C functions that only move memory.
var harmlessC = []string{"CBytes", "CString", "GoBytes", "GoString", "GoStringN", "_CMalloc", "free"}

// describeNotGo describes a function that is not written in Go, or is one of C; it is "" of others. Those
// of other packages are known if these are under control, too.
func (r *rewriting) describeNotGo(fn *types.Func) string {
	if fn.Pkg() != r.Types {
		if fn.Pkg().Scope().Lookup(standInFor(fn)) == nil {
			return ""
		}
		return notGo(fn.Pkg().Name() + "." + fn.Name())
	}
	if name, ok := strings.CutPrefix(fn.Name(), "_Cfunc_"); ok {
		if slices.Contains(harmlessC, name) {
			return ""
		}
		return "the C function " + name + " of package " + r.Types.Path()
	}
	if !r.withoutBody()[fn] {
		return ""
	}
	return notGo(fn.Name())
}

// hasStandIn reports whether another function can take the place of fn, which is not written in Go.
func (r *rewriting) hasStandIn(fn *types.Func) bool {
	if fn.Pkg() == r.Types {
		return r.withoutBody()[fn] && !r.isLinked(fn)
	}
	return fn.Pkg().Scope().Lookup(standInFor(fn)) != nil
}

// withoutBody returns the functions of the package that have no text in Go.
func (r *rewriting) withoutBody() map[*types.Func]bool {
	if r.bodiless == nil {
		r.bodiless = make(map[*types.Func]bool)
		r.declarations(func(f *types.Func, d *ast.FuncDecl) {
			if d.Body == nil {
				r.bodiless[f] = true
			}
		})
	}
	return r.bodiless
}

// bodies returns the other functions, and where they are declared.
func (r *rewriting) bodies() map[*types.Func]*ast.FuncDecl {
	if r.declared == nil {
		r.declared = make(map[*types.Func]*ast.FuncDecl)
		r.declarations(func(f *types.Func, d *ast.FuncDecl) {
			if d.Body != nil {
				r.declared[f] = d
			}
		})
	}
	return r.declared
}

func (r *rewriting) declarations(do func(*types.Func, *ast.FuncDecl)) {
	for _, f := range r.Files {
		for _, d := range f.AST.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := r.Info.Defs[d.Name].(*types.Func); ok {
					do(fn, d)
				}
			}
		}
	}
}
