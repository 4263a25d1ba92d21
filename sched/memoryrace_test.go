package sched_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// memoryRaces are programs that race unless ok is set.
var memoryRaces = []struct {
	name string
	f    func(ok bool)
}{
	{"mutex", func(ok bool) {
		var mu sched.Mutex
		x := new(int)
		add := func() {
			if ok {
				mu.Lock()
				defer mu.Unlock()
			}
			closures.Store(x, closures.Load(x)+1)
		}
		sched.Go(add)
		add()
	}},
	{"channel", func(ok bool) {
		c, x := sched.NewChan[int](0), new(string)
		sched.Go(func() {
			if ok {
				closures.Store(x, "a")
			}
			c.Send(1)
			if !ok {
				closures.Store(x, "a")
			}
		})
		c.Recv()
		closures.Load(x)
	}},
	{"waitgroup", func(ok bool) {
		var wg sched.WaitGroup
		x := new([]int)
		wg.Go(func() { closures.Store(x, nil) })
		if ok {
			wg.Wait()
		}
		closures.Load(x)
	}},
	{"context, by another goroutine", func(ok bool) {
		ctx, cancel := sched.WithCancel(sched.Background())
		sched.Go(func() { cancel() })
		x, done := new(int), sched.NewChan[int](0)
		if ok {
			closures.Store(x, 1)
		}
		sched.ContextAfterFunc(ctx, func() { closures.Load(x); done.Close() })
		if !ok {
			closures.Store(x, 1)
		}
		done.Recv()
	}},
	{"map without its key", func(ok bool) {
		var m sched.Map
		x := new(int)
		m.Store(1, 2)
		sched.Go(func() {
			if ok {
				closures.Store(x, 1)
			}
			m.Delete(1)
			if !ok {
				closures.Store(x, 1)
			}
		})
		n := 0
		m.Range(func(_, _ any) bool { n++; return true })
		if n == 0 {
			closures.Load(x)
		}
	}},
	{"go statement", func(ok bool) {
		x := new(int)
		if ok {
			closures.Store(x, 1)
		}
		sched.Go(func() { closures.Load(x) })
		if !ok {
			closures.Store(x, 1)
		}
	}},
	{"atomic flag", func(ok bool) {
		x, flag := new(int), new(int32)
		sched.Go(func() { closures.Store(x, 1); hook.Store(flag, 1) })
		if hook.Load(flag) == 1 || !ok {
			closures.Load(x)
		}
	}},
	{"two readers", func(ok bool) {
		x := new(int)
		sched.Go(func() { closures.Load(x) })
		sched.Go(func() { closures.Load(x) })
		if !ok {
			closures.Store(x, 1)
		}
	}},
	{"reader that is ordered, reader that is not", func(ok bool) {
		x := new(int)
		h1 := sched.Go(func() { closures.Load(x) })
		h2 := sched.Go(func() { closures.Load(x) })
		h1.Join()
		if ok {
			h2.Join()
		}
		closures.Store(x, 1)
	}},
	{"neighbouring bytes", func(ok bool) {
		x := new([8]byte)
		other := 4
		if !ok {
			other = 3
		}
		sched.Go(func() { closures.Store(&x[3], 1) })
		closures.Store(&x[other], 1)
	}},
	{"written in pieces", func(ok bool) {
		x := new([8]byte)
		h := sched.Go(func() { closures.Store(x, [8]byte{}) })
		sched.Go(func() {
			if ok {
				h.Join()
			}
			closures.Store(&x[6], 1)
		})
		h.Join()
		closures.Store(&x[5], 1)
		closures.Load(&x[7])
	}},
	{"across words", func(ok bool) {
		x := new([32]byte)
		other := 16
		if !ok {
			other = 15
		}
		sched.Go(func() { closures.Store((*[8]byte)(x[8:]), [8]byte{}) })
		closures.Store(&x[other], 1)
	}},
	{"neighbouring fields", func(ok bool) {
		x := new(fields)
		sched.Go(func() { closures.Store(&x.pair.a, 1) })
		if ok {
			closures.Store(&x.pair.b, 1)
		} else {
			closures.Store(&x.pair, pair{})
		}
	}},
	{"copy of a struct", func(ok bool) {
		x := new(fields)
		sched.Go(func() { closures.Store(&x.last, 1) })
		if ok {
			closures.Load((*[unsafe.Offsetof(x.last)]byte)(unsafe.Pointer(x)))
		} else {
			closures.Load(x)
		}
	}},
	{"no bytes", func(ok bool) {
		x := new([8]byte)
		sched.Go(func() { writeAll(x[:]) })
		if ok {
			writeAll(x[4:4])
			closures.Store(new(struct{}), struct{}{})
			writeAll(nil)
		} else {
			writeAll(x[4:5])
		}
	}},
	{"element of a large copy", func(ok bool) {
		const i = 1<<19 + 3
		x := make([]byte, 1<<20)
		sched.Go(func() { closures.Store(&x[i], 1) })
		if ok {
			readAll(x[:i])
			readAll(x[i+1:])
		} else {
			readAll(x)
		}
	}},
	{"large copy, then an element", func(ok bool) {
		x := make([]byte, 1<<20)
		sched.Go(func() { readAll(x[7 : 1<<19-5]) })
		if ok {
			closures.Store(&x[1<<19-5], 1)
			closures.Store(&x[6], 1)
		} else {
			closures.Store(&x[1<<19-6], 1)
		}
	}},
	{"two large copies", func(ok bool) {
		x := make([]byte, 1<<14)
		sched.Go(func() { writeAll(x[:1<<13]) })
		if ok {
			writeAll(x[1<<13:])
		} else {
			readAll(x[1<<13-1:])
		}
	}},
	{"large copy that is ordered, large copy that is not", func(ok bool) {
		x := make([]byte, 1<<14)
		h1 := sched.Go(func() { readAll(x) })
		h2 := sched.Go(func() { readAll(x) })
		h2.Join()
		if ok {
			h1.Join()
		}
		writeAll(x)
	}},
	{"large copies before and after", func(ok bool) {
		x, c := make([]byte, 1<<14), sched.NewChan[int](1)
		sched.Go(func() {
			readAll(x)
			c.Send(1)
			if !ok {
				readAll(x)
			}
		})
		c.Recv()
		sched.Sleep(time.Second)
		writeAll(x)
	}},
	{"large copy there and back", func(ok bool) {
		x := make([]byte, 1<<14)
		sched.Go(func() {
			readAll(x)
			if !ok {
				writeAll(x)
			}
		})
		readAll(x)
	}},
	{"many large copies", func(ok bool) {
		x := make([]byte, 40*5000)
		sched.Go(func() {
			for i := range 40 {
				writeAll(x[i*5000 : (i+1)*5000-1])
			}
		})
		for i := range 40 {
			if ok {
				closures.Store(&x[i*5000+4999], 1)
			} else if i == 38 {
				closures.Store(&x[i*5000+4998], 1)
			}
		}
	}},
	{"element between large copies, on another page", func(ok bool) {
		x := make([]byte, 1<<14)
		at := 1 << 13
		if ok {
			at = 3 << 12
		}
		sched.Go(func() {
			readAll(x[1<<12 : 1<<13])
			closures.Store(&x[at+9], 1)
			readAll(x[1<<12 : 1<<13])
		})
		readAll(x[:3<<12])
	}},
	{"large copy of what others have read", func(ok bool) {
		x := make([]byte, 1<<14)
		for range 3 {
			h := sched.Go(func() { readAll(x[100:]); closures.Load(&x[50]) })
			h.Join()
		}
		h := sched.Go(func() { readAll(x[:1<<13]) })
		if ok {
			h.Join()
		}
		writeAll(x[1<<13-1:])
	}},
	{"many large copies that end in one page", func(ok bool) {
		x := make([]byte, 1<<14)
		sched.Go(func() {
			for i := range 40 {
				writeAll(x[i : 1<<13-i*99])
			}
		})
		if ok {
			writeAll(x[1<<13:])
		} else {
			closures.Load(&x[1<<13-1])
		}
	}},
	{"map", func(ok bool) {
		x := new(sched.Int32) // its address alone matters
		sched.Go(func() { hook.ReadMemory(unsafe.Pointer(x), 1) })
		if ok {
			hook.ReadMemory(unsafe.Pointer(x), 1)
		} else {
			hook.WriteMemory(unsafe.Pointer(x), 1)
		}
	}},
	{"plain read, atomic write", func(ok bool) {
		x := new(int64)
		sched.Go(func() { hook.Add(x, 1) })
		if ok {
			hook.Load(x)
		} else {
			closures.Load(x)
		}
	}},
	{"plain write, atomic read", func(ok bool) {
		x := new(uint32)
		sched.Go(func() { hook.Load(x) })
		if ok {
			closures.Load(x)
		} else {
			closures.Store(x, 1)
		}
	}},
	{"plain write long after an atomic read", func(ok bool) {
		x := new(uint32)
		sched.Go(func() {
			sched.Sleep(time.Second)
			if ok {
				closures.Load(x)
			} else {
				closures.Store(x, 1)
			}
		})
		hook.Load(x)
	}},
	{"plain write, atomic write", func(ok bool) {
		x := new(uintptr)
		h := sched.Go(func() { hook.Store(x, 1) })
		if ok {
			h.Join()
		}
		closures.Store(x, 1)
	}},
	{"plain write that the atomic operation observes", func(ok bool) {
		x := new(int32)
		sched.Go(func() {
			closures.Store(x, 1)
			if ok {
				hook.Store(x, 2)
			}
		})
		sched.Sleep(time.Second)
		hook.Load(x)
	}},
	{"plain write after an atomic one that was observed", func(ok bool) {
		x := new(int32)
		sched.Go(func() { hook.Store(x, 1) })
		closures.Load(new(int))
		if hook.Load(x) == 1 || !ok {
			closures.Store(x, 2)
		}
	}},
	{"atomic handover of the memory itself", func(ok bool) {
		x, flag := new(int32), new(int32)
		sched.Go(func() {
			closures.Store(x, 1)
			hook.Store(x, 2)
			hook.Store(flag, 1)
			if !ok {
				closures.Store(x, 3)
			}
		})
		if hook.Load(flag) == 1 {
			hook.Add(x, 1)
			closures.Load(x)
		}
	}},
	{"a store observes nothing", func(ok bool) {
		x, flag := new(int), new(int32)
		sched.Go(func() { closures.Store(x, 1); hook.Store(flag, 1) })
		sched.Sleep(time.Second)
		if ok {
			hook.Swap(flag, 2)
		} else {
			hook.Store(flag, 2)
		}
		closures.Load(x)
	}},
	{"failing CompareAndSwap", func(ok bool) {
		x := new(int32)
		old := int32(7)
		if !ok {
			old = 0
		}
		sched.Go(func() { hook.CompareAndSwap(x, old, 5) })
		closures.Load(x)
	}},
	{"atomic pointer", func(ok bool) {
		p, x := new(unsafe.Pointer), new(int)
		sched.Go(func() { closures.Store(x, 1); hook.StorePointer(p, unsafe.Pointer(x)) })
		if hook.LoadPointer(p) != nil || !ok {
			closures.Load(x)
		}
	}},
	{"atomic code", func(ok bool) {
		v, x := new(any), new(int)
		sched.Go(func() {
			closures.Store(x, 1)
			hook.Atomic(trace.OpStore, unsafe.Pointer(v), 16, func() any { *v = x; return *v })
		})
		var got any
		hook.Atomic(trace.OpLoad, unsafe.Pointer(v), 16, func() any { got = *v; return got })
		if got != nil || !ok {
			closures.Load(x)
		}
	}},
	{"halves of a word", func(ok bool) {
		// Their synchronisation is their own.
		x, flags := new(int), new([2]int32)
		mine := 0
		if !ok {
			mine = 1
		}
		sched.Go(func() { closures.Store(x, 1); hook.Store(&flags[0], 1); hook.Store(&flags[1], 1) })
		sched.Go(func() { hook.Store(&flags[mine], 1) })
		if hook.Load(&flags[1]) == 1 {
			closures.Load(x)
		}
	}},
}

