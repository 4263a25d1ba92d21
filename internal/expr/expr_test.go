package expr

import (
	"errors"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// source is a package, parsed and checked without what it imports.
type source struct {
	files []*ast.File
	set   *token.FileSet
	info  *types.Info
}

type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) { return nil, errors.New("not imported") }

func check(from types.Importer, set *token.FileSet, files []*ast.File) source {
	info := &types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object), Uses: make(map[*ast.Ident]types.Object)}
	c := types.Config{Importer: from, Error: func(error) {}, FakeImportC: true}
	c.Check("p", set, files, info)
	return source{files, set, info}
}

// folder reads the package in a folder.
func folder(t *testing.T, dir string, from types.Importer) source {
	p, err := build.ImportDir(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(p.GoFiles, p.TestGoFiles...) {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return check(from, set, files)
}

// kind is of what kind a type is by package go/types.
func kind(t types.Type) Kind {
	if t == nil {
		return Kind{}
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return Kind{Class: Other}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		size := 0
		if u.Kind() != types.Invalid && u.Info()&types.IsUntyped == 0 {
			size = int(types.SizesFor("gc", runtime.GOARCH).Sizeof(u))
		}
		switch info := u.Info(); {
		case size == 0:
			return Kind{}
		case info&types.IsBoolean != 0:
			return Kind{Boolean, size}
		case info&types.IsUnsigned != 0:
			return Kind{Unsigned, size}
		case info&types.IsInteger != 0:
			return Kind{Signed, size}
		case info&types.IsFloat != 0:
			return Kind{Float, size}
		case u.Kind() == types.UnsafePointer:
			return Kind{Pointer, word}
		}
	case *types.Pointer, *types.Chan, *types.Signature:
		return Kind{Pointer, word}
	case *types.Map:
		return Kind{Map, word}
	}
	return Kind{Class: Other}
}

// values calls f with the expressions of a package that may be variables, or what these are made from,
// and of what kind they are by package go/types.
func (s source) values(f func(x ast.Expr, want Kind)) {
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			want := types.Type(nil)
			switch x := x.(type) {
			case *ast.Ident:
				v, ok := s.info.ObjectOf(x).(*types.Var)
				if !ok || v.IsField() {
					return true
				}
				want = v.Type()
			case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.CallExpr, *ast.SliceExpr:
				tv, ok := s.info.Types[x]
				if _, several := tv.Type.(*types.Tuple); !ok || several || !tv.IsValue() || tv.Value != nil {
					return true
				}
				want = tv.Type
			default:
				return true
			}
			f(x, kind(want))
			return true
		})
	}
}

// Expressions are of the kind that package go/types says, which knows what packages import, or else unknown. That
// is rare where it would be known without that.
func TestKindsOfSource(t *testing.T) {
	all := importer.ForCompiler(token.NewFileSet(), "source", nil)
	missed, n := 0, 0
	for _, path := range []string{"bufio", "container/list", "encoding/json", "fmt", "go/types", "maps", "reflect", "regexp", "slices", "sync",
		"text/template", "time"} {
		dir := filepath.Join(build.Default.GOROOT, "src", path)
		s, alone := folder(t, dir, all), folder(t, dir, nothing{})
		p := NewPackage(s.files)
		s.values(func(x ast.Expr, want Kind) {
			got := p.KindOf(x)
			if got.Class != Unknown && got != want {
				t.Errorf("%v: %s is of kind %v, want %v", s.set.Position(x.Pos()), String(x), got, want)
			}
		})
		p = NewPackage(alone.files)
		alone.values(func(x ast.Expr, want Kind) {
			if n++; want.Class != Unknown && p.KindOf(x).Class == Unknown {
				missed++
				if testing.Verbose() {
					t.Logf("%v: %s is unknown, want %v", alone.set.Position(x.Pos()), String(x), want)
				}
			}
		})
	}
	t.Logf("%d of %d expressions are not known", missed, n)
	if missed*100 > n {
		t.Errorf("%d of %d expressions are not known", missed, n)
	}
}

// Expressions are written as package go/types does, but for what is in types.
func TestString(t *testing.T) {
	for _, dir := range []string{".", "../../por", filepath.Join(build.Default.GOROOT, "src", "go/types")} {
		s := folder(t, dir, nothing{})
		n := 0
		for _, f := range s.files {
			ast.Inspect(f, func(node ast.Node) bool {
				x, ok := node.(ast.Expr)
				if _, pair := node.(*ast.KeyValueExpr); !ok || pair {
					return true
				}
				n++
				got, want := String(x), types.ExprString(x)
				begin, end, _ := strings.Cut(got, "…")
				if k := strings.LastIndex(end, "…"); k >= 0 {
					end = end[k+len("…"):]
				}
				if got != want && !strings.Contains(want, "(ast: <nil>)") && !(strings.Contains(got, "…") && strings.HasPrefix(want, begin) && strings.HasSuffix(want, end)) {
					t.Errorf("%v: %q, want %q", s.set.Position(x.Pos()), got, want)
				}
				return true
			})
		}
		if n < 100 {
			t.Errorf("%s has only %d expressions", dir, n)
		}
	}
}

