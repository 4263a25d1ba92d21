package api

import (
	"fmt"
	"go/types"
	"runtime"
)

// Sizes compares the exported types of the standard packages that have a twin with the types of
// the twin. It returns a line for every type with another size or alignment, or with exported
// fields at other offsets. Types with type parameters are left out. It runs the go command as
// [Missing] does.
func Sizes() ([]string, error) {
	sizes := types.SizesFor("gc", runtime.GOARCH)
	return twins(func(original, twin *types.Package) []string { return compareSizes(sizes, original, twin) })
}

// compareSizes is Sizes for one package.
func compareSizes(sizes types.Sizes, original, twin *types.Package) (different []string) {
	for _, name := range original.Scope().Names() {
		want, ok := original.Scope().Lookup(name).(*types.TypeName)
		have, isType := twin.Scope().Lookup(name).(*types.TypeName)
		if !ok || !isType || !want.Exported() {
			continue
		}
		if n, ok := have.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
			continue
		}
		if h, w := layout(sizes, have.Type()), layout(sizes, want.Type()); h != w {
			different = append(different, fmt.Sprintf("%s.%s: %s, want %s", original.Path(), name, h, w))
		}
	}
	return different
}

// layout describes the size and alignment of a type, and the offsets of its exported fields.
func layout(sizes types.Sizes, t types.Type) string {
	text := fmt.Sprintf("%d bytes at multiples of %d", sizes.Sizeof(t), sizes.Alignof(t))
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return text
	}
	var fields []*types.Var
	for f := range s.Fields() {
		fields = append(fields, f)
	}
	for i, at := range sizes.Offsetsof(fields) {
		if fields[i].Exported() {
			text += fmt.Sprintf(", %s at %d", fields[i].Name(), at)
		}
	}
	return text
}
