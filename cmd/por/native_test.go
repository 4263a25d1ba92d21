package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"golang.org/x/tools/txtar"
)

// leading is the case that is over before the others begin: it compiles what they share,
// and the go command does not know that two of it compile the same.
const leading = "testdata/native/basic.txtar"

// TestNative runs commands in modules of users' and compares what they print.
// Each file testdata/native/*.txtar is a module and, before it, the commands:
//
//	$ a command of the shell
//	? its exit status, if that is not 0
//	+ what its output has to have
//	- what it must not have
//
// and, before the first command, lines that say when the test has a point:
//
//	quick      even without GOPOR_FULL=1
//	cgo        if there is a C compiler
//	go1.25.4   with this release of Go, if it can be had
//	module p@v1.2.3   if that module can be had
//	since go1.27      if the release of Go is that one or a newer one
//	before go1.27     if it is an older one
//
// A line of what the output has to have, or must not have, may have such a condition before it:
//
//	[since go1.27] + words
//
// No failing schedule is saved, unless a command says POR_SAVE=on.
// In commands and in files $GOPOR is the folder of this module, and every go.mod
// that says so much as "require github.com/gopor/gopor" gets the rest. A file that
// says "copy PATH" and nothing else is a copy of that file of this module. In
// commands por is command por.
func TestNative(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are written for a shell")
	}
	files, err := filepath.Glob("testdata/native/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test cases: %v", err)
	}
	home, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	env := append(os.Environ(), "GOPOR="+home, "POR_CACHE="+nativeCache(t),
		"PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOFLAGS=", "GOWORK=", "POR_INSTRUMENT=", "POR_SAVE=off")
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "por"), ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			if file != leading {
				t.Parallel()
			}
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n := &nativeCase{TB: t, home: home, dir: filepath.Join(t.TempDir(), "user's own"), env: env}
			conditions, script, ok := strings.Cut("\n"+string(archive.Comment), "\n$ ")
			if !ok {
				t.Fatal("no command")
			}
			n.require(strings.Split(conditions, "\n"))
			n.extract(archive)
			for _, part := range strings.Split(script, "\n$ ") {
				n.run(part)
			}
		})
	}
}

// nativeCache returns an empty folder for instrumented builds. The go command builds
// packages anew for one of another name, so it is the same one in every run of the
// tests, unless it is in use.
func nativeCache(t *testing.T) string {
	dir := filepath.Join(os.TempDir(), "gopor-native")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return filepath.Join(t.TempDir(), "cache")
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// nativeCase is one file of [TestNative].
type nativeCase struct {
	testing.TB
	home, dir string
	env       []string
	release   int // the second number of the version of Go, 0 if it is not known yet
}

// holds reports whether a condition of the release of Go holds, such as "since go1.27".
func (n *nativeCase) holds(condition string) bool {
	if n.release == 0 {
		cmd := exec.Command("go", "env", "GOVERSION")
		cmd.Env = n.env
		out, err := cmd.Output()
		if err == nil {
			_, err = fmt.Sscanf(string(out), "go1.%d", &n.release)
		}
		if err != nil {
			n.Fatalf("go env GOVERSION: %s, %v", out, err)
		}
	}
	var when string
	var release int
	if _, err := fmt.Sscanf(condition, "%s go1.%d", &when, &release); err != nil || when != "since" && when != "before" {
		n.Fatalf("unknown condition %q", condition)
	}
	return n.release >= release == (when == "since")
}

// require skips the test if one of the conditions does not hold.
func (n *nativeCase) require(conditions []string) {
	quick := false
	for _, c := range conditions {
		switch {
		case c == "" || strings.HasPrefix(c, "#"):
		case c == "quick":
			quick = true
		case c == "cgo":
			if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
				n.Skip("cgo is off")
			}
			if _, err := exec.LookPath("cc"); err != nil {
				n.Skip(err)
			}
		case strings.HasPrefix(c, "go1."):
			cmd := exec.Command("go", "version")
			cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+c)
			if out, err := cmd.CombinedOutput(); err != nil {
				n.Skipf("%s cannot be had: %s", c, out)
			}
			n.env = append(n.env[:len(n.env):len(n.env)], "GOTOOLCHAIN="+c)
		case strings.HasPrefix(c, "module "):
			if out, err := exec.Command("go", "mod", "download", strings.TrimPrefix(c, "module ")).CombinedOutput(); err != nil {
				n.Skipf("%s cannot be had: %s", c, out)
			}
		case !n.holds(c):
			n.Skipf("not the release of Go: %s", c)
		}
	}
	if !effort.Full() && !quick {
		n.Skip("builds binaries")
	}
}

