package instrument

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Copies of exported functions have the first of these before their names; what
// calls the copy of a method, for other packages, has the second before the names of
// its type and its own. Where only the package itself can call a copy, it is native
// and an underscore.
const (
	exportedCopy = "Gopor__"
	methodPrefix = "GoporM__"
)

// twins begins the paths of the packages that stand for standard ones.
const twins = "github.com/gopor/gopor/sched/std/"

// piece is a part of a text that is not as in the source.
type piece struct {
	from, to int
	text     string
}

// plain adds text as it is in the source, but for some pieces.
func (m *moved) plain(from, to int, pieces []piece) {
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	for _, p := range pieces {
		m.Write(m.f.Src[from:p.from])
		m.WriteString(p.text)
		from = p.to
	}
	m.Write(m.f.Src[from:to])
}

// pieces returns what is not as in the source in a text that runs where nobody is
// controlled: labels have names of their own, calls go to functions that do not ask,
// and function literals are rewritten, since they may be called later.
func (t *twice) pieces(nodes ...ast.Stmt) (list []piece) {
	label := func(id *ast.Ident) { list = append(list, t.before(id, native+"_")) }
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.LabeledStmt:
				label(n.Label)
			case *ast.BranchStmt:
				if n.Label != nil {
					label(n.Label)
				}
				return false
			case *ast.CallExpr:
				list = append(list, t.calls().plainly(t.File, n)...)
			case *ast.FuncLit:
				list = append(list, piece{t.offset(n.Pos()), t.offset(n.End()), t.Inner(n)})
				return false
			}
			return true
		})
	}
	return list
}

// before returns the piece that is text before a node.
func (f *File) before(n ast.Node, text string) piece {
	at := f.offset(n.Pos())
	return piece{at, at, text}
}

// plainly returns what is to change in a call of a function that has a plain form,
// nothing if it has none.
func (c *calls) plainly(f *File, call *ast.CallExpr) []piece {
	fn, id := c.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	if prefix := c.prefix(fn); prefix != "" {
		return []piece{f.before(id, prefix)}
	}
	return c.across(f, call, fn)
}

// prefix returns what comes before the name of a function to make the name of what
// may be called in its place, "" if there is no such thing. Twins have some, too.
func (c *calls) prefix(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if fn.Pkg() == c.Types {
		switch {
		case !c.copied[fn]:
			return ""
		case recv == nil && fn.Exported():
			return exportedCopy
		}
		return native + "_"
	}
	var o types.Object
	if recv == nil {
		o = fn.Pkg().Scope().Lookup(exportedCopy + fn.Name())
	} else {
		o, _, _ = types.LookupFieldOrMethod(recv.Type(), true, fn.Pkg(), exportedCopy+fn.Name())
	}
	if o == nil {
		return ""
	}
	return exportedCopy
}

// hasCopy reports whether a function of a rewritten package has a copy.
func (c *calls) hasCopy(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	switch {
	case fn.Pkg() == c.Types:
		return c.copied[fn]
	case recv != nil:
		f, ok := fn.Pkg().Scope().Lookup(methodCopy(fn)).(*types.Func)
		return ok && receiver(f.Signature().Params().At(0)) == receiver(recv)
	}
	return c.prefix(fn) != "" && !strings.HasPrefix(fn.Pkg().Path(), twins)
}

