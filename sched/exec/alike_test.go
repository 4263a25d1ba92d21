package exec_test

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/trace"
)

// last moves the goroutine that was started last, for as long as one can.
type last struct{}

func (last) Name() string { return "last" }

func (last) Explore(p trace.Program, visit func(*trace.Execution) bool) (stats trace.Stats, err error) {
	r := p.Start()
	defer r.Close()
	for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
		if _, err := r.Step(trace.Choice{G: ops[len(ops)-1].G}); err != nil {
			return stats, err
		}
	}
	visit(&trace.Execution{Run: r, Stats: &stats})
	return stats, nil
}

// TestAlikeToldApart has programs in which goroutines are alike until something tells them apart.
func TestAlikeToldApart(t *testing.T) {
	numbers := func(ns ...int) *sched.Chan[int] {
		c := sched.NewChan[int](len(ns))
		for _, n := range ns {
			c.Send(n)
		}
		return c
	}
	// covered has four workers. Main reads the memory between the starts of the second and the
	// third, which the fourth one, that writes it, may know only by its start.
	covered := func(size uintptr) func() {
		return func() {
			memory := make([]byte, size)
			p := unsafe.Pointer(&memory[0])
			c, done := numbers(0, 0, 1, 2), sched.NewChan[int](1)
			f := func() {
				switch c.Recv() {
				case 1:
					hook.ReadMemory(p, size)
					done.Send(0)
				case 2:
					done.Recv()
					hook.WriteMemory(p, size)
				}
			}
			native.Go(f)
			native.Go(f)
			hook.ReadMemory(p, size)
			native.Go(f)
			native.Go(f)
		}
	}
	for _, x := range []struct {
		name  string
		e     trace.Engine
		f     func()
		apart bool
		lines int // goroutines of the longest line
	}{
		{"nothing", engine.Optimal{}, func() {
			c := numbers(0, 0, 1)
			for range 3 {
				native.Go(func() { c.Recv() })
			}
		}, false, 3},
		{"captured", engine.Optimal{}, func() {
			c := numbers(0, 0, 1)
			for i := range 3 {
				native.Go(func() {
					if c.Recv() == i {
						c.Recv()
					}
				})
			}
		}, false, 0},
		{"pairs", engine.Optimal{}, func() {
			c := numbers(0, 0, 1, 1)
			for i := range 4 {
				i %= 2
				native.Go(func() { _, _ = c.Recv(), i })
			}
		}, false, 2},
		{"learnt", engine.Optimal{}, func() {
			c := numbers(0, 0, 1)
			for range 2 {
				native.Go(func() { c.Recv() })
				c.Recv()
			}
		}, false, 0},
		{"first operations", engine.Optimal{}, func() {
			c, n := numbers(0), 0
			for range 2 {
				native.Go(func() {
					if n++; n == 1 { // a race that is not announced
						c.Send(1)
					} else {
						c.Recv()
					}
				})
			}
		}, true, 2},
		{"no operation", engine.Optimal{}, func() {
			c, n := numbers(0), 0
			for range 2 {
				native.Go(func() {
					if n++; n == 2 {
						c.Recv()
					}
				})
			}
		}, true, 2},
		{"joined", engine.Optimal{}, func() {
			c := numbers(0, 0)
			f := func() { c.Recv() }
			h := sched.Go(f)
			sched.Go(f)
			h.Join()
		}, true, 2},
		{"not joined", engine.Optimal{}, func() {
			c := numbers(0, 0)
			for range 2 {
				sched.Go(func() { c.Recv() })
			}
		}, false, 2},
		{"name", engine.Optimal{}, func() {
			c := numbers(0, 0)
			for range 2 {
				native.Go(func() { c.Send(int(hook.Seed() % 2)) })
			}
		}, true, 0},
		{"name of a child", engine.Optimal{}, func() {
			c := numbers(0, 0)
			for range 2 {
				native.Go(func() {
					c.Recv()
					native.Go(func() { hook.Seed() })
				})
			}
		}, true, 2},
		{"name of main", engine.Optimal{}, func() {
			hook.Seed()
			c := numbers(0, 0)
			for range 2 {
				native.Go(func() { c.Recv() })
			}
		}, false, 2},
		{"name before the next one is started", last{}, func() {
			c := numbers(0, 1)
			var wg sched.WaitGroup
			for range 2 {
				wg.Add(1)
				native.Go(func() {
					if c.Recv() == 0 {
						hook.Seed()
					}
				})
			}
		}, true, 0},
		{"third window", engine.Optimal{}, func() {
			c, x := numbers(0, 0, 1), sched.NewVar(0)
			f := func() {
				if c.Recv() == 1 {
					x.Store(2)
				}
			}
			native.Go(f)
			native.Go(f)
			x.Store(1)
			native.Go(f)
		}, true, 3},
		{"before the window", engine.Optimal{}, func() {
			c, x := numbers(0, 0, 1), sched.NewVar(0)
			x.Store(1)
			for range 3 {
				native.Go(func() {
					if c.Recv() == 1 {
						x.Store(2)
					}
				})
			}
		}, false, 3},
		{"known after the window", engine.Optimal{}, func() {
			c, x := sched.NewChan[int](3), sched.NewVar(0)
			for range 3 {
				x.Store(1)
				native.Go(func() {
					if c.Recv() == 1 {
						x.Store(2)
					}
				})
			}
			for i := range 3 {
				c.Send(i / 2)
			}
		}, false, 3},
		{"covered word", engine.Optimal{}, covered(8), true, 4},
		{"covered page", engine.Optimal{}, covered(1 << 13), true, 4},
	} {
		c := exec.New(x.f, exec.Options{Exchange: exec.Exchange{Alike: true}, AllowLeaks: true})
		if _, err := x.e.Explore(c, func(*trace.Execution) bool { return true }); err != nil {
			t.Fatal(x.name, err)
		}
		n := 0
		for _, a := range c.Alike() {
			n = max(n, a.N)
		}
		if c.ToldApart() != x.apart || n != x.lines {
			t.Errorf("%s: told apart %t, want %t; lines of %d, want %d", x.name, c.ToldApart(), x.apart, n, x.lines)
		}
		c.Shutdown()
	}
}

