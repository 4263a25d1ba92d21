package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// registries are package-level variables of the standard library, by package, that a function of [lasting]
// changes and that have no name for others. The packages say where they are when the program begins, and those that
// use the function have them put back after every execution, see registry.
var registries = map[string]string{
	"encoding/gob": "concreteTypeToName nameToConcreteType",
	"expvar":       "vars",
	"image":        "atomicFormats",
	"log":          "std",
	"log/slog":     "defaultLogger logLoggerLevel",
	"mime":         "extensions mimeTypes mimeTypesLower",
}

// registriesAlso are packages whose registries are changed along with those of others.
var registriesAlso = map[string]string{"log/slog": "log"}

// begins is what a package has to do before its registries can be copied.
var begins = map[string]string{"mime": "once.Do(initMime)"}

// keepRegistries lets a package of the standard library tell package live of its registries:
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
				if has(registries[r.Path], id.Name) {
					list = append(list, "&"+id.Name)
				}
			}
		}
	}
	if len(list) > 0 {
		r.After(r.AST, literal(fmt.Sprintf("; func init() { gopor_live.Keep(%q, func() { %s }, %s) }", r.Path, begins[r.Path], strings.Join(list, ", "))))
		r.importLive()
	}
}

// registry returns a call that tells package native of the registries which a function of a package changes, ""
// if it changes none.
func registry(path, function string) string {
	if registries[path] == "" || !has(lasting[path], function) {
		return ""
	}
	call := native + ".Registries(" + strconv.Quote(path)
	if also := registriesAlso[path]; also != "" {
		call += ", " + strconv.Quote(also)
	}
	return call + ")"
}
