package parts_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/gopor/gopor/internal/parts"
	"github.com/gopor/gopor/sched/trace"
)

// sizes is a program with parts of so many executions each.
type sizes struct {
	parts []int
	focus int
	seen  map[int]int // executions, by the part in focus
}

func (p *sizes) Start() trace.Run { return nil }

func (p *sizes) Focus(part int) { p.focus = part }

func (p *sizes) Parts() []string { return make([]string, len(p.parts)) }

// steady explores a program of sizes. An execution takes it two milliseconds.
type steady struct {
	limit time.Duration
}

func (steady) Name() string { return "steady" }

func (e steady) About() trace.About {
	return trace.About{WithTime: func(d time.Duration) trace.Engine { return steady{d} }}
}

func (e steady) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	n, begin, s := 1, time.Now(), p.(*sizes)
	if s.focus >= 0 {
		n = s.parts[s.focus]
	} else {
		for _, m := range s.parts {
			n *= m
		}
	}
	var stats trace.Stats
	for range n {
		time.Sleep(2 * time.Millisecond)
		stats.Executions++
		s.seen[s.focus]++
		if !visit(&trace.Execution{Stats: &stats, Only: func() bool { return n == 1 }}) {
			return stats, nil
		}
		if time.Since(begin) > e.limit {
			return stats, nil
		}
	}
	stats.Exhaustive = true
	return stats, nil
}

// TestShares explores parts of a program within a second.
func TestShares(t *testing.T) {
	for _, test := range []struct {
		name       string
		parts      []int
		executions int64 // 0 if it does not matter
		each       bool  // all of each part is explored
	}{
		{"one execution", []int{1, 1, 1}, 1, true},
		{"all small", []int{2, 2, 2, 2}, 1 + 4*2 + 2*2*2*2, true},
		{"a large one in front", []int{300, 2, 2, 2, 2, 2, 2}, 0, true},
		{"a large one behind", []int{2, 2, 2, 2, 2, 2, 300}, 0, true},
		{"two large ones", []int{150, 2, 2, 150, 2}, 0, true},
		{"one too large", []int{2, 1000, 2}, 0, false},
		{"so many that there is no look", []int{40, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			var state parts.State
			e := parts.Engine{Of: steady{}, State: &state, Over: func() bool { return false }}
			begin := time.Now()
			stats, err := e.About().WithTime(time.Second).Explore(&sizes{parts: test.parts, seen: make(map[int]int)}, func(*trace.Execution) bool { return true })
			if err != nil || test.executions > 0 && stats.Executions != test.executions {
				t.Errorf("%s: %d executions, want %d; error %v", test.name, stats.Executions, test.executions, err)
			}
			if each := stats.Exhaustive || stats.Claim == parts.Each; each != test.each || state.Late == test.each {
				t.Errorf("%s: exhaustive %t, claim %q, late %t; each part explored: want %t", test.name, stats.Exhaustive, stats.Claim, state.Late, test.each)
			}
			if took := time.Since(begin); took > 1100*time.Millisecond {
				t.Errorf("%s: took %v of a second", test.name, took)
			}
		})
	}
}

// TestLargeParts has two parts that are too large. The time is for both.
func TestLargeParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &sizes{parts: []int{1000, 2, 1000}, seen: make(map[int]int)}
		e := parts.Engine{Of: steady{}, State: new(parts.State), Over: func() bool { return false }}
		_, err := e.About().WithTime(time.Second).Explore(p, func(*trace.Execution) bool { return true })
		if err != nil || p.seen[0] < 200 || p.seen[2] < 200 {
			t.Errorf("%d and %d executions of the parts, error %v", p.seen[0], p.seen[2], err)
		}
	})
}
