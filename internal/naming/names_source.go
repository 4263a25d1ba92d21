package naming

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/expr"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// sourceFile is a source file of the program. Declarations that stacks show are indexed by line.
type sourceFile struct {
	file  *token.File
	as    string // the file that its line directives name, "" if its own lines count
	tree  *ast.File
	lines map[int][]ast.Node // statements and expressions that use objects
	funcs []function
	// fields are the keys of composite literals that are field names.
	fields map[ast.Expr]bool
}

// function is a function of a file, a literal if it has no name.
type function struct {
	name     string
	receiver string // the name of its receiver, "" if it has none
	params   []string
	results  []string // named results
	from, to int      // first and last line
	node     ast.Node
}

// parse parses a file, as far as stacks have shown it, and the file's declarations. It returns nil
// if the file cannot be read.
func (n *Search) parse(name string) *sourceFile {
	text, err := os.ReadFile(name)
	if err != nil {
		return n.parseGenerated(name)
	}
	wanted, mode := n.wanted[name], parser.Mode(0)
	if stack.Standard(name) {
		mode = parser.SkipObjectResolution // only types need that
	}
	tree, err := parser.ParseFile(n.set, name, thin(text, wanted), mode)
	if err != nil {
		if tree, err = parser.ParseFile(n.set, name, text, mode); err != nil {
			return n.parseGenerated(name)
		}
	}
	return n.indexed(tree, "", wanted)
}

// parseGenerated parses the file of the folder with line directives that name a file which is none
// of Go: the code that was generated from it. It returns nil if there is none.
func (n *Search) parseGenerated(name string) *sourceFile {
	base := filepath.Base(name)
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "*.go"))
	for _, other := range others {
		text, err := os.ReadFile(other)
		if err != nil || !bytes.Contains(text, []byte("line "+base)) {
			continue
		}
		tree, err := parser.ParseFile(n.set, other, text, parser.ParseComments)
		if err != nil {
			continue
		}
		if f := n.indexed(tree, base, n.wanted[name]); len(f.lines) > 0 {
			return f
		}
	}
	return nil
}

// indexed returns a file with what is on the wanted lines.
func (n *Search) indexed(tree *ast.File, as string, wanted []int) *sourceFile {
	f := &sourceFile{tree: tree, as: as, file: n.set.File(tree.FileStart), lines: make(map[int][]ast.Node), fields: make(map[ast.Expr]bool)}
	for _, d := range tree.Decls {
		from, to := f.line(d.Pos()), f.line(d.End())
		if slices.ContainsFunc(wanted, func(line int) bool { return from <= line && line <= to }) {
			ast.Inspect(d, f.index)
		}
	}
	return f
}

// index notes where a node is.
func (f *sourceFile) index(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		fn := f.function(n.Name.Name, n.Type, n)
		if n.Recv != nil && len(n.Recv.List) == 1 && len(n.Recv.List[0].Names) == 1 {
			fn.receiver = n.Recv.List[0].Names[0].Name
		}
		f.funcs = append(f.funcs, fn)
	case *ast.FuncLit:
		f.funcs = append(f.funcs, f.function("", n.Type, n))
	case *ast.CallExpr:
		f.put(n, n.Pos(), n.Lparen)
	case *ast.CompositeLit:
		f.noteFields(n)
	case *ast.GoStmt, *ast.SelectStmt:
		f.put(n, n.Pos(), n.Pos())
	case *ast.SendStmt, *ast.UnaryExpr, *ast.AssignStmt, *ast.IncDecStmt, *ast.StarExpr, *ast.SelectorExpr, *ast.IndexExpr:
		f.put(n, n.Pos(), n.End())
	case *ast.Ident:
		f.put(n, n.Pos(), n.Pos())
	case *ast.RangeStmt:
		f.put(n, n.Pos(), n.X.End())
	}
	return true
}

// put notes that a node is on the lines between two positions.
func (f *sourceFile) put(n ast.Node, from, to token.Pos) {
	for line := f.line(from); line <= f.line(to); line++ {
		f.lines[line] = append(f.lines[line], n)
	}
}

// line returns the line of a position, -1 if it is none of the file that counts.
func (f *sourceFile) line(p token.Pos) int {
	pos := f.file.PositionFor(p, f.as != "")
	if f.as != "" && filepath.Base(pos.Filename) != f.as {
		return -1
	}
	return pos.Line
}

