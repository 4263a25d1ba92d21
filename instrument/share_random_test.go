package instrument

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// This file holds the analysis of sharing to what is found when all memory is taken
// to be shared, on random programs: in each one goroutine is started, and it and the
// one that starts it come to the same memory by ways that are hard to follow.

// flowsMain explores the same programs in two packages, and says which race.
const flowsMain = `package main

import (
	"fmt"

	all "example.com/behaviour/all"
	analysed "example.com/behaviour/analysed"
	"github.com/gopor/gopor/por"
)

func races(run func()) (race bool) {
	r, err := por.Explore(run, por.MaxExecutions(100))
	if err != nil {
		fmt.Println("error", err)
	}
	for _, f := range r.Failures {
		if f.Kind.String() != "data race" {
			fmt.Println("error", f.Kind, f.Msg)
		}
		race = true
	}
	return race
}

func main() {
	for _, p := range programs {
		fmt.Println("program", p.name, races(p.analysed), races(p.all))
	}
}

var programs = []struct {
	name          string
	analysed, all func()
}{
`

// flowsHead has what all programs use.
const flowsHead = `package flows

type T struct {
	a   int
	arr [2]int
}
type O struct {
	other int
	T
}
type N int
type L []int
type M map[int]int

func (t T) sum() int  { return t.a }
func (p *T) set()     { p.a = 1 }
func (p *T) get() int { return p.a }
func (p *N) set()     { *p = 1 }
func (p *N) get() int { return int(*p) }
func (p L) set()      { p[0] = 1 }
func (p L) get() int  { return p[0] }
func (p M) set()      { p[0] = 1 }
func (p M) get() int  { return p[0] }

type accessor interface {
	set()
	get() int
}

func generic[P any](p P) P           { return p }
func genericSet[P accessor](p P)     { p.set() }
func genericList[P any](ps ...P) []P { return ps }
func run(f func())                   { go f() }
func call(f func())                  { f() }
`

// flowsOfKind is what programs use whose memory is found by values of type $P.
const flowsOfKind = `
type box$K struct { p, q $P }

func (p $P) peek(done chan bool) { _ = p.get(); done <- true }
func (p $P) poke(done chan bool) { p.set(); done <- true }
func (p $P) self() $P            { return p }
func (b box$K) set()             { b.p.set() }

func id$K(p $P) $P              { return p }
func second$K(p, q $P) $P       { _ = p; return q }
func both$K(p, q $P) ($P, $P)   { return q, p }
func keep$K(at *$P, p $P)       { *at = p }
func channel$K(p $P) chan $P    { c := make(chan $P, 1); c <- p; return c }
func set$K(p $P)                { p.set() }
func setSecond$K(p, q $P)       { _ = p; q.set() }
func setAll$K(ps ...$P)         { for _, p := range ps { p.set() } }
func get$K(p $P) int            { return p.get() }
func seq$K(p $P) func(func($P) bool) { return func(yield func($P) bool) { yield(p) } }
`

// flowKind is a kind of memory that goroutines come to share. In a text, @ is to be
// an expression that finds the memory.
type flowKind struct {
	name, pointer string
	decls         []flowDecl
	writes        []string // statements
	reads         []string // expressions
}

// flowDecl is a declaration of x, what finds its memory then, and what is in there.
type flowDecl struct{ text, found, direct string }

