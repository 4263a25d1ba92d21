// Package edit changes the text of a Go file by insertions and replacements.
package edit

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// File is a source file. Its text is changed by edits and not printed anew: everything else stays
// as it is, including comments, directives and line breaks.
type File struct {
	Src []byte
	AST *ast.File

	tok    *token.File
	edits  []*edit
	sorted []*edit // outer ones first
}

// New returns the file that was parsed to syntax, without edits.
func New(fset *token.FileSet, src []byte, syntax *ast.File) File {
	return File{Src: src, AST: syntax, tok: fset.File(syntax.Pos())}
}

// Edited reports whether there are edits.
func (f *File) Edited() bool { return len(f.edits) > 0 }

// Position returns the line and column of a position.
func (f *File) Position(p token.Pos) token.Position { return f.tok.Position(p) }

// edit replaces a part of the text, or inserts before or after a node.
type edit struct {
	class    Class
	from, to int           // what is replaced; for an insertion, the extent of its node
	text     func() string // evaluated when all edits are known
	seq      int
}

// Class says where the text of an edit goes.
type Class uint8

const (
	After   Class = iota // after a node
	Before               // before a node
	replace              // in place of a part of the text, and of all edits in it
)

// at returns the offset of the edit.
func (e *edit) at() int {
	if e.class == After {
		return e.to
	}
	return e.from
}

// inOrder orders edits as they go into the text. At one offset, the ends of nodes come before
// the beginnings of others, and the text around an inner node is nearer to it than that around
// an outer one.
func inOrder(a, b *edit) int {
	if c := cmp.Or(cmp.Compare(a.at(), b.at()), cmp.Compare(a.class, b.class)); c != 0 {
		return c
	}
	if a.class == After {
		return cmp.Or(cmp.Compare(b.from, a.from), cmp.Compare(b.seq, a.seq))
	}
	return cmp.Or(cmp.Compare(b.to, a.to), cmp.Compare(a.seq, b.seq))
}

// Offset returns the offset of a position in the text.
func (f *File) Offset(p token.Pos) int { return f.tok.Offset(p) }

// Lines returns the line breaks of the source between two positions, for a text that replaces it.
func (f *File) Lines(from, to token.Pos) string {
	return strings.Repeat("\n", strings.Count(string(f.Src[f.Offset(from):f.Offset(to)]), "\n"))
}

// Add adds an edit by the result of text, which is called at the end. The node is between the two
// positions.
func (f *File) Add(c Class, from, to token.Pos, text func() string) {
	f.edits = append(f.edits, &edit{c, f.Offset(from), f.Offset(to), text, len(f.edits)})
}

// Literal returns a function that returns s.
func Literal(s string) func() string { return func() string { return s } }

// Wrap puts text before and after a node.
func (f *File) Wrap(n ast.Node, pre, post string) {
	if pre != "" {
		f.Add(Before, n.Pos(), n.End(), Literal(pre))
	}
	if post != "" {
		f.Add(After, n.Pos(), n.End(), Literal(post))
	}
}

// After puts the result of text, which is called at the end, after a node.
func (f *File) After(n ast.Node, text func() string) { f.Add(After, n.Pos(), n.End(), text) }

// Before puts the result of text, which is called at the end, before a node.
func (f *File) Before(n ast.Node, text func() string) { f.Add(Before, n.Pos(), n.End(), text) }

// Replace puts text in place of the source between two positions, and of all edits there.
func (f *File) Replace(from, to token.Pos, text string) {
	f.Add(replace, from, to, Literal(text))
}

// ReplaceBy is Replace with the result of text, which is called at the end.
func (f *File) ReplaceBy(from, to token.Pos, text func() string) { f.Add(replace, from, to, text) }

// Text returns the text of a node with all edits inside and around it that belong to it. Edits
// that replace more than the node are left out. Only the text functions of edits may call it.
func (f *File) Text(n ast.Node) string {
	from, to := f.Offset(n.Pos()), f.Offset(n.End())
	return f.render(from, to, func(e *edit) bool {
		return e.from >= from && e.to <= to && !(e.class == replace && e.from == from && e.to == to)
	})
}

// Inner is Text without the insertions directly around the node.
func (f *File) Inner(n ast.Node) string {
	from, to := f.Offset(n.Pos()), f.Offset(n.End())
	return f.render(from, to, func(e *edit) bool {
		return e.from >= from && e.to <= to && !(e.from == from && e.to == to)
	})
}

// Result returns the rewritten text.
func (f *File) Result() []byte {
	return []byte(f.render(0, len(f.Src), func(*edit) bool { return true }))
}

// render applies the wanted edits between two offsets to the text there.
func (f *File) render(from, to int, want func(*edit) bool) string {
	edits := f.visible(from, to, want)
	slices.SortFunc(edits, inOrder)
	var b strings.Builder
	pos := from
	for _, e := range edits {
		b.Write(f.Src[pos:e.at()])
		pos = e.at()
		b.WriteString(e.text())
		if e.class == replace {
			pos = e.to
		}
	}
	b.Write(f.Src[pos:to])
	return b.String()
}

// visible returns the wanted edits between two offsets, without those inside a replaced part.
func (f *File) visible(from, to int, want func(*edit) bool) (edits []*edit) {
	if len(f.sorted) != len(f.edits) {
		f.sorted = slices.SortedFunc(slices.Values(f.edits), func(a, b *edit) int {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(b.class, a.class), cmp.Compare(a.seq, b.seq))
		})
	}
	first, _ := slices.BinarySearchFunc(f.sorted, from, func(e *edit, from int) int { return cmp.Compare(e.from, from) })
	replaced := -1 // the end of the latest replaced part
	for _, e := range f.sorted[first:] {
		if e.from > to {
			break
		}
		if e.to <= replaced || !want(e) {
			continue
		}
		edits = append(edits, e)
		if e.class == replace {
			replaced = e.to
		}
	}
	return edits
}

// Source returns the text of a node as it is in the source.
func (f *File) Source(n ast.Node) string { return string(f.Src[f.Offset(n.Pos()):f.Offset(n.End())]) }