func (f *sourceFile) function(name string, t *ast.FuncType, n ast.Node) function {
	fn := function{name: name, from: f.line(n.Pos()), to: f.line(n.End()), node: n}
	for _, field := range t.Params.List {
		for _, p := range field.Names {
			fn.params = append(fn.params, p.Name)
		}
		if len(field.Names) == 0 {
			fn.params = append(fn.params, "_")
		}
	}
	if t.Results != nil {
		for _, field := range t.Results.List {
			for _, r := range field.Names {
				fn.results = append(fn.results, r.Name)
			}
		}
	}
	return fn
}

// functionAt returns the innermost function that contains a line.
func (f *sourceFile) functionAt(line int) *function {
	var in *function
	for i := range f.funcs {
		fn := &f.funcs[i]
		if fn.from <= line && line <= fn.to && (in == nil || fn.to-fn.from <= in.to-in.from) {
			in = fn
		}
	}
	return in
}

// argument returns the argument for a parameter, or the receiver, of the only call of fn on a
// line. It returns nil if there is no such call or several.
func (f *sourceFile) argument(line int, fn *function, param string) ast.Expr {
	i := slices.Index(fn.params, param)
	if i < 0 && (param != fn.receiver || param == "") {
		return nil
	}
	var arg ast.Expr
	for _, n := range f.lines[line] {
		call, ok := n.(*ast.CallExpr)
		if !ok || !calls(call, fn) {
			continue
		}
		var this ast.Expr
		switch s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); {
		case i >= 0 && i < len(call.Args) && !call.Ellipsis.IsValid():
			this = call.Args[i]
		case i < 0 && ok:
			this = s.X
		}
		if this == nil || arg != nil && text(arg) != text(this) {
			return nil
		}
		arg = this
	}
	return arg
}

// calls reports whether a call is one of fn, as far as names tell.
func calls(call *ast.CallExpr, fn *function) bool {
	switch x := ast.Unparen(call.Fun).(type) {
	case *ast.FuncLit:
		return x == fn.node
	case *ast.Ident:
		return fn.name != "" && x.Name == fn.name && fn.receiver == ""
	case *ast.SelectorExpr:
		return fn.name != "" && x.Sel.Name == fn.name
	case *ast.IndexExpr: // of a generic function
		id, ok := x.X.(*ast.Ident)
		return ok && fn.name != "" && id.Name == fn.name
	}
	return false
}

// methods are the methods that use an object, by kind.
var methods = map[string][]string{
	"Mutex":     {"Lock", "Unlock", "TryLock"},
	"RWMutex":   {"Lock", "Unlock", "TryLock", "RLock", "RUnlock", "TryRLock"},
	"WaitGroup": {"Add", "Done", "Wait", "Go"},
	"Once":      {"Do"},
	"Cond":      {"Wait", "Signal", "Broadcast"},
	"Pool":      {"Get", "Put"},
	"Map": {"Load", "Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap",
		"CompareAndDelete", "Range", "Clear"},
	"chan":    {"Send", "Recv", "RecvOK", "Close", "Len", "Cap"},
	"timer":   {"Stop", "Reset"},
	"context": {"Done", "Err"},
}

// atomics are the methods of atomic values, and the prefixes of the functions of package
// sync/atomic.
var atomics = []string{"Load", "Store", "Add", "Swap", "CompareAndSwap", "And", "Or", "Update"}

// atomicsOf returns the elements of atomics that an operation may be.
func atomicsOf(op string) []string {
	if op == "cas" {
		return []string{"CompareAndSwap"}
	}
	if i := slices.IndexFunc(atomics, func(m string) bool { return strings.EqualFold(m, op) }); i >= 0 {
		return atomics[i : i+1]
	}
	return atomics
}

// uses returns the expressions on a line for the object of some kind that the named operation
// may have used.
func (f *sourceFile) uses(line int, op, kind string) []ast.Expr {
	switch kind {
	case "memory":
		if op != "read" && op != "write" { // an atomic operation on it
			break
		}
		return f.memory(line, op)
	case "Var":
		if found := f.receivers(line, atomicsOf(op)); len(found) > 0 {
			return found
		}
		return f.memory(line, op)
	case "state":
		return f.kept(line)
	case "file", "folder": // labels of files and folders are names
		return nil
	case "chan":
		return append(f.channels(line, op), f.receivers(line, methods[kind])...)
	}
	if own, ok := methods[kind]; ok {
		return f.receivers(line, own)
	}
	return append(f.receivers(line, atomicsOf(op)), f.addresses(line, atomicsOf(op))...)
}

