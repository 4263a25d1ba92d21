package racy

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
)

// program is a test function of goroutines that share variables.
type program struct {
	vars    []variable
	threads []thread
	inTest  bool // the last thread is the test itself
	start   int
	edges   []edgeUse
	body    string // all of it, if it is not drawn
}

// variable is one that is shared: a kind, and where it lies.
type variable struct{ kind, place int }

type thread []step

// step is an operation, on a variable, under a guard if that is not negative.
type step struct{ variable, op, guard int }

// edgeUse is an edge between two threads: release comes before a step of from, acquire
// before a step of to.
type edgeUse struct{ edge, from, before, to, at int }

// places are where a variable may lie. T is its type, # its number in the module.
var places = []struct{ name, global, decl, text string }{
	{"local", "", "var v@ T", "v@"},
	{"field", "", "s@ := new(struct { x int; f T; y int })", "s@.f"},
	{"pointer", "", "ptr@ := new(T)", "(*ptr@)"},
	{"global", "var g# T", "g# = *new(T)", "g#"},
	{"element", "", "a@ := make([]T, 2)", "a@[1]"},
}

// pairs are programs of two goroutines, one for each two operations of a kind.
func pairs() iter.Seq[program] {
	return func(yield func(program) bool) {
		for k := range kinds {
			n := len(kinds[k].operations())
			for i := range n {
				for j := range i + 1 {
					p := program{vars: []variable{{kind: k}}, threads: []thread{{{0, i, -1}}, {{0, j, -1}}}}
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// random draws a program.
func random(r *rand.Rand) program {
	p := program{start: r.IntN(len(starts)), inTest: r.IntN(3) == 0}
	if starts[p.start].join == "" {
		p.inTest = false
	}
	for range 1 + r.IntN(4)/3 {
		p.vars = append(p.vars, variable{r.IntN(len(kinds)), r.IntN(len(places))})
	}
	p.threads = make([]thread, 2+r.IntN(4)/3)
	allowed := drawGuards(r)
	for i := range p.threads {
		for range 1 + r.IntN(3) {
			p.threads[i] = append(p.threads[i], p.randomStep(r, allowed))
		}
	}
	p.drawEdges(r)
	return p
}

// drawGuards draws the guards of a program. Most programs have one or two, since
// different ones keep nobody apart.
func drawGuards(r *rand.Rand) []int {
	list := []int{-1}
	switch r.IntN(4) {
	case 0:
	case 1:
		list = append(list, r.IntN(len(guards)))
	case 2:
		list = []int{r.IntN(len(guards))}
	default:
		list = []int{r.IntN(len(guards)), r.IntN(len(guards))}
	}
	return list
}

func (p *program) randomStep(r *rand.Rand, allowed []int) step {
	v := r.IntN(len(p.vars))
	ops := kinds[p.vars[v].kind].operations()
	return step{v, r.IntN(len(ops)), allowed[r.IntN(len(allowed))]}
}

// drawEdges draws what orders threads. Nobody waits for a thread that comes after it, so
// nobody waits for ever; where two wait for each other there is no other edge.
func (p *program) drawEdges(r *rand.Rand) {
	for range r.IntN(3) {
		to := 1 + r.IntN(len(p.threads)-1)
		u := edgeUse{edge: r.IntN(len(edges)), from: r.IntN(to), to: to}
		if edges[u.edge].meet && len(p.edges) > 0 {
			continue
		}
		u.before = r.IntN(len(p.threads[u.from]) + 1)
		u.at = r.IntN(len(p.threads[u.to]))
		if r.IntN(2) == 0 {
			u.before, u.at = len(p.threads[u.from]), 0
		}
		p.edges = append(p.edges, u)
		if edges[u.edge].meet {
			return
		}
	}
}

// text returns the program as a test function, with the variables at package level that
// it has.
func (p program) text(number int) string {
	if p.body != "" {
		return fmt.Sprintf("func TestP%d(t *testing.T) {\n%s\n}\n", number, p.body)
	}
	var b strings.Builder
	id := fmt.Sprint(number)
	var body []string
	names := make([]string, len(p.vars))
	for i, v := range p.vars {
		k, at := kinds[v.kind], places[v.place]
		fill := strings.NewReplacer("T", k.typ, "#", id+"x"+fmt.Sprint(i), "@", fmt.Sprint(i))
		if at.global != "" {
			fmt.Fprintln(&b, fill.Replace(at.global))
		}
		names[i] = fill.Replace(at.text)
		body = append(body, fill.Replace(at.decl), "_ = &"+names[i])
		if k.init != "" {
			body = append(body, named(k.init, names[i]))
		}
	}
	body = append(body, p.declarations()...)
	for i := range p.threads {
		text := p.threadText(i, names)
		if p.inTest && i == len(p.threads)-1 {
			body = append(body, text)
			continue
		}
		s := starts[p.start]
		body = append(body, s.first, strings.Replace(s.text, "@", "\n"+text+"\n", 1))
	}
	body = append(body, starts[p.start].join)
	fmt.Fprintf(&b, "func TestP%d(t *testing.T) {\n%s\n}\n", number, strings.Join(body, "\n"))
	return b.String()
}

func named(text, name string) string {
	return strings.NewReplacer("$$", "$", "$", name).Replace(text)
}

// declarations returns those of what guards and orders steps, each once.
func (p program) declarations() []string {
	list := []string{starts[p.start].decl}
	for _, t := range p.threads {
		for _, s := range t {
			if s.guard >= 0 && !slices.Contains(list, guards[s.guard].decl) {
				list = append(list, guards[s.guard].decl)
			}
		}
	}
	for i, u := range p.edges {
		list = append(list, strings.ReplaceAll(edges[u.edge].decl, "#", fmt.Sprint(i)))
	}
	return list
}

// threadText returns the statements of a thread, with pauses between them.
func (p program) threadText(i int, names []string) string {
	var lines []string
	for j, s := range p.threads[i] {
		lines = append(lines, p.releases(i, j)...)
		text := named(kinds[p.vars[s.variable].kind].operations()[s.op], names[s.variable])
		if s.guard >= 0 {
			text = strings.Replace(guards[s.guard].text, "@", text, 1)
		}
		for k, u := range p.edges {
			if u.to == i && u.at == j {
				text = numbered(strings.Replace(edges[u.edge].acquire, "@", text, 1), k)
			}
		}
		lines = append(lines, "pause()", text)
	}
	return strings.Join(append(lines, p.releases(i, len(p.threads[i]))...), "\n")
}

func (p program) releases(thread, before int) []string {
	var lines []string
	for k, u := range p.edges {
		if u.from == thread && u.before == before {
			lines = append(lines, "pause()", numbered(edges[u.edge].release, k))
		}
	}
	return lines
}

func numbered(text string, n int) string { return strings.ReplaceAll(text, "#", fmt.Sprint(n)) }
