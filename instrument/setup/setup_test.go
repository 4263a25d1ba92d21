package setup_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/gopor/gopor/instrument/setup"
)

// source declares variables named x1, x2 and so on, which count, and variables of other names,
// which do not.
const source = `package p

import "testing"

type s struct{ m map[string]int }

func (r *s) unused()   { x := &s{}; _ = x }
func (x1 *s) method(i int, x2 []int) { f := 1; _ = f }
func (r *s) value()     {}

func made[T any](x3 T) (x4 *T) { x5 := x3; use(func() { _ = x5 }); return nil }
func list[T any](x6 []T) {}

var a, b = one(&s{}), func() int { x7 := 0; func() { x7++ }(); n := 1; return n }()
var later = func() { m := map[int]int{}; _ = m }

// What a table of tests calls runs later.
var table = []func(){func() { inTest(&s{}) }}

func inTest(r *s) { m := r.m; use(func() { _ = m }) }

func one(x8 *s) int { x8.method(1, nil); return two(1) }
func two(n int) int { if n > 0 { return one(nil) }; return 0 }

type g[T any] struct{}

func (g[T]) call() { x14 := []T{}; _ = x14 }
func (g[T]) TestMain() { m := []T{}; _ = m }

func use(f func()) {}

func init() {
	var x10, n = &s{}, 1
	use(x10.value)
	_ = made[int](1)
	list([]int{n})
	g[int]{}.call()
	if m := x10.m; m != nil {
		x11 := m
		_ = x11
	}
	go func() { m := 1; use(func() { m++ }) }()
	for _, v := range x10.m {
		k := v
		_ = k
	}
	switch {
	default:
		x12 := 1
		use(func() { x12++ })
	}
	select {
	default:
		x9 := []int{}
		_ = x9
	}
}

func TestMain(m *testing.M) {
	err := error(nil)
	_, x13 := err, 1
	use(func() { in := x13; use(func() { in++ }) })
	m.Run()
}

func TestX(t *testing.T) {
	n := 0
	use(func() { n++ })
	three()
}
func three() { m := map[int]int{}; _ = m }
`

func TestFind(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p_test.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	if _, err := conf.Check("p", fset, []*ast.File{file}, info); err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]int)
	for _, p := range setup.Find([]*ast.File{file}, info)[file] {
		for _, v := range p.Vars {
			if !strings.HasPrefix(v.Name(), "x") {
				t.Errorf("%s: %s counts, in %s", fset.Position(v.Pos()), v.Name(), p.Of)
			}
			seen[v.Name()]++
		}
	}
	for i := 1; i <= 14; i++ {
		if name := fmt.Sprintf("x%d", i); seen[name] != 1 {
			t.Errorf("%s counts %d times", name, seen[name])
		}
	}
}
