package instrument

import (
	"bytes"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/edit"
)

// This file handles packages with rewritten text that does not compile, which is a mistake of
// gopor. They are compiled with less, or nothing, rewritten, see [degree]. Code that is not
// under control notes that when it runs, so that no verdict counts it as explored.

// rewriteWithout rewrites a package except for its accesses of memory.
func rewriteWithout(p *Package, excuse string) (texts [][]byte, refused []*Refusal) {
	excusing := func(r *rewriting) { r.excuseFunctions(excuse) }
	return rewriteBy(append(slices.Clone(syntaxRewriters), excusing), p)
}

// asWritten returns the source text of the files, with the excuse inserted.
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

// unusedName returns a name for package native that no source uses. A conflict of names may be
// the reason why the package is compiled as written.
func unusedName(sources []Source) string {
	name := native
	for slices.ContainsFunc(sources, func(s Source) bool { return bytes.Contains(s.Text, []byte(name)) }) {
		name += "_"
	}
	return name
}

// excuseFunctions makes the functions of a file note the excuse when they begin.
func (f *File) excuseFunctions(excuse string) {
	if f.isGenerated() {
		return
	}
	for _, d := range f.AST.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && !leftAlone(d) {
			f.Add(edit.After, d.Body.Lbrace, d.Body.Lbrace+1, edit.Literal(" "+f.native()+".Uncontrolled("+strconv.Quote(excuse)+");"))
		}
	}
}

// isGenerated reports whether cgo has written a file that has no code of the user's.
func (f *File) isGenerated() bool { return strings.HasPrefix(filepath.Base(f.Name), "_cgo_") }
