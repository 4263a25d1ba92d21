package toy

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gopor/gopor/sched/trace"
)

const every = `time any
cell x 0
chan c 1
mutex m
rwmutex w
waitgroup g
once o
cond k m
pool p
timer t 5
ticker u 5
after f 5 2
thread
	spawn 1
	r0 = load x
	unless r0 == 1 skip 2
	r1 = cas x 0 r0
	if r1 == r0 skip 1
	r2 = select send c 1, recv t, default
	select
	r3 = once o 1
	use p
	join 1
thread
	r1 = read x
	write x 1
	r1 = update x 2
	store x 1
	r1 = add x -1
	r1 = and x 6
	r1 = or x r1
	r1 = swap x r1
	lock m
	unlock m
	r1 = trylock m
	rlock w
	runlock w
	r1 = tryrlock w
	send c 1
	r1 = recv c
	close c
	r1 = len c
	r1 = recv u
	wgadd g 1
	done g
	wgwait g
	wait k
	signal k
	broadcast k
	r1 = choose 2
	yield
	sleep 5
	r1 = stop f
	r1 = reset f 7
	r1 = now
thread
	load x
`

func TestText(t *testing.T) {
	p, err := Parse(every)
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != every {
		t.Errorf("got\n%v\nwant\n%v", p, every)
	}
	used := map[Code]bool{}
	for _, body := range p.Threads {
		for _, in := range body {
			used[in.Code] = true
		}
	}
	for c := Code(0); c < numCodes; c++ {
		if !used[c] {
			t.Errorf("%v is not in the text", c)
		}
	}
}

func TestTextRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		p := Generate(rng.IntN)
		q, err := Parse(p.String())
		if err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		if p.String() != q.String() {
			t.Fatalf("got\n%v\nwant\n%v", q, p)
		}
	}
}

func TestBadText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "needs a thread",
		"cell x":                            "want 3 words",
		"cell x y\nthread":                  "invalid syntax",
		"widget x 1\nthread":                "no such kind",
		"cond k m\nthread":                  "no object m",
		"cell m 0\ncond k m\nthread":        "needs a mutex",
		"cell x 0\ncell x 1\nthread":        "two objects",
		"after f 1 0\nthread":               "other than main",
		"ticker f 0\nthread":                "too small",
		"time x\nthread":                    "time any",
		"time lag\nthread":                  "time lag N",
		"thread\n fly":                      "no such instruction",
		"thread\n load y":                   "no object y",
		"mutex m\nthread\n load m":          "no such operation",
		"cell x 0\nthread\n r8 = load x":    "register 8",
		"cell x 0\nthread\n store x r9":     "no register 9",
		"cell x 0\nthread\n r0 = store x 1": "no result",
		"thread\n spawn 1":                  "want a thread",
		"thread\n spawn 0":                  "want a thread",
		"thread\n choose 0":                 "alternative",
		"thread\n if r0 == 1 skip 1":        "out of range",
		"thread\n if x == 1":                "want: if",
		"once o\nthread\n once o 1":         "out of range",
		"once o\ncell x 0\nthread\n once o 1\n if r0 == 0 skip 1\n load x": "leads out",
		"once o\ncell x 0\nthread\n if r0 == 0 skip 1\n once o 1\n load x": "leads into",
		"after f 1 1\nthread\nthread\n reset f 1":                          "restart itself",
		"chan c 0\nthread\n select rcv c":                                  "want cases",
		"timer t 1\nthread\n select send t 1":                              "no channel",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want one with %q", text, err, want)
		}
	}
}

// follow performs a random execution of p.
func follow(t testing.TB, p trace.Program, rng *rand.Rand) (trace.Schedule, string) {
	run := p.Start()
	defer run.Close()
	var s trace.Schedule
	for {
		ops := run.Pending()
		if len(ops) == 0 {
			return s, run.(*Runner).FinalState()
		}
		op := ops[rng.IntN(len(ops))]
		c := trace.Choice{G: op.G, Alt: rng.Int32N(op.Alts)}
		if _, err := run.Step(c); err != nil {
			t.Fatal(err)
		}
		s = append(s, c)
	}
}

// TestReplay performs random executions and replays them, on the same runner
// and on another one, whose goroutines must have the same numbers.
func TestReplay(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		p := Generate(rng.IntN)
		r, other := New(p), New(p)
		for range 5 {
			s, state := follow(t, r, rng)
			for _, x := range []*Runner{r, other} {
				run := x.Start()
				if err := run.Replay(s); err != nil {
					t.Fatalf("%v\n%v\n%v", err, s, p)
				}
				if got := x.FinalState(); got != state || len(run.Pending()) > 0 || run.Len() != len(s) {
					t.Fatalf("replay of %v leads to\n%s, not\n%s\n%v", s, got, state, p)
				}
				run.Close()
			}
		}
	}
}

func TestShrink(t *testing.T) {
	p := MustParse(every)
	has := func(c Code) func(*Program) bool {
		return func(q *Program) bool {
			for _, body := range q.Threads {
				for _, in := range body {
					if in.Code == c {
						return true
					}
				}
			}
			return false
		}
	}
	for c := If; c < numCodes; c++ {
		q := Shrink(p, has(c))
		if n := q.Len(); n > 2 {
			t.Errorf("a program with %v shrinks to one with %d instructions:\n%v", c, n, q)
		}
	}
}

func TestDivergence(t *testing.T) {
	r := New(MustParse("cell x 0\nthread\n load x"))
	run := r.Start()
	defer run.Close()
	if _, err := run.Step(trace.Choice{G: 7}); err == nil {
		t.Error("a goroutine that does not exist has moved")
	}
	if len(run.Pending()) > 0 {
		t.Error("there are pending operations after an error")
	}
}

func BenchmarkReplay(b *testing.B) {
	p := MustParse("cell x 0\nmutex m\nthread\n spawn 1\n lock m\n add x 1\n unlock m\n join 1\nthread\n lock m\n add x 1\n unlock m\n")
	r := New(p)
	rng := rand.New(rand.NewPCG(1, 2))
	s, _ := follow(b, r, rng)
	b.ReportAllocs()
	for b.Loop() {
		run := r.Start()
		if err := run.Replay(s); err != nil {
			b.Fatal(err)
		}
		run.Close()
	}
}
