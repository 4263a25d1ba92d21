package instrument

import (
	"go/ast"
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
// which wants to know what has been rewritten.
var rewriters = []rewriter{
	rewriteChannels,
	rewriteChanRanges,
	rewriteMapRanges,
	rewriteSelects,
	rewriteGo,
	rewriteMemory,
	rewriteTwice,
}

// rewriting is a package on its way through the rewriters.
type rewriting struct {
	*Package
	*File            // the one at hand
	sharing *sharing // of the package, when known; see shares
	refused []*Refusal
}

// shares returns what is shared in the package.
func (r *rewriting) shares() *sharing {
	if r.sharing == nil {
		r.sharing = newSharing(r.Package)
	}
	return r.sharing
}

// refuse says that the node cannot be controlled, and why.
func (r *rewriting) refuse(n ast.Node, reason string) {
	r.refused = append(r.refused, &Refusal{r.Fset.Position(n.Pos()), reason})
}

// Rewrite brings a package under control. It returns the text of every file, in
// the order of p.Files, and what it has left alone because it cannot be
// controlled. The text has the lines of the original: line n of the file is line
// n+1 of the text, whose first line says so to the compiler.
func Rewrite(p *Package) (texts [][]byte, refused []*Refusal) {
	r := &rewriting{Package: p}
	for _, f := range p.Files {
		r.File = f
		for _, rewrite := range rewriters {
			rewrite(r)
		}
		head := "//line " + f.Name + ":1\n"
		if len(f.edits) > 0 {
			f.After(f.AST.Name, literal("; import "+native+" \""+Native+"\""))
		}
		text := f.Result()
		if strings.HasPrefix(string(f.Src), "//line ") {
			head = "" // generated from another file already
		}
		texts = append(texts, append([]byte(head), text...))
	}
	return texts, r.refused
}
