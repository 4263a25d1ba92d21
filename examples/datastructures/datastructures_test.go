package datastructures

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/history"
)

var update = flag.Bool("update", false, "write package controlled")

// TestControlled: package controlled is this one with other imports.
func TestControlled(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || f == "generate.go" {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		want := controlled(string(text))
		name := filepath.Join("controlled", f)
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is not what go generate makes of %s; %v", name, f, err)
		}
	}
}

// controlled returns a file of package controlled.
func controlled(text string) string {
	for _, r := range [][2]string{
		{"\t\"sync\"\n\t\"sync/atomic\"\n", "\n\t\"github.com/gopor/gopor/sched\"\n"},
		{"import \"sync/atomic\"", "import \"github.com/gopor/gopor/sched\""},
		{"import \"sync\"", "import \"github.com/gopor/gopor/sched\""},
		{"package datastructures", "package controlled"},
		{"// Package datastructures has", "// Package controlled is package datastructures by primitives of package sched. It has"},
		{"package controlled is the same code with the primitives of package sched\n// in place of those of the standard library, for programs that are not rewritten.", "this is the same code with the primitives of package sched\n// in place of those of the standard library, for programs that are not rewritten."},
		{"sync.Mutex", "sched.Mutex"},
		{"sync.RWMutex", "sched.RWMutex"},
		{"sync.Map", "sched.Map"},
		{"atomic.Pointer", "sched.Pointer"},
		{"atomic.Bool", "sched.Bool"},
	} {
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	out, err := format.Source([]byte("// Code generated from package datastructures by go generate; DO NOT EDIT.\n\n" + text))
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// model is the specification of a kind as package porcupine has it.
func (k *Kind) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return []int(nil) },
		Step: func(state, input, output any) (bool, any) {
			r, next := k.Step(state.([]int), input.(Call))
			return r == output, next
		},
		Equal: func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
	}
}

// run makes the calls of a client.
func (c Client) run(h *history.History) {
	s := c.Kind.New(c.Hasty)
	var wg sync.WaitGroup
	for _, calls := range c.Calls {
		wg.Go(func() {
			for _, call := range calls {
				history.Call(h, call, func() Result { return s.Do(call) })
			}
		})
	}
	wg.Wait()
}

// small are clients that can be exhausted: two goroutines that get into each other's way.
func small(k *Kind) []Client {
	a, r, look := Call{Add, 1}, Call{Remove, 1}, Call{Contains, 1}
	other := Call{Add, 2}
	calls := [][][]Call{
		{{a}, {a}},
		{{a, r}, {a}},
		{{a}, {r, look}},
		{{other, r}, {a}},
		{{a, r}, {r, a}},
	}
	if k.Queue {
		calls = [][][]Call{
			{{a}, {other}},
			{{a, r}, {r}},
			{{a, look}, {other}},
			{{a, other}, {r, r}},
		}
	}
	var all []Client
	for _, c := range calls {
		all = append(all, Client{Kind: k, Hasty: Never, Calls: c})
	}
	return all
}

// TestRight: the structures are linearizable.
func TestRight(t *testing.T) {
	for i := range Kinds {
		for _, c := range small(&Kinds[i]) {
			if c.Len() > 3 && testing.Short() {
				continue
			}
			t.Run(strings.ReplaceAll(c.String(), " ", "_"), func(t *testing.T) {
				history.Linearizable(t, c.Kind.model(), c.run, por.Exhaustive(), por.MaxTime(time.Minute))
				history.Refines(t, c.run, por.Exhaustive(), por.MaxTime(time.Minute))
			})
		}
	}
}

// TestHasty: the variants are not, whether they are hasty with one key or with all.
func TestHasty(t *testing.T) {
	for i := range Kinds {
		for name, hasty := range map[string]func(int) bool{"always": Always, "with one key": func(key int) bool { return key == 1 }} {
			for _, judge := range []string{"linearizable", "refines"} {
				t.Run(fmt.Sprint(Kinds[i].Name, " ", name, " ", judge), func(t *testing.T) {
					o := &quiet{TB: t}
					for _, c := range small(&Kinds[i]) {
						c.Hasty = hasty
						if judge == "refines" {
							history.Refines(o, c.run, por.NoSave())
						} else {
							history.Linearizable(o, c.Kind.model(), c.run, por.NoSave())
						}
					}
					if !strings.Contains(o.said, "no order of the calls explains") && !strings.Contains(o.said, "calls that overlap return what they never do") {
						t.Errorf("what is wrong was not found:\n%s", o.said)
					}
				})
			}
		}
	}
}

// quiet is a test that keeps its errors to itself.
type quiet struct {
	testing.TB
	said string
}

func (q *quiet) Errorf(format string, args ...any) { q.said += fmt.Sprintf(format, args...) + "\n" }
func (q *quiet) Fatalf(format string, args ...any) { q.Errorf(format, args...) }
func (q *quiet) Error(args ...any)                 { q.said += fmt.Sprintln(args...) }
func (q *quiet) Fatal(args ...any)                 { q.Error(args...) }
func (q *quiet) Logf(string, ...any)               {}
func (q *quiet) Log(...any)                        {}
