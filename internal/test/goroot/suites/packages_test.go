package suites

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// suite is a package of the temporary module.
type suite struct {
	name  string            // of its folder
	tests []string          // that can be built, sorted
	cut   map[string]string // those that cannot, and what they lack
}

// library says which tests of a package of the standard library are taken.
type library struct {
	dir   string              // below GOROOT/src
	files []string            // patterns
	not   []string            // files that are no tests of it
	from  map[string][]string // declarations that are taken from other files
}

var libraries = []library{
	{"sync", []string{"*_test.go"}, []string{"export_test.go"}, nil},
	{"sync/atomic", []string{"*_test.go"}, nil, nil},
	{"context", []string{"*_test.go"}, []string{"context_test.go"}, nil},
	{"runtime", []string{"chan_test.go"}, nil, map[string][]string{"proc_test.go": {"stackGrowthRecursive", "padData"}, "slice_test.go": {"struct32", "struct40"}}},
	{"time", []string{"sleep_test.go", "tick_test.go"}, nil, nil},
}

// copyLibrary copies the tests of one package of the standard library into the
// module in dir.
func copyLibrary(goroot, dir string, l library) (*suite, error) {
	src := filepath.Join(goroot, "src", filepath.FromSlash(l.dir))
	var names []string
	for _, pattern := range l.files {
		found, err := filepath.Glob(filepath.Join(src, pattern))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("the distribution lacks src/%s/%s", l.dir, pattern)
		}
		for _, name := range found {
			if !slices.Contains(l.not, filepath.Base(name)) {
				names = append(names, filepath.Base(name))
			}
		}
	}
	for name := range l.from {
		names = append(names, name)
	}
	files, err := parseFiles(src, names...)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		f.only = l.from[f.name]
	}
	lost, err := inside(src)
	if err != nil {
		return nil, err
	}
	s := &suite{name: l.dir, cut: make(map[string]string)}
	missing := prune(files, lost)
	for _, f := range files {
		for _, d := range f.file.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || f.only != nil || d.Recv != nil || !isTest(d.Name.Name) {
				continue
			}
			if why := missing[d.Name.Name]; why != "" {
				s.cut[d.Name.Name] = why
			} else {
				s.tests = append(s.tests, d.Name.Name)
			}
		}
		if err := write(dir, filepath.Join(l.dir, f.name), f.bytes()); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.tests)
	return s, nil
}

func isTest(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	return ok && rest != "Main" && (rest == "" || strings.ToLower(rest[:1]) != rest[:1])
}

// inside returns the names that only the tests inside a package can give to
// those outside: what its test files declare that are of the package itself.
func inside(src string) (map[string]string, error) {
	found, err := filepath.Glob(filepath.Join(src, "*_test.go"))
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	for _, name := range found {
		files, err := parseFiles(src, filepath.Base(name))
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(files[0].file.Name.Name, "_test") {
			continue
		}
		for _, d := range declarations(files[0]) {
			for _, n := range d.names {
				if ast.IsExported(n) {
					names[n] = n
				}
			}
		}
	}
	return names, nil
}

// programs is the name of the suite that is made of programs.
const programs = "chan"

// copyPrograms copies the programs of GOROOT/test/chan: each becomes a package,
// its main a function that a test calls.
func copyPrograms(goroot, dir string) (*suite, error) {
	src := filepath.Join(goroot, "test", "chan")
	found, err := filepath.Glob(filepath.Join(src, "*.go"))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("the distribution lacks test/chan")
	}
	s := &suite{name: programs, cut: make(map[string]string)}
	var imports, tests strings.Builder
	for _, name := range found {
		base := strings.TrimSuffix(filepath.Base(name), ".go")
		files, err := parseFiles(src, filepath.Base(name))
		if err != nil {
			return nil, err
		}
		f := files[0]
		how, _, _ := strings.Cut(strings.TrimPrefix(string(f.text), "// "), "\n")
		test := "Test_" + base
		switch how {
		case "run":
		case "runoutput":
			if f, err = output(name); err != nil {
				return nil, err
			}
		default:
			s.cut[test] = how
			continue
		}
		program(f, "p_"+base, arguments[base])
		if err := write(dir, filepath.Join("chan", base, f.name), f.bytes()); err != nil {
			return nil, err
		}
		s.tests = append(s.tests, test)
		fmt.Fprintf(&imports, "\tp_%s %q\n", base, modulePath+"/chan/"+base)
		fmt.Fprintf(&tests, "\nfunc %s(t *testing.T) { p_%s.Main() }\n", test, base)
	}
	text := "package chan_test\n\nimport (\n\t\"testing\"\n\n" + imports.String() + ")\n" + tests.String()
	return s, write(dir, filepath.Join("chan", "chan_test.go"), []byte(text))
}

