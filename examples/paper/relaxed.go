package paper

import (
	"sync/atomic"

	"github.com/gopor/gopor/sched"
)

// This file holds the programs of Metzler, Saissi, Bokor and Suri, "Safe Execution of
// Concurrent Programs by Enforcement of Scheduling Constraints" (2018), section 5: of
// SV-COMP, but for the last three. That paper requires programs to be acyclic, so those that
// poll do so a few times and give up. All are safe: they serve to measure what constraints
// cost, so each comes in two forms, made of different [Parts].

// Parts is what a program is made of.
type Parts struct {
	// Go starts a goroutine and returns a function that waits for its end.
	Go func(f func()) (join func())
	// Cell returns a shared variable that holds v.
	Cell func(v int64) Cell
}

// Cell is a shared variable that is used atomically.
type Cell interface {
	Load() int64
	Store(v int64)
	CompareAndSwap(old, new int64) bool
}

// Scheduled returns the parts that package sched has. Work is called after every access.
func Scheduled(work func()) Parts {
	return Parts{
		Go:   func(f func()) func() { return sched.Go(f).Join },
		Cell: func(v int64) Cell { return &scheduledCell{init: v, work: work} },
	}
}

// Native returns the parts that Go has.
func Native(work func()) Parts {
	return Parts{
		Go: func(f func()) func() {
			done := make(chan struct{})
			go func() {
				f()
				close(done)
			}()
			return func() { <-done }
		},
		Cell: func(v int64) Cell {
			c := &nativeCell{work: work}
			c.n.Store(v)
			return c
		},
	}
}

type scheduledCell struct {
	n    sched.Int64 // 0 at the start
	init int64
	work func()
}

func (c *scheduledCell) Load() int64 {
	v := c.n.Load() + c.init
	c.work()
	return v
}

func (c *scheduledCell) Store(v int64) {
	c.n.Store(v - c.init)
	c.work()
}

func (c *scheduledCell) CompareAndSwap(old, new int64) bool {
	swapped := c.n.CompareAndSwap(old-c.init, new-c.init)
	c.work()
	return swapped
}

type nativeCell struct {
	n    atomic.Int64
	work func()
}

func (c *nativeCell) Load() int64 {
	v := c.n.Load()
	c.work()
	return v
}

func (c *nativeCell) Store(v int64) {
	c.n.Store(v)
	c.work()
}

func (c *nativeCell) CompareAndSwap(old, new int64) bool {
	swapped := c.n.CompareAndSwap(old, new)
	c.work()
	return swapped
}

// RelaxedProgram is a program of the evaluation.
type RelaxedProgram struct {
	Name string
	Make func(Parts) func()
	// Printed is what the paper's appendix A has: the overhead in percent by the number of
	// constraints, and Opt the same for first traces that were chosen by hand.
	Printed, Opt []PrintedOverhead
}

// PrintedOverhead is a row of the paper's table.
type PrintedOverhead struct{ Constraints, Percent int }

// RelaxedPrograms returns them, in the order of the table.
func RelaxedPrograms() []RelaxedProgram {
	return []RelaxedProgram{
		{"bigshot", bigshot, []PrintedOverhead{{1, 5}, {0, 3}}, nil},
		{"dekker", dekker, []PrintedOverhead{{2, 4}, {1, 3}, {0, 2}}, nil},
		{"fibonacci", fibonacci, []PrintedOverhead{{98, 13}, {44, 9}, {24, 12}, {0, 6}}, nil},
		{"lamport", lamport, []PrintedOverhead{{16, 12}, {15, 12}, {10, 13}, {7, 13}, {6, 13}, {4, 12}, {2, 12}, {1, 13}, {0, 3}}, nil},
		{"peterson", peterson, []PrintedOverhead{{28, 8}, {24, 9}, {22, 6}, {1, 7}, {0, -2}}, nil},
		{"shared-pointer", sharedPointer, []PrintedOverhead{{3, 22}, {2, 21}, {1, 20}, {0, 4}}, nil},
		{"indexer-15", indexer15,
			[]PrintedOverhead{{12, 2692}, {8, 2716}, {4, 2416}, {3, 1904}, {2, 61}, {1, 11}, {0, -13}},
			[]PrintedOverhead{{12, 2841}, {9, 48}, {6, 36}, {0, 14}}},
		{"lastzero-16", lastzero16,
			[]PrintedOverhead{{15, 4288}, {8, 2075}, {5, 102}, {1, 8}, {0, -5}},
			[]PrintedOverhead{{15, 94}, {8, 38}, {5, 30}, {1, 28}, {0, 14}}},
	}
}

