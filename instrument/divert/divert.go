// Package divert has what packages os and testing, and others of the standard library, tell the
// execution of a controlled goroutine: statements at the beginning of their functions, in the same
// lines.
package divert

import (
	"fmt"
	"go/ast"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/internal/known"
)

// Live is the package that the standard library calls for controlled goroutines.
const Live = "github.com/gopor/gopor/internal/live"

// Output returns the text of a file of package os or testing that diverts the output of
// controlled goroutines to their execution: what they write to the standard files of the
// process, and what they call on the test around the execution. Without controlled goroutines
// it costs a load.
//
//	func (f *File) Write(b []byte) (n int, err error) {
//
// becomes, in the same line,
//
//	func (f *File) Write(b []byte) (n int, err error) {
//		if live.Diverts(f, b) { return len(b), nil };
func Output(path string, f *edit.File) []byte {
	for _, d := range f.AST.Decls {
		if path == "os" {
			divertPipe(f, d)
		}
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if text := Touches(path, f, fn); text != "" {
			f.Add(edit.After, fn.Body.Lbrace, fn.Body.Lbrace+1, edit.Literal(" "+text+"; "))
		}
		if path == "os" {
			if text := filePrologue(f, fn); text != "" {
				f.Add(edit.After, fn.Body.Lbrace, fn.Body.Lbrace+1, edit.Literal(" "+text+"; "))
			}
		}
		if fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 {
			continue
		}
		if text := prologue(path, f, fn); text != "" {
			f.Add(edit.After, fn.Body.Lbrace, fn.Body.Lbrace+1, edit.Literal(" "+text+"; "))
		}
	}
	text := f.Result()
	if f.Edited() {
		imports := fmt.Sprintf("; import gopor_live %s; import gopor_unsafe \"unsafe\"", strconv.Quote(Live))
		at := f.Offset(f.AST.Name.End())
		// A file may use only one of them.
		used := "\nvar _, _ = gopor_live.Pipe, gopor_unsafe.Pointer(nil)\n"
		text = []byte(string(text[:at]) + imports + string(text[at:]) + used)
	}
	return text
}

// Hooks returns the functions and methods that Output knows by name, but for those that package
// known lists as touch or execution.
func Hooks() (names []string) {
	for name := range fileCalls {
		names = append(names, "os."+name)
	}
	for name := range ofPipe {
		names = append(names, "os.File."+name)
	}
	return names
}

// prologue returns the statement to insert at the beginning of a method of package os or
// testing, or "".
func prologue(path string, f *edit.File, fn *ast.FuncDecl) string {
	self := fn.Recv.List[0].Names[0].Name
	args, ok := Arguments(fn.Type)
	switch receiver := f.Source(fn.Recv.List[0].Type); {
	case !ok:
		return ""
	case path == "os" && receiver == "*File" && fn.Name.Name == "Write":
		return fmt.Sprintf("if gopor_live.Diverts(gopor_unsafe.Pointer(%s), %s) { return len(%[2]s), nil }", self, args)
	case path == "os" && receiver == "*File" && fn.Name.Name == "ReadFrom":
		return fmt.Sprintf("if gopor_live.Diverts(gopor_unsafe.Pointer(%s), nil) || %[1]s != nil && %[1]s.file != nil && %[1]s.gopor_pipe != nil { return genericReadFrom(%[1]s, %[2]s) }", self, args)
	case path == "os" && receiver == "*Process" && fn.Name.Name == "Signal":
		return fmt.Sprintf("if %s != nil && gopor_live.Signals(%[1]s.Pid, %[2]s) { return nil }", self, args)
	case path != "testing" || !known.Is("execution", "testing."+strings.TrimPrefix(receiver, "*")+"."+fn.Name.Name):
		return ""
	}
	from, to := fn.Type.Params.Pos(), fn.Type.End()
	call := fmt.Sprintf("gopor_t.(interface{ %s%s }).%[1]s(%[3]s)", fn.Name.Name, f.Src[f.Offset(from):f.Offset(to)], args)
	if fn.Type.Results == nil {
		call += "; return"
	} else {
		call = "return " + call
	}
	return fmt.Sprintf("if gopor_t := gopor_live.Test(gopor_unsafe.Pointer(%s)); gopor_t != nil { %s }", self, call)
}

// Arguments returns the parameters of a function as arguments of a call. It reports whether all
// of them have names.
func Arguments(t *ast.FuncType) (string, bool) {
	var names []string
	for _, p := range t.Params.List {
		dots := ""
		if _, ok := p.Type.(*ast.Ellipsis); ok {
			dots = "..."
		}
		for _, name := range p.Names {
			if name.Name == "_" {
				return "", false
			}
			names = append(names, name.Name+dots)
		}
		if len(p.Names) == 0 {
			return "", false
		}
	}
	return strings.Join(names, ", "), true
}
