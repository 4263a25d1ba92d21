package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// rewriteVariables tells package native of the package-level variables of a file that
// executions may change, so that each begins with the same ones:
//
//	func init() { gopor_.Variables("pkg", "hits", &hits, "known", &known) }
//
// Left out is what keeps the value of its declaration and leads nowhere else.
func rewriteVariables(r *rewriting) {
	if name := filepath.Base(r.Name); name == "covervars.go" || strings.HasPrefix(name, "_cgo_") {
		return
	}
	var list []string
	for _, d := range r.AST.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, s := range d.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				if v, ok := r.Info.Defs[id].(*types.Var); ok && r.changeable(v) {
					list = append(list, fmt.Sprintf("%q, &%s", v.Name(), v.Name()))
				}
			}
		}
	}
	if len(list) > 0 {
		r.After(r.AST, literal(fmt.Sprintf("; func init() { %s.Variables(%q, %s) }", native, r.Types.Name(), strings.Join(list, ", "))))
	}
}

// changeable reports whether executions may change a package-level variable, or what
// can be reached from it.
func (r *rewriting) changeable(v *types.Var) bool {
	switch name := v.Name(); {
	case isCounter(name), strings.HasPrefix(name, "_C"), strings.HasPrefix(name, "_cgo"), name == "_", empty(v.Type()):
		return false
	case r.linked(name):
		return false // the runtime's, or somebody else's
	}
	return leadsOn(v.Type()) || !r.shares().constant(v)
}

// linked reports whether a directive of the file says that a variable is one of
// another package.
func (r *rewriting) linked(name string) bool {
	return slices.ContainsFunc(r.AST.Comments, func(g *ast.CommentGroup) bool {
		return slices.ContainsFunc(g.List, func(c *ast.Comment) bool {
			words := strings.Fields(c.Text)
			return len(words) > 1 && words[0] == "//go:linkname" && words[1] == name
		})
	})
}

// leadsOn reports whether values of a type may refer to memory that can be changed.
func leadsOn(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
		return true
	case *types.Array:
		return leadsOn(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if leadsOn(f.Type()) {
				return true
			}
		}
	}
	return false
}