// together runs functions at the same time and waits for their ends.
func (p Parts) together(n int, f func(i int)) {
	joins := make([]func(), n)
	for i := range n {
		joins[i] = p.Go(func() { f(i) })
	}
	for _, join := range joins {
		join()
	}
}

// bigshot: one goroutine makes room, and another one uses it if it is there.
func bigshot(p Parts) func() {
	return func() {
		room, text := p.Cell(0), p.Cell(0)
		p.together(2, func(i int) {
			if i == 0 {
				room.Store(1)
			} else if room.Load() != 0 {
				text.Store('B')
			} else {
				text.Load() // as much work as the other branch
			}
		})
		if room.Load() == 0 || text.Load()&^'B' != 0 {
			panic("bigshot: a wrong text")
		}
	}
}

// polls is how often a goroutine looks whether it may go on.
const polls = 2

// critical is a critical section, in which only one goroutine may be.
func critical(in Cell) {
	in.Store(in.Load() + 1)
	if in.Load() != 1 {
		panic("two are in the critical section")
	}
	in.Store(0)
}

// dekker: a flag for each, and a turn.
func dekker(p Parts) func() {
	return func() {
		flag, turn, in := []Cell{p.Cell(0), p.Cell(0)}, p.Cell(0), p.Cell(0)
		p.together(2, func(i int) {
			flag[i].Store(1)
			for n := 0; flag[1-i].Load() == 1; n++ {
				if n == polls || turn.Load() != int64(i) {
					flag[i].Store(0)
					return
				}
			}
			critical(in)
			turn.Store(int64(1 - i))
			flag[i].Store(0)
		})
	}
}

// fibonacci: i += j against j += i, five times.
func fibonacci(p Parts) func() {
	return func() {
		x := []Cell{p.Cell(1), p.Cell(1)}
		p.together(2, func(i int) {
			for range 5 {
				x[i].Store(x[i].Load() + x[1-i].Load())
			}
		})
		if x[0].Load() > 144 || x[1].Load() > 144 {
			panic("fibonacci: more than the twelfth number")
		}
	}
}

// lamport: the fast mutex of 1987.
func lamport(p Parts) func() {
	return func() {
		b, x, y, in := []Cell{p.Cell(0), p.Cell(0)}, p.Cell(0), p.Cell(0), p.Cell(0)
		p.together(2, func(i int) {
			me := int64(i + 1)
			b[i].Store(1)
			x.Store(me)
			if y.Load() != 0 {
				b[i].Store(0)
				return
			}
			y.Store(me)
			if x.Load() != me {
				b[i].Store(0)
				for n := 0; b[1-i].Load() != 0; n++ {
					if n == polls {
						return
					}
				}
				if y.Load() != me {
					return
				}
			}
			critical(in)
			y.Store(0)
			b[i].Store(0)
		})
	}
}

// peterson: a flag for each, and the number of the goroutine that goes first.
func peterson(p Parts) func() {
	return func() {
		flag, turn, in := []Cell{p.Cell(0), p.Cell(0)}, p.Cell(0), p.Cell(0)
		p.together(2, func(i int) {
			flag[i].Store(1)
			turn.Store(int64(1 - i))
			for n := 0; flag[1-i].Load() == 1 && turn.Load() == int64(1-i); n++ {
				if n == polls {
					flag[i].Store(0)
					return
				}
			}
			critical(in)
			flag[i].Store(0)
		})
	}
}

// sharedPointer is SharedPointer.
func sharedPointer(p Parts) func() {
	return func() {
		cells := []Cell{p.Cell(0), p.Cell(0), p.Cell(0)}
		pointer := []Cell{p.Cell(0), p.Cell(1)}
		p.together(2, func(i int) {
			for range 5 {
				c := cells[pointer[i].Load()]
				c.Store(c.Load() + 1)
			}
			pointer[1-i].Store(2)
		})
	}
}

// indexer15 is Indexer of 15 goroutines.
func indexer15(p Parts) func() {
	return func() {
		var table [indexerSize]Cell
		for i := range table {
			table[i] = p.Cell(0)
		}
		p.together(15, func(tid int) {
			for m := range indexerMessages {
				w := (m+1)*11 + tid
				h := w * 7 % indexerSize
				for !table[h].CompareAndSwap(0, int64(w)) {
					h = (h + 1) % indexerSize
				}
			}
		})
	}
}

// lastzero16 is LastZero of 15 workers and a checker.
func lastzero16(p Parts) func() {
	return func() {
		var a [16]Cell
		for i := range a {
			a[i] = p.Cell(0)
		}
		p.together(16, func(i int) {
			if i < 15 {
				a[i+1].Store(a[i].Load() + 1)
				return
			}
			for j := 0; a[j].Load() == 0 && j < 15; {
				j++
			}
		})
	}
}
