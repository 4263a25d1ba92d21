package naming

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/expr"
	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

type account struct {
	mu      sched.Mutex
	balance *sched.Var[int]
}

func (a *account) lock() { a.mu.Lock() }

func transfer(from, to *account) {
	from.lock()
	defer from.mu.Unlock()
	to.lock()
	defer to.mu.Unlock()
	from.balance.Store(1)
	to.balance.Store(
		2)
}

type embedding struct{ sched.RWMutex }

func generic[T any](c *sched.Chan[T], v T) { c.Send(v) }

// TestNames compares the names of objects in a record with those that the program has
// for them.
func TestNames(t *testing.T) {
	for _, test := range []struct {
		name, want string
		f          func()
	}{
		{"parameters", "alice.mu alice.balance bob.mu bob.balance", func() {
			alice := account{balance: sched.NewVar(0)}
			bob := account{balance: sched.NewVar(0)}
			transfer(&alice, &bob)
		}},
		{"pointers", "p.mu", func() {
			p := &account{}
			p.lock()
			(*p).mu.Unlock()
		}},
		{"fields of fields", "bank.first.mu bank.all[1].mu", func() {
			var bank struct {
				first account
				all   [2]*account
			}
			bank.first.lock()
			bank.all[1] = &account{}
			bank.all[1].lock()
		}},
		{"one expression for several", "all[i].mu all[i].mu#2", func() {
			var all [2]account
			for i := range all {
				all[i].mu.Lock()
			}
		}},
		{"several expressions for one", "busy", func() {
			busy := &sched.Mutex{}
			same := busy
			busy.Lock()
			busy.Unlock()
			same.Lock()
		}},
		{"embedded", "e", func() {
			var e embedding
			e.RLock()
			e.RUnlock()
		}},
		{"two on one line", "Mutex_1 Mutex_2 c", func() {
			var a, b, c sched.Mutex
			func() { a.Lock(); b.Lock() }()
			c.Lock()
		}},
		{"literals and generics", "results done wg", func() {
			results, done := sched.NewChan[int](1), sched.NewChan[bool](1)
			var wg sched.WaitGroup
			wg.Add(1)
			func(c *sched.Chan[int]) { c.Send(1) }(results)
			generic(done, true)
			wg.Done()
		}},
		{"what has no name", "Mutex_1", func() {
			func() *sched.Mutex { return new(sched.Mutex) }().Lock()
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := exec.New(test.f, exec.Options{Record: true, Races: sched.RaceExplore, AllowLeaks: true})
			defer c.Shutdown()
			r := c.Start()
			for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
				if _, err := r.Step(trace.Choice{G: ops[0].G}); err != nil {
					t.Fatal(err)
				}
			}
			entries := c.Record()
			New().Apply(entries)
			var got []string
			for _, e := range entries {
				if name := strings.ReplaceAll(Object(&e), " ", "_"); name != "" && !slices.Contains(got, name) {
					got = append(got, name)
				}
			}
			slices.Sort(got)
			want := strings.Fields(test.want)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s%v", diff, entries)
			}
		})
	}
}

