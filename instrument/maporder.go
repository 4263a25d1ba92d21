package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/instrument/build"
)

// Loops of the standard library's over maps, and those of package reflect, are not rewritten.
// Their order is drawn by the runtime, from the seed of the map's hashes and an offset for
// each loop, in package internal/runtime/maps. Of that there is a second archive, in which
// both are constants while there are controlled goroutines. All packages depend on it, so
// none is compiled for its sake: the linker is given it in place of the first, which is the
// same as all that others know of it. It tells package live of every loop that begins.

// drawn and ranging are the functions of package live that have the last word on what is drawn.
const (
	drawn   = Live + ".Drawn"
	ranging = Live + ".Ranging"
)

// ordering is for package internal/runtime/maps. It adds nothing to what the package
// declares but a function without a body, and nothing to functions that are inlined.
func (c *compile) ordering(*build.Plan, string) ([]string, error) {
	sources, err := c.sources()
	if err != nil {
		return nil, err
	}
	files, err := parse(token.NewFileSet(), sources)
	if err != nil {
		return nil, err
	}
	if err := order(files); err != nil {
		return nil, err
	}
	var texts [][]byte
	for i, f := range files {
		text := f.Result()
		if i == len(files)-1 {
			text = fmt.Appendf(text, "\n//go:linkname gopor_drawn %s\nfunc gopor_drawn(uint64) uint64\n", drawn)
			text = fmt.Appendf(text, "\n//go:linkname gopor_ranging %s\nfunc gopor_ranging(x, n uint64) uint64\n", ranging)
		}
		texts = append(texts, text)
	}
	args := slices.Clone(c.args)
	if err := c.write(args, sources, texts); err != nil {
		return nil, err
	}
	return c.keepNames(args), nil
}

// assigning are the functions of the package that set an entry, and take the hash of its key themselves.
var assigning = strings.Fields(`PutSlot runtime_mapassign runtime_mapassign_fast32 runtime_mapassign_fast32ptr
	runtime_mapassign_fast64 runtime_mapassign_fast64ptr runtime_mapassign_faststr`)

// order gives the package's maps their order. It returns an error if the package is another one than expected: if the
// functions that set an entry are others, or if not one place tells of loops.
func order(files []*File) error {
	var seeding []string
	telling := 0
	for _, f := range files {
		seeding = append(seeding, f.drawSeeds()...)
		telling += f.drawOffsets()
	}
	if slices.Sort(seeding); !slices.Equal(seeding, assigning) {
		return fmt.Errorf("maps cannot have the same order in all executions: %v set an entry, and should be %v", seeding, assigning)
	}
	if telling != 1 {
		return fmt.Errorf("maps cannot have the same order in all executions: loops begin in %d places, and should in 1", telling)
	}
	return nil
}

// drawSeeds has functions that set an entry of a map which is empty set its seed first. It returns their names.
func (f *File) drawSeeds() (seeding []string) {
	for _, d := range f.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !strings.Contains(fn.Name.Name, "assign") && fn.Name.Name != "PutSlot" {
			continue
		}
		for _, s := range fn.Body.List {
			if strings.Contains(f.source(s), "m.seed") {
				f.Before(s, literal("if m.used == 0 { m.seed = uintptr(gopor_drawn(uint64(m.seed))) }; "))
				seeding = append(seeding, fn.Name.Name)
				break
			}
		}
	}
	return seeding
}

// drawOffsets has every loop begin where it is told to. It returns in how many places it says of how many keys a
// loop is.
func (f *File) drawOffsets() (telling int) {
	ast.Inspect(f.AST, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			return true
		}
		to, ok := a.Lhs[0].(*ast.SelectorExpr)
		switch {
		case !ok || f.source(a.Rhs[0]) != "rand()":
		case to.Sel.Name == "entryOffset":
			f.Wrap(a.Rhs[0], "gopor_ranging(", ", uint64(m.used))")
			telling++
		case strings.HasSuffix(to.Sel.Name, "Offset"):
			f.Wrap(a.Rhs[0], "gopor_drawn(", ")")
		}
		return true
	})
	return telling
}

// keepNames lets the rewritten files of a command have the names of the others, wherever the
// compiler writes them: what it tells of the package is to be the same.
func (c *compile) keepNames(args []string) []string {
	for i, arg := range args {
		if arg != "-trimpath" {
			continue
		}
		for _, k := range c.files { // the first rewrite that fits is the one
			args[i+1] = args[k] + "=>" + written(c.args[k], c.args[i+1]) + ";" + args[i+1]
		}
	}
	return args
}

// written returns the name of a file as the compiler writes it, by the rewrites of its flag
// -trimpath.
func written(name, rewrites string) string {
	within := func(dir string) (string, bool) {
		rest, ok := strings.CutPrefix(name, dir)
		return rest, ok && dir != "" && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator)
	}
	for rewrite := range strings.SplitSeq(rewrites, ";") {
		prefix, to, _ := strings.Cut(rewrite, "=>")
		if rest, ok := within(prefix); ok {
			if to == "" {
				rest = strings.TrimLeft(rest, `/\`)
			}
			return to + rest
		}
	}
	if rest, ok := within(os.Getenv("GOROOT")); ok {
		return "$GOROOT" + rest
	}
	return name
}

// sameForOthers reports whether two archives of a package are the same for whoever was
// compiled with one of them: whether the compiler has given them one fingerprint, which is
// that of all that others know of the package, the numbers of its symbols included.
func sameForOthers(a, b string) bool {
	x, err := fingerprint(a)
	if err != nil {
		return false
	}
	y, err := fingerprint(b)
	return err == nil && bytes.Equal(x, y)
}

// fingerprint returns the fingerprint of the package in an archive.
func fingerprint(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	const magic, size = "\x00go120ld", 8
	at := bytes.Index(text, []byte(magic))
	if at < 0 || len(text) < at+len(magic)+size {
		return nil, fmt.Errorf("%s is no archive of this release", name)
	}
	return text[at+len(magic):][:size], nil
}
