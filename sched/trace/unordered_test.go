package trace

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// TestTrackerByPairs compares what a Tracker says with relations that are computed pair
// by pair, on random executions that grow and shrink, with goroutines that come and go, and have
// numbers near each other, or so far that clocks are high trees. Accesses depend on each other by
// their modes, by their indices too, or by masks.
func TestTrackerByPairs(t *testing.T) {
	if effort.Race {
		t.Skip("it only computes")
	}
	var rels [3]Relation
	rels[0].Add(1, 0, 1)
	rels[1].AddIndexed(0, 1)
	rels[1].Add(1, 1)
	rels[2].AddMasked(1, 0, 1)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		rel := &rels[seed%3]
		hb := NewTracker(rel)
		hb.short = int32(seed / 3 % 2 * shortTrace)
		p := &pairs{rel: rel, alive: []int32{0}, ids: 1, apart: 1, ends: 6}
		if seed >= 100 {
			p.apart, p.ends = 1+r.IntN(200), 2+r.IntN(3)
		}
		for range 5 {
			for n := r.IntN(3 << (seed % 8)); len(p.events) < n; {
				p.push(r, hb)
			}
			compareWithPairs(t, r, hb, p)
			n := r.IntN(len(p.events) + 1)
			hb.Pop(n)
			p.pop(n)
			compareWithPairs(t, r, hb, p)
		}
	}
}

// compareWithPairs compares all that hb says of its events with what p does.
func compareWithPairs(t *testing.T, r *rand.Rand, hb *Tracker, p *pairs) {
	t.Helper()
	for i := len(p.events) - 1; i >= 0; i-- {
		var unordered []int32
		clock := make([]int32, p.ids)
		for j := range p.events {
			e := &p.events[j]
			if j > i && hb.Before(i, j) != p.before[j][i] {
				t.Fatalf("event %d before event %d: %t", i, j, hb.Before(i, j))
			}
			if j > i && !p.before[j][i] {
				unordered = append(unordered, int32(j))
			}
			if j == i || j < i && p.before[i][j] {
				clock[e.g] = max(clock[e.g], hb.Seq(j))
			}
		}
		var ofMany []int32
		for r := hb.restOfMany(i); !r.Done(); {
			ofMany = r.Append(ofMany)
		}
		for k, got := range [][]int32{hb.Unordered(nil, i), ofMany} {
			if !slices.Equal(got, unordered) {
				t.Fatalf("%d: events unordered with event %d of %d: %v, expected %v", k, i, len(p.events), got, unordered)
			}
		}
		got := slices.Clone(hb.Clock(i))
		got = append(got, make([]int32, max(0, len(clock)-len(got)))...)
		if !slices.Equal(got, clock) {
			t.Fatalf("clock of event %d: %v, expected %v", i, got, clock)
		}
		compareCauses(t, r, hb, p, i)
		if got, want := hb.Races(i), p.races(i); !slices.Equal(got, want) {
			t.Fatalf("races of event %d: %v, expected %v", i, got, want)
		}
	}
}

// compareCauses compares what hb says of the events before event i, and before it and another
// one, with what p does.
func compareCauses(t *testing.T, r *rand.Rand, hb *Tracker, p *pairs, i int) {
	t.Helper()
	if got, want := hb.Latest(i), slices.Index(reversed(p.before[i]), true); want >= 0 && got != i-1-want || want < 0 && got >= 0 {
		t.Fatalf("latest cause of event %d: %d", i, got)
	}
	from, of := r.IntN(i+1)-1, []int32{int32(i)}
	if h := r.IntN(i + 1); h > from && h < i {
		of = []int32{int32(h), int32(i)}
	}
	var want []int32
	for j := i; j > from; j-- {
		if slices.ContainsFunc(of, func(k int32) bool { return int(k) == j || j < int(k) && p.before[k][j] }) {
			want = append(want, int32(j))
		}
	}
	if got := hb.Causes(nil, from, of...); !slices.Equal(got, want) {
		t.Fatalf("causes of events %v after event %d: %v, expected %v", of, from, got, want)
	}
}

func reversed(s []bool) []bool {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

// pairs is an execution of which every pair of events is compared.
type pairs struct {
	rel    *Relation
	events []pairsEvent
	before [][]bool // before[j][i] says that event i happens before event j
	alive  []int32
	ids    int32
	apart  int // by how much the numbers of goroutines differ, at the most
	ends   int // how many of twelve events but two, and one with others before it, are the last of a goroutine
}

type pairsEvent struct {
	g        int32
	order    []int32
	accesses []Access
}

// push adds an event, of a goroutine that goes on or of a new one.
func (p *pairs) push(r *rand.Rand, hb *Tracker) {
	e, n := pairsEvent{}, len(p.events)
	if len(p.alive) > 0 {
		e.g = p.alive[r.IntN(len(p.alive))]
	}
	switch x := r.IntN(12); {
	case x < 2 && n > 0 || len(p.alive) == 0:
		e.g = p.ids
		p.alive, p.ids = append(p.alive, p.ids), p.ids+1+int32(r.IntN(p.apart))
		for range min(n, 1+r.IntN(2)) {
			e.order = append(e.order, int32(n-1-r.IntN(min(n, 6))))
		}
	case x == 2 && n > 0:
		e.order = []int32{int32(r.IntN(n))}
	case x < p.ends:
		p.alive = slices.DeleteFunc(p.alive, func(g int32) bool { return g == e.g })
	}
	switch x := r.IntN(80); {
	case x == 0:
		e.accesses = []Access{{Obj: Everything}}
	case x < 70:
		e.accesses = []Access{{Obj: int32(r.IntN(3)), Mode: Mode(r.IntN(5) / 4), Idx: 1 + r.Int32N(3)}}
	}
	hb.Push(e.g, e.accesses, e.order)
	row := make([]bool, n)
	for i := n - 1; i >= 0; i-- {
		f := &p.events[i]
		if f.g == e.g || slices.Contains(e.order, int32(i)) || p.rel.Dependent(e.accesses, f.accesses) {
			p.learn(row, i)
		}
	}
	p.events, p.before = append(p.events, e), append(p.before, row)
}

// learn adds event i, and what happens before it, to a set.
func (p *pairs) learn(known []bool, i int) {
	known[i] = true
	for h, before := range p.before[i] {
		known[h] = known[h] || before
	}
}

// pop removes events until n are left. Goroutines go on that were among the latest.
func (p *pairs) pop(n int) {
	p.events, p.before, p.alive = p.events[:n], p.before[:n], p.alive[:0]
	for i := max(0, n-10); i < n; i++ {
		if g := p.events[i].g; !slices.Contains(p.alive, g) {
			p.alive = append(p.alive, g)
		}
	}
}

// races returns the events that race with event j, latest first.
func (p *pairs) races(j int) (races []int32) {
	e := &p.events[j]
	known := make([]bool, j)
	for i, f := range p.events[:j] {
		if f.g == e.g || slices.Contains(e.order, int32(i)) {
			p.learn(known, i)
		}
	}
	for i := j - 1; i >= 0; i-- {
		if !known[i] && p.rel.Dependent(e.accesses, p.events[i].accesses) {
			races = append(races, int32(i))
			p.learn(known, i)
		}
	}
	return races
}
