package instrument

import (
	"bytes"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file is about packages whose rewritten text does not compile, which is a mistake
// of ours. They are compiled with less, or nothing, rewritten, see [degree]. What is
// not under control then says so when it runs, so that no verdict takes it for explored.

// rewriteWithout rewrites a package but for its accesses of memory.
func rewriteWithout(p *Package, excuse string) (texts [][]byte, refused []*Refusal) {
	excusing := func(r *rewriting) { r.excuseFunctions(excuse) }
	return rewriteBy(append(slices.Clone(syntaxRewriters), excusing), p)
}

// asWritten returns the text of the files as it is, but for the excuse.
func asWritten(sources []Source, excuse string) (texts [][]byte, err error) {
	files, err := parse(token.NewFileSet(), sources)
	if err != nil {
		return nil, err
	}
	name := unusedName(sources)
	for _, f := range files {
		f.called = name
		f.excuseFunctions(excuse)
		if !f.isGenerated() {
			f.declareStandIns(func(*ast.FuncDecl) bool { return false })
		}
		texts = append(texts, f.whole())
	}
	return texts, nil
}

// unusedName returns a name for package native that nobody else has: that the program has it, too,
// may be why the package is compiled as it is.
func unusedName(sources []Source) string {
	name := native
	for slices.ContainsFunc(sources, func(s Source) bool { return bytes.Contains(s.Text, []byte(name)) }) {
		name += "_"
	}
	return name
}

// excuseFunctions lets the functions of a file note the excuse when they begin.
func (f *File) excuseFunctions(excuse string) {
	if f.isGenerated() {
		return
	}
	for _, d := range f.AST.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !leftAlone(d) {
			f.add(after, d.Body.Lbrace, d.Body.Lbrace+1, literal(" "+f.native()+".Uncontrolled("+strconv.Quote(excuse)+");"))
		}
	}
}

// isGenerated reports whether a file is one that cgo has written and that has nothing of the user's.
func (f *File) isGenerated() bool { return strings.HasPrefix(filepath.Base(f.Name), "_cgo_") }
