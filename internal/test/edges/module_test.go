package edges

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/kit"
)

// head has what programs use.
const head = `
func use[T any](T) {}

type key struct{}

// calls is for what has to be new in every run natively, as what a registry of the library's is to have.
var calls atomic.Int64

// seen is a writer that counts lines, and notes whether "b" came after another one.
type seen struct {
	n   int
	saw bool
}

func (w *seen) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "b") {
		w.saw = w.n > 0
	}
	w.n++
	return len(p), nil
}

// bare is a context that can be told to end, and has nothing but the methods of one.
type bare struct {
	context.Context
	done chan struct{}
}

func (c *bare) Deadline() (deadline time.Time, ok bool) { return }
func (c *bare) Value(any) any                           { return nil }
func (c *bare) Done() <-chan struct{}                   { return c.done }
func (c *bare) end()                                    { close(c.done) }

func (c *bare) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// own is one that calls functions at its end.
type own struct {
	bare
	mu    sync.Mutex
	ended bool
	calls []func()
}

func newOwn() *own { return &own{bare: bare{done: make(chan struct{})}} }

func (c *own) AfterFunc(f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		go f()
	}
	c.calls = append(c.calls, f)
	return func() bool { return false }
}

func (c *own) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	close(c.done)
	for _, f := range c.calls {
		go f()
	}
}
`

// still and restless are the pauses between statements: none under control, where every schedule is run, and any
// otherwise. Nothing in one orders anything.
const (
	still    = "//go:build !restless\n\npackage p\n\nfunc pause() {}\n"
	restless = `//go:build restless

package p

import (
	"math/rand/v2"
	"runtime"
	"time"
)

func pause() {
	switch n := rand.IntN(8); {
	case n < 2:
	case n < 4:
		runtime.Gosched()
	default:
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
	}
}
`
)

// imports are the packages that a program may use, by the names that it uses.
var imports = func() map[string]string {
	all := make(map[string]string)
	for _, path := range strings.Fields(`bufio bytes context expvar fmt io iter log log/slog math/rand mime net net/http net/http/httptest
		os os/signal runtime slices strings sync sync/atomic syscall testing testing/synctest time unique unsafe weak`) {
		all[path[strings.LastIndex(path, "/")+1:]] = path
	}
	return all
}()

var qualified = regexp.MustCompile(`\b([a-z][a-z0-9]*)\.[A-Z]`)

// goFile returns a file of package p, with the imports that text needs.
func goFile(text string) string {
	var names []string
	for _, m := range qualified.FindAllStringSubmatch(text, -1) {
		if imports[m[1]] != "" {
			names = append(names, m[1])
		}
	}
	slices.Sort(names)
	b := "package p\n\n"
	for _, name := range slices.Compact(names) {
		b += fmt.Sprintf("import %s %q\n", name, imports[name])
	}
	return b + "\n" + text
}

// module is a module of one package, of which the programs are the tests.
type module struct {
	dir      string
	por      string // the command
	programs []program
}

func newModule(t *testing.T, programs []program) *module {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	m := &module{dir: t.TempDir(), por: kit.Por(t), programs: programs}
	m.write(t, "go.mod", "module example.org/edges\n\ngo 1.26.0\n\nrequire github.com/gopor/gopor v0.0.0\n\n"+
		"replace github.com/gopor/gopor => "+root+"\n")
	text := ""
	for i, p := range programs {
		text += p.text(i) + "\n"
	}
	m.write(t, "programs_test.go", goFile(text))
	m.write(t, "head_test.go", goFile(head))
	m.write(t, "still_test.go", still)
	m.write(t, "restless_test.go", restless)
	return m
}

func (m *module) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (m *module) command(words ...string) *exec.Cmd {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "POR_SAVE=off")
	return cmd
}