// output runs a program that writes one.
func output(name string) (*source, error) {
	var out, problems bytes.Buffer
	cmd := exec.Command("go", "run", name)
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go run %s: %v: %s", name, err, problems.Bytes())
	}
	return parse(name, out.Bytes())
}

// arguments bound the work of programs that take arguments.
var arguments = map[string][]string{
	"doubleselect": {"-n=200"},
	"goroutines":   {"200"},
}

// program makes a package of a program: main becomes Main, which begins as
// every run of a program does, with initial package-level variables and the init
// functions. A failure, which os.Exit tells, becomes a panic.
func program(s *source, pkg string, args []string) {
	s.replace(s.file.Name.Pos(), s.file.Name.End(), pkg)
	usesOS, inits := false, 0
	var start, variables strings.Builder
	command := fmt.Sprintf("%#v", append([]string{pkg}, args...))
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, spec := range d.Specs {
				variables.WriteString(s.assign(spec.(*ast.ValueSpec)))
			}
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				inits++
				s.replace(d.Name.Pos(), d.Name.End(), fmt.Sprint("init", inits))
			}
		}
	}
	for _, spec := range s.file.Imports {
		if _, path := importPath(spec); path == "flag" {
			start.WriteString("flag.CommandLine = flag.NewFlagSet(\"\", flag.PanicOnError); ")
		}
	}
	// Variables may be initialised by what is set up above.
	start.WriteString(variables.String())
	for i := range inits {
		fmt.Fprintf(&start, "init%d(); ", i+1)
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name == "main" && n.Recv == nil {
				s.replace(n.Name.Pos(), n.Name.End(), "Main")
				s.replace(n.Body.Lbrace, n.Body.Lbrace+1, "{ "+start.String())
			}
		case *ast.SelectorExpr:
			x, _ := n.X.(*ast.Ident)
			if x != nil && x.Name == "flag" && n.Sel.Name == "Parse" {
				s.replace(n.Pos(), n.End()+1, "flag.CommandLine.Parse("+command+"[1:]")
			}
			if x != nil && x.Name == "os" {
				switch n.Sel.Name {
				case "Exit":
					s.replace(n.Pos(), n.End(), "panic")
				case "Args":
					s.replace(n.Pos(), n.End(), command)
				default:
					usesOS = true
				}
			}
		}
		return true
	})
	for _, spec := range s.file.Imports {
		if name, _ := importPath(spec); name == "os" && !usesOS {
			s.replace(spec.Pos(), spec.Pos(), "_ ")
		}
	}
}

// assign returns a statement that gives the variables of a declaration their
// initial values.
func (s *source) assign(spec *ast.ValueSpec) string {
	of := func(n ast.Node) string { return string(s.text[s.offset(n.Pos()):s.offset(n.End())]) }
	var names, values []string
	for _, n := range spec.Names {
		names = append(names, n.Name)
		if len(spec.Values) == 0 {
			values = append(values, "*new("+of(spec.Type)+")")
		}
	}
	for _, v := range spec.Values {
		values = append(values, of(v))
	}
	return strings.Join(names, ", ") + " = " + strings.Join(values, ", ") + "; "
}
