package instrument

import (
	"bytes"
	"go/types"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched/std/api"
)

// stdPackages are packages of the standard library that are rewritten as if they
// were the user's.
var stdPackages = []string{
	"encoding/json", "encoding/xml", "encoding/gob", "container/heap", "container/list", "text/template",
	"text/template/parse", "net/textproto", "net/http", "go/parser", "go/printer", "go/types", "strings",
	"bytes", "bufio", "sort", "slices", "maps", "regexp", "regexp/syntax", "fmt", "reflect", "context", "sync",
	"archive/zip", "compress/flate", "math/big", "testing", "html/template", "database/sql", "log/slog", "unique",
}

// exported returns the export data of the packages named here and of what they
// depend on.
var exported = sync.OnceValues(func() (map[string]string, error) {
	return api.ExportFiles(append([]string{Native, strings.TrimSuffix(Native, "native") + "std/...", "os/signal", "os/exec", "hash/maphash", "net/http"}, stdPackages...)...)
})

// stdNames are what import paths stand for inside the standard library.
func stdNames(files map[string]string) map[string]string {
	names := make(map[string]string)
	for path := range files {
		if short, ok := strings.CutPrefix(path, "vendor/"); ok {
			names[short] = path
		}
	}
	return names
}

// check returns the package that the sources make. They may import others besides
// those of the standard library.
func check(t *testing.T, path, version string, sources []Source, others ...*Package) (*Package, error) {
	t.Helper()
	files, err := exported()
	if err != nil {
		t.Fatal(err)
	}
	sizes := types.SizesFor("gc", runtime.GOARCH)
	from := beside{newArchives(files, stdNames(files)), make(map[string]*types.Package)}
	for _, p := range others {
		from.known[p.Path] = p.Types
	}
	return Load(path, version, sources, from, sizes)
}

// beside imports packages that are known, and all others from archives.
type beside struct {
	*archives
	known map[string]*types.Package
}

func (b beside) Import(path string) (*types.Package, error) {
	if p := b.known[path]; p != nil {
		return p, nil
	}
	return b.archives.Import(path)
}

// withMemory returns the sources as they are when only accesses of memory are
// rewritten.
func withMemory(p *Package, sources []Source) []Source {
	all := rewriters
	defer func() { rewriters = all }()
	rewriters = []rewriter{rewriteMemory}
	return rewritten(p, sources)
}

// rewritten returns the sources as Rewrite leaves them.
func rewritten(p *Package, sources []Source) []Source {
	texts, _ := Rewrite(p)
	out := make([]Source, len(texts))
	for i, text := range texts {
		out[i] = Source{sources[i].Name, text}
	}
	return out
}

// TestStandardLibrary rewrites large amounts of ordinary code: the result has
// the lines of the original, and the checker of types likes it.
func TestStandardLibrary(t *testing.T) {
	if !effort.Full() {
		t.Skip("loads much of the standard library")
	}
	for _, path := range stdPackages {
		t.Run(strings.ReplaceAll(path, "/", "_"), func(t *testing.T) {
			sources := stdSources(t, path)
			p, err := check(t, path, "", sources)
			if err != nil {
				t.Skip(err)
			}
			start := time.Now()
			after := withMemory(p, sources)
			took := time.Since(start)
			before, size := 0, 0
			for i, s := range sources {
				before, size = before+len(s.Text), size+len(after[i].Text)
				if was, is := bytes.Count(s.Text, []byte("\n")), bytes.Count(after[i].Text, []byte("\n")); is != was+1 {
					t.Errorf("%s: %d lines became %d", s.Name, was, is)
				}
			}
			p, _ = check(t, path, "", sources) // the edits are those of one rewriting
			for _, after := range [][]Source{after, rewritten(p, sources)} {
				_, err := check(t, path, "", after)
				if err == nil {
					continue
				}
				t.Error(err)
				if dir := os.Getenv("GOPOR_TEST_DIR"); dir != "" {
					for _, s := range after {
						os.WriteFile(filepath.Join(dir, filepath.Base(s.Name)), s.Text, 0o666)
					}
				}
			}
			t.Logf("%d bytes became %d in %v", before, size, took)
		})
	}
}

// stdSources returns the files of a package of the standard library.
func stdSources(t *testing.T, path string) []Source {
	t.Helper()
	found, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedFiles}, path)
	if err != nil || len(found) != 1 || len(found[0].GoFiles) == 0 {
		t.Fatalf("%s: %v, %v", path, found, err)
	}
	var sources []Source
	for _, name := range found[0].GoFiles {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{name, text})
	}
	return sources
}
