package instrument

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/setup"
)

// Native and Access are the packages that rewritten code calls; native and access are their
// names there.
const (
	Native = "github.com/gopor/gopor/sched/native"
	native = "gopor_"
	Access = "github.com/gopor/gopor/sched/native/access"
	access = "gopora_"
)

// rewriter rewrites one kind of construct: it adds edits to a package's files.
type rewriter func(*rewriting)

// rewriters do not depend on each other or on their order, except for the first.
var rewriters = slices.Concat([]rewriter{rewriteAwaits}, syntaxRewriters, []rewriter{rewriteMemory, rewriteCounted, rewriteTurnFacts, rewriteLooking, rewriteActs})

// syntaxRewriters are the rewriters that do not announce accesses of memory.
var syntaxRewriters = []rewriter{
	rewriteChannels,
	rewriteChanRanges,
	rewriteMapRanges,
	rewriteSelects,
	rewriteGo,
	rewriteSources,
	rewriteVariables,
	rewriteLocals,
	rewriteTests,
	rewriteUnused,
	rewritePointers,
}

// rewriting is a file of a package under rewriting.
type rewriting struct {
	*Package
	*File
	*facts
	refused []*Refusal
	sharing map[types.Object]bool  // the result of shared, nil before its first use
	timers  map[*ast.CallExpr]bool // see rewriteTurnTimers
	live    bool                   // the file imports package live
}

// facts has results about a package, computed at their first use.
type facts struct {
	changed   map[types.Object]bool              // see changes
	bodiless  map[*types.Func]bool               // see withoutBody
	declared  map[*types.Func]*ast.FuncDecl      // see bodies
	setUp     map[*ast.File][]setup.Place        // see rewriteLocals
	linknames map[string]string                  // see linked
	turnCalls map[*types.Func]*turnCall          // see awaitLoop
	imports   map[*types.Package]map[string]bool // see imported
	closing   map[*ast.CallExpr]bool             // see onlyClosed
	loops     []ast.Node                         // see isRepeated
	// The braces and colons after which iterations call Acts: see awaitLoop.
	acting map[token.Pos]bool
	asking map[ast.Expr]bool // the operands of calls of Asked, and AskedFunc
}

// refuse notes that a node cannot be controlled, with the reason.
func (r *rewriting) refuse(n ast.Node, reason string) {
	r.refused = append(r.refused, &Refusal{r.Fset.Position(n.Pos()), reason})
}

// Rewrite brings a package under control. It returns the text of every file, in the order of
// p.Files, and the constructs that it has left unchanged because they cannot be controlled. For
// the compiler every construct has its line in the original: the first line names the original,
// and directives give the lines of pieces that have moved.
//
// Accesses of memory are under control if [compile] compiles the texts.
func Rewrite(p *Package) (texts [][]byte, refused []*Refusal) { return rewriteBy(rewriters, p) }

func rewriteBy(rewriters []rewriter, p *Package) (texts [][]byte, refused []*Refusal) {
	var files []*rewriting
	known := &facts{turnCalls: make(map[*types.Func]*turnCall), acting: make(map[token.Pos]bool), asking: make(map[ast.Expr]bool)}
	for _, f := range p.Files {
		files = append(files, &rewriting{Package: p, File: f, facts: known})
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

// rewriteSome returns the texts of the files of a package. The named files are rewritten.
func rewriteSome(p *Package, names []string, rewriters []rewriter) (texts [][]byte) {
	known := new(facts)
	for _, f := range p.Files {
		if slices.Contains(names, filepath.Base(f.Name)) {
			r := &rewriting{Package: p, File: f, facts: known}
			for _, rewrite := range rewriters {
				rewrite(r)
			}
		}
		texts = append(texts, f.whole())
	}
	return texts
}

// whole returns the text of a file for the compiler.
func (f *File) whole() []byte {
	text := f.Result()
	if f.Edited() {
		text = f.withImports(text)
	}
	return f.located(text)
}

// located returns a text of the file with a directive that names the file.
func (f *File) located(text []byte) []byte {
	if strings.HasPrefix(string(f.Src), "//line ") {
		return text // generated from another file already
	}
	return append([]byte("//line "+f.Name+":1\n"), text...)
}

// native returns the name of package native in the file.
func (f *File) native() string {
	if f.called != "" {
		return f.called
	}
	return native
}

// withImports returns the text of a file with the imports that it needs, after the package
// clause.
func (f *File) withImports(text []byte) []byte {
	imports := ""
	for _, p := range []struct{ name, path string }{{f.native(), Native}, {access, Access}} {
		if bytes.Contains(text, []byte(p.name+".")) {
			imports += "; import " + p.name + " " + strconv.Quote(p.path)
		}
	}
	return slices.Insert(text, f.Offset(f.AST.Name.End()), []byte(imports)...)
}
