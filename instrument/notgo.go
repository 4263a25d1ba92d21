package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/known"
)

// This file handles functions of the program that are not written in Go. A call by name is
// noted by gopor_.Foreign. A use as a value may be called anywhere. So another function,
// declared beside the original, takes its place and notes the call. It is exported if the
// original is. So the declarations of imported packages tell which of their functions are not
// written in Go.

// standIn returns the name of the declaration beside a function that is not written in Go. For
// a function it is a function that calls it. For a method, which can only be called by name, it
// is a constant.
func standIn(recv, name string) string {
	if recv != "" {
		name = recv + "_" + name
	}
	if ast.IsExported(name) || recv != "" {
		return "Gopor_" + name
	}
	return native + name
}

// standInFor returns the name of the declaration beside fn, which may belong to another
// package.
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

// declareStandIns adds the declarations beside the functions of a file that are not written in
// Go, without those that except selects.
func (f *File) declareStandIns(except func(*ast.FuncDecl) bool) {
	for _, d := range f.AST.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body == nil && d.Name.Name != "_" && !except(d) {
			f.Wrap(d, "", "; "+f.standInText(d))
		}
	}
}

// standInText returns the declaration beside a function.
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

// fields returns parameters or results as a declaration, with names that begin with name, or
// without names if that is "". It also returns the arguments of a call that passes them on.
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

// notGo returns the description of a function in verdicts.
func notGo(name string) string { return "the function " + name + ", which is not written in Go" }

// harmlessC are C functions that only move memory.
var harmlessC = []string{"CBytes", "CString", "GoBytes", "GoString", "GoStringN", "_CMalloc", "free"}

// describeNotGo describes a function that is not written in Go, or is a C function. It returns
// "" for others. Functions of other packages are recognised if these packages are under
// control, too.
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
	if !r.withoutBody()[fn] || r.isElsewhere(fn) {
		return ""
	}
	return notGo(fn.Name())
}

// isElsewhere reports whether fn stands for a function of another package that is under control.
func (r *rewriting) isElsewhere(fn *types.Func) bool {
	path, _ := known.Split(r.linked(r.Package, fn.Name()))
	return build.IsControlled(path)
}

// hasStandIn reports whether another function can take the place of fn, which is not written in
// Go.
func (r *rewriting) hasStandIn(fn *types.Func) bool {
	if fn.Pkg() == r.Types {
		return r.withoutBody()[fn] && !r.isLinked(fn) && !r.isElsewhere(fn)
	}
	return fn.Pkg().Scope().Lookup(standInFor(fn)) != nil
}

// withoutBody returns the functions of the package that are declared without a body.
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

// bodies returns the functions with a body, and their declarations.
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
