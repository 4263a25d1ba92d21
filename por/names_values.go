package por

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gopor/gopor/sched"
)

// learnType finds out of what type the variable is that an entry has read or written, where
// the line says which that is.
func (n *nameSearch) learnType(e *sched.Entry) {
	if n.types[e.Obj] != nil || len(e.Stack) == 0 {
		return
	}
	u := usage{&e.Stack[0], e.Op, "type"}
	if _, seen := n.seen[u]; seen {
		return
	}
	n.seen[u] = calling{}
	if x := n.expression(e.Stack[0].File, e.Stack[0].Line, e.Op, "memory"); x != nil {
		n.types[e.Obj] = n.typeOf(e.Stack[0].File, n.whole(e.Stack[0].File, x))
	}
}

// whole returns the map of which an expression is an entry, or else the expression: a map is one object, whatever the key.
func (n *nameSearch) whole(file string, x ast.Expr) ast.Expr {
	at, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok {
		return x
	}
	if t := n.typeOf(file, at.X); t != nil {
		if _, is := t.Underlying().(*types.Map); is {
			return at.X
		}
	}
	return x
}

// sizes are those of the compiler's types.
var sizes = types.SizesFor("gc", runtime.GOARCH)

// decode returns the value that an entry has read or written, of a type, which may be nil.
func decode(t types.Type, e *sched.Entry) string {
	word, size := e.Word, e.Size
	if b, ok := t.(*types.Basic); t == nil || ok && (b.Kind() == types.Invalid || b.Info()&types.IsUntyped != 0) {
		if e.Vague {
			return ""
		}
		// Numbers of that size are small, as a rule; addresses are not.
		if n := int64(word); n >= -1<<20 && n <= 1<<31 {
			return strconv.FormatInt(n, 10)
		}
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		if n := int(sizes.Sizeof(u)); e.Vague && n < size {
			word, size = word&(1<<(8*n)-1), n
		} else if n != size {
			return "" // a part of it
		}
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return decodeBasic(t.Info(), t.Kind(), word, size)
	case *types.Pointer, *types.Chan, *types.Signature: // of a map it is the number of its entries that may be 0
		if word == 0 {
			return "nil"
		}
	}
	return ""
}

func decodeBasic(info types.BasicInfo, kind types.BasicKind, word uint64, size int) string {
	unused := 64 - 8*size
	switch {
	case kind == types.Bool:
		return strconv.FormatBool(word&0xff != 0)
	case kind == types.UnsafePointer && word == 0:
		return "nil"
	case kind == types.Float64:
		return fmt.Sprint(math.Float64frombits(word))
	case kind == types.Float32:
		return fmt.Sprint(math.Float32frombits(uint32(word)))
	case info&types.IsUnsigned != 0 && size <= 8:
		return strconv.FormatUint(word, 10)
	case info&types.IsInteger != 0:
		return strconv.FormatInt(int64(word<<unused)>>unused, 10)
	}
	return ""
}

// typeOf returns the type of an expression of a file, as far as that can be told from the
// package that it is in; nil if it cannot.
func (n *nameSearch) typeOf(file string, x ast.Expr) types.Type {
	f := n.file(file)
	if f == nil {
		return nil
	}
	dir := filepath.Dir(onDisk(file))
	key := dir + "\x00" + f.tree.Name.Name
	info, ok := n.info[key]
	if !ok {
		info = n.check(dir, f.tree.Name.Name)
		n.info[key] = info
	}
	t := info.TypeOf(x)
	if s, ok := x.(*ast.SelectorExpr); ok && t == nil && info.Uses[s.Sel] != nil { // of a composite literal
		t = info.Uses[s.Sel].Type()
	}
	if t == types.Typ[types.Invalid] {
		return nil
	}
	return t
}

// check finds out what types the expressions of a package have. What it imports counts as
// unknown.
func (n *nameSearch) check(dir, name string) *types.Info {
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object)}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	var files []*ast.File
	for _, path := range paths {
		if f := n.file(path); f != nil && f.tree.Name.Name == name {
			files = append(files, f.tree)
		}
	}
	c := types.Config{Importer: nothing{}, Error: func(error) {}, FakeImportC: true, IgnoreFuncBodies: false}
	c.Check(name, n.set, files, info)
	return info
}

// nothing imports nothing.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) {
	return nil, errors.New("not imported: " + path)
}

// started returns what the go statement at the top of a stack calls, such as
// "worker(results)", "" if that is a function literal or not to be told.
func (n *nameSearch) started(stack []sched.Call) string {
	if len(stack) == 0 {
		return ""
	}
	f := n.file(stack[0].File)
	if f == nil {
		return ""
	}
	found := ""
	for _, node := range f.lines[stack[0].Line] {
		g, ok := node.(*ast.GoStmt)
		if !ok {
			continue
		}
		if _, literal := ast.Unparen(g.Call.Fun).(*ast.FuncLit); literal || found != "" {
			return ""
		}
		found = n.callText(g.Call, stack)
	}
	return found
}

// called returns how the call of stack[i] is written at stack[i+1], with what its arguments
// are called further up: "Transfer(alice, bob)"; "" if that is not to be told.
func (n *nameSearch) called(stack []sched.Call, i int) string {
	if i+1 >= len(stack) {
		return ""
	}
	callee, caller := n.file(stack[i].File), n.file(stack[i+1].File)
	if callee == nil || caller == nil {
		return ""
	}
	fn := callee.functionAt(stack[i].Line)
	if fn == nil || fn.name == "" {
		return ""
	}
	var found *ast.CallExpr
	for _, node := range caller.lines[stack[i+1].Line] {
		if call, ok := node.(*ast.CallExpr); ok && calls(call, fn) && call != found {
			if found != nil {
				return fn.name + "(...)"
			}
			found = call
		}
	}
	if found == nil {
		return ""
	}
	return n.callText(found, stack[i+1:])
}

// longestArgument is how many characters an argument may have in a heading.
const longestArgument = 16

// callText writes a call that the first frame of a stack makes.
func (n *nameSearch) callText(call *ast.CallExpr, stack []sched.Call) string {
	var args []string
	for _, a := range call.Args {
		text := text(n.argumentName(a, stack))
		if len(text) > longestArgument || strings.Contains(text, "\n") {
			text = "..."
		}
		args = append(args, text)
	}
	fun := ast.Unparen(call.Fun)
	name := types.ExprString(fun)
	switch f := fun.(type) {
	case *ast.SelectorExpr:
		if isPlain(f.X) {
			x, _ := n.resolve(f.X, stack)
			name = text(x) + "." + f.Sel.Name
		}
	case *ast.IndexExpr:
		name = types.ExprString(f.X)
	}
	if len(name) > longestName {
		return ""
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func (n *nameSearch) argumentName(x ast.Expr, stack []sched.Call) ast.Expr {
	if a, ok := x.(*ast.UnaryExpr); ok && a.Op == token.AND {
		x = a.X
	}
	if isPlain(x) {
		x, _ = n.resolve(x, stack)
	}
	return x
}

// briefLines is of how many lines a function is at most that a step is not looked for in.
const briefLines = 4

// isBrief reports whether a call is in a function with a name that is only a few lines long.
func (n *nameSearch) isBrief(c sched.Call) bool {
	f := n.file(c.File)
	if f == nil {
		return false
	}
	fn := f.functionAt(c.Line)
	return fn != nil && fn.name != "" && fn.to-fn.from < briefLines
}
