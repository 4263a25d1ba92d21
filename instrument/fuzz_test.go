package instrument

import (
	"fmt"
	"go/types"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"
)

// loader loads packages of one file. What they import is read once.
var loader = sync.OnceValues(func() (func(text []byte) (*Package, error), error) {
	files, err := exported()
	if err != nil {
		return nil, err
	}
	from, sizes := newArchives(files, stdNames(files)), types.SizesFor("gc", runtime.GOARCH)
	return func(text []byte) (*Package, error) {
		return Load("p", "go1.26", []Source{{"in.go", text}}, from, sizes)
	}, nil
})

// ready makes what all inputs need. The first one would take too long with it: an input that takes ten seconds is a failure.
func ready(f *testing.F) {
	if _, err := loader(); err != nil {
		f.Skip(err)
	}
}

// rewritesWell rewrites a file in all ways, if it has no mistake. What comes out has none either, or the file was refused.
func rewritesWell(t *testing.T, text []byte) {
	load, err := loader()
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]rewriter{"syntax": syntaxRewriters, "all": rewriters} {
		p, err := load(text) // anew: rewriting may change the tree
		if err != nil {
			return
		}
		texts, refused := rewriteBy(list, p)
		for _, r := range refused {
			if r.Error() == "" {
				t.Errorf("%s: refused without a reason:\n%s", name, text)
			}
		}
		if _, err := load(texts[0]); err != nil && len(refused) == 0 {
			t.Errorf("%s: %v\n%s\nis rewritten to\n%s", name, err, text, texts[0])
		}
	}
}

// FuzzRewrite rewrites Go files. It begins with those of the golden tests.
func FuzzRewrite(f *testing.F) {
	for _, pattern := range []string{"testdata/rewrite/*.txtar", "testdata/memory/*.txtar", "testdata/awaits/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatal("no test data", err)
		}
		for _, name := range names {
			a, err := txtar.ParseFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(a.Files[0].Data)
		}
	}
	ready(f)
	f.Fuzz(rewritesWell)
}

// statements and expressions are what [program] chooses from. S stands for statements, I for an int, C for a channel, B for a bool,
// and # for a number that no other name has.
var statements = []string{
	"go func() { S }()", "go c.f(I, C)", "defer func() { S }()", "defer close(C)", "go g[int](I)", "go println(I, B)",
	"C <- I", "<-C", "x#, ok# := <-C; _, _ = x#, ok#", "x = <-C", "c.n, m[I] = <-C, I", "var v# = <-C; _ = v#", "_ = <-C",
	"select { case v# := <-C: _ = v#; S; case C <- I: S; default: S }", "select { case x = <-C: case m[I], c.ok = <-C: S }",
	"L#: for B { select { case <-C: break L#; case C <- I: continue L# } }", "select { case <-C: S }", "select { default: S }",
	"for x = range C { S }", "for range C { S; break }", "for k#, v# := range m { _, _ = k#, v#; S }", "for m[x] = range m { S }", "for range m { S }",
	"L#: for k# := range m { if B { continue L# }; x = k#; S }", "for i# := range I { _ = i#; S }", "for i#, v# := range a { x += i# + v# }", "for v# := range seq { x = v#; S }",
	"if v# := I; v# > x { S } else { S }", "switch v# := I; { case B: S; fallthrough; default: _ = v#; S }", "switch y := any(I).(type) { case int: x = y; S; case chan int: S }",
	"x++", "c.n += I", "*p = I", "a[I%4], x = x, a[I%4]", "m[I]++", "delete(m, I)", "clear(m)", "s = append(s, I, I)", "copy(s, s[I%4:])", "p = &c.n", "c = T{n: I, C: C}", "c, d = d, c",
	"{ S }", "func() { S }()", "goto L#; L#: S", "if B { return I }", "for x < I { x++; S }", "var w# [3]struct{ n int; _ int }; w#[0].n = I; _ = w#",
	"L#: if B { if B { break_ := x; _ = break_; goto L# } }", "for i# := 0; i# < I; i# += I { go func() { x = i# }() }",
}

