package natively

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/internal/environ"
)

// never says that a run is to go on.
func never() bool { return false }

// TestRead reads what test programs print.
func TestRead(t *testing.T) {
	const (
		run  = "\x16=== RUN   TestX\n"
		dump = "panic: test timed out after 2s\n\trunning tests:\n\t\tTestX (2s)\n\ngoroutine 17 [running]:\ntesting.(*M).startAlarm.func1()\n\t/go/testing.go:2802 +0x354\n\n" +
			"goroutine 1 [chan receive]:\ntesting.(*T).Run(0x1)\n\t/go/testing.go:2109 +0x4e5\ntesting.tRunner(0x1)\n\t/go/testing.go:2036 +0xea\n\n" +
			"goroutine 7 [sync.Mutex.Lock]:\nsync.(*Mutex).Lock(...)\n\t/go/mutex.go:46\nx.TestX(0x1)\n\t/x_test.go:19 +0x5f\ntesting.tRunner(0x1)\n\t/go/testing.go:2036 +0xea\ncreated by testing.(*T).Run in goroutine 1\n\t/go/testing.go:2101 +0x4c5\n"
	)
	status := errors.New("exit status 2")
	for _, test := range []struct {
		name, out string
		err       error
		killed    bool
		want      Outcome
	}{
		{"passes", run + "\x16--- PASS: TestX (0.00s)\nPASS\n", nil, false, Outcome{Result: Passes}},
		{"passes, and the program fails", run + "\x16--- PASS: TestX (0.00s)\nPASS\ngoleak: found\n", status, false, Outcome{Result: Passes}},
		{"passes after a line that does not end", run + "x\x16--- PASS: TestX (0.00s)\nPASS\n", nil, false, Outcome{Result: Passes}},
		{"passes, and the program does not end", run + "\x16--- PASS: TestX (0.00s)\nPASS\n", status, true, Outcome{Result: Passes}},
		{"skips itself", run + "    x_test.go:3: no\n\x16--- SKIP: TestX (0.00s)\nPASS\n", nil, false, Outcome{Result: Skips}},
		{"fails", run + "    x_test.go:3: wrong\n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: wrong"}},
		{"fails in a subtest", run + "\x16=== RUN   TestX/a\n    x_test.go:3: wrong\n\x16--- FAIL: TestX (0.00s)\n\x16    --- FAIL: TestX/a (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: wrong"}},
		{"logs and fails", run + "    x_test.go:3: log\n    x_test.go:4: \n    x_test.go:5: wrong\n        x\n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:5: wrong"}},
		{"fails, in Go 1.27", run + "\x0f    x_test.go:3: wrong\n        again\x0e\n    x_test.go:5: log\n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: wrong"}},
		{"fails in a line, in Go 1.27", run + "    x_test.go:2: log\n\x0f    x_test.go:3: wrong\x0e\n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: wrong"}},
		{"fails below the line", run + "    x_test.go:3: \n        \n        wrong\n        x\n    x: y\n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: wrong"}},
		{"fails with testify", run + "    x_test.go:3: \n        \tError Trace:\t/x/x_test.go:3\n        \tError:      \tNot equal: \n        \t            \texpected: 100\n        \t            \tactual  : 0\n" +
			"        \tTest:       \tTestX\n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: Not equal: expected: 100 actual : 0"}},
		{"fails with testify, in Go 1.27", run + "\x0f    x_test.go:3: \n        \tError Trace:\t/x/x_test.go:3\n        \tError:      \tShould be true\x0e\n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: Should be true"}},
		{"fails with nothing below", run + "    x_test.go:3: \n\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3:"}},
		{"fails silently", run + "\x16--- FAIL: TestX (0.00s)\nFAIL\n", status, false, Outcome{Result: Fails, Says: "exit status 2"}},
		{"panics", run + "    x_test.go:3: log\n\x16--- FAIL: TestX (0.00s)\npanic: late [recovered]\n\tpanic: late\n", status, false, Outcome{Result: Fails, Says: "panic: late [recovered]"}},
		{"another goroutine panics", run + "panic: late\n\ngoroutine 7 [running]:\n", status, false, Outcome{Result: Fails, Says: "panic: late"}},
		{"the runtime ends it", run + "fatal error: all goroutines are asleep - deadlock!\n", status, false, Outcome{Result: Fails, Says: "fatal error: all goroutines are asleep - deadlock!"}},
		{"ends the process", run, errors.New("exit status 3"), false, Outcome{Result: Fails, Says: "exit status 3"}},
		{"ends the process with success", run, nil, false, Outcome{Says: "the test program ended with success, without a result of the test"}},
		{"prints what looks like a result", run + "--- PASS: TestX (0.00s)\n    x_test.go:3: wrong\n\x16--- FAIL: TestX (0.00s)\n", status, false, Outcome{Result: Fails, Says: "x_test.go:3: wrong"}},
		{"another test passes", run + "\x16--- PASS: TestXY (0.00s)\n", status, false, Outcome{Result: Fails, Says: "exit status 2"}},
		{"hangs", run + dump, status, false, Outcome{Result: Hangs, Waits: "sync.Mutex.Lock"}},
		{"goes round", run + strings.Replace(dump, "sync.Mutex.Lock]", "runnable]", 1), status, false, Outcome{Result: Hangs}},
		{"hangs and is killed", run, status, true, Outcome{Result: Hangs}},
		{"does not begin", "waiting for a database\n", status, true, Outcome{Says: "the test program did not begin with the test in time"}},
		{"is not run", "no database\n", status, false, Outcome{Says: "the test program did not run the test: no database"}},
		{"is not there", "testing: warning: no tests to run\nPASS\n", nil, false, Outcome{Says: "the test program did not run the test: it ended with success"}},
		{"an unknown flag", "flag provided but not defined: -x\nUsage of n.test:\n", status, false, Outcome{Says: "the test program did not run the test: flag provided but not defined: -x"}},
	} {
		if got := read("TestX", test.out, test.err, !test.killed); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

// TestArgs keeps the arguments that a run without control has as well.
func TestArgs(t *testing.T) {
	got := argsOf(strings.Fields("-test.paniconexit0 -test.timeout=10m0s -test.short=true -test.run=X -test.v=true -por.full -por.html=a.html -por.json b.json -update -dir x --test.count=2 -test.parallel=3 -- -test.v=true"))
	want := strings.Fields("-test.paniconexit0 -test.short=true -update -dir x -test.parallel=3 -- -test.v=true")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestEnvironment has no variable of this module's but those that leave code alone.
func TestEnvironment(t *testing.T) {
	t.Setenv(environ.CheckCommand, "x")
	t.Setenv(environ.CheckNative, "x")
	t.Setenv(environ.Instrument, "")
	t.Setenv("GOCOVERDIR", "x")
	t.Setenv("OTHER", "x")
	var ours []string
	for _, v := range environment() {
		if strings.HasPrefix(v, "POR_") || strings.HasPrefix(v, "GOCOVERDIR") || strings.HasPrefix(v, "OTHER") {
			ours = append(ours, v)
		}
	}
	if diff := cmp.Diff([]string{"OTHER=x", "POR_INSTRUMENT=off", "POR_SAVE=off"}, ours); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestBuffer keeps the beginning and the end.
func TestBuffer(t *testing.T) {
	var b buffer
	b.Write([]byte("first\n"))
	for range 100 {
		b.Write([]byte(strings.Repeat("x", 1<<15)))
	}
	b.Write([]byte("\nlast"))
	if text := b.String(); !strings.HasPrefix(text, "first\n") || !strings.HasSuffix(text, "\nlast") || len(text) > 3*kept+1<<15 {
		t.Errorf("%d bytes, %q to %q", len(text), text[:10], text[len(text)-10:])
	}
}

// newRunner returns a runner of the tests of a module with one file.
func newRunner(t *testing.T, file string) *Runner {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/x\n\ngo 1.26.0\n", "x_test.go": file} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return &Runner{command: &Command{Dir: dir, Folder: t.TempDir()}, pkg: "example.org/x", dir: dir, outcomes: make(map[string]Outcome)}
}

// TestRun runs tests of a module, each once.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a binary")
	}
	r := newRunner(t, `package x

import (
	"os"
	"os/exec"
	"testing"
)

func TestPasses(t *testing.T) {}

func TestFails(t *testing.T) {
	f, err := os.OpenFile("runs", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	f.WriteString("x")
	t.Error("wrong")
}

func TestHangs(t *testing.T) { <-make(chan int) }

// The process that it starts holds its output, and would outlive it.
func TestLeaves(t *testing.T) {
	cmd := exec.Command("sleep", "100")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	os.WriteFile("pid", []byte(strconv(cmd.Process.Pid)), 0o666)
	select {}
}

func strconv(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return strconv(n/10) + string(rune('0'+n%10))
}

func FuzzX(f *testing.F) {
	f.Add(1)
	f.Add(2)
	f.Fuzz(func(t *testing.T, n int) {
		if n == 2 {
			t.Error("two")
		}
	})
}
`)
	later := time.Now().Add(time.Hour)
	for _, test := range []struct{ name, want string }{
		{"TestPasses", "passes"},
		{"TestFails", "fails: x_test.go:17: wrong"},
		{"TestFails", "fails: x_test.go:17: wrong"},
		{"TestHangs", "hangs: it was ended after 1s, waiting in chan receive"},
		{"TestNone", "could not be run: the test program did not run the test: it ended with success"},
		{"FuzzX/seed#0", "passes"},
		{"FuzzX/seed#1", "fails: x_test.go:45: two"},
	} {
		if got := r.Run(test.name, time.Second, later, never).String(); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	if runs, _ := os.ReadFile(filepath.Join(r.dir, "runs")); string(runs) != "x" {
		t.Errorf("a test was run %d times", len(runs))
	}
	if o := r.Run("TestX", time.Second, time.Now().Add(grace), never); o.String() != "could not be run: there was no time" {
		t.Errorf("%v", o)
	}
	begin := time.Now()
	if o := r.Run("TestLeaves", time.Minute, later, func() bool { return time.Since(begin) > time.Second }); o.Result != Hangs {
		t.Errorf("%v", o)
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("a run that was broken off after a second took %v", d)
	}
	if runtime.GOOS == "linux" {
		text, err := os.ReadFile(filepath.Join(r.dir, "pid"))
		if err != nil {
			t.Fatal(err)
		}
		if state, _ := exec.Command("ps", "-o", "stat=", "-p", string(text)).Output(); len(state) > 0 && !strings.HasPrefix(string(state), "Z") {
			t.Errorf("the process %s goes on: %s", text, state)
		}
	}
}

// TestNot says why a test is not run.
func TestNot(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	later := time.Now().Add(time.Hour)
	broken := newRunner(t, "package x\n\nvar x int = \"\"\n")
	refused := newRunner(t, "package x\n")
	refused.command.Refused = "flag -exec says how test binaries are run"
	for _, test := range []struct {
		r    *Runner
		want string
	}{
		{&Runner{outcomes: map[string]Outcome{}}, "could not be run: por check has not started the test program"},
		{&Runner{outcomes: map[string]Outcome{}, command: new(Command)}, "could not be run: the test program does not know its package"},
		{refused, "could not be run: flag -exec says how test binaries are run"},
		{broken, "could not be run: go test -c: ./x_test.go:3:13: cannot use \"\" (untyped string constant) as int value in variable declaration"},
		{newRunner(t, "package x\n"), "could not be run: the test program did not run the test: it ended with success"},
	} {
		if got := test.r.Run("TestX", time.Second, later, never).String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	if o := newRunner(t, "package x\n").Run("TestX", time.Second, later, func() bool { return true }); o.String() != "could not be run: there was no time to build the test binary" {
		t.Errorf("%v", o)
	}
}

// TestCommand is what por test hands to test programs.
func TestCommand(t *testing.T) {
	c := Command{Dir: "/a b", Folder: "/f", Flags: []string{"-tags", "x,y"}, Files: []string{"a_test.go"}}
	t.Setenv(environ.CheckNative, c.Encode())
	if _, ok := syscall.Getenv(environ.CheckNative); !ok {
		t.Fatal("the variable is not there")
	}
	r := NewRunner()
	if r.command == nil || r.command.Dir != c.Dir || r.command.Folder != c.Folder || !slices.Equal(r.command.Flags, c.Flags) || !slices.Equal(r.command.Files, c.Files) {
		t.Errorf("%+v, want %+v", r.command, c)
	}
	if r.pkg != "github.com/gopor/gopor/internal/natively" {
		t.Errorf("the package is %q", r.pkg)
	}
}
