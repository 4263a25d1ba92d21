package exec_test

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/lzw"
	"container/heap"
	"container/ring"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io"
	"log/slog"
	"maps"
	"math/rand"
	randv2 "math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	original "sync"
	"testing"
	"testing/quick"
	textscanner "text/scanner"
	"text/tabwriter"
	"text/template"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// called is code of the program's that packages of the standard library call.
type called func()

func (f called) Read(b []byte) (int, error)   { f(); return 0, io.EOF }
func (f called) Write(b []byte) (int, error)  { f(); return len(b), nil }
func (f called) String() string               { f(); return "" }
func (f called) Error() string                { f(); return "" }
func (f called) Is(error) bool                { f(); return true }
func (f called) MarshalJSON() ([]byte, error) { f(); return []byte("0"), nil }
func (f called) MarshalText() ([]byte, error) { f(); return nil, nil }
func (f called) GobEncode() ([]byte, error)   { f(); return nil, nil }
func (f called) Int63() int64                 { f(); return 0 }
func (f called) Uint64() uint64               { f(); return 0 }
func (f called) Seed(int64)                   {}
func (f called) Len() int                     { return 2 }
func (f called) Less(i, j int) bool           { f(); return i < j }
func (f called) Swap(i, j int)                {}
func (f called) Push(any)                     {}
func (f called) Pop() any                     { return nil }
func (f called) LogValue() slog.Value         { f(); return slog.Value{} }
func (f called) less(a, b int) int            { f(); return a - b }
func (f called) template() template.FuncMap   { return template.FuncMap{"f": f.String} }
func (f called) logger() *slog.Logger         { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// leavable calls f from within packages of the standard library that an execution may leave at any
// moment.
var leavable = map[string]func(f called){
	"bufio":            func(f called) { bufio.NewReader(f).ReadByte() },
	"bytes":            func(f called) { bytes.Map(func(r rune) rune { f(); return r }, []byte("x")) },
	"compress/bzip2":   func(f called) { bzip2.NewReader(f).Read(make([]byte, 9)) },
	"compress/lzw":     func(f called) { lzw.NewReader(f, lzw.LSB, 8).Read(make([]byte, 9)) },
	"container/heap":   func(f called) { heap.Init(f) },
	"container/ring":   func(f called) { ring.New(1).Do(func(any) { f() }) },
	"encoding/ascii85": func(f called) { ascii85.NewDecoder(f).Read(make([]byte, 9)) },
	"encoding/base32":  func(f called) { base32.NewDecoder(base32.StdEncoding, f).Read(make([]byte, 9)) },
	"encoding/base64":  func(f called) { base64.NewDecoder(base64.StdEncoding, f).Read(make([]byte, 9)) },
	"encoding/csv":     func(f called) { csv.NewReader(f).Read() },
	"encoding/hex":     func(f called) { hex.NewDecoder(f).Read(make([]byte, 9)) },
	"errors":           func(f called) { errors.Is(f, io.EOF) },
	"fmt":              func(f called) { fmt.Fprint(io.Discard, map[string]any{"": struct{ F any }{f}}) },
	"go/ast":           func(f called) { ast.Inspect(ast.NewIdent("x"), func(ast.Node) bool { f(); return false }) },
	"go/scanner": func(f called) {
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile("", 1, 1), []byte("'"), func(token.Position, string) { f() }, 0)
		s.Scan()
	},
	"io":             func(f called) { io.ReadAll(f) },
	"maps":           func(f called) { maps.DeleteFunc(map[int]int{1: 1}, func(int, int) bool { f(); return false }) },
	"reflect":        func(f called) { reflect.ValueOf(f).Call(nil) },
	"slices":         func(f called) { slices.SortFunc([]int{2, 1}, f.less) },
	"sort":           func(f called) { sort.Sort(f) },
	"strings":        func(f called) { _ = strings.Map(func(r rune) rune { f(); return r }, "x") },
	"testing/quick":  func(f called) { quick.Check(func(bool) bool { f(); return true }, &quick.Config{MaxCount: 1}) },
	"text/scanner":   func(f called) { new(textscanner.Scanner).Init(f).Next() },
	"text/tabwriter": func(f called) { w := tabwriter.NewWriter(f, 0, 0, 0, ' ', 0); fmt.Fprint(w, "a\n"); w.Flush() },
}

// tellingAll calls f from within those which tell of their locks where the program is instrumented.
var tellingAll = map[string]func(f called){
	"encoding/binary": func(f called) { binary.Read(f, binary.BigEndian, new(int32)) },
	"encoding/gob":    func(f called) { gob.NewEncoder(io.Discard).Encode(f) },
	"encoding/json":   func(f called) { json.Marshal([]any{f}) },
	"encoding/xml":    func(f called) { xml.Marshal(f) },
	"log/slog":        func(f called) { f.logger().Handler().WithAttrs([]slog.Attr{slog.Any("f", f)}) },
	"math/rand":       func(f called) { rand.New(f).Int63() },
	"math/rand/v2":    func(f called) { randv2.New(f).Uint64() },
	"regexp": func(f called) {
		regexp.MustCompile("x").ReplaceAllStringFunc("x", func(string) string { f(); return "" })
	},
	"text/template": func(f called) {
		template.Must(template.New("").Funcs(f.template()).Parse("{{f}}")).Execute(io.Discard, nil)
	},
}

