package faults

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// texts returns plans as texts, in order.
func texts(plans []Planned) (all []string) {
	for _, p := range plans {
		all = append(all, p.Plan.String())
	}
	slices.Sort(all)
	return all
}

var (
	first  = Site{Path: []int32{0}, N: 1, Kinds: Reset | Slow}
	second = Site{Path: []int32{1}, N: 0, Kinds: Refuse}
)

// TestNext compares the plans that follow with what they have to be.
func TestNext(t *testing.T) {
	none := Planned{Sites: Sites{List: []Site{first, second}}, Covered: true}
	one, all := Next([]Planned{none}, random())
	if got := texts(one); !all || !slices.Equal(got, []string{"refuse:1:0", "reset:0:1", "slow:0:1:100ms", "slow:0:1:1m0s"}) {
		t.Error(got, all)
	}
	for i := range one {
		one[i].Sites.List, one[i].Covered = none.Sites.List, true
	}
	two, all := Next(one, random())
	if got := texts(two); !all || !slices.Equal(got, []string{"reset:0:1,refuse:1:0", "slow:0:1:100ms,refuse:1:0", "slow:0:1:1m0s,refuse:1:0"}) {
		t.Error(got, all)
	}
	one[2].Covered = false
	if _, all := Next(one, random()); all {
		t.Error("all plans follow from one that was not covered")
	}
	one[2].Covered, one[1].Sites.Lack = true, true
	if _, all := Next(one, random()); all {
		t.Error("all plans follow from one of which sites are missing")
	}
}

// TestSitesOfFiles has a use of a file, and a stop, after which the program starts the node again.
func TestSitesOfFiles(t *testing.T) {
	list := []Site{{Path: []int32{0}, N: FileUses + 2, Kinds: Torn | Sync}, {N: Stops, Kinds: Torn}, {Path: []int32{0}, N: 2, Kinds: Reset}}
	plans, all := Next([]Planned{{Sites: Sites{List: list}, Covered: true}}, random())
	if got := texts(plans); !all || !slices.Equal(got, []string{"reset:0:2", "sync:0:f2", "torn:0:f2:100ms", "torn:0:f2:1m0s", "torn::s0"}) {
		t.Error(got, all)
	}
	for _, p := range plans {
		if q, err := Parse(p.Plan.String()); err != nil || q.String() != p.Plan.String() {
			t.Error(q, err)
		}
	}
}

// TestOrderOfPlans has many sites of one goroutine and one of another, and a plan with news.
func TestOrderOfPlans(t *testing.T) {
	var list []Site
	for n := range 50 {
		list = append(list, Site{Path: []int32{0}, N: int32(n), Kinds: Reset})
	}
	list = append(list, second)
	plans, _ := Next([]Planned{{Sites: Sites{List: list}}}, random())
	if !slices.Contains(texts(plans[:2]), "refuse:1:0") {
		t.Error("the plan that differs is not among the first two:", texts(plans[:2]))
	}
	news := Planned{Plan: Plan{{Kind: Crash, Path: []int32{2}, For: time.Minute}}, Sites: Sites{List: list[:3]}, News: true}
	plans, _ = Next([]Planned{{Sites: Sites{List: list}}, news, {Sites: Sites{List: list}}}, random())
	for i, p := range plans {
		if near := len(p.Plan) == 2; near != (i < 3) {
			t.Fatalf("plan %d is %v", i, p.Plan)
		}
	}
}

// TestMostPlans has more sites than plans are kept.
func TestMostPlans(t *testing.T) {
	var s Sites
	s.By(1, func([]int32) int32 { return 0 })
	for n := range MostPlans + 1 {
		if s.Lack {
			t.Fatal("sites are missing after", n)
		}
		s.Note(0, int32(n), Lose, func() []int32 { return []int32{0} })
	}
	if len(s.List) != MostPlans || !s.Lack {
		t.Error(len(s.List), s.Lack)
	}
	two := []Planned{{Sites: s, Covered: true}, {Sites: Sites{List: []Site{first, second}}, Covered: true}}
	two[0].Sites.Lack = false
	plans, all := Next(two, random())
	if known := texts(plans); all || len(plans) != MostPlans || len(slices.Compact(known)) != MostPlans {
		t.Error(len(plans), all)
	}
	if _, all := Next(two[:1], random()); !all {
		t.Error("as many plans as are kept are not all")
	}
}

// TestSites notes uses of sockets in two programs, in which goroutines have other numbers.
func TestSites(t *testing.T) {
	var s Sites
	asked := 0
	path := func() []int32 { asked++; return []int32{7} }
	s.By("first", func([]int32) int32 { return -1 })
	s.Note(3, 0, Reset, path)
	s.Note(3, 0, Short, path)
	s.Note(3, 1, Reset, path)
	s.By("first", func([]int32) int32 { t.Error("the same program"); return -1 })
	s.By("second", func([]int32) int32 { return 4 })
	s.Note(4, 1, Delay, path)
	if asked != 2 || len(s.List) != 2 || s.List[0].Kinds != Reset|Short || s.List[1].Kinds != Reset|Delay || s.List[1].N != 1 {
		t.Error(asked, s.List)
	}
}

