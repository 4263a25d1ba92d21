package divert

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/internal/known"
)

// fileCalls has the statements to insert in functions of package os that use files. $1 is the
// first parameter, or the receiver of a method, and $2 the next one. The functions that they
// call report their own uses. OpenFile and the like also report after the call, since other
// goroutines may run in between. All that begin with comes say what has come of it.
var fileCalls = map[string]string{
	"OpenFile":  comes + "if $2&O_CREATE != 0 { " + makes + " } else if $2&O_TRUNC != 0 { " + alters + " }; if $2&(O_WRONLY|O_RDWR|O_TRUNC|O_CREATE) != 0 { gopor_live.Changed($1) }; gopor_live.Opened($1, $2, O_TRUNC, O_CREATE, O_EXCL, O_APPEND); defer gopor_live.Opening($1, $2&O_TRUNC != 0, $2&O_CREATE != 0)(); if $2&(O_WRONLY|O_RDWR|O_TRUNC|O_CREATE) != 0 { gopor_live.Save($1, gopor_live.SaveContent) }; if $2&O_TRUNC != 0 { gopor_live.Sizes($1, ^uintptr(0), 0) }",
	"Stat":      comes + "gopor_live.File($1, 0)",
	"Lstat":     comes + "gopor_live.File($1, 0)",
	"Readlink":  comes + "gopor_live.File($1, 0)",
	"ReadDir":   comes + "gopor_live.File($1, gopor_live.FileList)",
	"Mkdir":     comes + makesFolder + "; gopor_live.File($1, gopor_live.FileEntry); defer gopor_live.Entry($1, false, true)(); gopor_live.Save($1, gopor_live.SaveName)",
	"Remove":    comes + alters + "; gopor_live.File($1, gopor_live.FileEntry); defer gopor_live.Entry($1, false, false)(); gopor_live.Save($1, gopor_live.SaveName)",
	"RemoveAll": comes + alters + "; gopor_live.File($1, gopor_live.FileEntry); defer gopor_live.Entry($1, false, false)(); defer gopor_live.Within()(); gopor_live.Save($1, gopor_live.SaveTree)",
	"Rename":    comes + alters + "; gopor_live.Named($1, gopor_live.FileEntry, $2); defer gopor_live.Entry($1, false, false)(); defer gopor_live.Entry($2, false, false)(); defer gopor_live.Within()(); gopor_live.Save($1, gopor_live.SaveTree); gopor_live.Save($2, gopor_live.SaveTree)",
	"Link":      comes + alters + "; gopor_live.Named($1, 0, $2); defer gopor_live.Entry($2, false, false)(); gopor_live.Save($1, gopor_live.SaveContent); gopor_live.Save($2, gopor_live.SaveName)",
	"Symlink":   comes + alters + "; gopor_live.Named($1, 0, $2); defer gopor_live.Entry($2, false, true)(); gopor_live.Save($2, gopor_live.SaveName|gopor_live.SaveLink)",
	"Truncate":  comes + alters + "; gopor_live.Altered($1); defer gopor_live.Entry($1, true, false)(); gopor_live.Save($1, gopor_live.SaveContent); gopor_live.Sizes($1, ^uintptr(0), $2)",
	"Chmod":     comes + "gopor_live.Altered($1); gopor_live.Save($1, gopor_live.SaveContent)",
	"Chown":     comes + "gopor_live.Altered($1); gopor_live.Save($1, gopor_live.SaveContent)",
	"Lchown":    comes + "gopor_live.Altered($1); gopor_live.Save($1, gopor_live.SaveName)",
	"Chtimes":   comes + "gopor_live.Altered($1); if !$3.IsZero() { gopor_live.Timed($1) }; gopor_live.Save($1, gopor_live.SaveContent)",

	// Nothing else knows the files that these make. Each function calls itself once, with a
	// pattern that a caller cannot pass.
	"MkdirTemp":  "if $2 == \"\" || $2[0] != 0 { name, err := MkdirTemp($1, \"\\x00\"+$2); gopor_live.Alone(name); return name, err }; $2 = $2[1:]",
	"CreateTemp": "if $2 == \"\" || $2[0] != 0 { f, err := CreateTemp($1, \"\\x00\"+$2); if err == nil { gopor_live.Alone(f.name) }; return f, err }; $2 = $2[1:]",
	"newFile":    "gopor_live.HasOpened(uintptr($1))",
	"nextRandom": "if gopor_part, gopor_ok := gopor_live.Temp(); gopor_ok { return gopor_part }",
	"Chdir":      "gopor_live.Moved()",
	"File.Chdir": "gopor_live.Moved()",

	// A file that an execution has changed has the time of that execution.
	"fillFileStatFromSys": "defer func() { if s, n, ok := gopor_live.FileTime(uint64($1.sys.Dev), uint64($1.sys.Ino)); ok { $1.modTime = time.Unix(s, n) } }()",

	// Reading moves the position from which other users of the file read.
	"File.Read":         comes + ofHandle + "gopor_live.FileChanges|gopor_live.FileReads) }",
	"File.Write":        comes + handle + strings.Replace(writesPart, "$at", "-1", 1) + "}; " + ofHandle + "gopor_live.FileChanges|gopor_live.FileWrites)" + changes + "; " + handle + "gopor_live.Notes($1.name, uintptr($1.pfd.Sysfd), -1, len($2)) }",
	"File.WriteAt":      comes + handle + "if $3 >= 0 && !$1.appendMode { " + strings.Replace(writesPart, "$at", "$3", 1) + "} }; " + ofHandle + "gopor_live.FileChanges|gopor_live.FileWrites)" + changes + "; " + handle + "if $3 >= 0 && !$1.appendMode { gopor_live.Notes($1.name, uintptr($1.pfd.Sysfd), $3, len($2)) } }",
	"File.ReadFrom":     comes + handle + "if _, gopor_e := gopor_live.Writes($1.name, uintptr($1.pfd.Sysfd), -1, -1); gopor_e != nil { return 0, $1.wrapErr(\"write\", gopor_e) } }; " + ofHandle + "gopor_live.FileChanges|gopor_live.FileWrites)" + changes + "; " + handle + "gopor_live.Notes($1.name, uintptr($1.pfd.Sysfd), -1, -1) }",
	"File.Sync":         handle + "if gopor_done, gopor_e := gopor_live.Syncs($1.name, uintptr($1.pfd.Sysfd)); gopor_e != nil { return $1.wrapErr(\"sync\", gopor_e) } else if gopor_done { return nil } }",
	"File.WriteTo":      comes + ofHandle + "gopor_live.FileChanges|gopor_live.FileReads) }",
	"File.Seek":         comes + ofHandle + "gopor_live.FileChanges) }",
	"File.Truncate":     comes + handle + "gopor_live.Alters($1.name) }; " + ofHandle + "gopor_live.FileChanges)" + changes + "; " + handle + "gopor_live.Sizes($1.name, uintptr($1.pfd.Sysfd), $2) }",
	"File.Chmod":        comes + ofHandle + "gopor_live.FileChanges); gopor_live.Save($1.name, gopor_live.SaveContent) }",
	"File.Chown":        comes + ofHandle + "gopor_live.FileChanges); gopor_live.Save($1.name, gopor_live.SaveContent) }",
	"File.ReadAt":       comes + ofHandle + "gopor_live.FileReads) }",
	"File.Stat":         comes + ofHandle + "0) }",
	"File.ReadDir":      comes + ofHandle + "gopor_live.FileList) }",
	"File.Readdir":      comes + ofHandle + "gopor_live.FileList) }",
	"File.Readdirnames": comes + ofHandle + "gopor_live.FileList) }",
}