var flowKinds = []flowKind{
	{"T", "*T", []flowDecl{
		{"var x T", "&x", "x.a"}, {"x := new(T)", "x", "x.a"}, {"x := &T{}", "x", "x.arr[0]"}, {"var x O", "&x.T", "x.a"},
		{"x := T{a: 1}", "&x", "x.arr[1]"}, {"x := [1]T{}", "&x[0]", "x[0].a"},
	}, []string{
		"(@).a = 2", "(@).arr[1]++", "*(@) = T{}", "clear((@).arr[:])", "(@).a += 2", "func(n *int) { *n = 1 }(&(@).a)",
	}, []string{
		"(@).a", "(@).arr", "(@).sum()", "*(@)",
	}},
	{"N", "*N", []flowDecl{{"var x N", "&x", "x"}, {"x := new(N)", "x", "*x"}}, []string{"*(@) = 3", "*(@)++"}, []string{"*(@)", "int(*(@))"}},
	{"L", "L", []flowDecl{
		{"x := make(L, 2)", "x", "x[0]"}, {"var x [2]int", "L(x[:])", "x[0]"}, {"x := L{1, 2}", "x", "x[0]"}, {"x := append(L(nil), 1, 2)", "x[:1]", "x[0]"},
	}, []string{
		"(@)[0] = 2", "clear(@)", "copy(@, []int{1})", "_ = append((@)[:0], 1)", "for (@)[0] = range 2 { }",
	}, []string{
		"(@)[0]", "append([]int{1}, (@)...)", "len((@)[:1]) + (@)[0]",
	}},
	{"M", "M", []flowDecl{{"x := make(M)", "x", "x[0]"}, {"x := M{}", "x", "x[0]"}}, []string{"(@)[0] = 2", "delete(@, 0)", "clear(@)", "(@)[1]++"}, []string{"(@)[0]", "len(@)"}},
}

// flows writes a random program.
type flows struct {
	*rand.Rand
	flowKind
	name     string
	funcs    strings.Builder // that it calls
	n        int             // how many names it has
	scope    []string        // expressions that find the memory
	here     string          // the memory, if it was declared here
	calls    []string        // variables with functions that use it
	depth    int
	plain    int  // the larger, the fewer memory gets out of sight
	readOnly bool // only what declares the memory writes it
}

// odd reports whether something is to be as it is seldom in a plain program.
func (g *flows) odd() bool { return g.IntN(g.plain) == 0 }

func (g *flows) fresh(prefix string) string {
	g.n++
	return fmt.Sprintf("%s%d", prefix, g.n)
}

// text completes one of several texts.
func (g *flows) text(list ...string) string {
	s := list[g.IntN(len(list))]
	for strings.Contains(s, "@") {
		s = strings.Replace(s, "@", g.memory(), 1)
	}
	return strings.NewReplacer("$K", g.flowKind.name, "$P", g.pointer).Replace(s)
}

// memory returns an expression that finds the memory.
func (g *flows) memory() string {
	if g.depth++; g.depth > 2 || !g.odd() {
		g.depth--
		return g.scope[g.IntN(len(g.scope))]
	}
	defer func() { g.depth-- }()
	return g.text("id$K(@)", "second$K(@, @)", "(@).self()", "any(@).($P)", "generic(@)", "box$K{@, @}.q", "[]$P{@}[0]", "genericList(@, @)[1]",
		"func() $P { return @ }()", "func(p $P) $P { return p }(@)", "(<-channel$K(@))", "accessor(@).($P)", "func() (r $P) { defer func() { r = @ }(); return nil }()",
		"func() $P { r, _ := both$K(@, @); return r }()", "map[int]$P{1: @}[1]", "func() $P { var r $P; keep$K(&r, @); return r }()")
}

// access returns a statement that reads or writes the memory.
func (g *flows) access() string {
	if g.readOnly && g.here == "" {
		return g.text("_ = get$K(@)", "_ = "+g.reads[g.IntN(len(g.reads))])
	}
	if g.depth < 2 && g.odd() {
		g.depth++
		defer func() { g.depth-- }()
		return g.text("set$K(@)", "setSecond$K(@, @)", "setAll$K(@, @)", "_ = get$K(@)", "genericSet(@)", "box$K{@, nil}.set()", "(@).set()", "accessor(@).set()",
			"func() { "+g.access()+" }()", "call(func() { "+g.access()+" })", "func() { defer (@).set() }()", "func() { defer func() { "+g.access()+" }() }()",
			"defer (@).set()", "defer func() { "+g.access()+" }()", "for p := range seq$K(@) { p.set() }", "for range seq$K(@) { "+g.access()+" }",
			"func() { f := (@).set; f() }()", "{ f := ($P).set; f(@) }")
	}
	if g.here != "" && g.IntN(2) == 0 {
		return g.text("_ = "+g.here, g.here+" = 5", g.here+"++")
	}
	if g.IntN(2) == 0 {
		return g.text("_ = " + g.reads[g.IntN(len(g.reads))])
	}
	return g.text(g.writes...)
}