// TestAlikeClosures compares closures by what they have captured, whatever the memory held before.
// One of five words lies in an object of six: whether the sixth is captured is not known.
func TestAlikeClosures(t *testing.T) {
	shared, texts := new(int), []string{"same", "same", "other"}
	garbage := make([][]*int, 300)
	for _, x := range []struct {
		name string
		make func(s string) func()
		sure bool
	}{
		{"four words", func(s string) func() { return func() { use(len(s) + *shared) } }, true},
		{"a closure", func(s string) func() {
			f := func() { use(len(s) + *shared) }
			return func() { f() }
		}, true},
		{"a method", func(s string) func() { return named(s).use }, true},
		{"five words", func(s string) func() {
			n := len(texts) // the same every time
			return func() { use(len(s) + *shared + n) }
		}, false},
	} {
		for range 20 {
			runtime.GC()
			for i := range garbage { // so that memory is used that was something else before
				garbage[i] = slices.Repeat([]*int{shared}, 2+i%8)
			}
			c := exec.New(func() {
				for _, s := range texts {
					native.Go(x.make(s))
				}
			}, exec.Options{Exchange: exec.Exchange{Alike: true}, AllowLeaks: true})
			last{}.Explore(c, func(*trace.Execution) bool { return true })
			switch a := c.Alike(); {
			case c.ToldApart() && !x.sure:
			case c.ToldApart() || len(a) != 1 || a[0].N != 2:
				t.Fatalf("%s: told apart %t, %v", x.name, c.ToldApart(), a)
			}
			c.Shutdown()
		}
	}
}

func use(n int) { sched.NewChan[int](1).Send(n) }

type named string

func (s named) use() { use(len(s)) }
