package rand_test

import (
	"fmt"
	original "math/rand/v2"
	"testing"

	"github.com/gopor/gopor/sched/std/internal/stdtest"
	rand "github.com/gopor/gopor/sched/std/math/rand/v2"
)

func TestStreams(t *testing.T) { stdtest.Streams(t, func(n int) int { return rand.IntN(n) }) }

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

// TestExplored holds each of the functions that draw below a number to it.
func TestExplored(t *testing.T) {
	stdtest.Explored(t, map[string]func(n int) int{
		"IntN":    func(n int) int { return rand.IntN(n) },
		"Int32N":  func(n int) int { return int(rand.Int32N(int32(n))) },
		"Int64N":  func(n int) int { return int(rand.Int64N(int64(n))) },
		"UintN":   func(n int) int { return int(rand.UintN(uint(n))) },
		"Uint32N": func(n int) int { return int(rand.Uint32N(uint32(n))) },
		"Uint64N": func(n int) int { return int(rand.Uint64N(uint64(n))) },
		"N":       func(n int) int { return int(rand.N(uint8(n))) },
	})
}

func TestAssumed(t *testing.T) {
	stdtest.Assumed(t, func() {
		for range 3 {
			rand.IntN(2)
		}
		rand.Perm(3)
	}, "rand_test.go")
}