func TestMemoryRaces(t *testing.T) {
	for _, test := range memoryRaces {
		for _, ok := range []bool{true, false} {
			found := closures.Traces(t, exec.Options{}, func() { test.f(ok) })
			fail, raced := found.Failures[trace.FailRace]
			if raced == ok || len(found.Failures) > 1 {
				t.Errorf("%s, ok %v: %v, %v", test.name, ok, fail, found.Failures)
			}
		}
	}
}

// access is one access of a random program.
type access struct {
	from, to int
	write    bool
	lock     int // the lock that is held, -1 if none
}

// randomAccesses returns those of three goroutines to size bytes.
func randomAccesses(r *rand.Rand, size int) (all [3][]access) {
	near, step := r.IntN(size-64), 1+r.IntN(16)
	for g := range all {
		for range 1 + r.IntN(6) {
			from := near + r.IntN(4)*step
			a := access{from: from, to: from + 1 + r.IntN(2*step), write: r.IntN(6) == 0, lock: r.IntN(4) - 1}
			if large := r.IntN(4) == 0; large {
				a.from = r.IntN(size)
				a.to = a.from + r.IntN(size-a.from)
			}
			all[g] = append(all[g], a)
		}
	}
	return all
}

// TestMemoryIsExact holds accesses by address against one Var for every byte.
func TestMemoryIsExact(t *testing.T) {
	const size, page = 3 * 5000, 4096
	r := rand.New(rand.NewPCG(7, 7))
	raced := 0
	many := effort.Of(1000, 300)
	if effort.Race {
		many = 30
	}
	for n := range many {
		programs := randomAccesses(r, size)
		run := func(use func(a access)) []trace.Failure {
			order := rand.New(rand.NewPCG(1, uint64(n)))
			c := exec.New(func() {
				var mu [2]sched.Mutex
				for _, p := range programs {
					sched.Go(func() {
						for _, a := range p {
							if a.lock < 0 || a.lock > 1 {
								use(a)
								continue
							}
							mu[a.lock].Lock()
							use(a)
							mu[a.lock].Unlock()
						}
					})
				}
			}, exec.Options{})
			defer c.Shutdown()
			run := c.Start()
			for p := run.Pending(); len(p) > 0; p = run.Pending() {
				if _, err := run.Step(trace.Choice{G: p[order.IntN(len(p))].G}); err != nil {
					t.Fatal(err)
				}
			}
			return slices.Clone(run.Outcome())
		}
		memory, vars := make([]byte, page+size)[r.IntN(page):], make([]sched.Var[byte], size)
		got := run(func(a access) {
			if a.write {
				writeAll(memory[a.from:a.to])
			} else {
				readAll(memory[a.from:a.to])
			}
		})
		want := run(func(a access) {
			for i := a.from; i < a.to; i++ {
				if a.write {
					vars[i].Store(1)
				} else {
					vars[i].Load()
				}
			}
		})
		if len(want) > 0 {
			raced++
		}
		if len(got) != len(want) || len(got) > 0 && (got[0].Step != want[0].Step || got[0].G != want[0].G) {
			t.Fatalf("program %d, %v: got %v, want %v", n, programs, got, want)
		}
	}
	if raced < many/10 || raced > many*9/10 {
		t.Errorf("%d of %d programs race, which says little", raced, many)
	}
}

