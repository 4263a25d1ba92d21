package minimise

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

// TestGoingOn has schedules of goroutines, one letter a step, and where they go on.
func TestGoingOn(t *testing.T) {
	for _, test := range []struct {
		schedule string
		at       []int
		want     string
	}{
		{"aba", []int{1}, "aab"},
		{"abab", []int{1}, "aabb"},
		{"abab", []int{1, 2, 3}, "aabb"},
		{"abab", []int{2}, "abba"},
		{"abcabc", []int{1}, "aabcbc"},
		{"abcabc", []int{1, 2, 3, 4, 5}, "aabbcc"},
		{"aabbaab", []int{4}, "aabbbaa"},
		{"ab", []int{1}, "ab"}, // a does nothing more
		{"abab", nil, "abab"},
	} {
		var s trace.Schedule
		for i, g := range test.schedule {
			s = append(s, trace.Choice{G: trace.ID(g), Alt: int32(i)})
		}
		before := slices.Clone(s)
		var got []byte
		last := make(map[trace.ID]int32)
		for _, c := range goingOn(s, test.at) {
			if at, ok := last[c.G]; ok && c.Alt < at {
				t.Errorf("%s at %v: the steps of %c change their order", test.schedule, test.at, rune(c.G))
			}
			last[c.G] = c.Alt
			got = append(got, byte(c.G))
		}
		if string(got) != test.want || !slices.Equal(s, before) {
			t.Errorf("%s at %v: %s, want %s; the schedule is %v", test.schedule, test.at, got, test.want, fmt.Sprint(s))
		}
	}
}
