package picture

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteDOT writes the picture as input for Graphviz. Arrows are immediate causes, red dotted
// lines immediate conflicts.
func (p *Picture) WriteDOT(w io.Writer) error {
	shown, err := p.highlighted()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph unfolding {\n")
	fmt.Fprintf(&b, "\tgraph [label=%s, labelloc=t, newrank=true, fontname=\"sans-serif\"]\n", quoted(strings.Join(p.caption(), "\n")))
	fmt.Fprintf(&b, "\tnode [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=11]\n")
	fmt.Fprintf(&b, "\tedge [color=%q, arrowsize=0.7]\n", causeColour)
	for t, name := range p.Threads {
		c := colourOf(t)
		fmt.Fprintf(&b, "\n\tsubgraph cluster_%d {\n", t)
		fmt.Fprintf(&b, "\t\tlabel=%s; color=%q; bgcolor=%q\n", quoted(name), c.line, c.band)
		fmt.Fprintf(&b, "\t\tnode [color=%q, fillcolor=%q]\n", c.line, c.fill)
		for i, e := range p.Events {
			if e.Thread != t {
				continue
			}
			fmt.Fprintf(&b, "\t\te%d [label=%s", i+1, quoted(fmt.Sprintf("%d  %s", i+1, e.Label)))
			if e.Where != "" {
				fmt.Fprintf(&b, ", tooltip=%s", quoted(e.Where))
			}
			if shown != nil && shown[i] {
				b.WriteString(", penwidth=3")
			}
			b.WriteString("]\n")
		}
		b.WriteString("\t}\n")
	}
	b.WriteString("\n")
	for i, e := range p.Events {
		for _, c := range e.Causes {
			fmt.Fprintf(&b, "\te%d -> e%d\n", c+1, i+1)
		}
	}
	if len(p.Conflicts) > 0 {
		fmt.Fprintf(&b, "\n\tedge [color=%q, style=dotted, penwidth=2, dir=none, constraint=false]\n", conflictColour)
		for _, c := range p.Conflicts {
			fmt.Fprintf(&b, "\te%d -> e%d\n", c[0]+1, c[1]+1)
		}
	}
	b.WriteString("}\n")
	_, err = w.Write(b.Bytes())
	return err
}

// quoted returns text as a DOT string.
func quoted(text string) string {
	text = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text)
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
	return `"` + text + `"`
}
