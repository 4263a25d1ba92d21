// Package fact has the names of functions that iterations of a loop may call, as a package tells
// them to those that import it.
package fact

import (
	"fmt"
	"go/constant"
	"go/types"
	"hash/fnv"
	"strings"
)

// Constant is the name of the constant with the facts of a package. It has the package's path,
// since a file may import two packages by dots.
func Constant(path string) string {
	h := fnv.New64a()
	h.Write([]byte(path))
	return fmt.Sprintf("GoporTurns_%x", h.Sum64())
}

// Of returns the name of a function in the facts of its package, or "".
func Of(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Name()
	}
	of := types.Unalias(recv.Type())
	if p, ok := of.(*types.Pointer); ok {
		of = types.Unalias(p.Elem())
	}
	if named, ok := of.(*types.Named); ok {
		return named.Obj().Name() + "." + f.Name()
	}
	return ""
}

// Receiver returns the name of the receiver's type in a fact, "" for a function.
func Receiver(fact string) string {
	recv, _, is := strings.Cut(fact, ".")
	if !is {
		return ""
	}
	return recv
}

// Read returns the facts of a package. They are true of the functions that look at what other
// goroutines may change, which have a plus sign.
func Read(pkg *types.Package) map[string]bool {
	facts := make(map[string]bool)
	if c, ok := pkg.Scope().Lookup(Constant(pkg.Path())).(*types.Const); ok {
		for _, f := range strings.Fields(constant.StringVal(c.Val())) {
			name, looks := strings.CutPrefix(f, "+")
			facts[name] = looks
		}
	}
	return facts
}

// Computes reports whether a function of the standard library does nothing but compute a result
// from its arguments.
func Computes(f *types.Func) bool {
	switch f.Pkg().Path() {
	case "cmp", "math", "math/bits", "strconv", "strings", "unicode", "unicode/utf8":
	default:
		return false
	}
	if f.Signature().Recv() != nil || strings.HasPrefix(f.Name(), "Append") || strings.HasPrefix(f.Name(), "Encode") {
		return false
	}
	for v := range f.Signature().Params().Variables() {
		if _, is := v.Type().(*types.TypeParam); is {
			continue // numbers and strings
		}
		switch v.Type().Underlying().(type) {
		case *types.Signature, *types.Interface:
			return false // what it calls may do anything
		}
	}
	return true
}