// within writes what it returns for a part of the program where other expressions
// find the memory.
func (g *flows) within(scope []string, write func() string) string {
	outer, calls, here := g.scope, g.calls, g.here
	g.scope, g.calls, g.here = scope, nil, ""
	defer func() { g.scope, g.calls, g.here = outer, calls, here }()
	return write()
}

// start returns a statement that starts the goroutine.
func (g *flows) start(depth int) string {
	if depth > 0 && g.IntN(2) == 0 {
		return g.startBy(depth - 1)
	}
	f := g.fresh("f")
	if !g.odd() {
		return g.text(f+" := (@).peek; go "+f+"(done)", "go func() { "+g.access()+"; done <- true }()", f+" := func() { "+g.access()+"; done <- true }; go "+f+"()")
	}
	return g.text("go (@).peek(done)", "go (@).poke(done)", f+" := (@).poke; run(func() { "+f+"(done) })",
		"go func(p, q $P) { "+g.within([]string{"p", "q"}, g.access)+"; done <- true }(@, @)", "run(func() { "+g.access()+"; done <- true })",
		f+" := ($P).peek; go "+f+"(@, done)", "defer run(func() { "+g.access()+"; done <- true })")
}

// startBy lets a function start the goroutine.
func (g *flows) startBy(depth int) string {
	body := func() string { return g.sequence(depth) }
	switch g.IntN(6) {
	case 0:
		return "func() {" + g.inBlock(body) + "}()"
	case 1:
		return g.text("func(p, q $P) {" + g.within([]string{"p", "q"}, body) + "}(@, @)")
	case 2:
		return "if len(done) == 0 {" + g.inBlock(body) + "}"
	case 3:
		return "for i := range 2 {\nif i == 1 {" + g.inBlock(body) + "}\n" + g.inBlock(g.access) + "\n}"
	case 4:
		f := g.name + g.fresh("R")
		before := g.within([]string{"p", "q"}, g.access)
		g.funcs.WriteString(g.text("func " + f + "(p, q $P, n int, done chan bool) {\nif n > 0 {\n" + before + "\n" + f + "(q, p, n-1, done)\n" +
			g.within([]string{"p", "q"}, g.access) + "\nreturn\n}" + g.within([]string{"p", "q"}, body) + "}\n\n"))
		return g.text(f + "(@, @, 2, done)")
	}
	f := g.name + g.fresh("F")
	g.funcs.WriteString(g.text("func " + f + "(p, q $P, done chan bool) {" + g.within([]string{"p", "q"}, body) + "}\n\n"))
	return g.text(f+"(@, @, done)", f+"(@, @, done)", "defer "+f+"(@, @, done)", "call(func() { "+f+"(@, @, done) })")
}

// inBlock is within for a block, which sees what is declared around it.
func (g *flows) inBlock(write func() string) string {
	n, calls := len(g.scope), len(g.calls)
	defer func() { g.scope, g.calls = g.scope[:n], g.calls[:calls] }()
	return write()
}

// sequence returns statements of which one starts the goroutine.
func (g *flows) sequence(depth int) string {
	lines := []string{""}
	for range g.IntN(3) {
		lines = append(lines, g.prepare())
	}
	lines = append(lines, g.start(depth))
	for range 1 + g.IntN(2) {
		if len(g.calls) > 0 && g.IntN(3) == 0 {
			lines = append(lines, g.calls[g.IntN(len(g.calls))]+"()")
			continue
		}
		if g.IntN(4) > 0 {
			lines = append(lines, g.access())
		}
	}
	return strings.Join(append(lines, ""), "\n")
}