// Methods of a Root do what the functions of that name do, with names in its folder.
func init() {
	const inRoot, newInRoot = `$1.Name()+"/"+$2`, `$1.Name()+"/"+$3`
	for names, to := range map[string]*strings.Replacer{
		"OpenFile Stat Lstat Readlink Mkdir Remove RemoveAll Chmod Chown Lchown Chtimes": strings.NewReplacer("$1", inRoot, "$2", "$3", "$3", "$4"),
		"Rename Link": strings.NewReplacer("$1", inRoot, "$2", newInRoot),
		"Symlink":     strings.NewReplacer("$1", "$2", "$2", newInRoot),
	} {
		for name := range strings.FieldsSeq(names) {
			// Faults of what a Root makes are left out: its errors have other names.
			text := strings.NewReplacer(makes, alters, makesFolder, alters).Replace(fileCalls[name])
			fileCalls["Root."+name] = to.Replace(text)
		}
	}
	fileCalls["Root.MkdirAll"] = fileCalls["Root.Mkdir"]
}

const (
	comes    = "defer $done; "
	handle   = "if $1 != nil && $1.file != nil { "
	ofHandle = handle + "gopor_live.File($1.name, "
	changes  = "; gopor_live.FileChanged(uintptr($1.pfd.Sysfd)); gopor_live.Save($1.name, gopor_live.SaveContent|gopor_live.SaveOpened) }"

	// Faults come before what is reported of a use.
	alters      = "gopor_live.Alters($1)"
	makes       = "if gopor_e := gopor_live.Makes($1); gopor_e != nil { return nil, &PathError{Op: \"open\", Path: $1, Err: gopor_e} }"
	makesFolder = "if gopor_e := gopor_live.Makes($1); gopor_e != nil { return &PathError{Op: \"mkdir\", Path: $1, Err: gopor_e} }"
	writesPart  = "if gopor_n, gopor_e := gopor_live.Writes($1.name, uintptr($1.pfd.Sysfd), $at, len($2)); gopor_e != nil { $2 = $2[:gopor_n]; defer func() { if err == nil { err = $1.wrapErr(\"write\", gopor_e) } }() } "
)

