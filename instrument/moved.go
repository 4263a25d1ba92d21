package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// moved is text made of pieces of the source that have changed their places. If a piece would
// be on another line than in the source, a line directive gives its original line.
type moved struct {
	strings.Builder
	r    *rewriting
	f    *File
	here token.Position // the position that the compiler assumes for the next piece
}

// moving begins a text that goes into the source at a position.
func (r *rewriting) moving(at token.Pos) *moved {
	return &moved{r: r, f: r.File, here: r.Fset.Position(at)}
}

// say adds text of one line.
func (m *moved) say(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// put adds an expression, with the edits in it.
func (m *moved) put(e ast.Expr) {
	m.at(e.Pos())
	m.WriteString(m.f.Text(e))
	m.here = m.r.Fset.Position(e.End())
}

// list is put for several expressions.
func (m *moved) list(list []ast.Expr) {
	for i, e := range list {
		if i > 0 {
			m.say(", ")
		}
		m.put(e)
	}
}

// at sets the position of the next piece.
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
