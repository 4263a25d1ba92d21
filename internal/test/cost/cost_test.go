package main

import (
	"testing"
	"time"
)

func TestTable(t *testing.T) {
	ways := []way{{name: "natively"}, {name: "-race"}, {name: "under control", controlled: true}}
	rows := []row{
		{"TestA", []time.Duration{time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond}},
		{"TestB", []time.Duration{0, 0, 8 * time.Millisecond}}, // -race took no time that was measured
	}
	want := `| test | natively | -race | under control | ratio |
|---|---|---|---|---|
| A | 0.001 | 0.010 | 0.020 | 2.0 |
| B | 0.000 | 0.000 | 0.008 | 8.0 |
| geometric mean | | | | 4.0 |
`
	if got := table(ways, rows); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMedian(t *testing.T) {
	if got := median([]time.Duration{5, 1, 3}); got != 3 {
		t.Errorf("the median of 5, 1 and 3 is said to be %d", got)
	}
}
