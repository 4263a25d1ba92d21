package instrument

import (
	"fmt"
	"go/ast"
	"strings"
)

// keeps are functions of a package of the standard library that look at what it keeps, or change it, by atomic operations or under locks
// that are not under control. Methods do so with what their receiver leads to, functions with what at leads to.
type keeps struct{ how, at, functions string }

// keepers has them by package.
var keepers = map[string][]keeps{
	"expvar": {
		{"Looks", "", "Int.Value Int.appendJSON Float.Value Float.appendJSON String.Value String.appendJSON Map.Get Map.Do Map.appendJSONMayExpand"},
		{"Changes", "", "Int.Add Int.Set Float.Add Float.Set String.Set Map.Init Map.Set Map.Add Map.AddFloat Map.Delete"},
		{"Looks", "&vars", "Get Do"},
		{"Changes", "&vars", "Publish"},
	},
	"log": {
		{"Looks", "", "Logger.Flags Logger.Prefix Logger.output"},
		{"Changes", "", "Logger.SetFlags Logger.SetPrefix Logger.SetOutput"},
	},
	"log/slog": {
		{"Looks", "", "LevelVar.Level"},
		{"Changes", "", "LevelVar.Set"},
		{"Looks", "&defaultLogger", "Default"},
		{"Changes", "&defaultLogger", "SetDefault"},
	},
	"mime": {
		{"Looks", "&mimeTypes", "TypeByExtension ExtensionsByType"},
		{"Changes", "&mimeTypes", "setExtensionType"},
	},
	"net/http": {
		{"Looks", "", "ServeMux.findHandler"},
		{"Changes", "", "ServeMux.registerErr"},
	},
	"os": {
		{"Looks", "&gopor_live.Environment", "Getenv LookupEnv Environ Getwd"},
		{"Changes", "&gopor_live.Environment", "Setenv Unsetenv Clearenv Chdir"},
	},
}

// touchKept lets such a function say what it does, first of all:
//
//	func (v *Int) Add(delta int64) {
//
// becomes, in the same line,
//
//	func (v *Int) Add(delta int64) { gopor_live.Changes(v);
func touchKept(r *rewriting) {
	for _, d := range r.AST.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			if text := touches(r.Path, r.File, fn); text != "" {
				r.add(after, fn.Body.Lbrace, fn.Body.Lbrace+1, literal(" "+text+";"))
				r.importLive()
			}
		}
	}
}

// touches returns what a function of a package of the standard library says of what the package keeps, "" if nothing.
func touches(path string, f *File, fn *ast.FuncDecl) string {
	for _, k := range keepers[path] {
		name, at := fn.Name.Name, k.at
		if fn.Recv != nil {
			recv := fn.Recv.List[0]
			if len(recv.Names) == 0 || at != "" {
				continue
			}
			name, at = strings.TrimPrefix(f.source(recv.Type), "*")+"."+name, recv.Names[0].Name
		}
		for called := range strings.FieldsSeq(k.functions) {
			if called == name && at != "" {
				return fmt.Sprintf("gopor_live.%s(%s)", k.how, at)
			}
		}
	}
	return ""
}
