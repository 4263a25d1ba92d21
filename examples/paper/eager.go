package paper

import "github.com/gopor/gopor/sched"

// This file holds the programs of Metzler, Saissi, Bokor, Hesse and Suri,
// "Efficient Verification of Program Fragments: Eager POR" (ATVA 2016): plain
// shared integers, every statement one indivisible step unless said otherwise.

// increment and copied are what atomic statements do with the old value.
func increment(v int) int { return v + 1 }
func copied(v int) int    { return v }

// ReadersWriters is one goroutine that writes x and n-1 that read it.
func ReadersWriters(n int) func() {
	return func() {
		var x sched.Var[int]
		sched.Go(func() { x.Store(1) })
		for range n - 1 {
			sched.Go(func() { x.Load() })
		}
	}
}

// Ring lets goroutine p do x[(p+1) mod n] := x[p].
func Ring(n int) func() { return ring(n, 1) }

// RingExtended is Ring with every statement done twice.
func RingExtended(n int) func() { return ring(n, 2) }

func ring(n, times int) func() {
	return func() {
		x := make([]sched.Var[int], n)
		for p := range n {
			sched.Go(func() {
				for range times {
					sched.Transfer(&x[(p+1)%n], &x[p], copied)
				}
			})
		}
	}
}

// Branching lets goroutine p do twice: if x[p] == 0 then x[(p+1) mod n] := 1,
// where the test is one step and the assignment another.
func Branching(n int) func() {
	return func() {
		x := make([]sched.Var[int], n)
		for p := range n {
			sched.Go(func() {
				for range 2 {
					if x[p].Load() == 0 {
						x[(p+1)%n].Store(1)
					}
				}
			})
		}
	}
}

// LastZero has n-1 workers, of which the j-th does a[j] := a[j-1]+1, and a
// checker that looks upwards for an element that is not zero.
func LastZero(n int) func() { return Private{}.LastZero(n) }

// LastZero is the function LastZero with private reads.
func (p Private) LastZero(n int) func() {
	return func() {
		a := p.lastZeroWorkers(n)
		sched.Go(func() {
			own := p.start()
			for i := 0; a[i].Load() == 0 && i < n-1; {
				i++
				own.inside()
			}
			own.end()
		})
	}
}

// LastZeroDown is LastZero with a checker that looks downwards for a zero; there
// always is one in a[0].
func LastZeroDown(n int) func() { return Private{}.LastZeroDown(n) }

// LastZeroDown is the function LastZeroDown with private reads.
func (p Private) LastZeroDown(n int) func() {
	return func() {
		a := p.lastZeroWorkers(n)
		sched.Go(func() {
			own := p.start()
			i := n - 1
			for a[i].Load() != 0 {
				own.inside()
				if i--; i < 0 {
					panic("a[0] is not zero")
				}
			}
			own.end()
		})
	}
}

func (p Private) lastZeroWorkers(n int) []sched.Var[int] {
	a := make([]sched.Var[int], n)
	for j := 1; j < n; j++ {
		sched.Go(func() {
			own := p.start()
			sched.Transfer(&a[j], &a[j-1], increment)
			own.end()
		})
	}
	return a
}

// SharedPointer has two goroutines and two pointers, at first each to a cell of
// its own. Goroutine i increments what pointer i points at n times,
// then makes the other's pointer point at a third cell.
func SharedPointer(n int) func() {
	return func() {
		var cells [3]sched.Var[int]
		p := [2]*sched.Var[int]{sched.NewVar(0), sched.NewVar(1)}
		for i := range p {
			sched.Go(func() {
				for range n {
					cells[p[i].Load()].Update(increment)
				}
				p[1-i].Store(2)
			})
		}
	}
}

// The hash table of Indexer.
const (
	indexerSize     = 128
	indexerMessages = 4
)

// Indexer has n goroutines that insert four messages each into a hash table of
// 128 slots by compare-and-swap, probing upwards where a slot is taken. Up to
// eleven goroutines never meet.
func Indexer(n int) func() { return Private{}.Indexer(n) }

// Indexer is the function Indexer with private reads.
func (p Private) Indexer(n int) func() {
	return func() {
		var table [indexerSize]sched.Int64
		for tid := range n {
			sched.Go(func() {
				own := p.start()
				for m := range indexerMessages {
					w := (m+1)*11 + tid
					h := w * 7 % indexerSize
					for !table[h].CompareAndSwap(0, int64(w)) {
						h = (h + 1) % indexerSize
						own.inside()
					}
				}
				own.end()
			})
		}
	}
}
