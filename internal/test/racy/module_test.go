package racy

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// head has what programs use.
const head = `
func use[T any](T) {}

func sum(list ...int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

func anys[T any](list []T) (all []any) {
	for _, v := range list {
		all = append(all, v)
	}
	return all
}

type key struct{}

type summer interface{ sum() int }
type incer interface{ inc() }

type pair struct{ a, b int }

func (p pair) sum() int { return p.a + p.b }
func (p *pair) inc()    { p.a++ }

type open struct{ A, B int }

func (o *open) Inc() { o.A++ }

type embedded struct {
	pair
	name string
}

type outer struct {
	*embedded
	list []int
}

type node struct {
	n    int
	next *node
}

func (x *node) len() (n int) {
	for ; x != nil; x = x.next {
		n++
	}
	return n
}

type box[T any] struct {
	v   T
	all []T
}

func (b *box[T]) set(v T)  { b.v = v }
func (b box[T]) get() T    { return b.v }
func (b *box[T]) list() []T { return append(b.all, b.v) }

type record struct {
	Name string         // x
	N    int
	Tags []string
	More map[string]any
	In   *pair
	skip int
}

type locked struct {
	sync.RWMutex
	m map[string]int
	n int
}

func (l *locked) add(k string)     { l.Lock(); defer l.Unlock(); l.m[k]++ }
func (l *locked) get(k string) int { l.RLock(); defer l.RUnlock(); return l.m[k] }

type group struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

func (g *group) Go(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

func (g *group) Wait() error { g.wg.Wait(); return g.err }

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	n := len(*h) - 1
	x := (*h)[n]
	*h = (*h)[:n]
	return x
}
`

// still and restless are the pauses between statements: none under control, where every
// schedule is run, and any otherwise. Nothing in one orders anything.
const (
	still    = "//go:build !restless\n\npackage p\n\nfunc pause() {}\n"
	restless = `//go:build restless

package p

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"time"
)

var longest, _ = strconv.Atoi(os.Getenv("RACY_PAUSE"))

func pause() {
	switch n := rand.IntN(8); {
	case n < 3:
	case n < 5:
		runtime.Gosched()
	default:
		time.Sleep(time.Duration(rand.IntN(longest)) * time.Microsecond)
	}
}
`
)

// imports are the packages that a program may use, by the names that it uses.
var imports = func() map[string]string {
	all := map[string]string{"randv2": "math/rand/v2", "rand": "math/rand", "htmltemplate": "html/template", "template": "text/template", "scanner": "text/scanner"}
	for _, path := range strings.Fields(`bufio bytes cmp compress/gzip container/heap container/list container/ring context
		crypto/aes crypto/cipher crypto/hmac crypto/md5 crypto/sha256 crypto/subtle crypto/tls encoding/base64 encoding/binary
		encoding/csv encoding/gob encoding/hex encoding/json encoding/xml errors expvar flag fmt go/ast go/format go/parser
		go/printer go/token hash hash/crc32 hash/maphash io iter log log/slog maps math math/big mime net net/http
		net/http/cookiejar net/http/httptest net/http/httputil net/netip net/url os os/exec reflect regexp runtime runtime/debug
		slices sort strconv strings sync sync/atomic testing text/tabwriter time unicode/utf8 unique unsafe`) {
		all[path[strings.LastIndex(path, "/")+1:]] = path
	}
	return all
}()

var qualified = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.[A-Z]`)

// goFile returns a file of package p, with the imports that text needs.
func goFile(text string) string {
	var b strings.Builder
	b.WriteString("package p\n\n")
	var names []string
	for _, m := range qualified.FindAllStringSubmatch(text, -1) {
		if imports[m[1]] != "" {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		fmt.Fprintf(&b, "import %s %q\n", name, imports[name])
	}
	return b.String() + "\n" + text
}

// perPackage is how many programs are in one package.
const perPackage = 200

// module is a module of programs: number n is TestP<n>, in package p<n/perPackage>.
type module struct {
	dir      string
	programs []program
}

func newModule(t *testing.T, root string, programs []program) *module {
	t.Helper()
	m := &module{t.TempDir(), programs}
	m.write(t, "go.mod", "module example.org/racy\n\ngo 1.26.0\n\n"+
		"require github.com/gopor/gopor v0.0.0\n\nreplace github.com/gopor/gopor => "+root+"\n")
	for first := 0; first < len(programs); first += perPackage {
		var b strings.Builder
		for i := first; i < min(first+perPackage, len(programs)); i++ {
			b.WriteString(programs[i].text(i) + "\n")
		}
		folder := m.folder(first)
		m.write(t, filepath.Join(folder, "programs_test.go"), goFile(b.String()))
		m.write(t, filepath.Join(folder, "head_test.go"), goFile(head))
		m.write(t, filepath.Join(folder, "still_test.go"), still)
		m.write(t, filepath.Join(folder, "restless_test.go"), restless)
	}
	return m
}

// folder returns the folder of a program.
func (m *module) folder(number int) string { return fmt.Sprintf("p%d", number/perPackage) }

func (m *module) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(m.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
