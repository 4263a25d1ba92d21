package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func parsed(t *testing.T, text string) Plan {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAgain runs what is kept again, first of all what reaches something that nothing before it has,
// then what is near, and then all else.
func TestAgain(t *testing.T) {
	none := Planned{Sites: Sites{List: []Site{first, second}}, Covered: true}
	reaches := map[string]map[string]int64{"reset:0:1": {"a": 2}, "reset:0:2": {"a": 1, "b": 2}, "reset:0:3": {"c": 1}}
	keep := []Kept{
		{Plan: parsed(t, "reset:0:1"), Seed: 7, Draws: 3, Reached: []string{"a"}},
		{Plan: parsed(t, "reset:0:4"), Seed: 7, Draws: 1, Reached: []string{"a"}},
		{Plan: parsed(t, "reset:0:2"), Seed: 9, Draws: 2, Reached: []string{"b"}},
	}
	var calls []string
	near := 0
	s := Search{Most: 2, Rand: random(), Over: func() bool { return false }, Corpus: Corpus{Keep: keep, Salt: 1 << 32}}
	s.With = func(p *Planned, draws int64, seed uint64, until time.Time) int64 {
		p.Reached = reaches[p.Plan.String()]
		p.Sites.List = none.Sites.List
		switch {
		case p.Again:
			calls = append(calls, fmt.Sprint(p.Plan, " ", seed, " ", draws))
		case near < mostNear*len(keep):
			if near++; draws != 1 || len(p.Plan) == 0 || len(p.Plan) > 2 || len(calls) != 3 {
				t.Errorf("near: %v, %d draws", p.Plan, draws)
			}
		case draws > 0 && (seed < 1<<32 || seed >= 1<<32+1000):
			t.Errorf("the seed %d", seed)
		}
		return max(draws, 1)
	}
	again, _, levels := s.Run(none)
	if want := []string{"reset:0:1 7 3", "reset:0:2 9 2", "reset:0:4 7 1"}; !slices.Equal(calls, want) {
		t.Errorf("%q, want %q", calls, want)
	}
	if want := (Again{Kept: 3, Lost: 1, Executions: 6, Near: int64(near)}); again != want || near != 3*mostNear || len(levels) == 0 {
		t.Errorf("%+v, want %+v, %d", again, want, near)
	}
	if len(s.Checked) != 3 || len(s.Unproven) != 0 {
		t.Errorf("%+v, %v", s.Checked, s.Unproven)
	}
	found := s.Found()
	if k := found[slices.IndexFunc(found, func(k Kept) bool { return k.Plan.String() == "reset:0:1" && k.Seed == 7 })]; k.Draws != 2 {
		t.Errorf("the second execution has reached it: %+v", k)
	}
	if len(found) == 0 || slices.ContainsFunc(found, func(k Kept) bool { return len(k.Reached) == 0 || k.Plan.String() == "reset:0:4" }) {
		t.Errorf("%v", found)
	}
	// The search is over in an execution of an entry: that is not checked, and others have no time.
	n := 0
	s = Search{Most: 2, Rand: random(), Over: func() bool { return n == 2 }, Corpus: Corpus{Keep: keep}}
	s.With = func(p *Planned, draws int64, _ uint64, _ time.Time) int64 {
		n++
		p.Reached = reaches[p.Plan.String()]
		return draws
	}
	again, _, levels = s.Run(none)
	if n != 2 || again.Kept != 2 || again.Lost != 0 || again.Left != 1 || len(levels) != 0 || len(s.Checked) != 1 || strings.Join(s.Unproven, " ") != "b a" {
		t.Errorf("%d: %+v, %v, %v", n, again, s.Checked, s.Unproven)
	}
	// An execution was broken off.
	s = Search{Most: 2, Rand: random(), Over: func() bool { return false }, Corpus: Corpus{Keep: keep[:1]}}
	s.With = func(p *Planned, draws int64, _ uint64, _ time.Time) int64 { return draws - 1 }
	if again, _, _ = s.Run(none); again.Lost != 0 || len(s.Checked) != 0 || len(s.Unproven) != 1 {
		t.Errorf("%+v, %v", again, s.Checked)
	}
	// A quarter of the time is for this.
	s = Search{Most: 2, Rand: random(), Over: func() bool { return false }, Corpus: Corpus{Keep: keep}, End: time.Now().Add(time.Hour)}
	share := time.Duration(0)
	s.With = func(p *Planned, draws int64, _ uint64, until time.Time) int64 {
		if p.Again {
			share = time.Until(until).Round(time.Minute)
		}
		return draws
	}
	if s.Run(none); share != 15*time.Minute {
		t.Error(share)
	}
	s.End, s.Corpus = time.Now().Add(-time.Second), Corpus{Keep: keep}
	if again, _, _ = s.Run(none); again.Left != 3 || again.Kept != 0 || len(s.Unproven) != 3 {
		t.Errorf("%+v", again)
	}
}

// TestNear draws plans near others: they differ by one fault at most, which has a site that has its
// kind.
func TestNear(t *testing.T) {
	sites := Sites{}
	for n := range int32(40) {
		sites.List = append(sites.List, Site{Path: []int32{0, n % 3}, N: n, Kinds: Reset | Slow<<(n%2)})
	}
	plan := parsed(t, "reset:0.1:10,slow:0.2:20:1m0s")
	rnd, seen := random(), make(map[int]int)
	kinds := make(map[Kind]bool)
	for range 2000 {
		p := near(plan, &sites, 3, rnd)
		common := 0
		for _, f := range p {
			if slices.ContainsFunc(plan, func(g Fault) bool { return compare(f, g) == 0 }) {
				common++
				continue
			}
			kinds[f.Kind] = true
			i := slices.IndexFunc(sites.List, func(x Site) bool { return x.N == f.N && slices.Equal(x.Path, f.Path) })
			if i < 0 || sites.List[i].Kinds&f.Kind == 0 {
				t.Fatal(p)
			}
		}
		if common < 1 || len(p)-common > 1 || len(p) > 3 || len(p) < 1 {
			t.Fatal(p)
		}
		if again := parsed(t, p.String()); again.String() != p.String() {
			t.Fatal(p)
		}
		seen[len(p)*10+common]++
	}
	for _, want := range []int{22, 21, 11, 32} { // another seed, moved, one less, one more
		if seen[want] < 300 {
			t.Error(seen)
		}
	}
	if !kinds[Reset] || !kinds[Slow] || !kinds[Delay] {
		t.Error(kinds)
	}
	// The most there may be, one, and no sites.
	for range 100 {
		if p := near(plan, &sites, 2, rnd); len(p) > 2 {
			t.Fatal(p)
		}
		if p := near(plan[:1], &Sites{}, 2, rnd); p.String() != plan[:1].String() {
			t.Fatal(p)
		}
	}
}

// TestFound keeps what few draws reach, and little of each.
func TestFound(t *testing.T) {
	for _, x := range []struct{ reach, want int }{{1, 2}, {2, 4}, {6, 4}, {7, 0}, {100, 0}} {
		s := Search{Most: 1, Corpus: Corpus{hits: make(map[string]int), each: make(map[string]int)}}
		for i := range 100 {
			s.With = func(p *Planned, draws int64, _ uint64, _ time.Time) int64 {
				p.Reached = map[string]int64{"always": 3}
				if i < x.reach {
					p.Reached["rare"] = 1
				}
				return draws
			}
			s.fresh(&Planned{Plan: parsed(t, fmt.Sprintf("lose:0:%d", i))}, 1, uint64(i), time.Time{})
			s.fresh(&Planned{Plan: parsed(t, fmt.Sprintf("lose:0:%d,lose:1:0", i)), near: true}, 1, uint64(i), time.Time{})
		}
		found := s.Found()
		if len(found) != x.want {
			t.Errorf("%d of 100: %v", x.reach, found)
		}
		for i, k := range found {
			if i < x.reach && i < 4 && x.reach > 2 && len(k.Plan) > 1 {
				t.Error("plans with fewer faults are worth more:", found)
			}
			if !slices.Equal(k.Reached, []string{"rare"}) || k.Draws != 1 {
				t.Errorf("%+v", k)
			}
		}
	}
	c := Corpus{hits: make(map[string]int), each: make(map[string]int)}
	for i := range 1000 {
		c.note(&Planned{Plan: parsed(t, fmt.Sprintf("lose:0:%d,lose:1:0", i)), Reached: map[string]int64{fmt.Sprint("property ", i): 1, "same": 1}}, 1)
	}
	for i := range 3 {
		c.note(&Planned{Plan: parsed(t, fmt.Sprintf("lose:0:%d", i)), Reached: map[string]int64{"same": 1}}, 1)
	}
	found := c.Found()
	if len(found) != MostKept {
		t.Error(len(found))
	}
	one := 0
	for _, k := range found {
		if len(k.Plan) == 1 {
			one++
		}
	}
	if one != 3 {
		t.Error("plans with fewer faults are worth more:", one)
	}
}

// TestTried draws with plans first that the fewest earlier searches have tried.
func TestTried(t *testing.T) {
	none := Planned{}
	for n := range int32(40) {
		none.Sites.List = append(none.Sites.List, Site{N: n, Kinds: Reset})
	}
	tried := make(map[uint32]int)
	at := make(map[string]int) // how often each plan was drawn
	for day := range 9 {
		n, drawn := 0, 0
		s := Search{Most: 1, Rand: random(), Over: func() bool { return n == 10 }, Corpus: Corpus{Tried: tried}}
		s.With = func(p *Planned, draws int64, _ uint64, _ time.Time) int64 {
			if draws > 0 {
				at[p.Plan.String()]++
				drawn++
			}
			n++
			return draws
		}
		_, _, levels := s.Run(none)
		// The tenth ends the search.
		if drawn != 10 || len(s.Drew) != 9 || levels[0].Drawn != 9 {
			t.Fatal(drawn, s.Drew, levels)
		}
		if want := min(9*day, 31); levels[0].Earlier != want {
			t.Errorf("day %d: %d on earlier runs, want %d", day, levels[0].Earlier, want)
		}
		for _, h := range s.Drew {
			tried[h]++
		}
		for _, p := range none.Sites.List {
			f := Plan{{Kind: Reset, N: p.N}}
			if k := tried[f.hash()]; k > 9*(day+1)/40+1 || k < 9*(day+1)/40 {
				t.Errorf("day %d: %v was tried %d times", day, f, k)
			}
		}
	}
}
