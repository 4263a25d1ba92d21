package native_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/trace"
)

// run performs one execution, in which the goroutines move in the order in which
// they were started, and returns what is wrong with it.
func run(t testing.TB, o sched.Options, f func()) (fails []trace.Failure, c *sched.Closure) {
	t.Helper()
	c = sched.New(f, o)
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

// TestAccesses races what a function announces with an access of one variable.
func TestAccesses(t *testing.T) {
	v, p, s, m := 1, new(point), make([]point, 3), map[string]int{"a": 1}
	b, two := []byte("abc"), map[int]int{1: 1, 2: 2}
	tests := []struct {
		name        string
		f           func()
		read, write func() // accesses that overlap
		none        func() // one that does not
		writes      bool
	}{
		{"Load", func() { native.Load(&v) }, func() { native.Load(&v) }, func() { native.At(&v).Set(2) }, func() {}, false},
		{"Set", func() { native.At(&p.x).Set(3) }, func() { native.Load(p) }, func() { native.Write(p) }, func() { native.Write(&p.y) }, true},
		{"Read", func() { native.Read(&p.y) }, func() { native.Load(p) }, func() { native.Write(p) }, func() { native.Write(&p.x) }, false},
		{"Then", func() { native.Then(1, &p.y) }, func() { native.Load(p) }, func() { native.Write(p) }, func() { native.Write(&p.x) }, false},
		{"ThenMap", func() { native.ThenMap(1, m) }, func() { native.ReadMap(m) }, func() { native.WriteMap(m) }, func() { native.WriteMap(map[int]int{}) }, false},
		{"Write", func() { *native.Write(&p.y) += 1 }, func() { native.Load(p) }, func() { native.Write(p) }, func() { native.Write(&p.x) }, true},
		{"Wrote", func() { native.Wrote(&p.y) }, func() { native.Load(p) }, func() { native.Write(p) }, func() { native.Write(&p.x) }, true},
		{"ReadSlice", func() { native.ReadSlice(s[1:]) }, func() { native.Load(&s[2].y) }, func() { native.Wrote(&s[2].y) }, func() { native.Wrote(&s[0]) }, false},
		{"WroteSlice", func() { native.WroteSlice(s[:2]) }, func() { native.Load(&s[1].y) }, func() { native.Wrote(&s[1].y) }, func() { native.Wrote(&s[2]) }, true},
		{"Grow", func() { native.Grow(s[:1]).By(point{}) }, func() { native.Load(&s[1].y) }, func() { native.Wrote(&s[1]) }, func() { native.Wrote(&s[0]) }, true},
		{"Grow, moved", func() { native.Grow(s[:2:2]).By(point{}) }, func() { native.Load(&s[1].y) }, func() { native.Wrote(&s[1]) }, func() { native.Wrote(&s[2]) }, false},
		{"GrowAt", func() { native.GrowAt(&s).By() }, func() { native.Load(&s) }, func() { native.Wrote(&s) }, func() { native.Wrote(&s[0]) }, false},
		{"ReadMap", func() { native.ReadMap(m) }, func() { native.ReadMap(m) }, func() { native.WriteMap(m) }, func() { native.WriteMap(map[int]int{}) }, false},
		{"WriteMap", func() { native.WriteMap(m)["b"] = 1 }, func() { native.ReadMap(m) }, func() { native.WriteMap(m) }, func() { native.WriteMap(map[string]int{}) }, true},
		{"Copy to", func() { native.Copy(s[:2], []point{{}, {}, {}}) }, func() { native.Load(&s[1].y) }, func() { native.Wrote(&s[1].y) }, func() { native.Wrote(&s[2]) }, true},
		{"Copy less", func() { native.Copy(s, []point{{}}) }, func() { native.Load(&s[0].y) }, func() { native.Wrote(&s[0].y) }, func() { native.Wrote(&s[1]) }, true},
		{"Copy from", func() { native.Copy(make([]point, 2), s) }, func() { native.Load(&s[1].y) }, func() { native.Wrote(&s[1].y) }, func() { native.Wrote(&s[2]) }, false},
		{"CopyBytes of a string", func() { native.CopyBytes(b, "ab") }, func() { native.Load(&b[1]) }, func() { native.Wrote(&b[1]) }, func() { native.Wrote(&b[2]) }, true},
		{"CopyBytes of a slice", func() { native.CopyBytes(make([]byte, 2), b) }, func() { native.Load(&b[1]) }, func() { native.Wrote(&b[1]) }, func() { native.Wrote(&b[2]) }, false},
		{"ClearSlice", func() { native.ClearSlice(s[1:2]) }, func() { native.Load(&s[1]) }, func() { native.Wrote(&s[1]) }, func() { native.Wrote(&s[2]) }, true},
		{"ClearMap", func() { native.ClearMap(m) }, func() { native.ReadMap(m) }, func() { native.WriteMap(m) }, func() {}, true},
		{"Grown", func() { native.Grown(s[:1], s[:2]) }, func() { native.Load(&s[1]) }, func() { native.Wrote(&s[1]) }, func() { native.Wrote(&s[0]); native.Wrote(&s[2]) }, true},
		{"Grown that moves", func() { native.Grown(s[:2:2], make([]point, 3)) }, func() { native.Load(&s[1]) }, func() { native.Wrote(&s[1]) }, func() { native.Wrote(&s[2]) }, false},
		{"Map.At", func() { native.InMap(m).At("x") }, func() { native.ReadMap(m) }, func() { native.WriteMap(m) }, func() { native.WriteMap(map[int]int{}) }, false},
		{"Map.Find", func() { native.InMap(m).Find("x") }, func() { native.ReadMap(m) }, func() { native.WriteMap(m) }, func() { native.WriteMap(map[int]int{}) }, false},
		{"Map.Delete", func() { native.InMap(m).Delete("x") }, func() { native.ReadMap(m) }, func() { native.WriteMap(m) }, func() { native.WriteMap(map[int]int{}) }, true},
		{"a round of a shared map", func() {
			w := native.OverShared(two)
			w.Next()
			w.Next()
		}, func() { native.ReadMap(two) }, func() { native.WriteMap(two) }, func() { native.WriteMap(m) }, false},
		{"a round of an old loop", func() {
			w, _, _ := native.OverAllShared(two)
			w.Next()
			w.Next()
		}, func() { native.ReadMap(two) }, func() { native.WriteMap(two) }, func() { native.WriteMap(m) }, false},
	}
	for _, test := range tests {
		races := func(other func()) bool {
			fails, _ := run(t, sched.Options{}, func() { sched.Go(test.f); other() })
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
		var x any
		p, list := new(point), []int{1, 2}
		native.At(&x).Set(7) // converts
		if native.Load(&x) != any(7) {
			t.Error("At and Load:", x)
		}
		native.At(&p.y).Set(5)
		if v, w := native.Then("v", p), native.ThenMap(p, map[int]int(nil)); v != "v" || w != p {
			t.Error("Then:", v, "ThenMap:", w)
		}
		if q := native.Read(p); q != p || q.y != 5 {
			t.Error("Read:", q)
		}
		if q := native.Write(p); q != p {
			t.Error("Write:", q)
		}
		if copy(list, native.ReadSlice([]int{3, 4})) != 2 || native.WroteSlice(list)[1] != 4 {
			t.Error("slices:", list)
		}
		if list = native.Grow(list).By(5, 6); len(list) != 4 || list[3] != 6 || native.GrowAt(&list).By(7)[4] != 7 {
			t.Error("append:", list)
		}
		var none map[int]int
		if native.ReadMap(none)[1] != 0 || native.ReadSlice([]int(nil)) != nil {
			t.Error("nil is not nil")
		}
		native.WriteMap(map[int]int{})[1] = 1
		type bytes []byte
		text := bytes("abcd")
		if native.Copy(list[:2], []int{5, 6, 7}) != 2 || list[1] != 6 || native.CopyBytes(text, "xy") != 2 ||
			native.CopyBytes(text[3:], bytes("z!")) != 1 || string(text) != "xycz" || native.Count(text) != 4 {
			t.Error("Copy:", list, string(text))
		}
		more := native.Grown(list[:1:1], append(list[:1:1], 8, 9))
		if !slices.Equal(more, []int{5, 8, 9}) {
			t.Error("Grown:", more)
		}
		m := map[any]int{1: 2, "a": 3}
		in := native.InMap(m)
		_, no := in.Find(2)
		if v, ok := in.Find("a"); v != 3 || !ok || no || in.At(1) != 2 {
			t.Error("InMap:", v, ok, no)
		}
		if in.Delete("a"); len(m) != 1 {
			t.Error("Delete:", m)
		}
		native.ClearMap(m)
		if native.ClearSlice(more); len(m) != 0 || !slices.Equal(more, []int{0, 0, 0}) {
			t.Error("Clear:", m, more)
		}
	}
	use()
	for _, races := range []sched.RaceMode{sched.RaceFail, sched.RaceExplore, sched.RaceIgnore} {
		if fails, _ := run(t, sched.Options{Races: races}, use); len(fails) > 0 {
			t.Error(fails)
		}
	}
}

// TestNil accesses what is not there: a panic of the runtime's, under control as
// well.
func TestNil(t *testing.T) {
	for name, f := range map[string]func(){
		"Load": func() { native.Load((*int)(nil)) },
		"Set":  func() { native.At((*int)(nil)).Set(1) },
		"map":  func() { native.WriteMap(map[int]int(nil))[1] = 1 },
	} {
		fails, _ := run(t, sched.Options{}, func() { sched.Go(func() {}); f() })
		if len(fails) != 1 || fails[0].Kind != trace.FailPanic || !strings.Contains(fails[0].Msg, "nil") {
			t.Errorf("%s: %v", name, fails)
		}
	}
}

// TestPosition finds the calls of this file, which are inlined into it or not.
func TestPosition(t *testing.T) {
	for _, o := range []sched.Options{{Record: true}, {Record: true, Races: sched.RaceExplore}} {
		fails, c := run(t, o, func() {
			x := new(int)
			sched.Go(func() { native.At(x).Set(1) })
			native.Load(x)
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
		if o.Races == sched.RaceFail && (len(fails) != 1 || strings.Count(fails[0].Stack, "native/memory_test.go") != 2) {
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
			sink += native.Load(x)
		}
	})
	controlled := func(name string, o sched.Options, f func(n int)) {
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
			sink += native.Load(x)
		}
	}
	controlled("on", sched.Options{}, one)
	controlled("ignored", sched.Options{Races: sched.RaceIgnore}, one)
	controlled("new epochs", sched.Options{MaxSteps: 1 << 40}, func(n int) {
		x, mu := new(int), new(sched.Mutex)
		for range n / 10 {
			mu.Lock()
			for range 5 {
				native.At(x).Set(native.Load(x) + 1)
			}
			mu.Unlock()
		}
	})
	controlled("thousand variables", sched.Options{}, func(n int) {
		x := make([]int, 1000)
		for i := range n {
			sink += native.Load(&x[i%1000])
		}
	})
	controlled("struct", sched.Options{}, func(n int) {
		x := new([5]int)
		for range n {
			sink += native.Load(x)[0]
		}
	})
	controlled("megabyte", sched.Options{MaxSteps: 1 << 40}, func(n int) {
		x, y, mu := make([]byte, 1<<20), make([]int, 10_000), new(sched.Mutex)
		for i := range y {
			native.At(&y[i]).Set(1)
		}
		for range n {
			mu.Lock()
			native.WroteSlice(x)
			mu.Unlock()
		}
	})
}