// filePrologue returns the statement to insert in a function of package os that uses files, or
// "".
func filePrologue(f *edit.File, fn *ast.FuncDecl) string {
	args, ok := Arguments(fn.Type)
	name := fn.Name.Name
	words := strings.Split(args, ", ")
	if fn.Recv != nil && len(fn.Recv.List[0].Names) > 0 {
		name = strings.TrimPrefix(f.Source(fn.Recv.List[0].Type), "*") + "." + name
		words = append([]string{fn.Recv.List[0].Names[0].Name}, words...)
	}
	text := fileCalls[name]
	if text == "" || !ok {
		return ""
	}
	for i, w := range words {
		text = strings.ReplaceAll(text, fmt.Sprintf("$%d", i+1), w)
	}
	if strings.HasPrefix(text, comes) {
		text = strings.Replace(text, "$done", done(f, fn.Type.Results), 1)
	}
	return text
}

// done returns a call that says what has come of a function of package os: how many bytes it has
// moved, if its first result has the name n, and its last result, which is an error. It gives a
// name to results without one.
func done(f *edit.File, results *ast.FieldList) string {
	last := results.List[len(results.List)-1]
	if len(last.Names) == 0 {
		open, end := "", ""
		if !results.Opening.IsValid() {
			open, end = "(", ")"
		}
		for _, r := range results.List[:len(results.List)-1] {
			f.Add(edit.Before, r.Type.Pos(), r.Type.End(), edit.Literal("_ "))
		}
		f.Add(edit.Before, last.Type.Pos(), last.Type.End(), edit.Literal(open+"gopor_err "))
		f.Add(edit.After, last.Type.Pos(), last.Type.End(), edit.Literal(end))
		return "func() { gopor_live.Done(0, gopor_err) }()"
	}
	moved := "0"
	if first := results.List[0].Names[0].Name; first == "n" {
		moved = "int64(n)"
	}
	return fmt.Sprintf("func() { gopor_live.Done(%s, %s) }()", moved, last.Names[len(last.Names)-1].Name)
}

// Touches returns the statement by which a function of the standard library reports the use of
// what its package keeps, or "". A method reports what its receiver leads to, a function the
// variable in the table.
func Touches(path string, f *edit.File, fn *ast.FuncDecl) string {
	name, receiver := fn.Name.Name, ""
	if fn.Recv != nil {
		recv := fn.Recv.List[0]
		if len(recv.Names) == 0 {
			return ""
		}
		name, receiver = strings.TrimPrefix(f.Source(recv.Type), "*")+"."+name, recv.Names[0].Name
	}
	args, ok := known.Of("touch", path+"."+name)
	if !ok {
		return ""
	}
	how, at, _ := strings.Cut(args, " ")
	if receiver != "" {
		at = receiver
	}
	return fmt.Sprintf("gopor_live.%s(%s)", how, at)
}
