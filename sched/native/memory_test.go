package native_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/native/access"
	"github.com/gopor/gopor/sched/trace"
)

// run performs one execution, in which the goroutines move in the order in which
// they were started, and returns what is wrong with it.
func run(t testing.TB, o exec.Options, f func()) (fails []trace.Failure, c *exec.Closure) {
	t.Helper()
	c = exec.New(f, o)
	defer c.Shutdown()
	r := c.Start()
	for p := r.Pending(); len(p) > 0; p = r.Pending() {
		if _, err := r.Step(trace.Choice{G: p[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	return append(fails, r.Outcome()...), c
}

type point struct{ x, y int32 }

// load, store and wrote are plain accesses of variables.

func load[T any](p *T) T {
	hook.ReadMemory(unsafe.Pointer(p), unsafe.Sizeof(*p))
	return *p
}

func store[T any](p *T, v T) {
	wrote(p)
	*p = v
}

func wrote[T any](p *T) { hook.WriteMemory(unsafe.Pointer(p), unsafe.Sizeof(*p)) }

// TestAccesses races what a function announces with an access of one variable.
func TestAccesses(t *testing.T) {
	p, s, m := new(point), make([]point, 3), map[string]int{"a": 1}
	b, two := []byte("abc"), map[int]int{1: 1, 2: 2}
	tests := []struct {
		name        string
		f           func()
		read, write func() // accesses that overlap
		none        func() // one that does not
		writes      bool
	}{
		{"ReadValue", func() { access.ReadValue(&p.y) }, func() { load(p) }, func() { wrote(p) }, func() { wrote(&p.x) }, false},
		{"ReadSlice", func() { access.ReadSlice(s[1:]) }, func() { load(&s[2].y) }, func() { wrote(&s[2].y) }, func() { wrote(&s[0]) }, false},
		{"Grow", func() { access.Grow(s[:1]).By(point{}) }, func() { load(&s[1].y) }, func() { wrote(&s[1]) }, func() { wrote(&s[0]) }, true},
		{"Grow, moved", func() { access.Grow(s[:2:2]).By(point{}) }, func() { load(&s[1].y) }, func() { wrote(&s[1]) }, func() { wrote(&s[2]) }, false},
		{"GrowAt", func() { access.GrowAt(&s).By() }, func() { load(&s) }, func() { wrote(&s) }, func() { wrote(&s[0]) }, false},
		{"ReadMap", func() { access.ReadMap(m) }, func() { access.ReadMap(m) }, func() { access.WriteMap(m) }, func() { access.WriteMap(map[int]int{}) }, false},
		{"WriteMap", func() { access.WriteMap(m)["b"] = 1 }, func() { access.ReadMap(m) }, func() { access.WriteMap(m) }, func() { access.WriteMap(map[string]int{}) }, true},
		{"Copy to", func() { access.Copy(s[:2], []point{{}, {}, {}}) }, func() { load(&s[1].y) }, func() { wrote(&s[1].y) }, func() { wrote(&s[2]) }, true},
		{"Copy less", func() { access.Copy(s, []point{{}}) }, func() { load(&s[0].y) }, func() { wrote(&s[0].y) }, func() { wrote(&s[1]) }, true},
		{"Copy from", func() { access.Copy(make([]point, 2), s) }, func() { load(&s[1].y) }, func() { wrote(&s[1].y) }, func() { wrote(&s[2]) }, false},
		{"CopyBytes of a string", func() { access.CopyBytes(b, "ab") }, func() { load(&b[1]) }, func() { wrote(&b[1]) }, func() { wrote(&b[2]) }, true},
		{"CopyBytes of a slice", func() { access.CopyBytes(make([]byte, 2), b) }, func() { load(&b[1]) }, func() { wrote(&b[1]) }, func() { wrote(&b[2]) }, false},
		{"ClearSlice", func() { access.ClearSlice(s[1:2]) }, func() { load(&s[1]) }, func() { wrote(&s[1]) }, func() { wrote(&s[2]) }, true},
		{"ClearMap", func() { access.ClearMap(m) }, func() { access.ReadMap(m) }, func() { access.WriteMap(m) }, func() {}, true},
		{"Map.At", func() { access.InMap(m).At("x") }, func() { access.ReadMap(m) }, func() { access.WriteMap(m) }, func() { access.WriteMap(map[int]int{}) }, false},
		{"Map.Find", func() { access.InMap(m).Find("x") }, func() { access.ReadMap(m) }, func() { access.WriteMap(m) }, func() { access.WriteMap(map[int]int{}) }, false},
		{"Map.Delete", func() { access.InMap(m).Delete("x") }, func() { access.ReadMap(m) }, func() { access.WriteMap(m) }, func() { access.WriteMap(map[int]int{}) }, true},
		{"a round of a map", func() {
			w := native.Over(two)
			w.Next()
			w.Next()
		}, func() { access.ReadMap(two) }, func() { access.WriteMap(two) }, func() { access.WriteMap(m) }, false},
		{"a round of an old loop", func() {
			w, _, _ := native.OverAll(two)
			w.Next()
			w.Next()
		}, func() { access.ReadMap(two) }, func() { access.WriteMap(two) }, func() { access.WriteMap(m) }, false},
	}
	for _, test := range tests {
		races := func(other func()) bool {
			fails, _ := run(t, exec.Options{}, func() { sched.Go(test.f); other() })
			return len(fails) > 0
		}
		if races(test.read) != test.writes || !races(test.write) || races(test.none) {
			t.Errorf("%s races with a read: %v, with a write: %v, with another variable: %v",
				test.name, races(test.read), races(test.write), races(test.none))
		}
	}
}

// TestValues uses memory as the statements that are rewritten do, controlled and
// not.
func TestValues(t *testing.T) {
	use := func() {
		p, list := new(point), []int{1, 2}
		if p.y = 5; access.ReadValue(p) != *p {
			t.Error("ReadValue:", access.ReadValue(p))
		}
		if copy(list, access.ReadSlice([]int{3, 4})) != 2 || list[1] != 4 {
			t.Error("slices:", list)
		}
		if list = access.Grow(list).By(5, 6); len(list) != 4 || list[3] != 6 || access.GrowAt(&list).By(7)[4] != 7 {
			t.Error("append:", list)
		}
		var none map[int]int
		if access.ReadMap(none)[1] != 0 || access.ReadSlice([]int(nil)) != nil {
			t.Error("nil is not nil")
		}
		access.WriteMap(map[int]int{})[1] = 1
		type bytes []byte
		text := bytes("abcd")
		if access.Copy(list[:2], []int{5, 6, 7}) != 2 || list[1] != 6 || access.CopyBytes(text, "xy") != 2 ||
			access.CopyBytes(text[3:], bytes("z!")) != 1 || string(text) != "xycz" {
			t.Error("Copy:", list, string(text))
		}
		more := []int{5, 8, 9}
		m := map[any]int{1: 2, "a": 3}
		in := access.InMap(m)
		_, no := in.Find(2)
		if v, ok := in.Find("a"); v != 3 || !ok || no || in.At(1) != 2 {
			t.Error("InMap:", v, ok, no)
		}
		if in.Delete("a"); len(m) != 1 {
			t.Error("Delete:", m)
		}
		e := in.Key(1)
		e.Set(e.Get() + 5)
		var w access.Writes
		*in.LateSet(&w, "b"), *in.LateInsert(&w, 7) = 8, 9
		if w.Done(); m[1] != 7 || m["b"] != 8 || m[7] != 9 {
			t.Error("Key and Late:", m)
		}
		access.ClearMap(m)
		if access.ClearSlice(more); len(m) != 0 || !slices.Equal(more, []int{0, 0, 0}) {
			t.Error("Clear:", m, more)
		}
	}
	use()
	for _, races := range []sched.RaceMode{sched.RaceFail, sched.RaceExplore, sched.RaceIgnore} {
		if fails, _ := run(t, exec.Options{Races: races}, use); len(fails) > 0 {
			t.Error(fails)
		}
	}
}

// TestNil accesses what is not there: a panic of the runtime's, under control as
// well.
func TestNil(t *testing.T) {
	for name, f := range map[string]func(){
		"ReadValue": func() { access.ReadValue((*int)(nil)) },
		"map":       func() { access.WriteMap(map[int]int(nil))[1] = 1 },
	} {
		fails, _ := run(t, exec.Options{}, func() { sched.Go(func() {}); f() })
		if len(fails) != 1 || fails[0].Kind != trace.FailPanic || !strings.Contains(fails[0].Msg, "nil") {
			t.Errorf("%s: %v", name, fails)
		}
	}
}

// TestPosition finds the calls of this file, which are inlined into it or not.
func TestPosition(t *testing.T) {
	for _, o := range []exec.Options{{Record: true}, {Record: true, Races: sched.RaceExplore}} {
		fails, c := run(t, o, func() {
			x := new(int)
			sched.Go(func() { hook.WriteMemory(unsafe.Pointer(x), 8) })
			hook.ReadMemory(unsafe.Pointer(x), 8)
		})
		found := 0
		for _, e := range c.Record() {
			if e.Obj == "memory 1" && strings.HasSuffix(e.File, "native/memory_test.go") && strings.Contains(e.Func, "TestPosition") {
				found++
			}
		}
		if found != 2 {
			t.Errorf("%d accesses have a position here: %+v", found, c.Record())
		}
		if o.Races == sched.RaceFail && (len(fails) != 1 || strings.Count(fails[0].Details(), "native/memory_test.go") != 2) {
			t.Errorf("%+v", fails)
		}
	}
}

var sink int

func BenchmarkLoad(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		x := new(int)
		for range b.N {
			sink += *x
		}
	})
	b.Run("off", func(b *testing.B) {
		x := new(int)
		for range b.N {
			sink += load(x)
		}
	})
	controlled := func(name string, o exec.Options, f func(n int)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			if fails, _ := run(b, o, func() {
				sched.Go(func() {}) // main is not alone
				b.ResetTimer()
				f(b.N)
			}); len(fails) > 0 {
				b.Fatal(fails)
			}
		})
	}
	one := func(n int) {
		x := new(int)
		for range n {
			sink += load(x)
		}
	}
	controlled("on", exec.Options{}, one)
	controlled("ignored", exec.Options{Races: sched.RaceIgnore}, one)
	controlled("new epochs", exec.Options{MaxSteps: math.MaxInt32}, func(n int) {
		x, mu := new(int), new(sched.Mutex)
		for range n / 10 {
			mu.Lock()
			for range 5 {
				store(x, load(x)+1)
			}
			mu.Unlock()
		}
	})
	controlled("thousand variables", exec.Options{}, func(n int) {
		x := make([]int, 1000)
		for i := range n {
			sink += load(&x[i%1000])
		}
	})
	controlled("struct", exec.Options{}, func(n int) {
		x := new([5]int)
		for range n {
			sink += load(x)[0]
		}
	})
	controlled("fresh words", exec.Options{}, func(n int) {
		x := make([]int, 1<<12)
		for i := range n {
			if i%len(x) == 0 {
				x = make([]int, 1<<12)
			}
			store(&x[i*61%len(x)], 1)
		}
	})
	controlled("growing buffers", exec.Options{}, func(n int) {
		for range n {
			var x []byte
			for size := 5000; size < 1<<20; size += size / 4 {
				y := make([]byte, size)
				access.Copy(y, x)
				access.ClearSlice(y[len(x):])
				x = y
			}
		}
	})
	controlled("megabyte", exec.Options{MaxSteps: math.MaxInt32}, func(n int) {
		x, y, mu := make([]byte, 1<<20), make([]int, 10_000), new(sched.Mutex)
		for i := range y {
			store(&y[i], 1)
		}
		for range n {
			mu.Lock()
			access.ClearSlice(x)
			mu.Unlock()
		}
	})
}
