package edges

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A place where an edge is made is a call of one of these functions. They pass it on to each other as well, so the
// place is in the first caller that is none of them.
var makers = map[string]string{
	"internal/machine":              "after edge edges grant local observe acquire release atomic learnAll merge carry learn Acquire Release",
	"internal/live":                 "Acquire Release",
	"internal/hook":                 "Acquire Release",
	"sched/native":                  "Acquire Release",
	"sched/std/internal/quiet/sync": "Acquire Release lock tries unlock acquires releases",
	// All of its operations are one of these two functions.
	"sched/std/internal/quiet/atomic": "Acquire Release",
}

// passing are functions that pass an edge on.
var passing = strings.Fields(`
	machine.(*memoryModel).learn machine.(*memoryModel).learnAll machine.(*memoryModel).publish machine.(*memoryModel).merge
	machine.(*memoryModel).event machine.(*memoryModel).observe machine.(*memoryModel).local machine.(*memoryModel).release
	machine.(*memoryModel).acquire machine.(*memoryModel).atomic
	machine.(*Machine).after machine.(*Machine).edge machine.(*Machine).edges machine.(*Machine).grant
	machine.piece.acquire machine.piece.carry machine.Acquire machine.Release hook.Acquire hook.Release
	sync.holds sync.lock sync.tries sync.unlock sync.acquires sync.releases`)

// isMaker reports whether a call in package dir makes an edge: of the functions of the memory model by a name of it, of
// others by theirs.
func isMaker(dir string, call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return dir != "internal/machine" && hasWord(makers[dir], f.Name)
	case *ast.SelectorExpr:
		if !hasWord(makers[dir], f.Sel.Name) {
			return false
		}
		on := f.X
		if sel, ok := on.(*ast.SelectorExpr); ok {
			return sel.Sel.Name == "Races" || sel.Sel.Name == "M"
		}
		id, ok := on.(*ast.Ident)
		switch {
		case !ok:
			return false
		case dir != "internal/machine":
			return id.Name == "live" || id.Name == "hook"
		case hasWord("after edge edges grant", f.Sel.Name):
			return id.Name == "m"
		}
		return id.Name == "mm" || f.Sel.Name == "carry" || f.Sel.Name == "acquire" && id.Name == "x"
	}
	return false
}

func hasWord(list, word string) bool {
	for w := range strings.FieldsSeq(list) {
		if w == word {
			return true
		}
	}
	return false
}

// site is a place where an edge is made. Its name does not change with the lines around it.
type site struct{ at, name string }

// sites returns the places by file and line.
func sites(t *testing.T, root string) (list []site) {
	t.Helper()
	for dir := range makers {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			list = append(list, sitesOfFile(t, dir, name)...)
		}
	}
	return list
}

func sitesOfFile(t *testing.T, dir, name string) (list []site) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || passes(dir, fn) {
			continue
		}
		n := 0
		ast.Inspect(fn.Body, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || !isMaker(dir, call) {
				return true
			}
			n++
			at := fmt.Sprintf("%s/%s:%d", dir, filepath.Base(name), set.Position(call.Lparen).Line)
			list = append(list, site{at, fmt.Sprintf("%s/%s %s %d", dir, filepath.Base(name), fullName(fn), n)})
			return true
		})
	}
	return list
}

// fullName returns the name of a function, after that of its type if it is a method.
func fullName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	recv := fn.Recv.List[0].Type
	if star, ok := recv.(*ast.StarExpr); ok {
		return "(*" + typeName(star.X) + ")." + fn.Name.Name
	}
	return typeName(recv) + "." + fn.Name.Name
}

func typeName(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return "?"
}

// passes reports whether a function is one of those that pass an edge on.
func passes(dir string, fn *ast.FuncDecl) bool {
	for _, p := range passing {
		if p == filepath.Base(dir)+"."+fullName(fn) {
			return true
		}
	}
	return false
}

// deleting is a file that is added to package machine where edges are to be taken away. An edge has two ends: the one
// learns what the other has published. A place is one where either is done.
const deleting = `package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

var (
	deletedSite = os.Getenv("GOPOR_EDGE")  // the edge is taken away that is made there
	sitesFile   = os.Getenv("GOPOR_EDGES") // places are written down there
	sitesMet    sync.Map
	passing     = strings.Fields(%q)
)

// deleted reports whether the edge that the caller makes is taken away.
func deleted() bool {
	if deletedSite == "" && sitesFile == "" {
		return false
	}
	at := siteOfEdge()
	if _, met := sitesMet.LoadOrStore(at, true); !met && sitesFile != "" {
		// Files that package os writes are put back after the execution.
		if f, err := syscall.Open(sitesFile, syscall.O_APPEND|syscall.O_CREAT|syscall.O_WRONLY, 0o666); err == nil {
			syscall.Write(f, []byte(at+"\n"))
			syscall.Close(f)
		}
	}
	return at == deletedSite
}

func siteOfEdge() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		f, more := frames.Next()
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		pass := false
		for _, p := range passing {
			pass = pass || p == name
		}
		if !pass || !more {
			_, dir, _ := strings.Cut(filepath.ToSlash(f.File), %q)
			return fmt.Sprintf("%%s:%%d", dir, f.Line)
		}
	}
}
`

// edits are what is put before a part of a file of package machine.
var edits = map[string][][2]string{
	"memorymodel.go": {
		{"\tmm.clocks.Mark(int32(w.ID), w.view.time+1)\n\tif mm.clocks.At(s.clock, int32(w.ID)) >= w.view.since {", "\tif deleted() {\n\t\treturn\n\t}\n"},
		{"\tmm.knowsItself(w, from)\n", "\tif deleted() {\n\t\treturn false\n\t}\n"},
		{"\ts := mm.publish(g)\n\tmm.clocks.Mark(0, 0)", "\tif deleted() {\n\t\treturn to\n\t}\n"},
		{"\tmm.at[obj] = mm.publish(g)\n", "\tif mm.publish(g); deleted() {\n\t\tmm.at[obj] = snapshot{}\n\t\treturn\n\t}\n"},
	},
	"memory.go": {
		{"\tfor i := range x.carried {\n\t\tif y := &x.carried[i]; y.mask == x.mask {", "\tif deleted() {\n\t\tknown = snapshot{}\n\t}\n"},
	},
}

// overlay makes an overlay of the go command's in which edges can be taken away, and returns the name of its file.
func overlay(t *testing.T, dir, root string) string {
	t.Helper()
	base := strings.TrimSuffix(filepath.ToSlash(root), "/") + "/"
	files := map[string]string{"deleted.go": fmt.Sprintf(deleting, strings.Join(passing, " "), base)}
	for name, list := range edits {
		text, err := os.ReadFile(filepath.Join(root, "internal/machine", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
		for _, edit := range list {
			if strings.Count(files[name], edit[0]) != 1 {
				t.Fatalf("%s has changed: it lacks %q", name, edit[0])
			}
			files[name] = strings.Replace(files[name], edit[0], edit[1]+edit[0], 1)
		}
	}
	var list []string
	for name, text := range files {
		at := filepath.Join(dir, name+".txt")
		if err := os.WriteFile(at, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("%q: %q", filepath.Join(root, "internal/machine", name), at))
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, []byte("{\"Replace\": {"+strings.Join(list, ", ")+"}}"), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestOverlay looks whether package machine still has what TestDeleted puts something before. That
// takes a moment, where TestDeleted takes minutes.
func TestOverlay(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay(t, t.TempDir(), root)
}
