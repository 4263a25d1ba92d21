package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gopor/gopor/internal/format"
)

// writeParties writes which goroutines have to do with a failure, with their stacks. The calls that
// lead to what they hold and to where they wait are a tree, the outermost first. Room is how many
// lines there are for it, if not all of it is to be shown; the first party is shown in any case.
func writeParties(b *strings.Builder, parties []Party, remarks []string, l Layout, room *int) {
	parties, like := alike(parties, l)
	for i := range parties {
		p := &parties[i]
		tree := treeOf(p, l)
		short := i > 0 && *room < 1+len(tree) && !l.Full
		if left := len(parties) - i; short && *room < 1 && left > 1 {
			fmt.Fprintf(b, "    and %s (%s)\n", format.Counted(int64(left), "other"), seeAll)
			break
		}
		line := p.Goroutine + " " + p.Does
		at := p.last()
		if at.File != "" && (p.isWait() || len(tree) == 0 || short) {
			line += " (" + at.Where() + ")"
		}
		if others := like[i]; len(others) > 0 {
			do := "do"
			if len(others) == 1 {
				do = "does"
			}
			line += "; so " + do + " " + format.Several(others)
		}
		*room -= 1 + len(tree)
		if short {
			tree = nil
		}
		if room := l.Width - len(margin) - columnGap - utf8.RuneCountInString(line); len(tree) == 0 && at.Source != "" && room >= sourceLeast {
			fmt.Fprintf(b, "%s%s  %s\n", margin, line, shorten(at.Source, room))
		} else {
			writeWrapped(b, margin, line, l)
		}
		writeTree(b, tree, l)
	}
	for _, r := range remarks {
		writeWrapped(b, margin, r, l)
	}
}

// alike brings goroutines together that do the same, if not all is to be shown. The first of them
// stays, and the others are known by its number.
func alike(parties []Party, l Layout) (first []Party, like [][]string) {
	if l.Full {
		return parties, make([][]string, len(parties))
	}
	for _, p := range parties {
		same := func(q Party) bool {
			return p.Does == q.Does && slices.EqualFunc(p.Acts, q.Acts, func(a, b Act) bool {
				return a.Does == b.Does && slices.Equal(a.Stack, b.Stack)
			})
		}
		if i := slices.IndexFunc(first, same); i >= 0 {
			like[i] = append(like[i], p.Goroutine)
			continue
		}
		first, like = append(first, p), append(like, nil)
	}
	return first, like
}

// isWait reports whether what a party does is told as a state that it is in.
func (p *Party) isWait() bool {
	n := len(p.Acts)
	return n > 0 && p.Acts[n-1].Does != ""
}

// last returns where the party has done what it did last.
func (p *Party) last() Frame {
	if n := len(p.Acts); n > 0 && len(p.Acts[n-1].Stack) > 0 {
		return p.Acts[n-1].Stack[0]
	}
	return Frame{}
}

// branch is a line of a tree of calls.
type branch struct {
	depth int
	frame Frame
	note  string
}

// The calls that are shown of a long stack.
const (
	mostCalls  = 14
	outerCalls = 3
	innerCalls = 9
)

// treeOf returns the stacks of what a party has done as a tree, nil if there is nothing in
// it but the last call.
func treeOf(p *Party, l Layout) (tree []branch) {
	var path []Frame
	for k, a := range p.Acts {
		n := len(a.Stack)
		common := 0
		for common < n-1 && common < len(path)-1 && path[common] == a.Stack[n-1-common] {
			common++
		}
		path = path[:common]
		depth := common
		for d := common; d < n; d++ {
			f := a.Stack[n-1-d]
			path = append(path, f)
			if n > mostCalls && !l.Full && d >= outerCalls && d < n-innerCalls {
				if d == max(common, outerCalls) {
					tree = append(tree, branch{depth: depth, frame: Frame{Func: fmt.Sprintf("... %s (%s)", format.Counted(int64(n-innerCalls-d), "call"), seeAll)}})
				}
				continue
			}
			tree = append(tree, branch{depth: depth, frame: f})
			depth++
		}
		if does := a.Does; n > 0 && does != "" && (len(p.Acts) > 1 || does != "waits") {
			last := &tree[len(tree)-1]
			last.note = "<- " + does
			if k < len(p.Acts)-1 {
				last.note = "   " + does
			}
		}
	}
	if len(p.Acts) == 1 && len(tree) <= 1 {
		return nil
	}
	return tree
}

func writeTree(b *strings.Builder, tree []branch, l Layout) {
	const margin = 8
	functions, positions, notes, noted := 0, 0, 0, 0
	for _, t := range tree {
		functions = max(functions, 2*t.depth+utf8.RuneCountInString(t.frame.Func))
		positions = max(positions, len(t.frame.Where()))
		notes = max(notes, utf8.RuneCountInString(t.note))
		if t.note != "" {
			noted = max(noted, utf8.RuneCountInString(t.frame.Source))
		}
	}
	functions = min(functions, l.Width/2)
	source := l.Width - margin - functions - columnGap - positions - columnGap
	for _, t := range tree {
		line := format.Pad(shorten(strings.Repeat("  ", t.depth)+t.frame.Func, functions), functions+columnGap) + format.Pad(t.frame.Where(), positions+columnGap)
		switch room := source - notes - columnGap; {
		case t.note == "" && source >= sourceLeast:
			line += shorten(t.frame.Source, source)
		case t.note != "" && room >= sourceLeast:
			room = min(room, noted)
			line += format.Pad(shorten(t.frame.Source, room), room+columnGap)
		}
		b.WriteString(strings.TrimRight(strings.Repeat(" ", margin)+line+t.note, " ") + "\n")
	}
}
