package rand

import (
	"math/rand/v2"
)

// What this file declares is that of package math/rand/v2.

type (
	ChaCha8 = rand.ChaCha8
	PCG     = rand.PCG
	Rand    = rand.Rand
	Source  = rand.Source
	Zipf    = rand.Zipf
)

func New(src Source) *Rand                                     { return rand.New(src) }
func NewChaCha8(seed [32]byte) *ChaCha8                        { return rand.NewChaCha8(seed) }
func NewPCG(seed1 uint64, seed2 uint64) *PCG                   { return rand.NewPCG(seed1, seed2) }
func NewZipf(r *Rand, s float64, v float64, imax uint64) *Zipf { return rand.NewZipf(r, s, v, imax) }
