package rand

import (
	"math/rand"
)

// What this file declares is that of package math/rand.

type (
	Rand     = rand.Rand
	Source   = rand.Source
	Source64 = rand.Source64
	Zipf     = rand.Zipf
)

func New(src Source) *Rand                                     { return rand.New(src) }
func NewSource(seed int64) Source                              { return rand.NewSource(seed) }
func NewZipf(r *Rand, s float64, v float64, imax uint64) *Zipf { return rand.NewZipf(r, s, v, imax) }
