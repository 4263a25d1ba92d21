package rand

import (
	"math/rand"
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
	sched.Assume(sched.AssumeRandom, "a random number of package math/rand")
	of, id := all(), sched.Current()
	r := of[id]
	if r == nil {
		r = rand.New(rand.NewSource(int64(sched.Seed())))
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

// Int31 returns a number that is not negative.
func Int31() int32 {
	if r := stream(); r != nil {
		return r.Int31()
	}
	return rand.Int31()
}

// Int63 returns a number that is not negative.
func Int63() int64 {
	if r := stream(); r != nil {
		return r.Int63()
	}
	return rand.Int63()
}

// Intn returns a number from 0 up to n.
func Intn(n int) int {
	if k, ok := chosen(int64(n)); ok {
		return int(k)
	}
	if r := stream(); r != nil {
		return r.Intn(n)
	}
	return rand.Intn(n)
}

// Int31n returns a number from 0 up to n.
func Int31n(n int32) int32 {
	if k, ok := chosen(int64(n)); ok {
		return int32(k)
	}
	if r := stream(); r != nil {
		return r.Int31n(n)
	}
	return rand.Int31n(n)
}

// Int63n returns a number from 0 up to n.
func Int63n(n int64) int64 {
	if k, ok := chosen(int64(n)); ok {
		return k
	}
	if r := stream(); r != nil {
		return r.Int63n(n)
	}
	return rand.Int63n(n)
}

// Read fills p with random bytes.
func Read(p []byte) (n int, err error) {
	if r := stream(); r != nil {
		return r.Read(p)
	}
	return rand.Read(p)
}

// Shuffle brings n elements into a random order, calling swap to exchange two.
func Shuffle(n int, swap func(i, j int)) {
	if r := stream(); r != nil {
		r.Shuffle(n, swap)
		return
	}
	rand.Shuffle(n, swap)
}

// Seed sets the source that the functions of this package draw from.
func Seed(seed int64) {
	if r := stream(); r != nil {
		r.Seed(seed)
		return
	}
	rand.Seed(seed)
}
