package goker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	schedexec "github.com/gopor/gopor/sched/exec"
)

// runner is the test that a user would write for the kernels, except that it
// uses Explore in the place of Check, and writes a line for each, for this test to
// read. All kernels are run with the same options, or with none but the limit that
// Check has by default.
const runner = `package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
)

func TestKernel(t *testing.T) {
	options := []por.Option{por.MaxTime(10*time.Second)}
	if name := os.Getenv("KERNEL_ENGINE"); name != "auto" {
		engine, ok := engine.Named(name)
		if !ok {
			t.Fatal("no such engine")
		}
		options = append(options, por.Engine(engine), por.Time(sched.TimeAnyOrder), por.Rand(sched.RandExplore),
			por.Grant(sched.AssumeModel)) // a fair Gosched
	}
	for _, name := range slices.Sorted(maps.Keys(cmds)) {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			res, err := por.Explore(cmds[name], append(options, por.Name(name))...)
			if err != nil {
				t.Fatal(err)
			}
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			found := map[string]any{
				"Kernel": name, "Verdict": res.Verdict.String(), "Exhaustive": res.Exhaustive, "Seconds": time.Since(begin).Seconds(), "Memory": memory.Sys,
			}
			if len(res.Failures) > 0 {
				res.Failures[0].Diagnosis.Steps = nil // thousands, where an execution is too long
				found["Failure"] = res.Failures[0]
				found["Kind"] = res.Failures[0].Kind.String()
			}
			line, err := json.Marshal(found)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Printf("\nfound %s\n", line)
		})
	}
}
`

// finding is what the runner has found in a kernel.
type finding struct {
	Kernel     string
	Verdict    string
	Exhaustive bool
	Seconds    float64 // until it was reported, minimised
	Memory     uint64  // bytes that the process has from the system
	Kind       string
	Failure    *struct {
		Msg       string
		Execution int64
		Entries   []schedexec.Entry
		Replay    string
		Report    string
		Diagnosis struct{ Bug, Headline string }
	}
}

// binary is the test binary of the kernels, under control.
type binary struct{ dir, name string }

// build builds the kernels' test binary as a user would.
func (s *suite) build(t *testing.T) *binary {
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	b := &binary{dir: t.TempDir()}
	files := map[string]string{
		"go.mod": "module example.org/kernels\n\ngo 1.26.0\n\nrequire github.com/gopor/gopor v0.0.0\n\n" +
			"replace github.com/gopor/gopor => " + root + "\n",
		"kernels_test.go": runner,
	}
	for _, f := range s.files {
		files[f.name] = f.edited()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	por := filepath.Join(b.dir, "por")
	b.name = filepath.Join(b.dir, "kernels.test")
	for _, c := range []struct{ dir, words string }{
		{root, "go build -o " + por + " ./cmd/por"},
		{b.dir, por + " test -mod=mod -c -o " + b.name + " ."},
	} {
		words := strings.Fields(c.words)
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir, cmd.Env = c.dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.words, err, out)
		}
	}
	return b
}

// search runs some kernels and adds what was found in them.
func (b *binary) search(t *testing.T, engine string, kernels []string, found map[string]*finding, environ ...string) {
	t.Helper()
	cmd := exec.Command(b.name, "-test.run=^TestKernel$/^("+strings.Join(kernels, "|")+")$")
	cmd.Dir, cmd.Env = b.dir, slices.Concat(os.Environ(), environ, []string{"KERNEL_ENGINE=" + engine, "POR_SAVE=off"})
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range bytes.Lines(out) {
		line, ok := bytes.CutPrefix(line, []byte("found "))
		if !ok {
			continue
		}
		f := new(finding)
		if err := json.Unmarshal(line, f); err != nil {
			t.Fatal(err)
		}
		found[f.Kernel] = f
	}
}

// reasons tells what a profile of goroutines may say of those that wait in an
// operation, on an object where that matters.
var reasons = map[string]string{
	"recv":         "[chan receive]",
	"send":         "[chan send]",
	"select":       "[select] [chan receive] [chan send]", // a select with one case is no select to the compiler
	"wg.wait":      "[sync.WaitGroup.Wait]",
	"lock Mutex":   "[sync.Mutex.Lock]",
	"lock RWMutex": "[sync.RWMutex.Lock] [sync.Mutex.Lock]", // writers wait for each other in a mutex
	"rlock":        "[sync.RWMutex.RLock]",
	"once":         "[sync.Mutex.Lock]",
	"unlock":       "[sync.Cond.Wait]", // what Wait begins with
}

// waiting tells who still waits at the end of the execution: the function that
// the goroutine began with, and what it waits in, as in a profile of goroutines.
func (f *finding) waiting(began starts) (lines []string) {
	begin := map[string]string{"main": f.Kernel}
	last := make(map[string]schedexec.Entry)
	for _, e := range f.Failure.Entries {
		switch {
		case e.Op() == "go":
			begin[e.Value] = began[fmt.Sprintf("%s:%d", filepath.Base(e.File), e.Line)]
		case e.Step >= 0 || e.Op() == "end":
			last[e.Name] = e
		}
	}
	for name, e := range last {
		if e.Waits {
			kind, _, _ := strings.Cut(e.Obj, " ")
			why := reasons[e.Op()]
			if why == "" {
				why = reasons[e.Op()+" "+kind]
			}
			lines = append(lines, fmt.Sprintf("%s(...) %s", begin[name], why))
		}
	}
	slices.Sort(lines)
	return lines
}
