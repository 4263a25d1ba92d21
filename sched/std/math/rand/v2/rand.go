package rand

import (
	"math/rand/v2"

	"github.com/gopor/gopor/sched/std/internal/random"
)

var sources = &random.Sources[rand.Rand]{
	What: "a random number of package math/rand/v2",
	New:  func(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) },
}

type intType interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// N returns a number from 0 up to n.
func N[Int intType](n Int) Int {
	if k, ok := random.Chosen(int64(n)); ok {
		return Int(k)
	}
	if r := sources.Own(); r != nil && n > 0 {
		return Int(r.Uint64N(uint64(n)))
	}
	return rand.N(n)
}
