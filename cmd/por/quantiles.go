package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// curve is what was measured by one engine, in ascending order.
type curve struct {
	label  string
	values []float64
}

// The dimensions of a quantile plot, and the colours of its curves.
const (
	plotWidth, plotHeight = 640, 400
	plotLeft, plotBottom  = 70, 50
	plotTop, plotRight    = 40, 170
)

var plotColours = []string{"#444444", "#1f77b4", "#2ca02c", "#d62728", "#9467bd", "#ff7f0e"}

// quantilePlot draws, for each curve, how many of n clients take at most how much, which is
// drawn by its logarithm.
func quantilePlot(title string, n int, curves []curve) []byte {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, v := range c.values {
			low, high = min(low, math.Floor(math.Log10(v))), max(high, math.Ceil(math.Log10(v)))
		}
	}
	if low >= high {
		low, high = high-1, low+1
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		low, high = 0, 1
	}
	x := func(i int) float64 {
		return plotLeft + float64(i)*(plotWidth-plotLeft-plotRight)/float64(max(n, 1))
	}
	y := func(v float64) float64 {
		return plotHeight - plotBottom - (math.Log10(v)-low)*(plotHeight-plotBottom-plotTop)/(high-low)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n"+`<text x="%d" y="20">%s, clients in ascending order</text>`+"\n", plotLeft, html.EscapeString(title))
	for e := low; e <= high; e++ {
		at := y(math.Pow(10, e))
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#dddddd"/><text x="%d" y="%.1f" text-anchor="end">1e%d</text>`+"\n",
			plotLeft, plotWidth-plotRight, at, at, plotLeft-6, at+4, int(e))
	}
	for i := 0; i <= n; i += max(1, n/5) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(i), plotHeight-plotBottom+18, i)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">clients</text>`+"\n", plotLeft, plotHeight-10)
	for k, c := range curves {
		colour := plotColours[k%len(plotColours)]
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, colour)
		for i, v := range c.values {
			fmt.Fprintf(&b, "%.1f,%.1f ", x(i+1), y(v))
		}
		fmt.Fprintf(&b, `"/>`+"\n"+`<text x="%d" y="%d" fill="%s">%s (%d)</text>`+"\n", plotWidth-plotRight+10, plotTop+20*k+10, colour, html.EscapeString(c.label), len(c.values))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