// receiver returns the name of the type of a receiver.
func receiver(v *types.Var) *types.TypeName {
	if named, ok := deref(v.Type()).(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// methodCopy returns the name of the function that is the copy of a method for other
// packages. A method could be seen by reflection.
func methodCopy(fn *types.Func) string {
	if t := receiver(fn.Signature().Recv()); t != nil {
		return methodPrefix + t.Name() + "__" + fn.Name()
	}
	return ""
}

func deref(t types.Type) types.Type {
	t = types.Unalias(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return types.Unalias(p.Elem())
	}
	return t
}

// across returns what makes the call x.M(y) of a method of another package one of
// its copy there: gopor_p1.Gopor__T__M(&x, y).
func (c *calls) across(f *File, call *ast.CallExpr, fn *types.Func) []piece {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	path, imported := c.paths[fn.Pkg()]
	if !ok || !imported || fn.Signature().Recv() == nil || !c.hasCopy(fn) {
		return nil
	}
	fields, t := "", c.Info.TypeOf(sel.X)
	index := c.Info.Selections[sel].Index()
	for _, i := range index[:len(index)-1] {
		field := deref(t).Underlying().(*types.Struct).Field(i)
		if !field.Exported() && field.Pkg() != c.Types {
			return nil
		}
		fields, t = fields+"."+field.Name(), field.Type()
	}
	operator := ""
	_, is := types.Unalias(t).Underlying().(*types.Pointer)
	switch _, wants := fn.Signature().Recv().Type().(*types.Pointer); {
	case wants && !is:
		operator = "&"
	case is && !wants:
		operator = "*"
	}
	if len(call.Args) > 0 || f.lines(sel.X.End(), call.Rparen) != "" {
		fields += ", " // before a line break, too
	}
	name := f.importing(path) + "." + methodCopy(fn) + "(" + operator
	return []piece{
		f.before(sel.X, name),
		{f.offset(sel.X.End()), f.offset(call.Lparen + 1), fields + f.lines(sel.X.End(), call.Lparen+1)},
	}
}

// importing returns the name of a package that the rewritten file imports, if the
// name is used.
func (f *File) importing(path string) string {
	i := slices.Index(f.imports, path)
	if i < 0 {
		i = len(f.imports)
		f.imports = append(f.imports, path)
	}
	return native + "p" + strconv.Itoa(i+1)
}

// method returns a function that calls the copy of a method, for other packages, ""
// if it is none of their business or cannot be written in one line.
func (c *calls) method(d *ast.FuncDecl) string {
	fn := c.Info.Defs[d.Name].(*types.Func)
	if d.Recv == nil || !fn.Exported() {
		return ""
	}
	name := methodCopy(fn)
	if c.made[name] {
		return "" // that of A.B__C is that of A__B.C
	}
	c.made[name] = true
	f := c.files[fn]
	source := func(n ast.Node) string { return string(f.Src[f.offset(n.Pos()):f.offset(n.End())]) }
	constraints, ok := c.constraints(d, source)
	if !ok {
		return ""
	}
	var params, args []string
	param := func(t ast.Expr) {
		arg := native + strconv.Itoa(len(params))
		params = append(params, arg+" "+source(t))
		if _, variadic := t.(*ast.Ellipsis); variadic {
			arg += "..."
		}
		args = append(args, arg)
	}
	param(d.Recv.List[0].Type)
	for _, p := range d.Type.Params.List {
		for range max(1, len(p.Names)) {
			param(p.Type)
		}
	}
	text := "func " + name + constraints + "(" + strings.Join(params, ", ") + ") "
	if d.Type.Results != nil {
		text += source(d.Type.Results) + " { return "
	} else {
		text += "{ "
	}
	text += native + "0." + native + "_" + d.Name.Name + "(" + strings.Join(args[1:], ", ") + ") }"
	if !oneLine(text) || strings.Contains(text, "//") {
		return ""
	}
	return text
}

// constraints returns the type parameters of a method's receiver, with what they
// are declared to be, or false if that would mean something else in the method's file.
func (c *calls) constraints(d *ast.FuncDecl, source func(ast.Node) string) (text string, ok bool) {
	fn := c.Info.Defs[d.Name].(*types.Func)
	spec := c.types[receiver(fn.Signature().Recv())]
	if spec == nil || spec.TypeParams == nil {
		return "", spec != nil
	}
	if f := c.files[fn].AST; spec.Pos() < f.FileStart || spec.Pos() >= f.FileEnd {
		return "", false
	}
	i, names := 0, fn.Signature().RecvTypeParams()
	for _, field := range spec.TypeParams.List {
		for _, id := range field.Names {
			if names.At(i).Obj().Name() != id.Name {
				return "", false
			}
			i++
		}
	}
	return source(spec.TypeParams), true
}
