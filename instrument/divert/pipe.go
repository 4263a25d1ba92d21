package divert

import (
	"fmt"
	"go/ast"

	"github.com/gopor/gopor/instrument/edit"
)

// ofPipe has the statements to insert at the beginning of methods of an os.File that is the end
// of a pipe of a controlled goroutine. %[1]s is the file, %[2]s the parameter. Methods that
// read and write at an offset, and others that do not make goroutines wait, are unchanged.
var ofPipe = map[string]string{
	"Read":             "%[2]s = %[2]s[:gopor_live.Caller.ReadPipe(%[1]s.gopor_pipe, len(%[2]s))]",
	"Write":            "defer gopor_live.Caller.WritePipe(%[1]s.gopor_pipe, len(%[2]s))()",
	"WriteTo":          "gopor_live.Caller.CopyPipe(%[1]s.gopor_pipe, %[2]s); return genericWriteTo(%[1]s, %[2]s)",
	"Close":            "defer gopor_live.Caller.ClosePipe(%[1]s.gopor_pipe)()",
	"Fd":               "gopor_live.Caller.FreePipe(%[1]s.gopor_pipe, \"a file descriptor\")",
	"SyscallConn":      "gopor_live.Caller.FreePipe(%[1]s.gopor_pipe, \"a raw connection\")",
	"SetDeadline":      "gopor_live.Caller.FreePipe(%[1]s.gopor_pipe, \"a deadline\")",
	"SetReadDeadline":  "gopor_live.Caller.FreePipe(%[1]s.gopor_pipe, \"a deadline\")",
	"SetWriteDeadline": "gopor_live.Caller.FreePipe(%[1]s.gopor_pipe, \"a deadline\")",
}

// divertPipe makes package os report operations on pipes (see package native), and files that
// are opened and closed. A file gets a field that is nil except for the ends of pipes that
// controlled goroutines have made.
//
//	func (f *File) Read(b []byte) (n int, err error) {
//
// becomes, in the same line,
//
//	func (f *File) Read(b []byte) (n int, err error) { if f != nil && f.file != nil &&
//		f.gopor_pipe != nil { b = b[:live.Caller.ReadPipe(f.gopor_pipe, len(b))] };
func divertPipe(f *edit.File, d ast.Decl) {
	switch d := d.(type) {
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			s, ok := spec.(*ast.TypeSpec)
			if !ok || s.Name.Name != "file" {
				continue
			}
			if t, ok := s.Type.(*ast.StructType); ok {
				f.Add(edit.After, t.Fields.Opening, t.Fields.Opening+1, edit.Literal(" gopor_pipe gopor_unsafe.Pointer; "))
			}
		}
	case *ast.FuncDecl:
		if text := pipePrologue(f, d); text != "" {
			f.Add(edit.After, d.Body.Lbrace, d.Body.Lbrace+1, edit.Literal(" "+text+"; "))
		}
	}
}

// pipePrologue returns the statement to insert at the beginning of a function of package os, or
// "".
func pipePrologue(f *edit.File, fn *ast.FuncDecl) string {
	switch {
	case fn.Body == nil:
		return ""
	case fn.Recv == nil && fn.Name.Name == "newFile":
		return "gopor_live.Opens(1)"
	case fn.Recv == nil && fn.Name.Name == "Pipe" && f.Source(fn.Type.Results) == "(r *File, w *File, err error)":
		return "defer func() { if err == nil { r.gopor_pipe, w.gopor_pipe = gopor_live.Pipe(uintptr(w.pfd.Sysfd)) } }()"
	case fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 || f.Source(fn.Recv.List[0].Type) != "*File" || ofPipe[fn.Name.Name] == "":
		return ""
	}
	args, ok := Arguments(fn.Type)
	if !ok {
		return ""
	}
	self := fn.Recv.List[0].Names[0].Name
	text := ""
	if fn.Name.Name == "Close" {
		text = "gopor_live.Opens(-1); "
	}
	return text + fmt.Sprintf("if %[1]s != nil && %[1]s.file != nil && %[1]s.gopor_pipe != nil { "+ofPipe[fn.Name.Name]+" }", self, args)
}
