package faults

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// several is executions without faults that have two sites.
var several = Planned{Sites: Sites{List: []Site{first, second}}}

// TestSwarm draws plans with up to three faults, of two sites: all that there are, since there is
// time. Each has one execution. After that each number of faults has its own.
func TestSwarm(t *testing.T) {
	drawn, later := make(map[string]int), 0
	s := Search{Most: 3, Rand: random(), Over: func() bool { return false }, End: time.Now().Add(time.Hour), Pace: time.Hour}
	s.With = func(p *Planned, draws int64, seed uint64, until time.Time) int64 {
		if draws != 1 {
			later++
			return 1
		}
		if left := time.Until(until).Round(time.Minute); left != 30*time.Minute || later > 0 || seed != uint64(len(drawn)) {
			t.Errorf("%v, seed %d, after %d others: %v are left", p.Plan, seed, later, left)
		}
		drawn[p.Plan.String()]++
		return 7
	}
	_, mixed, levels := s.Run(several)
	want := []string{"refuse:1:0", "reset:0:1", "reset:0:1,refuse:1:0", "slow:0:1:100ms", "slow:0:1:100ms,refuse:1:0", "slow:0:1:1m0s", "slow:0:1:1m0s,refuse:1:0"}
	if got := slices.Sorted(maps.Keys(drawn)); !slices.Equal(got, want) || mixed != (Mixed{7, 49}) {
		t.Errorf("got %q, %+v", got, mixed)
	}
	for text, n := range drawn {
		if n != 1 {
			t.Errorf("%s is drawn %d times", text, n)
		}
	}
	if later == 0 || len(levels) == 0 || levels[0].Plans != 4 {
		t.Errorf("%d after that, %+v", later, levels)
	}
}

// TestSwarmMixes: a plan of many sites often has one kind only, and each number of faults occurs.
func TestSwarmMixes(t *testing.T) {
	var sites Sites
	for n := range 100 {
		sites.List = append(sites.List, Site{Path: []int32{0}, N: int32(n), Kinds: Reset | Refuse | Delay})
	}
	sites.List[50].Kinds |= Lose
	r := random()
	numbers, pure, rare := make(map[int]int), 0, 0
	for range 1000 {
		p := sites.mixed(r, 4)
		numbers[len(p)]++
		var kinds Kind
		for _, f := range p {
			kinds |= f.Kind
			if f.Kind == Lose {
				rare++
			}
		}
		if len(p) == 4 && len(kinds.Each()) == 1 {
			pure++
		}
	}
	if numbers[1] < 200 || numbers[2] < 200 || numbers[3] < 150 || numbers[4] < 150 || len(numbers) != 4 {
		t.Error(numbers)
	}
	if pure < numbers[4]/8 || pure > numbers[4]/2 {
		t.Errorf("%d of %d plans with four faults have one kind", pure, numbers[4])
	}
	if rare < 200 {
		t.Errorf("the kind that one site has comes %d times", rare)
	}
}

// TestTooMany looks at when plans are drawn so.
func TestTooMany(t *testing.T) {
	hour := time.Now().Add(time.Hour)
	for _, test := range []struct {
		s    Search
		many bool
	}{
		{Search{Most: 2, End: hour, Pace: 2 * time.Minute}, true}, // four plans, three times, in a quarter
		{Search{Most: 2, End: hour, Pace: time.Minute}, false},
		{Search{Most: 1, End: hour, Pace: time.Hour}, false},
		{Search{Most: 2, Pace: time.Hour}, false},
	} {
		if got := test.s.tooMany(&several); got != test.many {
			t.Errorf("%+v: %v", test.s, got)
		}
	}
	s := Search{Most: 2, End: hour, Pace: time.Hour, Rand: random(), Over: func() bool { return false }}
	if m := s.swarm(new(Planned), hour); m != (Mixed{}) {
		t.Error("plans without a site:", m)
	}
	ran := 0
	s.Over = func() bool { return ran == 3 }
	s.With = func(*Planned, int64, uint64, time.Time) int64 { ran++; return 1 }
	if m := s.swarm(&several, hour); m.Plans != 3 || m.Executions != 3 {
		t.Errorf("a search that is over: %+v", m)
	}
}
