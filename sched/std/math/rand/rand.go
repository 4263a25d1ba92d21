package rand

import (
	"math/rand"

	"github.com/gopor/gopor/sched/std/internal/random"
)

var sources = &random.Sources[rand.Rand]{
	What: "a random number of package math/rand",
	New:  func(seed uint64) *rand.Rand { return rand.New(rand.NewSource(int64(seed))) },
}