// extract writes the files of the archive.
func (n *nativeCase) extract(archive *txtar.Archive) {
	for _, f := range archive.Files {
		name, text := filepath.Join(n.dir, f.Name), strings.ReplaceAll(string(f.Data), "$GOPOR", n.home)
		if from, ok := strings.CutPrefix(text, "copy "); ok {
			original, err := os.ReadFile(filepath.Join(n.home, strings.TrimSpace(from)))
			if err != nil {
				n.Fatal(err)
			}
			text = string(original)
		}
		if filepath.Base(name) == "go.mod" && strings.Contains(text, wantsGopor) {
			text = strings.Replace(text, wantsGopor, n.requirement(), 1)
			sums, err := os.ReadFile(filepath.Join(n.home, "go.sum"))
			if err == nil {
				err = writeFile(filepath.Join(filepath.Dir(name), "go.sum"), sums)
			}
			if err != nil {
				n.Fatal(err)
			}
		}
		if err := writeFile(name, []byte(text)); err != nil {
			n.Fatal(err)
		}
	}
}

// wantsGopor is the line of a go.mod that extract replaces by [nativeCase.requirement].
const wantsGopor = "require github.com/gopor/gopor\n"

// requirement returns what go mod tidy would say about this module.
func (n *nativeCase) requirement() string {
	text, err := os.ReadFile(filepath.Join(n.home, "go.mod"))
	if err != nil {
		n.Fatal(err)
	}
	_, list, ok := strings.Cut(string(text), "\nrequire (\n")
	list, _, closed := strings.Cut(list, ")\n")
	if !ok || !closed {
		n.Fatal("go.mod has no list of what it requires")
	}
	return "require github.com/gopor/gopor v0.0.0\n\nrequire (\n" + strings.ReplaceAll(list, "\n", " // indirect\n") +
		")\n\nreplace github.com/gopor/gopor => " + n.home + "\n"
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// run runs a command, and compares its output with what the lines below it say.
func (n *nativeCase) run(part string) {
	lines := strings.Split(strings.TrimSpace(part), "\n")
	cmd := exec.Command("sh", "-c", lines[0])
	cmd.Dir, cmd.Env = n.dir, n.env
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		n.Fatal(err)
	}
	status, out := "0", string(text)
	if exit != nil {
		status = strings.TrimPrefix(exit.String(), "exit status ")
	}
	wanted := "0"
	for _, line := range lines[1:] {
		if condition, conditional, ok := strings.Cut(line, "] "); ok && strings.HasPrefix(line, "[") {
			if line = conditional; !n.holds(condition[1:]) {
				continue
			}
		}
		mark, rest, _ := strings.Cut(line, " ")
		switch {
		case mark == "?":
			wanted = rest
		case mark == "+":
			if !strings.Contains(out, rest) {
				n.Errorf("the output of %s lacks %q", lines[0], rest)
			}
		case mark == "-":
			if strings.Contains(out, rest) {
				n.Errorf("the output of %s has %q", lines[0], rest)
			}
		case mark != "" && mark != "#":
			n.Fatalf("not understood: %s", line)
		}
	}
	if status != wanted {
		n.Errorf("the exit status of %s is %s, not %s", lines[0], status, wanted)
	}
	if n.Failed() || testing.Verbose() {
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		n.Logf("$ %s\n%s%.1f s of CPU", lines[0], out, cpu.Seconds())
	}
}