// goesOn reports how often code goes on that is called by within, after the execution was
// interrupted there and memory accessed, and whether it has ended.
func goesOn(t *testing.T, within func(f called)) (times int, ended bool) {
	t.Helper()
	called, x := false, new(int)
	var c *exec.Closure
	access := func() {
		c.Progress() // as a watchdog does, now and then: an access is looked at after that
		hook.ReadMemory(unsafe.Pointer(x), unsafe.Sizeof(*x))
	}
	c = exec.New(func() {
		within(func() {
			called = true
			c.Interrupt(true)
			access()
			times++
		})
		access()
		t.Error("interrupted, it goes on after the call")
	}, exec.Options{})
	defer c.Shutdown()
	for run := c.Start(); len(run.Pending()) > 0; {
		if _, err := run.Step(trace.Choice{G: run.Pending()[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	ended = c.Interrupted()
	c.Interrupt(false)
	c.Close()
	if !called {
		t.Error("nothing was called")
	}
	return times, ended
}

// TestInterruptedInside interrupts executions in code of the program's that packages of the
// standard library call: it does not go on, not even once, where these keep no locks, or tell of
// them.
func TestInterruptedInside(t *testing.T) {
	want := func(name string, within func(f called), again bool) {
		t.Run(name, func(t *testing.T) {
			times, ended := goesOn(t, within)
			if (times > 0) != again || !ended {
				t.Errorf("it goes on %d times, and has ended: %v", times, ended)
			}
		})
	}
	for name, within := range leavable {
		want(name, within, false)
	}
	for name, within := range tellingAll {
		want(name+" as it is", within, true)
	}
	once := func(f called) { new(original.Once).Do(f) }
	want("sync", once, true)
	exec.SetInstrumented("yes")
	defer exec.SetInstrumented("")
	for name, within := range tellingAll {
		want(name, within, false)
	}
	want("sync of instrumented code", once, true)
}

// TestMayHold asks of functions that call nothing of the program's.
func TestMayHold(t *testing.T) {
	for _, instrumented := range []string{"", "yes"} {
		exec.SetInstrumented(instrumented)
		for function, want := range map[string]bool{
			"cmp.Compare[...]": false, "container/list.(*List).PushBack": false, "internal/fmtsort.Sort": false, "strconv.Itoa": false,
			"encoding/pem.Decode": false, "go/parser.ParseFile": false, "index/suffixarray.New": false, "net/url.Parse": false, "path.Join": false,
			"unicode.IsUpper": false, "unicode/utf16.Encode": false, "unicode/utf8.DecodeRune": false,
			"hash/adler32.Checksum": true, "hash/crc32.Update": true, "hash/crc64.Update": true, "hash/fnv.New32": true,
			"log.(*Logger).output": true, "math/big.(*Int).Mul": true, "regexp/syntax.Parse": true, "text/template/parse.Parse": true,
		} {
			if got := exec.MayHold(function); got != (want && instrumented == "") {
				t.Errorf("%s, instrumented %q: %v", function, instrumented, got)
			}
		}
		for _, function := range []string{"sync.(*Once).doSlow", "os.(*File).Write", "go/token.(*File).AddLine", "internal/godebug.(*Setting).Value", "net.Dial", "time.LoadLocation", "strings.(*Replacer).buildOnce"} {
			if !exec.MayHold(function) {
				t.Errorf("%s, instrumented %q, holds nothing", function, instrumented)
			}
		}
	}
	if exec.SetInstrumented(""); !exec.MayHold("reflect.FuncOf") || !exec.MayHold("reflect.StructOf") {
		t.Error("package reflect holds nothing where it makes types")
	}
}

// TestInterruptedTogether interrupts an execution in code of a goroutine that one event has let go
// on with others: none of these begins, and the one that the event is of goes no further than to
// the next access of memory that is looked at.
func TestInterruptedTogether(t *testing.T) {
	x, entered, gone := new(int), 0, 0
	var c *exec.Closure
	access := func() {
		c.Progress()
		hook.ReadMemory(unsafe.Pointer(x), unsafe.Sizeof(*x))
	}
	c = exec.New(func() {
		var gate sched.WaitGroup
		gate.Add(1)
		for range 3 {
			sched.Go(func() {
				gate.Wait()
				entered++
				c.Interrupt(true)
				access()
				gone++
			})
		}
		gate.Done()
		access()
		gone++
	}, exec.Options{})
	defer c.Shutdown()
	run := c.Start()
	for len(run.Pending()) > 0 { // main comes first
		if _, err := run.Step(trace.Choice{G: run.Pending()[len(run.Pending())-1].G}); err != nil && err != trace.ErrInterrupted {
			t.Fatal(err)
		}
	}
	if !c.Interrupted() || entered != 1 || gone > 0 {
		t.Errorf("interrupted: %v, %d goroutines have gone on, and %d further", c.Interrupted(), entered, gone)
	}
	c.Interrupt(false)
	c.Close()
	if gone > 0 {
		t.Errorf("%d go on when they are unwound", gone)
	}
}
