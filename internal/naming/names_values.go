package naming

import (
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gopor/gopor/internal/expr"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/exec"
)

// learnType determines the type of the variable that an entry has read or written, if the line
// has only one such variable.
func (n *Search) learnType(e *exec.Entry) {
	if n.kinds[e.Obj] != (expr.Kind{}) || len(e.Stack) == 0 {
		return
	}
	n.want(e.Stack)
	u := usage{stack: &e.Stack[0], op: e.Op(), kind: "type"}
	if _, seen := n.seen[u]; seen {
		return
	}
	n.seen[u] = calling{}
	if x := n.expression(e.Stack[0].File, e.Stack[0].Line, e.Op(), "memory"); x != nil {
		n.kinds[e.Obj] = n.kindOf(e.Stack[0].File, n.whole(e.Stack[0].File, x))
	}
}

// whole returns the map if an expression is an entry of a map, and otherwise the expression: a
// map is one object, whatever the key.
func (n *Search) whole(file string, x ast.Expr) ast.Expr {
	if at, ok := ast.Unparen(x).(*ast.IndexExpr); ok && n.kindOf(file, at.X).Class == expr.Map {
		return at.X
	}
	return x
}

// kindOf returns the kind of an expression of a file, as far as the file's package determines
// it. It is unknown in the standard library.
func (n *Search) kindOf(file string, x ast.Expr) expr.Kind {
	f := n.file(file)
	if f == nil || stack.Standard(OnDisk(file)) {
		return expr.Kind{} // its packages are large, and readers do not know them
	}
	dir, name := filepath.Dir(OnDisk(file)), f.tree.Name.Name
	ofTest := func(path string) bool { return strings.HasSuffix(path, "_test.go") }
	key := fmt.Sprintf("%s\x00%s\x00%t", dir, name, ofTest(file))
	p := n.packs[key]
	if p == nil {
		paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		var files []*ast.File
		for _, path := range paths {
			if ofTest(path) && !ofTest(file) {
				continue // the file does not see what tests declare
			}
			if f := n.file(path); f != nil && f.tree.Name.Name == name {
				files = append(files, f.tree)
			}
		}
		p = expr.NewPackage(files)
		n.packs[key] = p
	}
	return p.KindOf(x)
}

// decode returns the value that an entry has read or written. The kind may be unknown.
func decode(k expr.Kind, e *exec.Entry) string {
	word, size := e.Word, e.Size
	switch {
	case k.Class == expr.Unknown:
		// Numbers of that size are usually small. Addresses are not.
		if n := int64(word); !e.Vague && n >= -1<<20 && n <= 1<<31 {
			return strconv.FormatInt(n, 10)
		}
		return ""
	case e.Vague && k.Size < size:
		word, size = word&(1<<(8*k.Size)-1), k.Size
	case k.Size != size:
		return "" // a part of it
	}
	unused := 64 - 8*size
	switch k.Class {
	case expr.Boolean:
		return strconv.FormatBool(word&0xff != 0)
	case expr.Unsigned:
		return strconv.FormatUint(word, 10)
	case expr.Signed:
		return strconv.FormatInt(int64(word<<unused)>>unused, 10)
	case expr.Float:
		if size == 4 {
			return fmt.Sprint(math.Float32frombits(uint32(word)))
		}
		return fmt.Sprint(math.Float64frombits(word))
	case expr.Pointer:
		if word == 0 {
			return "nil"
		}
	}
	return "" // for maps: the number of entries, which may be 0
}

// Started returns the call of the go statement at the top of a stack, such as
// "worker(results)". It is "" for function literals and if the call is unknown.
func (n *Search) Started(stack []exec.Call) string {
	if len(stack) == 0 {
		return ""
	}
	n.want(stack)
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

// Called returns the call of stack[i] as written at stack[i+1], with its arguments named as
// further up the stack: "Transfer(alice, bob)". It is "" if the call is unknown.
func (n *Search) Called(stack []exec.Call, i int) string {
	if i+1 >= len(stack) {
		return ""
	}
	n.want(stack)
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

// longestArgument is the maximal number of characters of an argument in a heading.
const longestArgument = 16

// callText formats a call that the first frame of a stack makes.
func (n *Search) callText(call *ast.CallExpr, stack []exec.Call) string {
	var args []string
	for _, a := range call.Args {
		text := text(n.argumentName(a, stack))
		if len(text) > longestArgument || strings.Contains(text, "\n") {
			text = "..."
		}
		args = append(args, text)
	}
	fun := ast.Unparen(call.Fun)
	name := expr.String(fun)
	switch f := fun.(type) {
	case *ast.SelectorExpr:
		if isPlain(f.X) {
			x, _ := n.resolve(f.X, stack)
			name = text(x) + "." + f.Sel.Name
		}
	case *ast.IndexExpr:
		name = expr.String(f.X)
	}
	if len(name) > longestName {
		return ""
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

func (n *Search) argumentName(x ast.Expr, stack []exec.Call) ast.Expr {
	if a, ok := x.(*ast.UnaryExpr); ok && a.Op == token.AND {
		x = a.X
	}
	if isPlain(x) {
		x, _ = n.resolve(x, stack)
	}
	return x
}

// briefLines is the maximal number of lines of a function that is too short to be searched for
// a step.
const briefLines = 4

// IsBrief reports whether a call is in a named function of only a few lines.
func (n *Search) IsBrief(c exec.Call) bool {
	f := n.file(c.File)
	if f == nil {
		return false
	}
	fn := f.functionAt(c.Line)
	return fn != nil && fn.name != "" && fn.to-fn.from < briefLines
}
