package main

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"math"
	"os"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/irs"
	"github.com/gopor/gopor/unfold/picture"
)

// The plot of overhead against constraints, as in the paper's figures 3 and 4: the share of
// constraints that are left falls to the right, and the overhead is logarithmic from 10 % on.
const (
	plotWidth  = 860
	plotHeight = 300
	plotLeft   = 70
	plotRight  = 190
	plotTop    = 40
	plotLow    = -50.0 // percent
	plotHigh   = 100_000.0
)

var plotColours = []string{"#2f6db5", "#2e7d38", "#b06a14", "#7b4ba3", "#1b7a80", "#ad3f73", "#76731c", "#d1242f", "#545b70", "#0a0a0a"}

// plotCosts draws a panel for every work.
func plotCosts(costs []cost, work []time.Duration) []byte {
	var b bytes.Buffer
	height := (plotHeight + 80) * len(work)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#1f2328">`+"\n", plotWidth, height, plotWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", plotWidth, height)
	for i, w := range work {
		fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n", i*(plotHeight+80))
		plotPanel(&b, costs, w)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// plotPanel draws the medians for one work.
func plotPanel(b *bytes.Buffer, costs []cost, work time.Duration) {
	right := plotWidth - plotRight
	fmt.Fprintf(b, `<text x="%d" y="24" font-size="14" font-weight="bold">Median overhead with %v of work after an event</text>`+"\n", plotLeft, work)
	for _, y := range []float64{-50, 0, 10, 22, 50, 100, 1000, 10_000, 100_000} {
		at := plotY(y)
		colour := "#e3e4ea"
		if y == 0 {
			colour = "#57606a"
		}
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s"/><text x="%d" y="%.1f" text-anchor="end">%.0f %%</text>`+"\n", plotLeft, at, right, at, colour, plotLeft-8, at+4, y)
	}
	for _, share := range []int{100, 75, 50, 25, 0} {
		x := plotX(float64(share) / 100)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d %%</text>`+"\n", x, plotTop+plotHeight+18, share)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">constraints that are left</text>`+"\n", (plotLeft+right)/2, plotTop+plotHeight+34)
	fmt.Fprintf(b, `<text x="%d" y="%d">dashed: the paper's</text>`+"\n", right+16, plotTop+plotHeight)
	line, all, name := "", 0, ""
	n := -1
	flush := func() {
		if line == "" {
			return
		}
		colour := plotColours[n%len(plotColours)]
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.8"/>`+"\n", line, colour)
		y := plotTop + 10 + 18*n
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="3"/><text x="%d" y="%d">%s</text>`+"\n", right+16, y, right+36, y, colour, right+42, y+4, html.EscapeString(name))
	}
	for _, c := range costs {
		if c.Work != work {
			continue
		}
		if c.Program != name {
			flush()
			line, name, all = "", c.Program, max(c.Constraints, 1)
			n++
			plotPrinted(b, c.figures, plotColours[n%len(plotColours)])
		}
		_, median := c.overhead()
		x, y := plotX(float64(c.Constraints)/float64(all)), plotY(median)
		line += fmt.Sprintf("%.1f,%.1f ", x, y)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, plotColours[n%len(plotColours)])
	}
	flush()
}

// plotX returns where a share of the constraints is.
func plotX(share float64) float64 {
	return plotLeft + (1-share)*(plotWidth-plotRight-plotLeft)
}

// plotY returns where an overhead is: linear up to 10 %, logarithmic beyond.
func plotY(percent float64) float64 {
	scale := func(p float64) float64 {
		p = min(max(p, plotLow), plotHigh)
		if p <= 10 {
			return p / 10
		}
		return 1 + 2*math.Log10(p/10)
	}
	low, high := plotLow/25, scale(plotHigh)
	v := scale(percent)
	if v < 0 {
		v = percent / 25
	}
	v = max(v, low)
	return plotTop + plotHeight*(1-(v-low)/(high-low))
}

// draw draws the constraints of a program's longest prefix.
func (r *enforcement) draw(e command.Env) int {
	p := r.programs[0]
	res, err := irs.Verify(context.Background(), relaxable(p), relaxing(1, 1))
	if err != nil {
		return e.Failedf("irs: %v", err)
	}
	var b bytes.Buffer
	d := &picture.Picture{Unfolding: res.Prefix.Unfolding(), Title: p.Name + ", " + res.Prefix.String(), Highlight: 1}
	if err = d.WriteSVG(&b); err == nil {
		err = os.WriteFile(r.picture, b.Bytes(), 0o666)
	}
	if err != nil {
		return e.Failedf("irs: %v", err)
	}
	return command.OK
}

// plotPrinted draws the paper's figures.
func plotPrinted(b *bytes.Buffer, figures []paper.PrintedOverhead, colour string) {
	line := ""
	for _, f := range figures {
		line += fmt.Sprintf("%.1f,%.1f ", plotX(float64(f.Constraints)/float64(figures[0].Constraints)), plotY(float64(f.Percent)))
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1" stroke-dasharray="4 3"/>`+"\n", line, colour)
}
