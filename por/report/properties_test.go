package report

import (
	"maps"
	"slices"
	"testing"
)

// TestSince looks at what is told of executions since Begin, and at properties that only executions
// of an earlier search have reached.
func TestSince(t *testing.T) {
	var p Properties
	p.Begin(true)
	if got := p.Since(); len(got) != 0 || p.Fresh {
		t.Error(got)
	}
	p.Note(nil, []string{"a", "never"})
	p.Note([]string{"b", "c"}, nil)
	p.Note([]string{"a", "b"}, nil)
	if got, want := p.Since(), map[string]int64{"a": 3, "b": 2, "c": 2}; !maps.Equal(got, want) || !p.Fresh {
		t.Errorf("%v, want %v", got, want)
	}
	since := p.Since()
	p.Begin(false)
	p.Note([]string{"a"}, nil)
	if got, want := p.Since(), map[string]int64{"a": 1}; !maps.Equal(got, want) || p.Fresh || len(since) != 3 {
		t.Errorf("%v, want %v, %v", got, want, since)
	}
	p.Unproven = []string{"b", "d"}
	want := []Property{{"d", 0, true}, {"never", 0, false}, {"a", 2, false}, {"b", 2, true}, {"c", 1, true}}
	if got := p.List(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	v := Verdict{Properties: want}
	const text = "; NEVER reached: never; reached 4 of the 5 properties, 3 on earlier runs only: d (on an earlier run; not run again), a (in 2), b (in 2 of earlier runs), c (in 1 of earlier runs)"
	if got := v.properties(); got != text {
		t.Errorf("%s, want %s", got, text)
	}
}
