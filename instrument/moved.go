package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// moved is text that is made of pieces of the source which are not where they
// were. Where a piece would be on another line than in the source, a line
// directive says where it belongs.
type moved struct {
	strings.Builder
	r    *rewriting
	f    *File
	here token.Position // where the compiler takes the next piece to be
}

// moving begins a text that goes into the source at a position.
func (r *rewriting) moving(at token.Pos) *moved {
	return &moved{r: r, f: r.File, here: r.Fset.Position(at)}
}

// say adds text of one line.
func (m *moved) say(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// put adds an expression, with the edits in it.
func (m *moved) put(e ast.Expr) {
	if r := m.r.early.op[e]; r != nil {
		m.say("%s", r.text())
		return
	}
	m.piece(e, m.f.Text(e))
}

// piece adds the text that a node has now. It keeps the node's lines.
func (m *moved) piece(n ast.Node, text string) {
	m.at(n.Pos())
	m.WriteString(text)
	m.here = m.r.Fset.Position(n.End())
}

// at says that the next piece belongs to a position.
func (m *moved) at(p token.Pos) {
	pos := m.r.Fset.Position(p)
	switch {
	case pos.Filename != m.here.Filename:
		m.say("/*line %s:%d:%d*/", pos.Filename, pos.Line, pos.Column)
	case pos.Line != m.here.Line:
		m.say("/*line :%d:%d*/", pos.Line, pos.Column)
	}
	m.here = pos
}

// lines returns the line breaks of the source between two positions, to go where
// a line break may be in a text that replaces it.
func (f *File) lines(from, to token.Pos) string {
	return strings.Repeat("\n", strings.Count(string(f.Src[f.offset(from):f.offset(to)]), "\n"))
}
