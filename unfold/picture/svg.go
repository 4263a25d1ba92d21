package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteSVG draws the picture. Time goes downwards. Every goroutine has a band of its own, and
// events of one goroutine side by side are in conflict.
func (p *Picture) WriteSVG(w io.Writer) error {
	shown, err := p.highlighted()
	if err != nil {
		return err
	}
	d := &svg{layout: newLayout(p), shown: shown}
	height := d.bottom + legendHeight
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n", d.right, height, d.right, height)
	d.printf("<title>%s</title>\n", escaped(d.caption[0]))
	d.WriteString(svgStyle)
	d.printf(`<rect class="paper" width="%d" height="%d"/>`+"\n", d.right, height)
	for i, line := range d.caption {
		class := "title"
		if i > 0 {
			class = "subtitle"
		}
		d.printf(`<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, margin, margin+15+i*captionLine, escaped(line))
	}
	for t := range p.Threads {
		d.band(t)
	}
	for i := range d.routes {
		d.line(&d.routes[i])
	}
	for i := range p.Events {
		d.event(i)
	}
	d.legend()
	d.WriteString("</svg>\n")
	_, err = w.Write(d.Bytes())
	return err
}

// svg is a drawing under construction.
type svg struct {
	bytes.Buffer
	*layout
	shown []bool // see highlighted
}

const svgStyle = `<defs>
<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="` + causeColour + `"/></marker>
</defs>
<style>
.paper { fill: #ffffff }
text { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12px; fill: #1f2328 }
.title { font-family: sans-serif; font-size: 16px; font-weight: bold }
.subtitle, .legend, .thread { font-family: sans-serif; font-size: 13px }
.thread { font-weight: bold; text-anchor: middle }
.number { font-weight: bold }
.cause { fill: none; stroke: ` + causeColour + `; stroke-width: 1.3; marker-end: url(#arrow) }
.conflict { fill: none; stroke: ` + conflictColour + `; stroke-width: 2; stroke-dasharray: 0.1 5; stroke-linecap: round }
.event rect { stroke-width: 1.2 }
.event:hover rect, .in rect { stroke-width: 2.6 }
.out { opacity: 0.28 }
</style>
`

func (d *svg) printf(format string, args ...any) { fmt.Fprintf(&d.Buffer, format, args...) }

func escaped(text string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(text)) // a Buffer returns no errors
	return b.String()
}

// numberOf returns the number of event i in the drawing.
func numberOf(i int) string { return strconv.Itoa(i + 1) }

// band draws the band of a thread.
func (d *svg) band(t int) {
	c, from, to := colourOf(t), d.bands[t][0], d.bands[t][1]
	top := d.top[0] - headerHeight + 4
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" rx="8" fill="%s"/>`+"\n", from, top, to-from, d.bottom-top, c.band)
	d.printf(`<text class="thread" x="%d" y="%d" style="fill: %s">%s</text>`+"\n", (from+to)/2, top+18, c.line, escaped(d.Threads[t]))
}

// event draws event i.
func (d *svg) event(i int) {
	e := &d.Events[i]
	c, width := colourOf(e.Thread), d.width[d.column[i]]
	x, y := d.centre[d.column[i]]-width/2, d.top[d.row[i]]
	tip := fmt.Sprintf("%s  %s: %s", numberOf(i), d.Threads[e.Thread], e.Label)
	if e.Where != "" {
		tip += "\n" + e.Where
	}
	d.printf(`<g class="event%s" id="e%s"><title>%s</title>`, d.emphasis(i, i), numberOf(i), escaped(tip))
	d.printf(`<rect x="%d" y="%d" width="%d" height="%d" rx="6" fill="%s" stroke="%s"/>`, x, y, width, eventHeight, c.fill, c.line)
	d.printf(`<text x="%d" y="%d" xml:space="preserve"><tspan class="number" style="fill: %s">%s</tspan> %s</text></g>`+"\n",
		x+eventPadding, y+eventHeight/2+4, c.line, numberOf(i), escaped(d.text(i)))
}

// emphasis returns the CSS class of an item that belongs to two events, if a configuration is
// highlighted.
func (d *svg) emphasis(e, f int) string {
	switch {
	case d.shown == nil:
		return ""
	case d.shown[e] && d.shown[f]:
		return " in"
	}
	return " out"
}

// line draws a line.
func (d *svg) line(r *route) {
	class, emphasis := "cause", d.emphasis(r.from, r.to)
	if r.conflict {
		class = "conflict"
		if d.decided(r.from, r.to) || d.decided(r.to, r.from) {
			emphasis = " in"
		}
	}
	d.printf(`<path class="%s%s" d="%s"/>`+"\n", class, emphasis, d.path(r))
}

// decided reports whether the highlighted configuration has e, and f could have happened in its
// place.
func (d *svg) decided(e, f int) bool {
	return d.shown != nil && d.shown[e] && !slices.ContainsFunc(d.Events[f].Causes, func(c int) bool { return !d.shown[c] })
}

// legend explains the lines.
func (d *svg) legend() {
	x, y := margin, d.bottom+legendHeight/2
	d.printf(`<path class="cause" d="M%d,%d L%d,%d"/><text class="legend" x="%d" y="%d">happens before</text>`+"\n", x, y, x+36, y, x+44, y+4)
	if len(d.Conflicts) == 0 {
		return
	}
	x += 160
	d.printf(`<path class="conflict" d="M%d,%d L%d,%d"/><text class="legend" x="%d" y="%d">immediate conflict: one or the other</text>`+"\n", x, y, x+36, y, x+44, y+4)
}
