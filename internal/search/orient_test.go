package search

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// system is a section as a test sees it.
type system struct {
	g      []int // the goroutine of every event
	depend [][]bool
}

func drawSystem(r *rand.Rand) *system {
	n, goroutines, density := 1+r.IntN(8), 1+r.IntN(5), r.IntN(5)
	s := &system{g: make([]int, n), depend: make([][]bool, n)}
	for i := range n {
		s.g[i], s.depend[i] = r.IntN(goroutines), make([]bool, n)
		for j := range i {
			d := s.g[i] != s.g[j] && r.IntN(4) < density
			s.depend[i][j], s.depend[j][i] = d, d
		}
	}
	return s
}

func (s *system) ordered(i, j int) bool { return s.g[i] == s.g[j] || s.depend[i][j] }

// section makes a Section of s.
func (s *system) section() *Section {
	sec, last := new(Section), map[int]int{}
	for i, g := range s.g {
		prev, ok := last[g]
		if !ok {
			prev = -1
		}
		var depend uint64
		for j := range i {
			if s.depend[i][j] {
				depend |= 1 << j
			}
		}
		last[g] = sec.Add(prev, depend)
	}
	return sec
}

// trace names the trace of a sequence: of all pairs that are ordered, which comes first.
func (s *system) trace(seq []int) string {
	place := make([]int, len(seq))
	for k, i := range seq {
		place[i] = k
	}
	var b []byte
	for i := range seq {
		for j := range i {
			if s.ordered(i, j) {
				b = fmt.Append(b, place[i] < place[j])
			}
		}
	}
	return string(b)
}

// firsts returns the first sequence of every trace in which no event of asleep can come
// first, in their order. It tries all permutations.
func (s *system) firsts(asleep uint64) (all [][]int) {
	seen := map[string]int{} // its place in all, or -1
	var seq []int
	var extend func()
	extend = func() {
		if len(seq) == len(s.g) {
			name := s.trace(seq)
			if k, ok := seen[name]; !ok {
				seen[name] = len(all)
				all = append(all, slices.Clone(seq))
			} else if k >= 0 && asleep>>seq[0]&1 == 1 {
				all[k], seen[name] = nil, -1
			}
			return
		}
		for i, g := range s.g {
			if !slices.Contains(seq, i) && s.isNext(seq, i, g) {
				seq = append(seq, i)
				extend()
				seq = seq[:len(seq)-1]
			}
		}
	}
	extend()
	all = slices.DeleteFunc(all, func(seq []int) bool { return seq == nil || asleep>>seq[0]&1 == 1 })
	return all
}

// isNext reports whether event i is what goroutine g does next after seq.
func (s *system) isNext(seq []int, i, g int) bool {
	for j := range i {
		if s.g[j] == g && !slices.Contains(seq, j) {
			return false
		}
	}
	return true
}

// solutions returns what a Section finds, and how often a place had no choice.
func (s *system) solutions(asleep uint64) (all [][]int, dead int) {
	sec := s.section()
	var seq []int
	var extend func(p Place)
	extend = func(p Place) {
		if len(seq) == len(s.g) {
			all = append(all, slices.Clone(seq))
			return
		}
		next := sec.Choices(p)
		if next == 0 {
			dead++
		}
		for m := next; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			seq = append(seq, i)
			extend(sec.After(p, next&(1<<i-1), i))
			seq = seq[:len(seq)-1]
		}
	}
	if p := sec.Begin(asleep); sec.wakes(p) {
		extend(p)
	}
	return all, dead
}

// TestSection compares the solutions of constraint systems with all permutations of up
// to 8 events: the first of every trace, in their order, and no dead end.
func TestSection(t *testing.T) {
	effort.Computes(t)
	r := rand.New(rand.NewPCG(1, 2))
	solutions, most := 0, 0
	for k := range 20000 {
		s := drawSystem(r)
		if len(s.g) == 8 && k%10 != 0 {
			continue
		}
		var asleep uint64
		if sec := s.section(); r.IntN(2) == 0 {
			asleep = r.Uint64() & sec.first
		}
		want := s.firsts(asleep)
		got, dead := s.solutions(asleep)
		if dead > 0 || !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("system %d, of goroutines %v, dependence %v, asleep %b: %d dead ends, solutions\n%v\nwant\n%v", k, s.g, s.depend, asleep, dead, got, want)
		}
		solutions, most = solutions+len(got), max(most, len(got))
	}
	t.Logf("%d solutions, %d of a section at the most", solutions, most)
}

// TestSectionSizes counts solutions where they are known: of n goroutines in a ring that
// do the same so many times, next to which it depends on both neighbours.
func TestSectionSizes(t *testing.T) {
	for _, c := range []struct{ n, times, want int }{
		{3, 1, 6}, {10, 1, 1022}, {3, 2, 90}, {4, 2, 786}, {5, 2, 5730}, {6, 2, 38466},
	} {
		s := new(system)
		for g := range c.n {
			for range c.times {
				s.g = append(s.g, g)
			}
		}
		for i, g := range s.g {
			s.depend = append(s.depend, make([]bool, len(s.g)))
			for j, h := range s.g {
				s.depend[i][j] = (g+1)%c.n == h || (h+1)%c.n == g
			}
		}
		if got, dead := s.solutions(0); len(got) != c.want || dead > 0 {
			t.Errorf("ring of %d, %d times: %d solutions and %d dead ends, want %d", c.n, c.times, len(got), dead, c.want)
		}
	}
}

// TestSectionRemove adds an event and removes it again.
func TestSectionRemove(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		s := drawSystem(r)
		n := len(s.g) - 1
		less := &system{g: s.g[:n], depend: s.depend[:n]}
		got, want := s.section(), less.section()
		got.Remove()
		if got.first != want.first || got.Pairs() != want.Pairs() || !slices.Equal(got.depend, want.depend) ||
			!slices.Equal(got.rest, want.rest) || !slices.Equal(got.next, want.next) || !slices.Equal(got.prev, want.prev) {
			t.Fatalf("goroutines %v, dependence %v: %+v, want %+v", s.g, s.depend, got, want)
		}
	}
}
