package instrument

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// behaviourMain runs the programs of package plain and their rewritten copies.
// A program is a function that says something.
const behaviourMain = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	plain "example.com/behaviour/plain"
	rewritten "example.com/behaviour/rewritten"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

func listen(f func(func(...any))) (said string) {
	defer func() {
		if r := recover(); r != nil {
			said += fmt.Sprint("panic: ", r)
		}
	}()
	f(func(args ...any) { said += fmt.Sprintln(args...) })
	return
}

// control runs f in n executions and returns what it says in each.
func control(n int, f func(func(...any))) (said []string) {
	var now string
	c := exec.New(func() { f(func(args ...any) { now += fmt.Sprintln(args...) }) }, exec.Options{Races: sched.RaceIgnore, AllowLeaks: true})
	defer c.Shutdown()
	for range n {
		now = ""
		run := c.Start()
		for {
			p := run.Pending()
			if len(p) == 0 {
				break
			}
			if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
				now += "error: " + err.Error()
				break
			}
		}
		for _, f := range run.Outcome() {
			now += "failure: " + fmt.Sprintln(f)
		}
		run.Close()
		said = append(said, now)
	}
	return said
}

func main() {
	said := make(map[string][]string)
	for _, t := range programs {
		native, off := listen(func(s func(...any)) { t.plain(s) }), listen(func(s func(...any)) { t.rewritten(s) })
		said[t.name] = append([]string{native, off}, control(3, func(s func(...any)) { t.rewritten(s) })...)
	}
	said["OnceClosed"] = append([]string{listen(func(s func(...any)) { plain.OnceClosed(s) }), ""},
		control(3, func(s func(...any)) { rewritten.OnceClosed(s) })...)
	said["OnceClosed"][1] = said["OnceClosed"][0]
	json.NewEncoder(os.Stdout).Encode(said)
}

var programs = []struct {
	name      string
	plain     func(plain.Say)
	rewritten func(rewritten.Say)
}{
`

// TestSyntax holds rewritten programs to what they do natively, off control
// and in controlled executions.
func TestSyntax(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds a program")
	}
	dir := behaviourModule(t)
	main := []byte(behaviourMain)
	var names []string
	files, _ := filepath.Glob("testdata/syntax/*.go")
	var sources []Source
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{filepath.Join(dir, "plain", filepath.Base(name)), text})
	}
	sources = append(sources, Source{filepath.Join(dir, "plain", "random.go"), randomSource(t)})
	for _, s := range sources {
		write(t, s.Name, string(s.Text))
		text := s.Text
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "func Run"); ok {
				run, _, _ := strings.Cut(rest, "(")
				names = append(names, run)
				main = fmt.Appendf(main, "\t{%q, plain.Run%s, rewritten.Run%s},\n", run, run, run)
			}
		}
	}
	if len(names) < 60 {
		t.Errorf("%d programs", len(names))
	}
	write(t, filepath.Join(dir, "main.go"), string(main)+"}\n")
	rewriteInto(t, dir, "rewritten", sources)
	out := goTool(t, dir, "run", ".")
	var said map[string][]string
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range append(names, "OnceClosed") {
		got := said[name]
		if len(got) != 5 {
			t.Fatalf("%s: %q", name, got)
		}
		for i, text := range got[1:] {
			if text != got[0] {
				t.Errorf("%s natively:\n%s%s:\n%s", name, got[0], []string{"rewritten", "execution 1", "execution 2", "execution 3"}[i], text)
			}
		}
	}
}

// behaviourModule makes a module that can import this one.
func behaviourModule(t *testing.T) string {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/behaviour\n\ngo 1.24\n\nrequire github.com/gopor/gopor v0.0.0\n\nreplace github.com/gopor/gopor => "+root+"\n")
	return dir
}

func goTool(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GONOSUMDB=*", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return out
}

// rewriteInto rewrites a package into a folder of the module.
func rewriteInto(t *testing.T, dir, to string, sources []Source) {
	t.Helper()
	p, err := check(t, "example.com/behaviour/"+to, "go1.24", sources)
	if err != nil {
		t.Fatal(err)
	}
	texts, refused := Rewrite(p)
	for _, r := range refused {
		t.Errorf("refused: %v", r)
	}
	for i, s := range sources {
		write(t, filepath.Join(dir, to, filepath.Base(s.Name)), string(texts[i]))
	}
}
