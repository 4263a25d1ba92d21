package paper

import (
	"fmt"

	"github.com/gopor/gopor/sched"
)

// This file holds the programs of Sachinoglou, "Bounding Techniques for Dynamic
// Partial Order Reduction".

// Private says how often every goroutine reads a variable that no other one uses:
// at its start, inside of what it does, at its end. That makes no difference to
// the traces, but to the places where preemptions and blocks begin: the programs
// that the slides counted are in C, where local variables are memory.
type Private struct{ Start, Inside, End int }

// private is the variable that a goroutine has to itself, nil if there is no need of
// one.
type private struct {
	of  Private
	own *sched.Var[int]
}

// start is called where a goroutine begins.
func (p Private) start() (x private) {
	if p != (Private{}) {
		x = private{p, new(sched.Var[int])}
		x.read(p.Start)
	}
	return x
}

func (x private) inside() { x.read(x.of.Inside) }
func (x private) end()    { x.read(x.of.End) }

func (x private) read(n int) {
	for range n {
		x.own.Load()
	}
}

// Micro has t goroutines that do k times x := x+1, as a read and a write.
func Micro(t, k int) func() {
	return func() {
		var x sched.Var[int]
		for range t {
			sched.Go(func() {
				for range k {
					x.Store(x.Load() + 1)
				}
			})
		}
	}
}

// Micro is the function Micro with private reads.
func (p Private) Micro(t, k int) func() {
	return func() {
		var x sched.Var[int]
		for range t {
			sched.Go(func() {
				own := p.start()
				for range k {
					v := x.Load()
					own.inside()
					x.Store(v + 1)
				}
				own.end()
			})
		}
	}
}

// WriterNReaders is one goroutine that writes x and n that read a variable of
// their own, then x.
func WriterNReaders(n int) func() {
	return func() {
		var x sched.Var[int]
		own := make([]sched.Var[int], n)
		sched.Go(func() { x.Store(1) })
		for i := range n {
			sched.Go(func() {
				own[i].Load()
				x.Load()
			})
		}
	}
}

// WritersReader is n goroutines that write x and one that reads it.
func WritersReader(n int) func() {
	return func() {
		var x sched.Var[int]
		for i := range n {
			sched.Go(func() { x.Store(i) })
		}
		sched.Go(func() { x.Load() })
	}
}

// Account has a deposit and a withdrawal under a mutex, and a goroutine that
// compares the balance with what it has to be, if both are through.
func Account() func() { return Private{}.Account() }

// Account is the function Account with private reads.
func (p Private) Account() func() {
	return func() {
		const x, y, z = 1, 2, 4
		var (
			mu                   sched.Mutex
			balance              = sched.NewVar(x)
			deposited, withdrawn sched.Var[bool]
		)
		sched.Go(func() {
			own := p.start()
			mu.Lock()
			own.inside()
			if deposited.Load() && withdrawn.Load() {
				if b := balance.Load(); b != x+y-z {
					panic(fmt.Sprintf("the balance is %d, not %d", b, x+y-z))
				}
			}
			mu.Unlock()
			own.end()
		})
		sched.Go(func() {
			own := p.start()
			mu.Lock()
			own.inside()
			balance.Update(func(b int) int { return b + y })
			deposited.Store(true)
			mu.Unlock()
			own.end()
		})
		sched.Go(func() {
			own := p.start()
			mu.Lock()
			own.inside()
			balance.Update(func(b int) int { return b - z })
			withdrawn.Store(true)
			mu.Unlock()
			own.end()
		})
	}
}

// Lazy has three goroutines that use a number under a mutex: one adds 1, one
// adds 2, one looks whether it is 3 or more. The original fails if it is; here
// nothing does, so that all traces are counted.
func Lazy() func() { return Private{}.Lazy() }

// Lazy is the function Lazy with private reads.
func (p Private) Lazy() func() {
	return func() {
		var (
			mu   sched.Mutex
			data sched.Var[int]
		)
		for _, delta := range []int{1, 2} {
			sched.Go(func() {
				own := p.start()
				mu.Lock()
				own.inside()
				data.Update(func(d int) int { return d + delta })
				mu.Unlock()
				own.end()
			})
		}
		sched.Go(func() {
			own := p.start()
			mu.Lock()
			own.inside()
			if data.Load() > 3 {
				panic("more than 1 and 2 was added")
			}
			mu.Unlock()
			own.end()
		})
	}
}

// IndexerMod has n goroutines that look for a slot of their own, all beginning
// with the first, by compare-and-swap.
func IndexerMod(n int) func() { return Private{}.IndexerMod(n) }

// IndexerMod is the function IndexerMod with private reads.
func (p Private) IndexerMod(n int) func() {
	return func() {
		table := make([]sched.Int64, n)
		for range n {
			sched.Go(func() {
				own := p.start()
				h := 0
				for !table[h].CompareAndSwap(0, 1) {
					h = (h + 1) % n
					own.inside()
				}
				own.end()
			})
		}
	}
}
