package naming

import (
	"bytes"
	"slices"

	"github.com/gopor/gopor/sched/exec"
)

// This file keeps from the parser what no name depends on. A package of the standard library may
// have 50,000 lines, and stacks show few of its functions. The parser gets the bodies of these
// functions, and the declarations of everything else, for types.

// want makes the parser see the functions of a stack.
func (n *Search) want(stack []exec.Call) {
	if len(stack) == 0 || n.asked[&stack[0]] {
		return
	}
	n.asked[&stack[0]] = true
	for _, c := range stack {
		name := OnDisk(c.File)
		if slices.Contains(n.wanted[name], c.Line) {
			continue
		}
		n.wanted[name] = append(n.wanted[name], c.Line)
		if n.files[name] != nil {
			delete(n.files, name)
			clear(n.packs)
		}
	}
}

// thin returns the text of a source file without comments on lines of their own, and without the
// bodies of the functions that have none of the wanted lines. Lines keep their numbers. It goes by
// the layout of gofmt: a function begins with a line "func ... {", or with lines up to ") ... {",
// and ends with the next line "}". If a line of a raw string looks so, the result does not parse.
func thin(text []byte, wanted []int) []byte {
	short := make([]byte, 0, len(text))
	first, body := 0, 0 // the line and the place in short where a function and its body begin
	for line := 1; len(text) > 0; line++ {
		row, rest, _ := bytes.Cut(text, newline)
		text = rest
		switch begin := bytes.HasPrefix(row, []byte("func ")); {
		case body > 0 && string(row) == "}":
			inside := func(wanted int) bool { return first <= wanted && wanted <= line }
			if !slices.ContainsFunc(wanted, inside) {
				short = append(short[:body], bytes.Repeat(newline, bytes.Count(short[body:], newline))...)
			}
			first, body = 0, 0
		case bytes.HasPrefix(bytes.TrimLeft(row, "\t"), []byte("//")):
			row = nil
		case body == 0 && (begin || first > 0 && bytes.HasPrefix(row, []byte(")"))):
			if begin {
				first = line
			}
			if bytes.HasSuffix(row, []byte(" {")) {
				body = len(short) + len(row) + 1
			}
		}
		short = append(append(short, row...), '\n')
	}
	return short
}

var newline = []byte("\n")
