package api

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNothingMissing fails on a release of Go that has more than the twins.
func TestNothingMissing(t *testing.T) {
	missing, err := Missing()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range missing {
		t.Error(m)
	}
}

const original = `package p
const A, B, C = 1, 2, 3
var V, W int
func F(x int) (y string) { return "" }
func G(x int) {}
func H[T any](x T, y *S) {}
func I[T comparable]() {}
type S struct { X int; y int }
func (*S) Same(a ...int) {}
func (S) Changed() int { return 0 }
func (*S) Gone() {}
type Own = int
type Other struct{ Field, Lost int }
`

const twin = `package p
const A, B = 1, 3
var V int
var W string
func F(z int) string { return "" }
func G(x uint) {}
func H[T any](z T, y *S) {}
func I[T any]() {}
type S struct { X int }
func (*S) Same(b ...int) {}
func (S) Changed() string { return "" }
type Own = int
type Other struct{ Field string }
`

func TestCompare(t *testing.T) {
	got := compare(checked(t, "p", original), checked(t, "q/p", twin))
	want := []string{
		"p: const B untyped int = 3, want const B untyped int = 2",
		"p: no const C untyped int = 3",
		"p: func G(uint), want func G(int)",
		"p: func I[T any](), want func I[T comparable]()",
		"p.Other: field var Field string, want var Field int",
		"p.Other: no field var Lost int",
		"p.S: method func Changed() string, want func Changed() int",
		"p.S: no method func Gone()",
		"p: var W string, want var W int",
	}
	if !slices.Equal(got, want) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}

func checked(t *testing.T, path, src string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.Default()}
	p, err := conf.Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSizes compares the sizes and alignments of the types of twins, and where their exported
// fields are.
func TestSizes(t *testing.T) {
	different, err := Sizes()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range different {
		t.Error(d)
	}
}

func TestCompareSizes(t *testing.T) {
	const original = `package p
type Same struct { x int32; Y, z int32 }
type Larger struct { X int }
type Aligned struct { x [2]int32 }
type Moved struct { X, y int8 }
type NoStruct int
type Parametric[T any] struct { x T }
type own struct { x int }
`
	const twin = `package p
type Same struct { a [4]byte; Y, Z int32 }
type Larger struct { X, y int }
type Aligned struct { x int64 }
type Moved struct { y, X int8 }
type NoStruct int
type Parametric[T any] struct { x, y T }
type own struct {}
`
	got := compareSizes(types.SizesFor("gc", "amd64"), checked(t, "p", original), checked(t, "q/p", twin))
	want := []string{
		"p.Aligned: 8 bytes at multiples of 8, want 8 bytes at multiples of 4",
		"p.Larger: 16 bytes at multiples of 8, X at 0, want 8 bytes at multiples of 8, X at 0",
		"p.Moved: 2 bytes at multiples of 1, X at 1, want 2 bytes at multiples of 1, X at 0",
		"p.Same: 12 bytes at multiples of 4, Y at 4, Z at 8, want 12 bytes at multiples of 4, Y at 4",
	}
	if !slices.Equal(got, want) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}