// TestFewer takes faults away that a failure does not need, but not the last one.
func TestFewer(t *testing.T) {
	p, err := Parse("reset:0:1,refuse:0:2,lose:0:3")
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Fewer(func(p Plan) bool { return slices.ContainsFunc(p, func(f Fault) bool { return f.Kind == Refuse }) }).String(); got != "refuse:0:2" {
		t.Error(got)
	}
	if got := p.Fewer(func(Plan) bool { return true }).String(); got != "lose:0:3" {
		t.Error(got)
	}
	if got := p.Fewer(func(Plan) bool { return false }); got.String() != p.String() {
		t.Error(got)
	}
}

// TestSearch looks at which plans are tried, and at what the levels say.
func TestSearch(t *testing.T) {
	none := Planned{Sites: Sites{List: []Site{first, second}}, Covered: true}
	var tried []string
	s := Search{Most: 5, Rand: random(), Over: func() bool { return false }}
	s.With = func(p *Planned, draws int64, seed uint64, until time.Time) int64 {
		drawn := draws > 0
		if !until.IsZero() {
			t.Error("a limit of time without an end")
		}
		if drawn {
			tried = append(tried, p.Plan.String())
			p.Sites.List = none.Sites.List
			return 3
		}
		p.Covered = p.Plan.String() != "reset:0:1"
		return 10
	}
	_, _, levels := s.Run(none)
	want := []Level{
		{Faults: 1, Plans: 4, All: true, Drawn: 4, Covered: 3, Executions: 52},
		{Faults: 2, Plans: 3, Drawn: 3, Covered: 3, Executions: 39},
		{Faults: 3},
	}
	if !slices.Equal(levels, want) {
		t.Errorf("got %+v, want %+v", levels, want)
	}
	if len(tried) != 7 {
		t.Error(tried)
	}
	if l := levels[0]; l.Exhausted() {
		t.Error("a plan was not covered, and all is")
	}
	if l := (Level{Plans: 2, Covered: 2}); l.Exhausted() {
		t.Error("there are other plans, and all is covered")
	}
	if l := (Level{Plans: 2, Covered: 2, All: true}); !l.Exhausted() {
		t.Error("all is covered")
	}
	if _, _, levels = (&Search{Most: 1, Rand: random(), Over: s.Over, With: s.With}).Run(none); len(levels) != 1 {
		t.Error("more than one fault:", levels)
	}
}

// TestSearchEnds has searches that are over: after an execution, and by their time.
func TestSearchEnds(t *testing.T) {
	none := Planned{Sites: Sites{List: []Site{first, second}}, Covered: true}
	for _, calls := range []int{1, 5} { // while executions are drawn, and after that
		n := 0
		s := Search{Most: 2, Rand: random(), Over: func() bool { return n == calls }}
		s.With = func(*Planned, int64, uint64, time.Time) int64 { n++; return 1 }
		if _, _, levels := s.Run(none); n != calls || len(levels) != 1 || levels[0].Executions != int64(calls) || levels[0].Drawn != min(calls-1, 4) || levels[0].Covered != 0 {
			t.Errorf("%d calls: %d, %+v", calls, n, levels)
		}
	}
	s := Search{Most: 2, Rand: random(), Over: func() bool { return false }, End: time.Now().Add(-time.Second)}
	s.With = func(*Planned, int64, uint64, time.Time) int64 { t.Error("an execution after the end"); return 1 }
	s.Run(none)
	s.End = time.Now().Add(time.Hour)
	s.With = func(p *Planned, draws int64, _ uint64, until time.Time) int64 {
		drawn := draws > 0
		p.Sites.List, p.Covered = none.Sites.List, true
		left := time.Until(until).Round(time.Minute)
		// One fault has half of the hour, and drawing half of that. The last number has all.
		most, least := 30*time.Minute, time.Duration(0)
		switch two := len(p.Plan) == 2; {
		case two && drawn:
			least = 30 * time.Minute
		case two:
			most, least = time.Hour, 20*time.Minute
		case drawn:
			most, least = 15*time.Minute, 15*time.Minute
		case p.Plan.String() != "":
			least = 7 * time.Minute
		}
		if left > most || left < least {
			t.Errorf("%v, drawn %v: %v", p.Plan, drawn, left)
		}
		return 1
	}
	s.Run(none) // A plan of many has an eighth of the time that is left.
	many := Planned{Covered: true}
	for n := range 50 {
		many.Sites.List = append(many.Sites.List, Site{N: int32(n), Kinds: Reset})
	}
	s.Most, s.End = 1, time.Now().Add(time.Hour)
	var left time.Duration
	s.With = func(_ *Planned, draws int64, _ uint64, until time.Time) int64 {
		if draws == 0 && left == 0 {
			left = time.Until(until).Round(time.Minute)
		}
		return 1
	}
	if s.Run(many); left != 7*time.Minute && left != 8*time.Minute {
		t.Error(left)
	}
}
