package racy

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/kit"
	"github.com/gopor/gopor/internal/test/toy/toytest"
)

// number is how many programs are judged, and seed that by which they are drawn. GOPOR_PROGRAMS sets another number, and
// GOPOR_SEED another seed, see [effort.Seed].
const (
	number = 30
	seed   = 7
)

// TestRandom judges random programs.
func TestRandom(t *testing.T) {
	r, n := begin(t)
	var programs []program
	for range n {
		programs = append(programs, random(r))
	}
	judge(t, programs)
}

// TestPairs judges programs of two operations that nothing orders.
func TestPairs(t *testing.T) {
	r, n := begin(t)
	all := slices.Collect(pairs())
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	judge(t, all[:min(n, len(all))])
}

func begin(t *testing.T) (r *rand.Rand, n int) {
	t.Helper()
	if !effort.Full() {
		t.Skip("builds, explores and runs many programs")
	}
	return rand.New(rand.NewPCG(effort.Seed(t, seed), 0)), int(toytest.Number(t, "GOPOR_PROGRAMS", number))
}

// judge asks both judges about programs, and compares what they say.
func judge(t *testing.T, programs []program) {
	t.Helper()
	found, shown := ask(t, programs)
	var c counts
	for n, p := range programs {
		text := p.text(n)
		r := explain(text+found[n].output, found[n].answer, shown[n].answer)
		c.add(found[n].answer, shown[n].answer, r)
		if r == nil && !agree(found[n].answer, shown[n].answer) {
			t.Errorf("por: %v, go test -race: %v\n%s\n%s\n%s", found[n].answer, shown[n].answer, text, found[n].output, shown[n].output)
		}
	}
	t.Log(c.String())
}

// ask returns what both judges say of programs.
func ask(t *testing.T, programs []program) (found, shown []finding) {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t, root, programs)
	found = m.explore(t, kit.Por(t))
	return found, m.native(t, found)
}

// agree reports whether two answers do not contradict each other.
func agree(found, shown answer) bool {
	return found == shown || found == part && shown == none
}

// counts are the figures of a run.
type counts struct {
	programs, races, clean, part, fail int
	explained                          map[string]int
	apart                              int
}

func (c *counts) add(found, shown answer, r *reason) {
	c.programs++
	switch {
	case r != nil:
		if c.explained == nil {
			c.explained = make(map[string]int)
		}
		c.explained[r.name]++
	case found == race && shown == race:
		c.races++
	case found == none && shown == none:
		c.clean++
	case found == part && shown == none:
		c.part++
	case found == shown:
		c.fail++
	default:
		c.apart++
	}
}

func (c counts) String() string {
	return fmt.Sprintf("%d programs: %d race by both, %d by neither, %d by neither in part, %d fail otherwise; explained: %v; %d disagree",
		c.programs, c.races, c.clean, c.part, c.fail, c.explained, c.apart)
}