// TestBothOrders has pairs of accesses that nothing orders, each in a single
// execution: whichever of the two comes first, the other one tells the race.
func TestBothOrders(t *testing.T) {
	type use struct {
		name         string
		plain, write bool
		do           func(x *int32)
	}
	uses := []use{
		{"read", true, false, func(x *int32) { closures.Load(x) }},
		{"write", true, true, func(x *int32) { closures.Store(x, 1) }},
		{"atomic load", false, false, func(x *int32) { hook.Load(x) }},
		{"atomic store", false, true, func(x *int32) { hook.Store(x, 1) }},
		{"atomic add", false, true, func(x *int32) { hook.Add(x, 1) }},
		{"vain compare-and-swap", false, false, func(x *int32) { hook.CompareAndSwap(x, 7, 8) }},
	}
	for _, a := range uses {
		for _, b := range uses {
			x := new(int32)
			raced := oneByOne(t, func() { a.do(x) }, func() { b.do(x) })
			if want := (a.plain || b.plain) && (a.write || b.write); raced != want {
				t.Errorf("%s, %s: race %v, want %v", a.name, b.name, raced, want)
			}
		}
	}
}

// oneByOne reports whether functions race of which each is called by a goroutine
// of its own, when that before it has ended.
func oneByOne(t *testing.T, functions ...func()) (raced bool) {
	t.Helper()
	fails := closures.Once(t, exec.Options{}, func() {
		for _, f := range functions {
			sched.Go(func() {
				hook.Load(new(int32)) // here it is stopped until its turn comes
				f()
			})
		}
	})
	for _, fail := range fails {
		raced = raced || fail.Kind == trace.FailRace
	}
	return raced
}

// Of very many accesses none is lost, however often they are looked through: a write races with the one reader that it does
// not come after.
func TestVeryManyReaders(t *testing.T) {
	for _, alone := range []int{-1, 0, 17, 57, 99} {
		raced := oneByOne(t, func() {
			x := new([2]int32)
			closures.Store(x, [2]int32{1, 2})
			var handles []sched.Handle
			for i := range 100 {
				handles = append(handles, sched.Go(func() {
					for range 3 {
						closures.Load(&x[i%2])
						sched.Gosched() // a new time of its clock
						closures.Load(x)
					}
				}))
			}
			for range 1000 {
				sched.Gosched()
			}
			for i, h := range handles {
				if i != alone {
					h.Join()
				}
			}
			closures.Store(&x[1], 3)
			closures.Load(&x[1])
		})
		if raced != (alone >= 0) {
			t.Errorf("raced: %v, when %d is not waited for", raced, alone)
		}
	}
}
