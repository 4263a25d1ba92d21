package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"

	"github.com/gopor/gopor/instrument/edit"
	"github.com/gopor/gopor/internal/known"
)

// A registry in package known is a package-level variable of the standard library that a
// lasting function changes and that other packages cannot name. The packages register these
// variables when the program begins. Programs that use such a function put them back after
// every execution, see registry.

// keepRegistries makes a package of the standard library register its registries with package
// live:
//
//	func init() { gopor_live.Keep("expvar", func() {}, &vars) }
func keepRegistries(r *rewriting) {
	var list []string
	for _, d := range r.AST.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, s := range d.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				if known.Is("registry", r.Path+"."+id.Name) {
					list = append(list, "&"+id.Name)
				}
			}
		}
	}
	if len(list) > 0 {
		first, _ := known.Of("begin", r.Path)
		r.After(r.AST, edit.Literal(fmt.Sprintf("; func init() { gopor_live.Keep(%q, func() { %s }, %s) }", r.Path, first, strings.Join(list, ", "))))
		r.importLive()
	}
}

// registry returns a call that tells package native of the registries that a function of a
// package changes, or "" if it changes none.
func registry(path, function string) string {
	if known.Names("registry", path) == nil || !known.Is("lasting", path+"."+function) {
		return ""
	}
	call := native + ".Registries(" + strconv.Quote(path)
	if also, ok := known.Of("also", path); ok {
		call += ", " + strconv.Quote(also)
	}
	return call + ")"
}
