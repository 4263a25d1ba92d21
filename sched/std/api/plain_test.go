package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlain holds the functions and methods that rewritten code calls where nobody
// is controlled to those that they stand for: each has the same parameters and
// results, and passes them on to the original of that name.
func TestPlain(t *testing.T) {
	for dir, want := range map[string]int{"../sync": 10, "../sync/atomic": 82} {
		plain, all := functions(t, filepath.Join(dir, "plain.go")), map[string]*ast.FuncDecl{}
		names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, name := range names {
			for key, d := range functions(t, name) {
				all[key] = d
			}
		}
		if len(plain) != want {
			t.Errorf("%s has %d plain forms, not %d", dir, len(plain), want)
		}
		for key, d := range plain {
			name, ok := strings.CutPrefix(d.Name.Name, "Gopor__")
			stands := all[strings.Replace(key, "Gopor__", "", 1)]
			if !ok || stands == nil {
				t.Errorf("%s stands for nothing", key)
			} else if got, want := signature(d.Type), signature(stands.Type); got != want {
				t.Errorf("%s has %s, want %s", key, got, want)
			} else if got, want := types.ExprString(body(d)), passesOn(d, name); got != want && key != "*Once.Gopor__Do" {
				t.Errorf("%s calls %s, want %s", key, got, want)
			}
		}
	}
}

// functions returns the functions of a file by receiver and name.
func functions(t *testing.T, name string) map[string]*ast.FuncDecl {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]*ast.FuncDecl)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			key := d.Name.Name
			if d.Recv != nil {
				key = types.ExprString(d.Recv.List[0].Type) + "." + key
			}
			found[key] = d
		}
	}
	return found
}

// signature returns the types of parameters and results.
func signature(t *ast.FuncType) (text string) {
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		text += "("
		if list != nil {
			for _, f := range list.List {
				text += strings.Repeat(types.ExprString(f.Type)+" ", max(1, len(f.Names)))
			}
		}
		text += ")"
	}
	return text
}

// body returns the only expression of a function, if it does nothing else.
func body(d *ast.FuncDecl) ast.Expr {
	if len(d.Body.List) == 1 {
		switch s := d.Body.List[0].(type) {
		case *ast.ExprStmt:
			return s.X
		case *ast.ReturnStmt:
			return s.Results[0]
		}
	}
	return ast.NewIdent("something else")
}

// passesOn returns the call that a plain form is to make.
func passesOn(d *ast.FuncDecl, name string) string {
	text := "atomic."
	if d.Recv != nil {
		text = d.Recv.List[0].Names[0].Name + ".real."
	}
	var args []string
	for _, f := range d.Type.Params.List {
		for _, id := range f.Names {
			args = append(args, id.Name)
		}
	}
	return text + name + "(" + strings.Join(args, ", ") + ")"
}
