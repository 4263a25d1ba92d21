package instrument

import (
	"fmt"
	"go/ast"

	"github.com/gopor/gopor/instrument/divert"
	"github.com/gopor/gopor/instrument/edit"
)

// detachLog makes the go command's log of the files and variables that tests use write outside
// of executions. Its mutex does not belong to the program, and would order what controlled
// goroutines do before and after os.Getenv.
//
//	func (l *testLog) add(op, name string) {
//
// becomes, in the same line,
//
//	func (l *testLog) add(op, name string) {
//		if live.Detached(func() { l.add(op, name) }) { return };
func detachLog(r *rewriting) {
	if r.Path != "testing/internal/testdeps" {
		return
	}
	for _, d := range r.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil || fn.Name.Name != "add" || r.Source(fn.Recv.List[0].Type) != "*testLog" {
			continue
		}
		if args, ok := divert.Arguments(fn.Type); ok {
			self := fn.Recv.List[0].Names[0].Name
			r.Add(edit.After, fn.Body.Lbrace, fn.Body.Lbrace+1, edit.Literal(fmt.Sprintf(
				" if gopor_live.Detached(func() { %s.add(%s) }) { return }; ", self, args)))
			r.importLive()
		}
	}
}

// touchKept makes a function report the use of what its package keeps, as its first statement:
//
//	func (v *Int) Add(delta int64) {
//
// becomes, in the same line,
//
//	func (v *Int) Add(delta int64) { gopor_live.Changes(v);
func touchKept(r *rewriting) {
	for _, d := range r.AST.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			if text := divert.Touches(r.Path, &r.File.File, fn); text != "" {
				r.Add(edit.After, fn.Body.Lbrace, fn.Body.Lbrace+1, edit.Literal(" "+text+";"))
				r.importLive()
			}
		}
	}
}
