package faults

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// This file has what a search with faults passes on to later ones: executions that have reached
// something rare. See package kept for the files.

// Kept is how to draw executions again: with a plan and a seed, so many.
type Kept struct {
	Plan    Plan
	Seed    uint64
	Draws   int64
	Reached []string // the properties that these executions have reached, sorted
}

// candidate is executions that may have reached something rare, and which of them have.
type candidate struct {
	Kept
	at map[string]int64
}

// String returns text that is the same for the same executions only.
func (k *Kept) String() string { return fmt.Sprint(k.Seed, " ", k.Draws, " ", k.Plan) }

// Again says what has come of what earlier searches have kept.
type Again struct {
	Kept       int   // entries that were run again
	Lost       int   // of these, the ones that do not reach what they did
	Left       int   // entries for which there was no time
	Executions int64 // of entries
	Near       int64 // executions of plans, or with seeds, that are near
}

const (
	// forKept is the part of the time for what is kept and what is near: one in so many. For each
	// entry so many executions near it are drawn at most.
	forKept  = 4
	mostNear = 32
	// What one in so many draws reaches, or fewer do, is rare. So many entries are kept for each
	// property.
	rareIn   = 16
	mostEach = 4
	// MostKept is how many entries a search passes on.
	MostKept = 64
)

// Corpus is what a search is given by earlier ones, and what it passes on.
type Corpus struct {
	Keep []Kept // from earlier searches; their faults have to be allowed
	Salt uint64 // of the seeds of draws, other than those of earlier searches
	// Tried says how many earlier searches have drawn executions with a plan of a level, by hash.
	Tried map[uint32]int

	// After the search: entries that were run again, whatever has come of that, properties of those
	// that were not, and the hashes of plans of levels with which executions were drawn.
	Checked  []Kept
	Unproven []string
	Drew     []uint32
	found    []candidate
	again    Again
	draws    int            // calls that have drawn, but near what has reached something
	hits     map[string]int // of these, by property
	each     map[string]int // candidates, by number of faults and property
}

// again runs the entries, and then plans that are near.
func (s *Search) again() {
	c := &s.Corpus
	c.hits, c.each = make(map[string]int), make(map[string]int)
	end := s.End
	if !end.IsZero() {
		end = time.Now().Add(time.Until(end) / forKept)
	}
	var fit []Planned
	for _, k := range ordered(c.Keep) {
		if s.Over() || passed(end) {
			c.again.Left++
			c.Unproven = append(c.Unproven, k.Reached...)
			continue
		}
		p := Planned{Plan: k.Plan, Again: true}
		n := s.With(&p, k.Draws, k.Seed, end)
		c.again.Kept++
		c.again.Executions += n
		if n < k.Draws || s.Over() {
			c.Unproven = append(c.Unproven, k.Reached...)
			continue
		}
		c.Checked = append(c.Checked, *k)
		c.note(&p, k.Seed)
		if fit = append(fit, p); !containsAll(p.Reached, k.Reached) {
			c.again.Lost++
		}
	}
	for range mostNear {
		for i := range fit {
			if s.Over() || passed(end) {
				return
			}
			p := Planned{Plan: near(fit[i].Plan, &fit[i].Sites, s.Most, s.Rand)}
			c.again.Near += s.drawn(&p, 1, s.Rand.Uint64()>>16, end)
		}
	}
}

// Kinds returns the kinds of the faults.
func (p Plan) Kinds() (all Kind) {
	for i := range p {
		all |= p[i].Kind
	}
	return all
}

// ordered returns entries such that those come first which reach what those before do not.
func ordered(all []Kept) []*Kept {
	var first, rest []*Kept
	seen := make(map[string]bool)
	for i := range all {
		k, fresh := &all[i], false
		for _, name := range k.Reached {
			fresh = fresh || !seen[name]
			seen[name] = true
		}
		if fresh {
			first = append(first, k)
		} else {
			rest = append(rest, k)
		}
	}
	return append(first, rest...)
}

func containsAll(in map[string]int64, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return in[name] == 0 })
}