// prepare returns a statement that comes before the goroutine.
func (g *flows) prepare() string {
	v := g.fresh("v")
	switch g.IntN(5) {
	case 0:
		s := v + " := " + g.text("func() { "+g.access()+" }", "(@).set") + "; _ = " + v
		g.calls = append(g.calls, v)
		return s
	case 1:
		s := g.text(v + " := @; _ = " + v)
		g.scope = append(g.scope, v)
		return s
	case 2:
		s := g.text("var "+v+" $P; if len(done) == 0 { "+v+" = @ } else { "+v+" = @ }", "var "+v+" $P; keep$K(&"+v+", @)",
			"var "+v+" $P; func() { "+v+" = @ }()", v+" := @; defer func() { "+v+" = @ }()", v+", _ := both$K(@, @)") + "; _ = " + v
		g.scope = append(g.scope, v)
		return s
	}
	return g.access()
}

// flowsProgram returns a program, and the functions that it calls.
func flowsProgram(name string, r *rand.Rand) string {
	g := &flows{Rand: r, flowKind: flowKinds[r.IntN(len(flowKinds))], name: name, plain: 2 + r.IntN(10), readOnly: r.IntN(2) == 0}
	decl := g.decls[r.IntN(len(g.decls))]
	g.scope, g.here = []string{decl.found}, decl.direct
	body := decl.text + "; _ = x\n" + g.inBlock(func() string { return g.sequence(3) })
	switch r.IntN(4) {
	case 0: // it has memory of its caller's, too
		f := name + "Self"
		other := g.within([]string{"p"}, func() string { return g.sequence(1) })
		return g.funcs.String() + g.text("func "+f+"(p $P, n int, done chan bool) {\nif n == 1 {"+other+"return\n}\n"+
			decl.text+"; _ = x\n"+g.access()+"\n"+f+"("+decl.found+", 1, done)\n"+g.access()+"\n}\n\n") +
			"func " + name + "() {\ndone := make(chan bool, 1)\n" + f + "(nil, 0, done)\n<-done\n}\n\n"
	case 1:
		return g.funcs.String() + "func " + name + "() {\ndone := make(chan bool, 1)\nfunc() {\n" + body + "}()\n<-done\n}\n\n"
	}
	return g.funcs.String() + "func " + name + "() {\ndone := make(chan bool, 1)\n" + name + "In(done)\n<-done\n}\n\nfunc " + name + "In(done chan bool) {\n" + body + "}\n\n"
}

// allShared knows of a package that all of its memory is shared.
func allShared(p *Package) *sharing {
	s := newSharing(p)
	clear(s.values)
	for _, o := range p.Info.Defs {
		s.knownVar[o] = true
	}
	for _, o := range p.Info.Implicits {
		s.knownVar[o] = true
	}
	return s
}

// TestSharingRandom looks for races that are not found because memory was not
// taken to be shared.
func TestSharingRandom(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds a program")
	}
	n, seed := randomSettings(t, 75)
	dir := behaviourModule(t)
	text, main := flowsHead, flowsMain
	for _, k := range flowKinds {
		text += strings.NewReplacer("$K", k.name, "$P", k.pointer).Replace(flowsOfKind)
	}
	programs := make(map[string]string)
	for i := range n {
		name := fmt.Sprint("Run", i)
		programs[name] = flowsProgram(name, rand.New(rand.NewPCG(seed, uint64(i))))
		text += programs[name]
		main += fmt.Sprintf("\t{%q, analysed.%s, all.%s},\n", name, name, name)
	}
	write(t, filepath.Join(dir, "main.go"), main+"}\n")
	sources := []Source{{"flows.go", []byte(text)}}
	rewriteInto(t, dir, "analysed", sources)
	rewriteWith(t, dir, "all", sources, allShared)
	races := 0
	for line := range strings.Lines(string(goTool(t, dir, "run", "."))) {
		var name string
		var analysed, all bool
		if _, err := fmt.Sscanf(line, "program %s %t %t\n", &name, &analysed, &all); err != nil {
			t.Error(line)
		}
		if analysed != all {
			t.Errorf("a race that is found: %t; if all memory is shared: %t\n%s", analysed, all, programs[name])
		}
		if all {
			races++
		}
	}
	t.Logf("%d of %d programs race", races, n)
	if races < n/4 || races > n*19/20 {
		t.Errorf("%d of %d programs race", races, n)
	}
}
