package rand_test

import (
	"fmt"
	original "math/rand"
	"testing"

	"github.com/gopor/gopor/sched/std/internal/stdtest"
	rand "github.com/gopor/gopor/sched/std/math/rand"
)

func TestStreams(t *testing.T) { stdtest.Streams(t, func(n int) int { return rand.Intn(n) }) }

// TestAll calls every function, under control and outside.
func TestAll(t *testing.T) {
	all := func() string {
		s := []int{1, 2, 3, 4, 5, 6, 7, 8}
		rand.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
		return fmt.Sprint(s, rand.Perm(8), rand.Float64(), rand.Float32(), rand.NormFloat64(), rand.ExpFloat64(),
			rand.Uint32(), rand.Uint64(), rand.Int(), rand.Int31(), rand.Int63(), rand.Int31n(9), rand.Int63n(9))
	}
	if a, b := stdtest.Alone(t, all), stdtest.Alone(t, all); a != b || a == "" {
		t.Errorf("under control: %s, then %s", a, b)
	}
	if a, b := all(), all(); a == b {
		t.Errorf("outside: %s twice", a)
	}
}

// TestSeed asks for the numbers of a seed: those of the original.
func TestSeed(t *testing.T) {
	draw := func(r interface {
		Perm(int) []int
		Read([]byte) (int, error)
	}) string {
		var data [5]byte
		n, err := r.Read(data[:])
		return fmt.Sprint(r.Perm(20), data, n, err)
	}
	want := draw(original.New(original.NewSource(7)))
	got := stdtest.Alone(t, func() string {
		rand.Seed(7)
		return draw(global{})
	})
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := draw(global{}); got == want {
		t.Error("an execution has set the seed outside")
	}
}

type global struct{}

func (global) Perm(n int) []int           { return rand.Perm(n) }
func (global) Read(p []byte) (int, error) { return rand.Read(p) }

// TestExplored holds each of the functions that draw below a number to it.
func TestExplored(t *testing.T) {
	stdtest.Explored(t, map[string]func(n int) int{
		"Intn":   func(n int) int { return rand.Intn(n) },
		"Int31n": func(n int) int { return int(rand.Int31n(int32(n))) },
		"Int63n": func(n int) int { return int(rand.Int63n(int64(n))) },
	})
}

func TestAssumed(t *testing.T) {
	stdtest.Assumed(t, func() {
		for range 3 {
			rand.Intn(2)
		}
		rand.Perm(3)
	}, "rand_test.go")
}
