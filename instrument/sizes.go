package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// originals are the sizes of types that have the originals of twins in the places of
// these: a twin has its state under control besides. Programs that fill cache lines count
// on the sizes of the originals, and their constants may have no value with others. Then
// the lengths of arrays, and declared constants, are what they are with these sizes.
// What is computed at run time is true: it may serve to find a place in memory. That it is
// another size than natively is noted where it runs.
type originals struct{ types.Sizes }

func (s originals) Sizeof(t types.Type) int64  { return s.Sizes.Sizeof(originalType(t)) }
func (s originals) Alignof(t types.Type) int64 { return s.Sizes.Alignof(originalType(t)) }

func (s originals) Offsetsof(fields []*types.Var) []int64 {
	return s.Sizes.Offsetsof(originalFields(fields))
}

// originalType returns the type with the originals of twins, as far as it has them as
// parts of its values.
func originalType(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		s, ok := t.Underlying().(*types.Struct)
		if ok && t.Obj().Pkg() != nil && strings.HasPrefix(t.Obj().Pkg().Path(), twins) {
			for f := range s.Fields() {
				if f.Name() == "real" {
					return deref(f.Type())
				}
			}
		}
		return originalType(t.Underlying())
	case *types.Array:
		return types.NewArray(originalType(t.Elem()), t.Len())
	case *types.Struct:
		var fields []*types.Var
		for f := range t.Fields() {
			fields = append(fields, f)
		}
		return types.NewStruct(originalFields(fields), nil)
	default:
		return t
	}
}

func originalFields(fields []*types.Var) (list []*types.Var) {
	for _, f := range fields {
		list = append(list, types.NewField(token.NoPos, f.Pkg(), f.Name(), originalType(f.Type()), f.Embedded()))
	}
	return list
}

// keepSizes lets constants of a package that was loaded with the sizes of originals
// have the values that they have with these, where the compiler has the true ones. Where these
// are the values of other expressions, they are noted.
func keepSizes(r *rewriting) {
	s, keep := r.Sizes.(originals)
	if !keep {
		s = originals{r.Sizes}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			if keep {
				r.keepSizesIn(s.Sizes, n.Len)
			}
			ast.Inspect(n.Elt, visit)
			return false
		case *ast.GenDecl:
			if n.Tok != token.CONST {
				return true
			}
			if keep {
				r.keepSizesIn(s.Sizes, n)
			}
			return false
		case *ast.CallExpr:
			return !r.noteSize(s, n)
		}
		return true
	}
	ast.Inspect(r.AST, visit)
}

// noteSize lets a size be noted that is another one natively, and reports whether call is one.
func (r *rewriting) noteSize(s originals, call *ast.CallExpr) bool {
	if r.Info.Types[call].Value == nil { // as where it is of a type parameter
		return false
	}
	got, ok := r.trueSize(s.Sizes, call)
	if !ok {
		return false
	}
	want, _ := r.trueSize(s, call)
	if got == want {
		return false
	}
	what := fmt.Sprintf("unsafe.%s, which is %d under control and %d without", called(call).Name, got, want)
	r.Wrap(call, native+".Sized(", ", "+strconv.Quote(what)+")")
	return true
}

func (r *rewriting) keepSizesIn(sizes types.Sizes, n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		want := r.Info.Types[call].Value
		got, ok := r.trueSize(sizes, call)
		if want == nil || !ok {
			return true
		}
		r.Wrap(call, "(", fmt.Sprintf(" + %s - %d)", want, got))
		return false
	})
}

// trueSize returns the value of unsafe.Sizeof, Offsetof or Alignof.
func (r *rewriting) trueSize(sizes types.Sizes, call *ast.CallExpr) (n int64, ok bool) {
	id := called(call)
	if id == nil {
		return 0, false
	}
	b, ok := r.Info.Uses[id].(*types.Builtin)
	if !ok {
		return 0, false
	}
	arg := ast.Unparen(call.Args[0])
	switch b.Name() {
	case "Sizeof":
		return sizes.Sizeof(r.Info.TypeOf(arg)), true
	case "Alignof":
		return sizes.Alignof(r.Info.TypeOf(arg)), true
	case "Offsetof":
		sel := r.Info.Selections[arg.(*ast.SelectorExpr)]
		t := sel.Recv()
		for _, i := range sel.Index() {
			fields := structFields(t)
			n += sizes.Offsetsof(fields)[i]
			t = fields[i].Type()
		}
		return n, true
	}
	return 0, false
}

func structFields(t types.Type) (list []*types.Var) {
	for f := range deref(t).Underlying().(*types.Struct).Fields() {
		list = append(list, f)
	}
	return list
}
