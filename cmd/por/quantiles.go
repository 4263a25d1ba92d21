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

// The dimensions of a quantile plot.
const (
	quantileWidth, quantileHeight = 640, 400
	quantileLeft, quantileBottom  = 70, 50
	quantileTop, quantileRight    = 40, 170
)

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
		return quantileLeft + float64(i)*(quantileWidth-quantileLeft-quantileRight)/float64(max(n, 1))
	}
	y := func(v float64) float64 {
		return quantileHeight - quantileBottom - (math.Log10(v)-low)*(quantileHeight-quantileBottom-quantileTop)/(high-low)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", quantileWidth, quantileHeight)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n"+`<text x="%d" y="20">%s, clients in ascending order</text>`+"\n", quantileLeft, html.EscapeString(title))
	for e := low; e <= high; e++ {
		at := y(math.Pow(10, e))
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#dddddd"/><text x="%d" y="%.1f" text-anchor="end">1e%d</text>`+"\n",
			quantileLeft, quantileWidth-quantileRight, at, at, quantileLeft-6, at+4, int(e))
	}
	for i := 0; i <= n; i += max(1, n/5) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(i), quantileHeight-quantileBottom+18, i)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">clients</text>`+"\n", quantileLeft, quantileHeight-10)
	for k, c := range curves {
		colour, dashes := plotColours[k%len(plotColours)], ""
		if k%2 == 1 { // what it covers is seen between them
			dashes = ` stroke-dasharray="7 5"`
		}
		fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="1.5"%s points="`, colour, dashes)
		for i, v := range c.values {
			fmt.Fprintf(&b, "%.1f,%.1f ", x(i+1), y(v))
		}
		fmt.Fprintf(&b, `"/>`+"\n"+`<text x="%d" y="%d" fill="%s">%s (%d)</text>`+"\n", quantileWidth-quantileRight+10, quantileTop+20*k+10, colour, html.EscapeString(c.label), len(c.values))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}
