package main

import (
	"bufio"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/known"
	"github.com/gopor/gopor/sched/std"
)

var ofToolchain = sync.OnceValues(func() (*library, error) { return readLibrary(build.Default.GOROOT) })

func libraryOf(t *testing.T) *library {
	t.Helper()
	lib, err := ofToolchain()
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// The tables are true of the release that runs the test, and every exported name of it is in one of them.
func TestTables(t *testing.T) {
	for _, line := range differences(libraryOf(t), known.All(), known.News(), known.Base()) {
		t.Error(line)
	}
}

// What package known says of an exported name that is new has to be so by the table std.txt.
func TestNews(t *testing.T) {
	seen := make(map[string]bool)
	for _, n := range known.News() {
		if seen[n.Symbol] {
			t.Errorf("%s is in new.txt twice", n.Symbol)
		}
		seen[n.Symbol] = true
		if complaint := wrong(n); complaint != "" {
			t.Errorf("new.txt: %s: %s", n.Symbol, complaint)
		}
	}
}

// wrong returns what is wrong with a line of new.txt, or "".
func wrong(n known.New) string {
	class, why, ok := strings.Cut(n.Why, ":")
	path, _ := known.Split(n.Symbol)
	switch {
	case n.Since == 0:
		return "it has no release"
	case n.Why == "":
		return "it does not say why"
	case n.How == "nothing":
		return ""
	case !ok || strings.TrimSpace(why) == "":
		return "it needs a class, a colon and a reason"
	case n.How == "named":
		if !slices.Contains([]string{"source", "lasting", "foreign", "felt", "ending", "kills"}, class) || !known.Is(class, n.Symbol) {
			return "it is not of the class " + class + " in std.txt"
		}
		return ""
	case n.How != "control":
		return "it is " + n.How + ", not one of control, named and nothing"
	case class == "testing" && (path == "testing" || strings.HasPrefix(path, "testing/")):
		return ""
	case slices.Contains([]string{"announce", "control", "twin"}, class) && known.Is(class, path):
		return ""
	}
	return "its package is not of the class " + class + " in std.txt"
}

// Each line of the table has a class that the code asks for, a symbol that no other line of the class has, and one
// effect: a function that ends the process does not have another mark.
func TestRows(t *testing.T) {
	classes := strings.Fields(`twin announce clocked control divert quiet time sends outward source
		lasting foreign felt ending kills linked changes led leading registry also begin touch execution hush search reflect hook idle idles`)
	marks := strings.Fields("source lasting foreign felt ending kills")
	seen, marked := make(map[string]bool), make(map[string]string)
	for _, r := range known.All() {
		if !slices.Contains(classes, r.Class) {
			t.Errorf("std.txt: %s has the class %s, which no code asks for", r.Symbol(), r.Class)
		}
		if key := r.Class + " " + r.Symbol(); seen[key] {
			t.Errorf("std.txt has two lines %s", key)
		} else {
			seen[key] = true
		}
		if slices.Contains(marks, r.Class) {
			if other := marked[r.Symbol()]; other != "" {
				t.Errorf("std.txt: %s is %s and %s", r.Symbol(), other, r.Class)
			}
			marked[r.Symbol()] = r.Class
		}
	}
	for _, class := range classes {
		if len(known.Rows(class)) == 0 {
			t.Errorf("std.txt has no line of the class %s", class)
		}
	}
}

// A name that is gone, one whose parameters have changed, one that is new and one that came earlier are each a line.
func TestDifferences(t *testing.T) {
	lib := &library{version: "go1.28", minor: 28, packages: map[string]map[string]declared{
		"p":          {"F": {"func", "func(n int)"}, "New": {"func", "func()"}, "Old": {"type", "struct"}, "C": {"const", ""}, "hidden": {"func", "func()"}},
		"p/internal": {"X": {"func", "func()"}},
	}}
	rows := []known.Row{
		{Class: "hook", Path: "p", Name: "F", Args: "func()"},
		{Class: "hook", Path: "p", Name: "Gone", Args: "func()"},
		{Class: "source", Path: "p", Name: "Until", Until: 27},
		{Class: "announce", Path: "p"},
		{Class: "announce", Path: "q"},
		{Class: "source", Path: "p", Name: "Old", Since: 29},
	}
	news := []known.New{{Symbol: "p.F", Since: 27}, {Symbol: "p.Missing", Since: 28}, {Symbol: "p.Later", Since: 29}, {Symbol: "p.Old", Since: 29}}
	got := differences(lib, rows, news, map[string]bool{"p.Was": true})
	want := []string{
		"changed: p.F (hook in std.txt) is func(n int), not func()",
		"gone: p.Gone (hook in std.txt)",
		"gone: q (announce in std.txt)",
		"there: p.Old (source in std.txt), which the table says is not in this release",
		"gone: p.Missing, which new.txt says came with Go 1.28",
		"earlier: p.Old, which new.txt says came with Go 1.29, is in go1.28",
		"new: func p.New func(): not in new.txt",
		"gone: p.Was, which Go 1.25 has",
	}
	if !slices.Equal(got, want) {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}

var ofAPI = regexp.MustCompile(`^pkg ([^ ,]+)(?: \([^)]*\))?, (func|var|type|method) (?:\(\*?(\w+)[^)]*\) )?(\w+)`)

// The files with the API of a release, which distributions have and toolchains that the go command fetches do not,
// have no function, method, type or variable that new.txt does not have.
func TestAPI(t *testing.T) {
	listed := make(map[string]bool)
	for _, n := range known.News() {
		listed[n.Symbol] = true
	}
	base, found := known.Base(), false
	for _, name := range []string{"go1.26.txt", "go1.27.txt", "go1.28.txt"} {
		f, err := os.Open(filepath.Join(build.Default.GOROOT, "api", name))
		if err != nil {
			continue
		}
		defer f.Close()
		found = true
		checked := 0
		for lines := bufio.NewScanner(f); lines.Scan(); {
			m := ofAPI.FindStringSubmatch(lines.Text())
			if m == nil || strings.Contains(lines.Text(), "//deprecated") {
				continue
			}
			symbol := m[1] + "." + m[4]
			if m[3] != "" {
				symbol = m[1] + "." + m[3] + "." + m[4]
			}
			checked++
			if !listed[symbol] && !base[symbol] {
				t.Errorf("%s: %s is not in new.txt", name, symbol)
			}
		}
		if checked == 0 {
			t.Errorf("%s: no line was understood", name)
		}
	}
	if !found {
		t.Skip("this toolchain has no folder api, as those that the go command fetches; TestTables reads its source")
	}
}

// Base has names of all packages of Go 1.25, and reads continued lines.
func TestBase(t *testing.T) {
	base := known.Base()
	for _, symbol := range []string{"bytes.Buffer.Write", "net/http.Client.Do", "net/http.Server.Addr", "os.File", "sync.WaitGroup.Go", "testing.T.Log"} {
		if !base[symbol] {
			t.Errorf("names.txt has no %s", symbol)
		}
	}
	paths := make(map[string]bool)
	for symbol := range maps.Keys(base) {
		path, _ := known.Split(symbol)
		paths[path] = true
	}
	if len(paths) < 150 {
		t.Errorf("names.txt has %d packages", len(paths))
	}
}

// The twins that there are, are those of the table.
func TestTwins(t *testing.T) {
	if diff := cmp.Diff(known.Paths("twin"), std.Packages()); diff != "" {
		t.Errorf("the twins (-std.txt +package std)\n%s", diff)
	}
}

// withPools are packages that are not known and keep a sync.Pool, with the reason.
var withPools = map[string]string{
	"crypto/internal/fips140/drbg": "what is pooled has locks and arrays, and runs code of packages that announce nothing",
	"internal/poll":                "slices of system calls, which no announcing package sees",
	"syscall":                      "attributes of processes, which no announcing package sees",
	"vendor/golang.org/x/net/quic": "no other package imports it",
}

// A package that hands objects on in a pool must be known, if packages that announce use them:
// else they seem to be used by two goroutines in no order. That is so for vendored packages, too.
func TestPools(t *testing.T) {
	classes := make(map[string]bool)
	for _, class := range []string{"twin", "announce", "control", "divert"} {
		for _, path := range known.Paths(class) {
			classes[path] = true
		}
	}
	cmd := exec.Command(filepath.Join(build.Default.GOROOT, "bin", "go"), "list", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{join .GoFiles \"\\t\"}}", "std")
	cmd.Env, cmd.Dir = append(os.Environ(), "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=off"), os.TempDir()
	list, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		words := strings.Split(strings.TrimSpace(line), "\t")
		for _, name := range words[min(2, len(words)):] {
			text, err := os.ReadFile(filepath.Join(words[1], name))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "sync.Pool") && !classes[words[0]] && withPools[words[0]] == "" {
				t.Errorf("%s keeps a pool in %s: let it announce, or say in withPools why it need not", words[0], name)
			}
		}
	}
}

// byStack are the files with names of functions of the standard library that are looked for on stacks.
var byStack = []string{"sched/native/orderless.go", "internal/live/socketnames.go"}

// ofStack matches the name of a function on a stack: the package, perhaps the type, and the name.
var ofStack = regexp.MustCompile(`^([a-z0-9]+(?:/[a-z0-9]+)*)\.(?:\(\*)?(?:([A-Za-z]\w*)\)?\.)?([A-Za-z]\w*)$`)

// onlySince and onlyBefore are names that one of the supported releases has. Prefixes of names are
// those of a list of prefixes.
var (
	onlySince  = map[string]int{"regexp/syntax.initAliases": 27}
	onlyBefore = map[string]int{
		"crypto/tls.(*atLeastReader).Read": 27, "encoding/json.mapEncoder.encode": 27, "regexp/syntax.initCategoryAliases": 27,
	}
	prefixes = map[string]bool{"encoding/json/v2.make": true, "encoding/json/v2.marshal": true, "encoding/json/v2.Marshal": true}
)

// What is looked for on stacks must be there. That the standard library has renamed a function would
// show in nothing else but a verdict that says more than it should.
func TestOnStacks(t *testing.T) {
	lib := libraryOf(t)
	seen := 0
	for _, name := range byStack {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", filepath.FromSlash(name)), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			l, ok := n.(*ast.BasicLit)
			if !ok || l.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				return true
			}
			m := ofStack.FindStringSubmatch(text)
			if m == nil || lib.packages[m[1]] == nil || prefixes[text] {
				return true
			}
			seen++
			symbol := strings.TrimPrefix(m[2]+"."+m[3], ".")
			_, has := lib.packages[m[1]][symbol]
			since, before := onlySince[text], onlyBefore[text]
			if want := (since == 0 || lib.minor >= since) && (before == 0 || lib.minor < before); has != want {
				t.Errorf("%s: %s has %s: %v, and should: %v", name, lib.version, text, has, want)
			}
			return true
		})
	}
	if seen < 50 {
		t.Errorf("%d names are looked for", seen)
	}
}

// newPackages are packages that came with a supported release.
var newPackages = map[string]int{
	"encoding/json/jsontext": 27, "encoding/json/v2": 27, "encoding/json/internal/jsonflags": 27,
	"encoding/json/internal/jsonopts": 27, "encoding/json/internal/jsonwire": 27,
}

// The packages that are looked for on stacks must be there, too.
func TestPackagesOnStacks(t *testing.T) {
	lib := libraryOf(t)
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "sched", "exec", "progress.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != "lockless" && v.Names[0].Name != "telling" {
			return true
		}
		ast.Inspect(v, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				seen++
				path, _ := strconv.Unquote(l.Value)
				if _, has := lib.packages[path]; has != (lib.minor >= newPackages[path]) {
					t.Errorf("%s and package %s: it should be there since release %d", lib.version, path, newPackages[path])
				}
			}
			return true
		})
		return false
	})
	if seen < 20 {
		t.Errorf("%d packages are looked for", seen)
	}
}
