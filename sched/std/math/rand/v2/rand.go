package rand

import (
	"math/rand/v2"
	"unsafe"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// streams holds the sources of an execution's goroutines.
type streams map[trace.ID]*rand.Rand

// place stands for the sources: its address is their key.
var place byte

// all returns the sources of the running execution.
func all() streams {
	return sched.Shadow(unsafe.Pointer(&place), func() any { return streams{} }).(streams)
}

// stream returns the source of the calling goroutine, nil if that is not a
// controlled one.
func stream() *rand.Rand {
	if !sched.Controlled() || !sched.Active() {
		return nil
	}
	sched.Assume(sched.AssumeRandom, "a random number of package math/rand/v2")
	of, id := all(), sched.Current()
	r := of[id]
	if r == nil {
		r = rand.New(rand.NewPCG(sched.Seed(), 0))
		of[id] = r
	}
	return r
}

// chosen returns a number below n that the search has chosen, if it is to choose.
// An n that is too large for an int64 arrives as a negative one, from which
// nothing is chosen.
func chosen(n int64) (int64, bool) {
	if !sched.Controlled() || !sched.Active() {
		return 0, false
	}
	return sched.Draw(n)
}

// Float64 returns a number from 0 up to 1.
func Float64() float64 {
	if r := stream(); r != nil {
		return r.Float64()
	}
	return rand.Float64()
}

// Float32 returns a number from 0 up to 1.
func Float32() float32 {
	if r := stream(); r != nil {
		return r.Float32()
	}
	return rand.Float32()
}

// NormFloat64 returns a normally distributed number.
func NormFloat64() float64 {
	if r := stream(); r != nil {
		return r.NormFloat64()
	}
	return rand.NormFloat64()
}

// ExpFloat64 returns an exponentially distributed number.
func ExpFloat64() float64 {
	if r := stream(); r != nil {
		return r.ExpFloat64()
	}
	return rand.ExpFloat64()
}

// Perm returns a permutation of the numbers below n.
func Perm(n int) []int {
	if r := stream(); r != nil {
		return r.Perm(n)
	}
	return rand.Perm(n)
}

// Uint32 returns any number.
func Uint32() uint32 {
	if r := stream(); r != nil {
		return r.Uint32()
	}
	return rand.Uint32()
}

// Uint64 returns any number.
func Uint64() uint64 {
	if r := stream(); r != nil {
		return r.Uint64()
	}
	return rand.Uint64()
}

// Int returns a number that is not negative.
func Int() int {
	if r := stream(); r != nil {
		return r.Int()
	}
	return rand.Int()
}

// Int32 returns a number that is not negative.
func Int32() int32 {
	if r := stream(); r != nil {
		return r.Int32()
	}
	return rand.Int32()
}

// Int64 returns a number that is not negative.
func Int64() int64 {
	if r := stream(); r != nil {
		return r.Int64()
	}
	return rand.Int64()
}

// Uint returns any number.
func Uint() uint {
	if r := stream(); r != nil {
		return r.Uint()
	}
	return rand.Uint()
}

// IntN returns a number from 0 up to n.
func IntN(n int) int {
	if k, ok := chosen(int64(n)); ok {
		return int(k)
	}
	if r := stream(); r != nil {
		return r.IntN(n)
	}
	return rand.IntN(n)
}

// Int32N returns a number from 0 up to n.
func Int32N(n int32) int32 {
	if k, ok := chosen(int64(n)); ok {
		return int32(k)
	}
	if r := stream(); r != nil {
		return r.Int32N(n)
	}
	return rand.Int32N(n)
}

// Int64N returns a number from 0 up to n.
func Int64N(n int64) int64 {
	if k, ok := chosen(int64(n)); ok {
		return k
	}
	if r := stream(); r != nil {
		return r.Int64N(n)
	}
	return rand.Int64N(n)
}

// UintN returns a number from 0 up to n.
func UintN(n uint) uint {
	if k, ok := chosen(int64(n)); ok {
		return uint(k)
	}
	if r := stream(); r != nil {
		return r.UintN(n)
	}
	return rand.UintN(n)
}

// Uint32N returns a number from 0 up to n.
func Uint32N(n uint32) uint32 {
	if k, ok := chosen(int64(n)); ok {
		return uint32(k)
	}
	if r := stream(); r != nil {
		return r.Uint32N(n)
	}
	return rand.Uint32N(n)
}

// Uint64N returns a number from 0 up to n.
func Uint64N(n uint64) uint64 {
	if k, ok := chosen(int64(n)); ok {
		return uint64(k)
	}
	if r := stream(); r != nil {
		return r.Uint64N(n)
	}
	return rand.Uint64N(n)
}

// Shuffle brings n elements into a random order, calling swap to exchange two.
func Shuffle(n int, swap func(i, j int)) {
	if r := stream(); r != nil {
		r.Shuffle(n, swap)
		return
	}
	rand.Shuffle(n, swap)
}

type intType interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// N returns a number from 0 up to n.
func N[Int intType](n Int) Int {
	if k, ok := chosen(int64(n)); ok {
		return Int(k)
	}
	if r := stream(); r != nil && n > 0 {
		return Int(r.Uint64N(uint64(n)))
	}
	return rand.N(n)
}