// TestLiteralNames looks for names of what the lines of composite literals write and read.
func TestLiteralNames(t *testing.T) {
	const source = `package p

func f(initial string, k int) {
	f := &FSM{
		name:    initial,
		current: initial,
		at: Pos{
			x: k, y: k,
			z: 1,
		},
		next: &FSM{
			current: initial,
		},
	}
	all := []*FSM{{}, {
		current: "all",
	}}
	table := [3]int{
		k: 1,
	}
	g := &FSM{current: initial}
	h := new(FSM)
	f.current, g.current = "a", "b"
	h.next = func() *FSM {
		h.current = "c"
		return nil
	}()
}

var total int

func fill(to, from []byte, k int) (n int) {
	n = copy(to, from)
	m := copy(to[k:], from)
	total = copy(to, from)
	file.Read(to)
	file.ReadAt(to[k:], 8)
	return m
}

type FSM struct {
	current string
	next    *FSM
}
`
	file := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	n := New()
	lines := strings.Split(source, "\n")
	for _, test := range []struct {
		line, op, want string
		weight         int
	}{
		{"	f := &FSM{", "write", "f", 1},
		{"		name:    initial,", "write", "f.name", 2},
		{"		current: initial,", "write", "f.current", 2},
		{"		current: initial,", "read", "initial", 1},
		{"			x: k, y: k,", "write", "", 0},
		{"			x: k, y: k,", "read", "k", 1},
		{"			z: 1,", "write", "f.at.z", 2},
		{"			current: initial,", "write", "f.next.current", 2},
		{"	all := []*FSM{{}, {", "write", "all", 1},
		{"		current: \"all\",", "write", "all[1].current", 2},
		{"		k: 1,", "write", "table[k]", 2},
		{"		k: 1,", "read", "k", 1},
		{"	g := &FSM{current: initial}", "write", "g", 1},
		{"	h := new(FSM)", "write", "h", 2},
		{"		h.current = \"c\"", "write", "h.current", 2},
		{"	f.current, g.current = \"a\", \"b\"", "write", "", 0},
		{"	n = copy(to, from)", "write", "to[0]", 1},
		{"	m := copy(to[k:], from)", "write", "to[k]", 1},
		{"	total = copy(to, from)", "write", "", 0},
		{"	file.Read(to)", "write", "to[0]", 1},
		{"	file.ReadAt(to[k:], 8)", "write", "to[k]", 1},
	} {
		line := slices.Index(lines, test.line) + 1
		got := n.find([]exec.Call{{File: file, Line: line}}, test.op, "memory")
		if got != (calling{test.want, test.weight * ofProgram}) {
			t.Errorf("%s: %q: %v, want %q with %d", test.op, test.line, got, test.want, test.weight)
		}
	}
	current := slices.Index(lines, "		current: initial,") + 1
	if got := n.kindOf(file, n.expression(file, current, "write", "memory")); got != (expr.Kind{Class: expr.Other}) {
		t.Errorf("the field is of kind %v", got)
	}
}