// receivers returns the receivers of the given methods on a line.
func (f *sourceFile) receivers(line int, methods []string) (found []ast.Expr) {
	for _, n := range f.lines[line] {
		if call, ok := n.(*ast.CallExpr); ok {
			found = appendReceiver(found, call, methods)
		}
	}
	return found
}

// caseLine returns the line of a case of the select statement on a line, 0 if there is none or
// several.
func (f *sourceFile) caseLine(line int, taken *exec.Case) int {
	found, selects := 0, 0
	for _, n := range f.lines[line] {
		s, ok := n.(*ast.SelectStmt)
		if !ok {
			continue
		}
		selects++
		number := 0
		for _, c := range s.Body.List {
			isDefault := c.(*ast.CommClause).Comm == nil
			if isDefault == (taken.Kind == trace.OpNone) && (isDefault || number == taken.Number) {
				found = f.line(c.Pos())
			}
			if !isDefault {
				number++
			}
		}
	}
	if selects != 1 {
		return 0
	}
	return max(found, 0)
}

// kept returns the receiver of the method that begins on a line, or the package of the
// function.
func (f *sourceFile) kept(line int) []ast.Expr {
	switch fn := f.functionAt(line); {
	case fn == nil:
		return nil
	case fn.receiver != "":
		return []ast.Expr{ast.NewIdent(fn.receiver)}
	}
	return []ast.Expr{f.tree.Name}
}

// deferred returns the receivers of methods of a kind of object in the defer statements of the
// function around a line. Their calls take place where the function returns.
func (f *sourceFile) deferred(line int, kind string) (found []ast.Expr) {
	fn := f.functionAt(line)
	if fn == nil {
		return nil
	}
	ast.Inspect(fn.node, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			found = appendReceiver(found, d.Call, methods[kind])
		}
		_, inner := n.(*ast.FuncLit)
		return !inner || n == fn.node
	})
	return found
}

func appendReceiver(found []ast.Expr, call *ast.CallExpr, methods []string) []ast.Expr {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(methods, s.Sel.Name) && isPlain(s.X) {
		return append(found, s.X)
	}
	return found
}

// addresses returns the operands of functions of package sync/atomic on a line.
func (f *sourceFile) addresses(line int, methods []string) (found []ast.Expr) {
	for _, n := range f.lines[line] {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			continue
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.ContainsFunc(methods, func(m string) bool { return strings.HasPrefix(s.Sel.Name, m) && s.Sel.Name != m }) {
			continue
		}
		if a, ok := call.Args[0].(*ast.UnaryExpr); ok && a.Op == token.AND && isPlain(a.X) {
			found = append(found, a.X)
		}
	}
	return found
}

// channels returns the channels on a line that an operation may use.
func (f *sourceFile) channels(line int, op string) (found []ast.Expr) {
	add := func(x ast.Expr) {
		if isPlain(x) {
			found = append(found, x)
		}
	}
	for _, n := range f.lines[line] {
		switch n := n.(type) {
		case *ast.SendStmt:
			if op == "send" || op == "select" {
				add(n.Chan)
			}
		case *ast.UnaryExpr:
			if n.Op == token.ARROW && (op == "recv" || op == "select") {
				add(n.X)
			}
		case *ast.RangeStmt:
			if op == "recv" && n.Tok != token.ILLEGAL && n.Value == nil {
				add(n.X)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) == 1 && (id.Name == op || id.Name == "cap" && op == "len") {
				add(n.Args[0])
			}
		}
	}
	return found
}