// near returns a plan that differs by one fault, which is moved, left out or added, or by none: it
// is to be drawn with another seed.
func near(p Plan, sites *Sites, most int, r *rand.Rand) Plan {
	at := r.IntN(len(p))
	switch r.IntN(4) {
	case 0: // move
		f := p[at]
		i := slices.IndexFunc(sites.List, func(x Site) bool { return x.N == f.N && slices.Equal(x.Path, f.Path) })
		// Sites are in the order in which executions have come to them.
		if q, ok := p.Without(at).from(sites, max(0, i-8+r.IntN(17)), f.Kind, r); ok {
			return q
		}
	case 1:
		if len(p) > 1 {
			return p.Without(at)
		}
	case 2:
		if len(p) < most {
			if q, ok := p.from(sites, r.IntN(max(1, len(sites.List))), All, r); ok {
				return q
			}
		}
	}
	return p
}

// from returns the plan with a fault of one of the kinds, at the first site from a place on that
// has one. It reports false if there is none.
func (p Plan) from(sites *Sites, at int, kinds Kind, r *rand.Rand) (Plan, bool) {
	for i := range sites.List {
		x := sites.List[(at+i)%len(sites.List)]
		x.Kinds &= kinds
		if can := x.faults(); len(can) > 0 {
			if q, ok := p.With(can[r.IntN(len(can))]); ok {
				return q, true
			}
		}
	}
	return nil, false
}

// drawn draws executions with a plan, and notes what they have reached.
func (s *Search) drawn(p *Planned, draws int64, seed uint64, until time.Time) int64 {
	n := s.With(p, draws, seed, until)
	if n == draws && s.Corpus.hits != nil {
		s.Corpus.note(p, seed)
	}
	return n
}

// fresh is drawn for a plan that no entry has led to. Those that the search has made of executions
// which have reached something do not tell what is rare.
func (s *Search) fresh(p *Planned, draws int64, seed uint64, until time.Time) int64 {
	n := s.drawn(p, draws, seed+s.Corpus.Salt, until)
	if c := &s.Corpus; n == draws && c.hits != nil && !p.near {
		c.draws++
		for name := range p.Reached {
			c.hits[name]++
		}
	}
	return n
}

// hash returns a number by which plans are told apart.
func (p Plan) hash() uint32 {
	h := fnv.New32a()
	io.WriteString(h, p.String())
	return h.Sum32()
}

// order lets those plans come first that the fewest earlier searches have tried.
func (c *Corpus) order(plans []Planned) {
	if len(c.Tried) == 0 {
		return
	}
	times := make(map[string]int, len(plans))
	for i := range plans {
		times[plans[i].Plan.String()] = c.Tried[plans[i].Plan.hash()]
	}
	slices.SortStableFunc(plans, func(a, b Planned) int { return cmp.Compare(times[a.Plan.String()], times[b.Plan.String()]) })
}

// earlier returns how many of the plans earlier searches have tried.
func (c *Corpus) earlier(plans []Planned) (n int) {
	for i := range plans {
		if c.Tried[plans[i].Plan.hash()] > 0 {
			n++
		}
	}
	return n
}

// note notes executions with a seed that may have reached something rare.
func (c *Corpus) note(p *Planned, seed uint64) {
	wanted := false
	for name := range p.Reached {
		// With fewer faults it is worth more.
		if key := fmt.Sprint(len(p.Plan), name); c.each[key] < mostEach {
			c.each[key]++
			wanted = true
		}
	}
	if wanted {
		c.found = append(c.found, candidate{Kept{Plan: p.Plan, Seed: seed}, p.Reached})
	}
}

// Found returns what is to be kept after a search: executions that have reached what few draws do.
func (c *Corpus) Found() (all []Kept) {
	each := make(map[string]int)
	slices.SortStableFunc(c.found, func(a, b candidate) int { return cmp.Compare(len(a.Plan), len(b.Plan)) })
	for _, x := range c.found {
		k, wanted := x.Kept, false
		for _, name := range slices.Sorted(maps.Keys(x.at)) {
			if !c.rare(name) {
				continue
			}
			// The executions after that need not be drawn again.
			k.Draws = max(k.Draws, x.at[name])
			k.Reached = append(k.Reached, name)
			if each[name] < mostEach {
				each[name]++
				wanted = true
			}
		}
		if wanted && len(all) < MostKept {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// rare reports whether few draws have reached a property.
func (c *Corpus) rare(name string) bool {
	n := c.hits[name]
	return n*rareIn <= c.draws || n <= 1 && c.draws > 1
}