// TestAlike sees to it that kinds of objects are compared as wholes.
func TestAlike(t *testing.T) {
	entries := []exec.Entry{{Obj: "Mutex 1"}, {Obj: "MutexMap 1"}, {Obj: ""}, {Obj: "chan 2"}, {Obj: "Mutex 12"}}
	var got []string
	for _, e := range Alike([]string{"Mutex 3"}, entries) {
		got = append(got, e.Obj)
	}
	if want := []string{"Mutex 1", "Mutex 12"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	names := Names{"Mutex 1": "a.mu"}
	if a, b := names.Of("Mutex 1"), names.Of("Mutex 12"); a != "a.mu" || b != "Mutex 12" {
		t.Errorf("Mutex 1 is %s, Mutex 12 is %s", a, b)
	}
}

// standardLine returns a file of the standard library, and the number of the line with that text.
func standardLine(t *testing.T, name, text string) (file string, line int) {
	t.Helper()
	if stack.StandardFolder == "" {
		t.Skip("it is not known where the standard library is")
	}
	file = stack.StandardFolder + name
	all, err := os.ReadFile(file)
	if err != nil {
		t.Skip(err)
	}
	return file, slices.Index(strings.Split(string(all), "\n"), text) + 1
}

// What the standard library calls an object counts where the program has no name for it.
func TestNamesOfTheStandardLibrary(t *testing.T) {
	file, line := standardLine(t, "container/list/list.go", "\tl.len++")
	got := New().find([]exec.Call{{File: file, Line: line}}, "write", "memory")
	if got.text != "l.len" || got.weight >= ofProgram {
		t.Errorf("%v, want l.len with less than %d", got, ofProgram)
	}
}

// A map is one object, whatever the key; what is in its memory is the number of its entries.
func TestNamesOfMaps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	text := `package a

import "sync"

type key struct{ a, b int }

type box struct {
	m map[key]int
	s []int
	l map[string]*sync.Mutex
}

func f(b *box, i int) {
	b.m[key{1, i}] = 2
	b.m[key{}]++
	b.s[i+1] = 3
	b.s[i-1]++
	b.l["x"].Lock()
}
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(text, "\n") {
		want, value := "b.m", ""
		switch {
		case strings.Contains(line, "b.m["):
		case strings.Contains(line, "b.s[i+1]"):
			want, value = "b.s[i + 1]", "7"
		case strings.Contains(line, "b.s[i-1]"):
			want, value = "b.s[i - 1]", "7"
		default:
			continue
		}
		n := New()
		e := &exec.Entry{Obj: "memory 1", Kind: trace.OpWrite, Stack: []exec.Call{{File: file, Line: i + 1}}, Word: 7, Size: 8}
		if got := n.find(e.Stack, e.Op(), "memory"); got.text != want {
			t.Errorf("%s: %q, want %q", line, got.text, want)
		}
		n.learnType(e)
		if got := decode(n.kinds[e.Obj], e); got != value {
			t.Errorf("%s: the value is %q, want %q", line, got, value)
		}
	}
	// What is locked is not the map.
	line := slices.Index(strings.Split(text, "\n"), `	b.l["x"].Lock()`) + 1
	if got := New().find([]exec.Call{{File: file, Line: line}}, "lock", "Mutex"); got.text != `b.l["x"]` {
		t.Errorf("a lock in a map is %q", got.text)
	}
}

// TestThin compares what the parser gets of a file with the file.
func TestThin(t *testing.T) {
	const text = `// Package p.
package p

// T is a type.
type T struct {
	a int // of T
}

func (t *T) first() {
	t.a++
	if t.a > 1 {
		return
	}
}

func second(
	x int,
) (y int) {
	return x
}

func third() { second(1) }

func fourth() {
	// A comment.
	third()
}
`
	const short = `
package p


type T struct {
	a int // of T
}

func (t *T) first() {




}

func second(
	x int,
) (y int) {
	return x
}

func third() { second(1) }

func fourth() {


}
`
	line := slices.Index(strings.Split(text, "\n"), "\treturn x") + 1
	if diff := cmp.Diff(short, string(thin([]byte(text), []int{line}))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, at := range []int{line - 3, line + 1} { // the first and the last line of the function
		if got := string(thin([]byte(text), []int{at})); got != short {
			t.Errorf("with line %d:\n%s", at, got)
		}
	}
}

// TestThinFails has a raw string with lines like those that end a function. Such a file is parsed as
// it is, and so is the function of a stack that comes late.
func TestThinFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	text := "package a\n\nfunc f() string {\n\treturn `\n}\n`\n}\n\nfunc g() {\n\tmu.Lock()\n}\n\nfunc h() {\n\tall.mu.Lock()\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	n := New()
	for line, want := range map[int]string{10: "mu", 14: "all.mu"} {
		if got := n.find([]exec.Call{{File: file, Line: line}}, "lock", "Mutex"); got.text != want {
			t.Errorf("line %d: %q, want %q", line, got.text, want)
		}
	}
}

// TestParsed names what a function of a large package locks. The parser gets that function only.
func TestParsed(t *testing.T) {
	file, line := standardLine(t, "net/http/server.go", "func (s *Server) Close() error {")
	line += 2
	whole, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	n := New()
	if got := n.find([]exec.Call{{File: file, Line: line}}, "lock", "Mutex"); got.text != "s.mu" {
		t.Errorf("line %d locks %q", line, got.text)
	}
	if f := n.files[file]; len(n.files) != 1 || len(f.funcs) != 1 || f.file.Size() > int(whole.Size()/2) {
		t.Errorf("%d files, and of one of %d bytes %d functions in %d", len(n.files), whole.Size(), len(f.funcs), f.file.Size())
	}
}

// TestTypesOfLateFunctions looks up the type of a variable of a function that a stack shows after the
// types of its package were looked up.
func TestTypesOfLateFunctions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	text := `package a

var total int64

func first() {
	total++
}

func second(x any) {
	switch v := x.(type) {
	case int8:
		v++
	}
}
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	n := New()
	for i, test := range []struct {
		line string
		want expr.Kind
	}{{"\ttotal++", expr.Kind{Class: expr.Signed, Size: 8}}, {"\t\tv++", expr.Kind{Class: expr.Signed, Size: 1}}} {
		line := slices.Index(strings.Split(text, "\n"), test.line) + 1
		e := &exec.Entry{Obj: test.line, Kind: trace.OpWrite, Stack: []exec.Call{{File: file, Line: line}}, Size: 8}
		if n.learnType(e); n.kinds[e.Obj] != test.want {
			t.Errorf("variable %d is of kind %v, want %v", i, n.kinds[e.Obj], test.want)
		}
	}
}
