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
	"github.com/gopor/gopor/instrument/divert"
	"github.com/gopor/gopor/instrument/edit"
)

// Loops of the standard library over maps, and those of package reflect, are not rewritten. The
// runtime draws their order in package internal/runtime/maps, from the seed of the map's hashes
// and an offset for each loop. A second archive of that package has constants for both while
// there are controlled goroutines. All packages depend on it, but none is recompiled: the
// linker gets it in place of the first archive, and both look the same to other packages. The
// second archive reports every loop that begins to package live.

// drawn and ranging are the functions of package live that may change what is drawn.
const (
	drawn   = divert.Live + ".Drawn"
	ranging = divert.Live + ".Ranging"
)

// ordering is for package internal/runtime/maps. It declares nothing new but functions without
// a body, and changes no inlined function.
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

// assigning are the functions of the package that set an entry and compute the hash of its key
// themselves.
var assigning = strings.Fields(`PutSlot runtime_mapassign runtime_mapassign_fast32 runtime_mapassign_fast32ptr
	runtime_mapassign_fast64 runtime_mapassign_fast64ptr runtime_mapassign_faststr`)

// order makes the order of the package's maps constant. It returns an error if the package is
// not as expected: other functions set an entry, or not exactly one place reports loops.
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

// drawSeeds makes functions that set an entry of an empty map set its seed first. It returns
// their names.
func (f *File) drawSeeds() (seeding []string) {
	for _, d := range f.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || !strings.Contains(fn.Name.Name, "assign") && fn.Name.Name != "PutSlot" {
			continue
		}
		for _, s := range fn.Body.List {
			if strings.Contains(f.Source(s), "m.seed") {
				f.Before(s, edit.Literal("if m.used == 0 { m.seed = uintptr(gopor_drawn(uint64(m.seed))) }; "))
				seeding = append(seeding, fn.Name.Name)
				break
			}
		}
	}
	return seeding
}

// drawOffsets makes every loop begin where package live says. It returns the number of places
// that report the number of keys of a loop.
func (f *File) drawOffsets() (telling int) {
	ast.Inspect(f.AST, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			return true
		}
		to, ok := a.Lhs[0].(*ast.SelectorExpr)
		switch {
		case !ok || f.Source(a.Rhs[0]) != "rand()":
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

// keepNames gives the rewritten files of a command the names of the original ones, wherever the
// compiler writes them: the archive has to look the same.
func (c *compile) keepNames(args []string) []string {
	for i, arg := range args {
		if arg != "-trimpath" {
			continue
		}
		for _, k := range c.files { // the compiler uses the first rewrite that matches
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

// sameForOthers reports whether two archives of a package look the same to packages that were
// compiled with one of them. It compares the compiler's fingerprints, which cover everything
// that other packages know, including the numbers of symbols.
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
