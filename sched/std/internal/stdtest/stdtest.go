// Package stdtest explores programs for the tests of the twins.
package stdtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
)

// Found is what there is to a program.
type Found struct {
	Traces   int64
	Outcomes string // what the closure returns, sorted
	Failures string
}

// Explore runs f in every trace. It makes sure that running every interleaving
// comes to the same results, where there are not too many.
func Explore(t testing.TB, f func() string, opts ...por.Option) Found {
	t.Helper()
	found := explore(t, f, opts)
	all := explore(t, f, append(opts, por.Engine(engine.DFS{}), por.MaxExecutions(3000)))
	if all.Traces < 3000 && (all.Outcomes != found.Outcomes || all.Failures != found.Failures) {
		t.Errorf("all interleavings: %+v, one of every trace: %+v", all, found)
	}
	return found
}

func explore(t testing.TB, f func() string, opts []por.Option) Found {
	t.Helper()
	outcomes := map[string]bool{}
	res, err := por.Explore(func() { outcomes[f()] = true }, append(opts, por.KeepGoing(20))...)
	if err != nil {
		t.Fatal(err)
	}
	var texts, fails []string
	for o := range outcomes {
		texts = append(texts, o)
	}
	for _, fail := range res.Failures {
		fails = append(fails, fmt.Sprintf("%v: %s", fail.Kind, fail.Msg))
	}
	slices.Sort(texts)
	slices.Sort(fails)
	return Found{res.Stats.Executions, strings.Join(texts, " | "), strings.Join(fails, " | ")}
}

// Same explores two programs that must not differ in any way, and returns what
// there is to them.
func Same(t testing.TB, twin, primitives func() string, opts ...por.Option) Found {
	t.Helper()
	got, want := Explore(t, twin, opts...), Explore(t, primitives, opts...)
	if got != want {
		t.Errorf("got %+v, with the primitives of package sched %+v", got, want)
	}
	return got
}

// Alone returns what f returns in a program of a single outcome.
func Alone(t testing.TB, f func() string) string {
	t.Helper()
	found := Explore(t, f)
	if found.Failures != "" {
		t.Errorf("it fails: %s", found.Failures)
	}
	return found.Outcomes
}

// Caught returns what f panics with, as text.
func Caught(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}
