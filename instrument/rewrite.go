package instrument

import (
	"bytes"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Native is the package that rewritten code calls, and native its name there.
const (
	Native = "github.com/gopor/gopor/sched/native"
	native = "gopor_"
)

// rewriter rewrites one kind of construct: it adds edits to a package's files.
type rewriter func(*rewriting)

// rewriters are independent of each other and of their order, but for the last,
// which wants to know what has been rewritten in the whole package, and for go
// statements, which evaluate what memory tells them to.
var rewriters = slices.Concat(syntaxRewriters, []rewriter{rewriteMemory, rewriteTwice})

// syntaxRewriters are those that do not announce accesses of memory.
var syntaxRewriters = []rewriter{
	rewriteChannels,
	rewriteChanRanges,
	rewriteMapRanges,
	rewriteSelects,
	rewriteGo,
	rewriteSources,
	rewriteVariables,
	rewriteTests,
	keepSizes,
}

// rewriting is a file of a package on its way through the rewriters.
type rewriting struct {
	*Package
	*File
	*facts
	refused []*Refusal
	early   reorderings
}

// newRewriting begins the rewriting of a file.
func newRewriting(p *Package, f *File, known *facts) *rewriting {
	return &rewriting{Package: p, File: f, facts: known,
		early: reorderings{make(map[ast.Expr]*reordered), make(map[*ast.GoStmt]func() string)}}
}

// facts are what is known about a package, when it is known.
type facts struct {
	sharing  *sharing             // see shares
	called   *calls               // see calls
	bodiless map[*types.Func]bool // see withoutBody
}

// shares returns what is shared in the package.
func (r *rewriting) shares() *sharing {
	if r.sharing == nil {
		r.sharing = newSharing(r.Package)
	}
	return r.sharing
}

// calls returns what the functions of the package call, when all its files have
// been through the other rewriters.
func (r *rewriting) calls() *calls {
	if r.called == nil {
		r.called = newCalls(r.Package)
	}
	return r.called
}

// refuse says that the node cannot be controlled, and why.
func (r *rewriting) refuse(n ast.Node, reason string) {
	r.refused = append(r.refused, &Refusal{r.Fset.Position(n.Pos()), reason})
}

// Rewrite brings a package under control. It returns the text of every file, in
// the order of p.Files, and what it has left alone because it cannot be
// controlled. What is in the text has its line of the original, as far as
// the compiler knows: the first line says where it is from, and directives do where
// something has moved.
func Rewrite(p *Package) (texts [][]byte, refused []*Refusal) { return rewriteKnowing(p, new(facts)) }

// rewriteKnowing is Rewrite of a package of which something is known.
func rewriteKnowing(p *Package, known *facts) (texts [][]byte, refused []*Refusal) {
	return rewriteBy(rewriters, p, known)
}

func rewriteBy(rewriters []rewriter, p *Package, known *facts) (texts [][]byte, refused []*Refusal) {
	var files []*rewriting
	for _, f := range p.Files {
		files = append(files, newRewriting(p, f, known))
	}
	for _, rewrite := range rewriters {
		for _, r := range files {
			rewrite(r)
		}
	}
	for _, f := range files {
		refused = append(refused, f.refused...)
		texts = append(texts, f.whole())
	}
	return texts, refused
}

// whole returns the text of a file for the compiler.
func (f *File) whole() []byte {
	text := f.Result()
	if len(f.edits) > 0 {
		text = f.withImports(text)
	}
	if strings.HasPrefix(string(f.Src), "//line ") {
		return text // generated from another file already
	}
	return append([]byte("//line "+f.Name+":1\n"), text...)
}

// withImports returns the text of a file with the imports that it needs, behind the
// name of the package.
func (f *File) withImports(text []byte) []byte {
	imports := ""
	if bytes.Contains(text, []byte(native+".")) { // copies may be all that is added
		imports = "; import " + native + " " + strconv.Quote(Native)
	}
	for _, path := range f.imports {
		if name := f.importing(path); bytes.Contains(text, []byte(name+".")) {
			imports += "; import " + name + " " + path
		}
	}
	return slices.Insert(text, f.offset(f.AST.Name.End()), []byte(imports)...)
}
