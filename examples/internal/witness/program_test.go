package witness

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// Programs are read as they were written, and every step is drawn at times.
func TestText(t *testing.T) {
	drawn := make(map[string]bool)
	for i := range uint64(20_000) {
		p := Generate(rand.New(rand.NewPCG(1, i)).IntN)
		for _, steps := range p.Threads {
			for _, s := range steps {
				drawn[s.Name] = true
			}
		}
		q, err := Parse(p.String())
		if err != nil {
			t.Fatalf("%v\n%v", err, p)
		}
		if p.String() != q.String() {
			t.Fatalf("%v is read as\n%v", p, q)
		}
	}
	for _, s := range Steps() {
		if !drawn[s.Name] {
			t.Errorf("%q is never drawn", s.Name)
		}
	}
	for _, m := range []map[string]string{ends, partners} {
		for s, partner := range m {
			if stepNamed[s] == nil || stepNamed[partner] == nil {
				t.Errorf("%q has the partner %q, one of which is no step", s, partner)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                          `a line that begins with "main:"`,
		"# nothing":                 `a line that begins with "main:"`,
		"go: n.Add(1)":              `line 1: "go: n.Add(1)" should begin with "main:"`,
		"main: n.Add(1)\nn.Load()":  `line 2: "n.Load()" should begin with "go:"`,
		"main: n.Add(1); n.Sub(1)":  `line 1: there is no step "n.Sub(1)"`,
		"main: n.Add(1)\ngo: <-c,d": `line 2: there is no step "<-c,d"`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// What is left after shrinking is needed.
func TestShrink(t *testing.T) {
	p := Generate(rand.New(rand.NewPCG(1, 3)).IntN)
	p.Threads[1] = append(p.Threads[1], stepNamed["close(c)"], stepNamed["n.Load()"])
	p.Threads[0] = append(p.Threads[0], stepNamed["<-z"])
	q := Shrink(p, func(q *Program) bool {
		return slices.ContainsFunc(q.Threads, func(l []*Step) bool { return slices.Contains(l, stepNamed["close(c)"]) }) &&
			slices.Contains(q.Threads[0], stepNamed["<-z"])
	})
	if want := "main: <-z\ngo: close(c)\n"; q.String() != want {
		t.Errorf("%vshrinks to\n%v, want\n%v", p, q, want)
	}
}

// Outcomes of native runs, of threads that wait for ever among them.
func TestNative(t *testing.T) {
	for _, test := range []struct {
		program, want string
		waits         bool
	}{
		{"main: n.Add(1); n.Load()", "1, 1", false},
		{"main: c <- v\ngo: <-c", "ok | 10 true", false},
		{"main: c <- v\ngo: <-d", " waits |  waits", true},
		{"main: <-c\ngo: d <- v", " waits | ok", true},
		{"main: mu.Lock(); mu.Lock()\ngo: close(z)", "ok waits | panic: close of nil channel", true},
		{"main: <-timer.C; <-timer.C", "ok waits", true},
		{"main: runtime.Goexit(); <-c\ngo: <-l.Done()", "exit | late", false},
	} {
		p, err := Parse(test.program)
		if err != nil {
			t.Fatal(err)
		}
		for level := range uint32(3) {
			if got, waits := runNative(p, level, 100*time.Millisecond); got != test.want || waits != test.waits {
				t.Errorf("%s: %q, waits: %v; want %q", test.program, got, waits, test.want)
			}
		}
	}
}
