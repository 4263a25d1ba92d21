package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// curve is what was measured by one engine, in ascending order.
type curve struct {
	label  string
	values []float64
}

// The dimensions of a quantile plot.
const (
	quantileWidth, quantileHeight = 720, 420
	quantileLeft, quantileBottom  = 70, 50
	quantileTop, quantileRight    = 20, 190
)

// quantilePlot draws, for each curve, how many of n clients take at most how much, which is
// drawn by its logarithm. The legend says how many have finished within the limit of time.
func quantilePlot(title string, n int, limit time.Duration, curves []curve) []byte {
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
	power := powerOfTen
	if low >= -3 && high <= 4 {
		power = func(e int) string { return strconv.FormatFloat(math.Pow10(e), 'f', -1, 64) }
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12" fill="#1f2328">`+"\n", quantileWidth, quantileHeight)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	for e := low; e <= high; e++ {
		at := y(math.Pow(10, e))
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#dddddd"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			quantileLeft, quantileWidth-quantileRight, at, at, quantileLeft-6, at+4, power(int(e)))
	}
	const bottom = quantileHeight - quantileBottom
	for i := 0; i <= n; i += max(1, n/5) {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1[1]f" y1="%[2]d" y2="%[3]d" stroke="#888888"/><text x="%.1[1]f" y="%[4]d" text-anchor="middle">%[5]d</text>`+"\n", x(i), bottom, bottom+5, bottom+18, i)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">clients, of which each took at most so much</text>`+"\n", (quantileLeft+quantileWidth-quantileRight)/2, quantileHeight-10)
	fmt.Fprintf(&b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s, logarithmic</text>`+"\n", (quantileTop+bottom)/2, html.EscapeString(title))
	fmt.Fprintf(&b, `<text x="%d" y="%d">finished within %v</text>`+"\n", quantileWidth-quantileRight+10, quantileTop+10, limit)
	for k, c := range curves {
		style := fmt.Sprintf(`fill="none" stroke="%s" %s`, plotColours[k%len(plotColours)], quantileStyles[k%len(quantileStyles)])
		fmt.Fprintf(&b, `<polyline %s points="`, style)
		for i, v := range c.values {
			fmt.Fprintf(&b, "%.1f,%.1f ", x(i+1), y(v))
		}
		at := quantileTop + 20*k + 30
		fmt.Fprintf(&b, `"/>`+"\n"+`<line x1="%d" x2="%d" y1="%d" y2="%[3]d" %s/><text x="%d" y="%d">%s (%d)</text>`+"\n",
			quantileWidth-quantileRight+10, quantileWidth-quantileRight+46, at, style, quantileWidth-quantileRight+54, at+4, html.EscapeString(c.label), len(c.values))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// quantileStyles are of the curves in turn: a thin one is seen on the broad one that it covers.
var quantileStyles = []string{`stroke-width="5" stroke-opacity="0.45"`, `stroke-width="1.8" stroke-dasharray="7 4"`}

// powerOfTen writes 10 to the power of e as such.
func powerOfTen(e int) string {
	return fmt.Sprintf(`10<tspan dy="-4" font-size="9">%d</tspan>`, e)
}

// draw writes the quantile plots of figures 5 to 8.
func (w *evaluation) draw() error {
	if err := os.MkdirAll(w.pictures, 0o777); err != nil {
		return err
	}
	xs := contestants()
	for _, p := range []struct {
		file, title string
		labels      []string
		value       func(statefulRun) float64
	}{
		{"time.svg", "seconds", []string{"DFS (JPF)", "S-POR", "DE-S-POR", "DL-S-POR", "source", "optimal"}, func(r statefulRun) float64 { return r.Seconds }},
		{"time-every.svg", "seconds", []string{"DE (DE-JPF)", "DL (DL-JPF)", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return r.Seconds }},
		{"states.svg", "states", []string{"DFS (JPF)", "S-POR", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return float64(r.States) }},
		{"memory.svg", "bytes of the graph", []string{"DFS (JPF)", "S-POR", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return float64(r.Bytes) }},
		{"memory-every.svg", "bytes of the graph", []string{"DE (DE-JPF)", "DL (DL-JPF)", "DE-S-POR", "DL-S-POR"}, func(r statefulRun) float64 { return float64(r.Bytes) }},
	} {
		var curves []curve
		for _, label := range p.labels {
			k := place(xs, label)
			c := curve{label: label}
			for _, runs := range w.runs {
				if v := p.value(runs[k]); runs[k].Finished && v > 0 {
					c.values = append(c.values, v)
				}
			}
			slices.Sort(c.values)
			curves = append(curves, c)
		}
		if err := os.WriteFile(filepath.Join(w.pictures, p.file), quantilePlot(p.title, len(w.runs), w.limit, curves), 0o666); err != nil {
			return err
		}
	}
	return nil
}