var expressions = map[byte][]string{
	'I': {"1", "x", "c.n", "*p", "<-C", "m[I]", "len(C)", "cap(C)", "len(m)", "a[I&3]", "s[0]", "f(I, C)", "c.f(I, C)", "func() int { S; return I }()", "I + I", "-I", "int(uint8(I))", "g[int](I)", "<-(<-cc)", "min(I, I)", "c.i.n", "T{n: I}.n", "len(append(s, I))"},
	'C': {"C", "(C)", "c.C", "make(chan int, I&1)", "<-cc", "func() chan int { S; return C }()", "cs[I]", "*pc"},
	'B': {"true", "x > I", "c.ok", "<-cb", "B && B", "!B", "m[I] == I", "C == nil", "*p != 0 || B"},
}

// program returns a file with the statements that data chooses.
func program(data []byte) string {
	n := 0
	next := func(k int) int {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return int(b) % k
	}
	var expand func(text string, depth int) string
	expand = func(text string, depth int) string {
		var b strings.Builder
		n++
		text = strings.ReplaceAll(text, "#", fmt.Sprint(n))
		for i := range len(text) {
			c := text[i]
			alone := (i == 0 || !isLetter(text[i-1])) && (i == len(text)-1 || !isLetter(text[i+1]))
			list := expressions[c]
			switch {
			case !alone || c != 'S' && list == nil || c == 'C' && i > 0 && text[i-1] == '.':
				b.WriteByte(c)
			case c == 'C' && i < len(text)-1 && text[i+1] == ':' && i > 1 && text[i-2] == ',':
				b.WriteByte(c) // the key of a literal
			case c == 'S' && (depth > 4 || len(data) == 0):
			case c == 'S':
				for range 1 + next(3) {
					b.WriteString(expand(statements[next(len(statements))], depth+1) + "\n")
				}
			case depth > 6 || len(data) == 0:
				b.WriteString(map[byte]string{'I': "x", 'C': "ch", 'B': "c.ok"}[c])
			default:
				e := list[next(len(list))]
				if e == "C" || e == "(C)" {
					e = strings.ReplaceAll(e, "C", "ch")
				}
				b.WriteString(expand(e, depth+1))
			}
		}
		return b.String()
	}
	return `package p

type T struct { n int; ok bool; C chan int; i struct{ n int } }

func (t *T) f(n int, c chan int) int { return n }
func f(n int, c chan int) int { return n }
func g[E any](e E) E { return e }
func seq(yield func(int) bool) { yield(1) }

func all(x int, c, d T, p *int, ch chan int, cc chan chan int, cb chan bool, cs map[int]chan int, pc *chan int, m map[int]int, a [4]int, s []int) int {
` + expand("S S S S", 0) + `
	return x
}
`
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// FuzzStatements rewrites statements that stand in each other in all ways.
func FuzzStatements(f *testing.F) {
	for i := range len(statements) {
		f.Add([]byte{0, byte(i), 2, 13, 0, 8, 5, 2, 22, 7, 1, 9, 4, 30, 11, byte(i), 6, 3, 14})
	}
	ready(f)
	f.Fuzz(func(t *testing.T, data []byte) { rewritesWell(t, []byte(program(data))) })
}

// TestStatements sees to it that many of the programs of FuzzStatements have no mistakes, or it would test nothing.
func TestStatements(t *testing.T) {
	load, err := loader()
	if err != nil {
		t.Skip(err)
	}
	fine := 0
	for i := range len(statements) {
		text := program([]byte{0, byte(i), 0, 3, 0, 8, 5, 2, 22, 7, 1, 9})
		if _, err := load([]byte(text)); err == nil {
			fine++
		} else {
			t.Logf("%s: %v", statements[i], err)
		}
	}
	if fine < len(statements)*2/3 {
		t.Errorf("%d of %d programs have no mistakes", fine, len(statements))
	}
}
