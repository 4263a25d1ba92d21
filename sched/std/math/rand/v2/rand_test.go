package rand_test

import (
	"fmt"
	original "math/rand/v2"
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	rand "github.com/gopor/gopor/sched/std/math/rand/v2"
	"github.com/gopor/gopor/sched/trace"
)

// TestStreams draws in goroutines that do not know of each other: the numbers
// are the same in every execution, and each goroutine's its own.
func TestStreams(t *testing.T) {
	var x sched.Int32
	draw := func() string {
		var drawn [3]int
		var wg sched.WaitGroup
		for i := range drawn {
			wg.Go(func() {
				x.Add(1)
				drawn[i] = rand.IntN(1 << 30)
				x.Add(1)
				drawn[i] += rand.IntN(1 << 30)
			})
		}
		first := rand.IntN(1 << 30)
		wg.Wait()
		if drawn[0] == drawn[1] || drawn[1] == drawn[2] || drawn[0] == first || first == rand.IntN(1<<30) {
			return "equal"
		}
		return fmt.Sprint(first, drawn)
	}
	first := stdtest.Alone(t, draw)
	if again := stdtest.Alone(t, draw); again != first || first == "equal" {
		t.Errorf("%s, then %s", first, again)
	}
	if seeded := rand.IntN(1<<30) == rand.IntN(1<<30); seeded {
		t.Error("outside: equal numbers")
	}
}

// TestAll calls every function, under control and outside.
func TestAll(t *testing.T) {
	all := func() string {
		s := []int{1, 2, 3, 4, 5, 6, 7, 8}
		rand.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		return fmt.Sprint(s, rand.Perm(8), rand.Float64(), rand.Float32(), rand.NormFloat64(), rand.ExpFloat64(),
			rand.Uint32(), rand.Uint64(), rand.Int(), rand.Int32(), rand.Int64(), rand.Uint(), rand.Int32N(9), rand.Int64N(9), rand.UintN(9), rand.Uint32N(9), rand.Uint64N(9))
	}
	if a, b := stdtest.Alone(t, all), stdtest.Alone(t, all); a != b || a == "" {
		t.Errorf("under control: %s, then %s", a, b)
	}
	if a, b := all(), all(); a == b {
		t.Errorf("outside: %s twice", a)
	}
}

func TestN(t *testing.T) {
	type small uint8
	got := stdtest.Alone(t, func() string {
		seen := map[small]bool{}
		for range 200 {
			seen[rand.N[small](3)] = true
		}
		return fmt.Sprint(len(seen), seen[0], seen[2], stdtest.Caught(func() { rand.N(0) }))
	})
	if want := "3 true true" + stdtest.Caught(func() { original.N(0) }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if rand.N(int64(1)) != 0 {
		t.Error("outside: N(1) is not 0")
	}
}

// TestExplored draws where the search is to vary the numbers: each of few is
// drawn in some execution, by each of the functions.
func TestExplored(t *testing.T) {
	type draw struct {
		name string
		f    func(n int) int
	}
	for _, d := range []draw{
		{"IntN", func(n int) int { return rand.IntN(n) }},
		{"Int32N", func(n int) int { return int(rand.Int32N(int32(n))) }},
		{"Int64N", func(n int) int { return int(rand.Int64N(int64(n))) }},
		{"UintN", func(n int) int { return int(rand.UintN(uint(n))) }},
		{"Uint32N", func(n int) int { return int(rand.Uint32N(uint32(n))) }},
		{"Uint64N", func(n int) int { return int(rand.Uint64N(uint64(n))) }},
		{"N", func(n int) int { return int(rand.N(uint8(n))) }},
	} {
		const few, many = 5, 17
		found := stdtest.Explore(t, func() string {
			return fmt.Sprint(d.f(few), d.f(2), d.f(many) < many)
		}, por.Rand(sched.RandExplore))
		if found.Traces != few*2 || strings.Count(found.Outcomes, "true") != few*2 {
			t.Errorf("%s: %+v", d.name, found)
		}
		if found := stdtest.Explore(t, func() string { return fmt.Sprint(d.f(few)) }); found.Traces != 1 {
			t.Errorf("%s: %+v without the option", d.name, found)
		}
	}
}

// TestAssumed draws numbers that are not explored, and others that are.
func TestAssumed(t *testing.T) {
	for mode, want := range map[sched.RandMode]int{sched.RandSeeded: 2, sched.RandExplore: 1} {
		c := sched.New(func() {
			for range 3 {
				rand.IntN(2)
			}
			rand.Perm(3)
		}, sched.Options{Rand: mode})
		defer c.Shutdown()
		if _, err := (por.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil {
			t.Fatal(err)
		}
		as := c.Assumptions()
		if len(as) != want {
			t.Fatalf("mode %d: got %v, want %d", mode, as, want)
		}
		for _, a := range as {
			if a.Kind != sched.AssumeRandom || !strings.HasSuffix(a.File, "rand_test.go") {
				t.Errorf("mode %d: got %v", mode, a)
			}
		}
	}
}
