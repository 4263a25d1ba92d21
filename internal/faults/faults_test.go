package faults

import (
	"strings"
	"testing"
	"time"
)

func TestPlanAsText(t *testing.T) {
	p := Plan{}
	for _, f := range []Fault{
		{Reset, []int32{1, 0}, 7, 0},
		{Slow, nil, 2, time.Minute},
		{Late, []int32{0, -2}, 1, 0},
		{Sync, []int32{0}, FileUses + 3, 0},
		{Torn, []int32{0}, 3, time.Second},
		{Torn, []int32{0}, FileUses, time.Minute},
		{Torn, nil, Stops + 1, 0},
		{Skew, []int32{3}, 1, -time.Minute},
	} {
		var ok bool
		if p, ok = p.With(f); !ok {
			t.Fatal(f)
		}
	}
	const want = "slow::2:1m0s,torn::s1,torn:0:3:1s,torn:0:f0:1m0s,sync:0:f3,late:0.-2:1,reset:1.0:7,skew:3:1:-1m0s"
	if got := p.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	q, err := Parse(want)
	if err != nil || q.String() != want {
		t.Error(q, err)
	}
	if f := &q[6]; !f.Of([]int32{1, 0}) || f.Of([]int32{1, 1}) || f.Of([]int32{1}) || f.Of(nil) {
		t.Error(f)
	}
	if _, ok := q.With(Fault{Kind: Refuse, N: 2}); ok {
		t.Error("two faults at one site")
	}
	if got := q[4:7].Without(1).String(); got != "sync:0:f3,reset:1.0:7" {
		t.Error(got)
	}
	for i, name := range names {
		if Named(name) != 1<<i || Kind(1<<i).String() != name {
			t.Error(name)
		}
	}
	if n := len(All.Each()); n != len(names) {
		t.Error(n)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"rest:0:1":               "no kind",
		"reset:0":                "fields",
		"reset:0:1:1s":           "fields",
		"slow:0:1":               "fields",
		"slow:0:1:0s":            "no time",
		"slow:0:1:-1s":           "no time",
		"skew:0:1:0s":            "no time",
		"skew:0:1":               "fields",
		"skew:0:f1:1s":           "no fault skew comes",
		"reset:x:1":              "invalid syntax",
		"reset:0:-1":             "below 0",
		"reset:0:1,refuse:0:1":   "another one",
		strings.Repeat(",", 3):   "no kind",
		"reset:0:99999999999":    "out of range",
		"delay:0:1:5":            "missing unit",
		"sync:0:1":               "no fault sync comes at a use like 1",
		"full:0:s1":              "no fault full",
		"reset:0:f1":             "no fault reset",
		"crash:0:s1":             "no fault crash",
		"torn:0:f1":              "fields",
		"torn:0:s1:1s":           "fields",
		"torn:0:f-1:1s":          "below 0",
		"torn:0:f268435456:1s":   "above 268435455",
		"torn:0:x1:1s":           "invalid syntax",
		many("reset:0:%d", Most): "at most",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// many returns n+1 faults.
func many(format string, n int) string {
	var list []string
	for i := range n + 1 {
		list = append(list, strings.Replace(format, "%d", string(rune('0'+i)), 1))
	}
	return strings.Join(list, ",")
}
