package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/tools/go/packages"
)

// scope has what the packages of one name declare: "Name", and "Type.Member" for methods and fields.
type scope struct {
	names  map[string]bool
	embeds map[string][]string // by type: the types whose members it has as well, as "Type" or "pkg.Type"
}

// declared has scopes by the last element of the package's path. Packages with one last element are taken together,
// so "context" may be the twin's or Go's own.
type declared map[string]scope

// add notes what a file declares.
func (d declared) add(pkg string, f *ast.File) {
	if d[pkg].names == nil {
		d[pkg] = scope{make(map[string]bool), make(map[string][]string)}
	}
	s := d[pkg]
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				s.names[decl.Name.Name] = true
			} else {
				s.names[typeName(decl.Recv.List[0].Type)+"."+decl.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				s.addSpec(spec)
			}
		}
	}
}

// addSpec notes what a constant, a variable or a type declares.
func (s scope) addSpec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			s.names[id.Name] = true
		}
	case *ast.TypeSpec:
		of := spec.Name.Name
		s.names[of] = true
		switch x := spec.Type.(type) {
		case *ast.StructType:
			s.addMembers(of, x.Fields)
		case *ast.InterfaceType:
			s.addMembers(of, x.Methods)
		default:
			s.embed(of, x)
		}
	}
}

// addMembers notes the fields or methods of a type.
func (s scope) addMembers(of string, list *ast.FieldList) {
	for _, f := range list.List {
		for _, id := range f.Names {
			s.names[of+"."+id.Name] = true
		}
		if len(f.Names) == 0 {
			name := typeName(f.Type)
			s.names[of+"."+name[strings.LastIndex(name, ".")+1:]] = true
			s.embed(of, f.Type)
		}
	}
}

// embed notes that a type has the members of another one, if that has a name.
func (s scope) embed(of string, x ast.Expr) {
	if name := typeName(x); name != "" {
		s.embeds[of] = append(s.embeds[of], name)
	}
}

// typeName returns the name of a type, without a pointer or parameters: "" if it has none.
func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.StarExpr:
		return typeName(x.X)
	case *ast.IndexExpr:
		return typeName(x.X)
	case *ast.IndexListExpr:
		return typeName(x.X)
	case *ast.SelectorExpr:
		return typeName(x.X) + "." + x.Sel.Name
	}
	return ""
}

// has reports whether a package declares a name, which is "Name" or "Type.Member". A package that is not known has all.
func (d declared) has(pkg, name string) bool { return d.hasWithin(pkg, name, 0) }

func (d declared) hasWithin(pkg, name string, depth int) bool {
	s, ok := d[pkg]
	if !ok || s.names[name] {
		return true
	}
	of, member, ok := strings.Cut(name, ".")
	return ok && depth < 5 && slices.ContainsFunc(s.embeds[of], func(e string) bool {
		p, in := pkg, e
		if q, t, ok := strings.Cut(e, "."); ok {
			p, in = q, t
		}
		return d.hasWithin(p, in+"."+member, depth+1)
	})
}

// hasMember reports whether a type with such a member is declared in any package.
func (d declared) hasMember(name string) bool {
	of, _, _ := strings.Cut(name, ".")
	for pkg, s := range d {
		if s.names[of] && d.has(pkg, name) {
			return true
		}
	}
	return false
}

// declarations returns what the packages of the modules here declare, and those of the standard library of which
// documents speak.
func declarations(t *testing.T) declared {
	t.Helper()
	all := make(declared)
	sources(t, func(_ *token.FileSet, file string, f *ast.File) {
		if !strings.HasSuffix(file, "_test.go") {
			all.add(path.Base(path.Dir(file)), f)
		}
	})
	library, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles}, "std")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range library {
		if slices.Contains(strings.Split(p.PkgPath, "/"), "internal") || strings.HasPrefix(p.PkgPath, "vendor/") {
			continue
		}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			all.add(path.Base(p.PkgPath), f)
		}
	}
	return all
}