// memory returns the variables that a line writes, or else those that it reads. It leaves out
// expressions that are only the beginning of another.
func (f *sourceFile) memory(line int, op string) (found []ast.Expr) {
	var written []ast.Expr
	both := make(map[ast.Node]bool) // written and read
	for _, n := range f.lines[line] {
		switch n := n.(type) {
		case *ast.AssignStmt:
			left, _ := f.assigned(n, line)
			written = append(written, left...)
			for _, x := range left {
				both[x] = n.Tok != token.ASSIGN && n.Tok != token.DEFINE
			}
		case *ast.IncDecStmt:
			written = append(written, n.X)
			both[n.X] = true
		case *ast.CallExpr:
			if x := filled(n); x != nil && op == "write" {
				written = append(slices.DeleteFunc(written, f.fresh), x)
			}
		}
	}
	if op == "write" {
		return slices.DeleteFunc(written, func(x ast.Expr) bool { return !isPlain(x) || text(x) == "_" })
	}
	part := make(map[ast.Node]bool) // of another expression, or no variable
	for _, x := range written {
		part[x] = !both[x]
	}
	for _, n := range f.lines[line] {
		switch n := n.(type) {
		case *ast.CallExpr:
			part[n.Fun] = true
			if s, ok := n.Fun.(*ast.SelectorExpr); ok {
				part[s.Sel] = true
			}
		case *ast.SelectorExpr:
			part[n.X], part[n.Sel] = true, true
		case *ast.IndexExpr:
			part[n.X] = true
		case *ast.StarExpr:
			part[n.X] = true
		}
	}
	for _, n := range f.lines[line] {
		x, ok := n.(ast.Expr)
		if !ok || part[n] || f.fields[x] || !isPlain(x) || expr.Predeclared(text(x)) || text(x) == "_" {
			continue
		}
		found = append(found, x)
	}
	return found
}

// vague reports whether a line writes a variable with a composite literal on the line, so that
// an element of the literal may be meant.
func (f *sourceFile) vague(line int) bool {
	return slices.ContainsFunc(f.lines[line], func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if ok {
			_, ok = f.assigned(a, line)
		}
		return ok
	})
}

// isPlain reports whether an expression is a variable, or a part of one, that has a name.
func isPlain(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPlain(x.X)
	case *ast.StarExpr:
		return isPlain(x.X)
	case *ast.IndexExpr:
		return isPlain(x.X) && isPlainIndex(x.Index)
	case *ast.UnaryExpr:
		return x.Op == token.AND && isPlain(x.X)
	}
	return false
}

// isPlainIndex reports whether an index consists of variables and constants only.
func isPlainIndex(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		return isPlainIndex(x.X) && isPlainIndex(x.Y)
	case *ast.CompositeLit:
		return !slices.ContainsFunc(x.Elts, func(e ast.Expr) bool {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			return !isPlainIndex(e)
		})
	}
	return isPlain(x)
}

// rootOf returns the identifier that an expression begins with, nil if there is none.
func rootOf(x ast.Expr) *ast.Ident {
	for {
		switch y := ast.Unparen(x).(type) {
		case *ast.Ident:
			return y
		case *ast.SelectorExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.UnaryExpr:
			x = y.X
		default:
			return nil
		}
	}
}

// substitute returns an expression with the identifier at its beginning replaced by another
// expression.
func substitute(x ast.Expr, root *ast.Ident, by ast.Expr) ast.Expr {
	switch y := ast.Unparen(x).(type) {
	case *ast.Ident:
		return by
	case *ast.SelectorExpr:
		in := substitute(y.X, root, by)
		if a, ok := ast.Unparen(in).(*ast.UnaryExpr); ok && a.Op == token.AND {
			in = a.X // (&a).f is a.f
		}
		return &ast.SelectorExpr{X: in, Sel: y.Sel}
	case *ast.StarExpr:
		in := substitute(y.X, root, by)
		if a, ok := ast.Unparen(in).(*ast.UnaryExpr); ok && a.Op == token.AND {
			return a.X // *&a is a
		}
		return &ast.StarExpr{X: in}
	case *ast.IndexExpr:
		return &ast.IndexExpr{X: substitute(y.X, root, by), Index: y.Index}
	case *ast.UnaryExpr:
		return &ast.UnaryExpr{Op: y.Op, X: substitute(y.X, root, by)}
	}
	return x
}

// text returns the text of an expression. The address of a variable has the name of the
// variable.
func text(x ast.Expr) string {
	if a, ok := x.(*ast.UnaryExpr); ok && a.Op == token.AND {
		x = a.X
	}
	return expr.String(x)
}