func TestPredeclared(t *testing.T) {
	var got []string
	for name := range universe {
		got = append(got, name)
	}
	slices.Sort(got)
	if diff := cmp.Diff(types.Universe.Names(), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// constructs is a package of which all is known.
const constructs = `package p

type small uint8

const (
	one small = iota + 1
	two
	_, wide = iota, 1 << 3
)

type list[E any, K comparable] struct {
	head *E
	by   map[K]E
	next *list[E, K]
}

func (l *list[T, _]) first() (*T, bool) { return l.head, l.head != nil }

func (l *list[T, U]) all(yield func(U, T) bool) {
	for k, v := range l.by {
		yield(k, v)
	}
}

type base struct{ *base; depth int16 }

func (base) rate() float32 { return 1 }

type shape interface{ area() float64 }

type outer struct {
	base
	name string
	on, off bool
	set [4]small
	rest []func(int8) (small, uintptr)
	shape
}

func pair[A, B any](a A, b B) (A, B) { return a, b }

func sum(xs ...int32) (n int32) {
	for _, x := range xs {
		n += x
	}
	return n
}

var global, other = pair[small, float64](1, 2)

var table = [...]struct{ k rune; v complex64 }{{'a', 1}}

func use(o *outer, c chan []uint16, f func() (*outer, error), v any) {
	a, b := two, wide
	d := o.depth + 1
	e := o.rate() * 2
	g, h := o.rest[0](1)
	i := o.set[1:][0]
	j, k := <-c
	m, n := j[0], len(j)
	q, err := f()
	r := q.area()
	s := 'a' + 1
	u := 2.5 + 1
	w := "x"[0]
	x := a == two && k
	y := new(list[int64, string])
	y0, y1 := y.next.first()
	y2 := *y0
	y3 := y.next.by["x"]
	z := append([]float32(nil), e)
	z0 := min(z[0], 1)
	t := struct{ in uint32 }{}
	tp := &t
	for ab, ac := range "x" {
		_, _ = ab, ac
	}
	for ad := range 3 {
		_ = ad
	}
	for ae := range small(3) {
		_ = ae
	}
	for af, ag := range y.all {
		_, _ = af, ag
	}
	for ah, ai := range &o.set {
		_, _ = ah, ai
	}
	for aj := range c {
		_ = aj[0]
	}
	switch v := v.(type) {
	case int8:
		_ = v
	case *outer:
		_ = v.on
	case nil, uint:
		_ = v
	}
	ak, al := v.(uint64)
	am := uint16(b) << 3
	an, ao := *tp, (*tp).in
	ap := table[0].k
	aq := sum()
	ar := func() bool { return !o.off }()
	_, _, _, _, _, _, _, _, _, _, _ = a, b, d, e, g, h, i, m, n, q, err
	_, _, _, _, _, _, _, _, _, _, _ = r, s, u, w, x, y1, y2, y3, z0, ak, al
	_, _, _, _, _, _, _, _ = am, an, ao, ap, aq, ar, global, other
}
`

func TestKinds(t *testing.T) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "p.go", constructs, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := check(nothing{}, set, []*ast.File{f})
	p := NewPackage(s.files)
	s.values(func(x ast.Expr, want Kind) {
		if got := p.KindOf(x); got != want || got.Class == Unknown {
			t.Errorf("%v: %s is of kind %v, want %v", set.Position(x.Pos()), String(x), got, want)
		}
	})
}

// Source that does not compile makes no search go on for ever.
func TestRoundAndRound(t *testing.T) {
	for _, source := range []string{
		"type a b; type b a; var x a",
		"var x = y; var y = x",
		"type a struct{ *a }; var x = new(a).none",
		"func f() { x := x; _ = x }; var x = *x",
		"type a[T any] a[a[T]]; var x a[int]",
		"var x = min(x, x, x, x)",
	} {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, "p.go", "package p; "+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := NewPackage([]*ast.File{f}).KindOf(ast.NewIdent("x")); got.Class != Unknown {
			t.Errorf("%s: of kind %v", source, got)
		}
	}
}