var (
	console   = regexp.MustCompile("(?ms)^ *```(console|text|sh)$.*?^ *```$")
	qualified = regexp.MustCompile(`(^|[^\w./\-\]"])([a-z][a-z0-9]*)\.([A-Z]\w*(?:\.[A-Z]\w*)?)`)
	method    = regexp.MustCompile(`^\(?\*?([A-Z]\w*)\)?\.([A-Z]\w*)(\(.*)?$`)
)

// unknownNames returns the identifiers in a document that no package declares: pkg.Name and pkg.Type.Member
// anywhere but in what commands print, and Type.Member between backquotes.
func unknownNames(d declared, text string) (unknown []string) {
	text = console.ReplaceAllString(text, "")
	for _, m := range qualified.FindAllStringSubmatch(text, -1) {
		if pkg, name := m[2], m[3]; !d.has(pkg, name) {
			unknown = append(unknown, pkg+"."+name)
		}
	}
	for _, n := range names(fence.ReplaceAllString(text, "")) {
		if m := method.FindStringSubmatch(n); m != nil {
			if !d.hasMember(m[1] + "." + m[2]) {
				unknown = append(unknown, m[1]+"."+m[2])
			}
		}
	}
	return unknown
}

// TestNames looks up the identifiers that the documents name.
func TestNames(t *testing.T) {
	d := declarations(t)
	for pkg, name := range map[string]string{"sched": "Mutex.Lock", "por": "Check", "trace": "Op", "time": "Sleep", "bpor": "Source"} {
		if !d.has(pkg, name) {
			t.Fatalf("no package %s with %s was found", pkg, name)
		}
	}
	if got := unknownNames(d, "`sched.AddInt64(&x, 1)`, `sched.Mutex.Lock`, `Machine.Posted`, sched.Go\n```console\nsched.Went\n```\n"); !slices.Equal(got, []string{"sched.AddInt64", "Machine.Posted"}) {
		t.Errorf("the names %q are unknown", got)
	}
	for _, name := range pages(t) {
		for _, u := range unknownNames(d, read(t, name)) {
			t.Errorf("%s names %s, which there is not", name, u)
		}
	}
}

// docLink is a link of a comment: [Name], [Type.Member], [pkg.Name], [pkg.Type.Member].
var docLink = regexp.MustCompile(`\B\[\*?((?:[a-z][a-z0-9]*\.)?[A-Z]\w*(?:\.\w+)?|[A-Za-z]\w*\.[A-Za-z]\w*)\](?:[^(\[:]|$)`)

// deadLinks returns the links of a comment in a package that lead to nothing that is declared.
func deadLinks(d declared, pkg, text string) (dead []string) {
	for _, m := range docLink.FindAllStringSubmatch(text, -1) {
		first, rest, _ := strings.Cut(m[1], ".")
		if !d.has(pkg, m[1]) && (rest == "" || unicode.IsUpper(rune(first[0])) || !d.has(first, rest)) {
			dead = append(dead, m[1])
		}
	}
	return dead
}

// TestDocLinks follows the links of what documents packages and what they declare.
func TestDocLinks(t *testing.T) {
	d := declarations(t)
	if got := deadLinks(d, "machine", "[Machine.Posted] [Machine.Post], [exec.Closure], [sched.Open], [Machine], a[I], [Closure]."); !slices.Equal(got, []string{"Machine.Posted", "sched.Open", "Closure"}) {
		t.Errorf("the links %q are dead", got)
	}
	sources(t, func(fset *token.FileSet, file string, f *ast.File) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		for _, c := range f.Comments {
			for _, dead := range deadLinks(d, path.Base(path.Dir(file)), c.Text()) {
				t.Errorf("%s:%d: the comment has a link to [%s], which there is not", file, fset.Position(c.Pos()).Line, dead)
			}
		}
	})
}
