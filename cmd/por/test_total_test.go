package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/test/calls"
)

func TestBudgetShare(t *testing.T) {
	for _, x := range []struct {
		b     budget
		tests map[string]int
		want  time.Duration
	}{
		{budget{left: time.Minute, parallel: 4}, map[string]int{"a": 6}, 10 * time.Second}, // one after another
		{budget{left: time.Minute, parallel: 1}, map[string]int{"a": 3, "b": 3}, 10 * time.Second},
		{budget{left: time.Minute, parallel: 2}, map[string]int{"a": 1, "b": 1}, 40 * time.Second}, // lasts 40s
		{budget{left: time.Minute, parallel: 4}, map[string]int{"a": 2, "b": 2}, 20 * time.Second},
		{budget{left: time.Minute, parallel: 2, most: 9 * time.Second}, map[string]int{"a": 1}, 9 * time.Second},
		{budget{left: time.Minute, parallel: 2}, nil, time.Minute},
		{budget{left: -time.Minute, parallel: 2}, map[string]int{"a": 1}, time.Millisecond},
	} {
		got := x.b.share(x.tests)
		if got != x.want {
			t.Errorf("%+v for %v: %v, want %v", x.b, x.tests, got, x.want)
		}
		if half := x.b.first(x.tests); x.b.left > 0 && x.b.most == 0 && half != got/2 {
			t.Errorf("%+v for %v: first %v, want %v", x.b, x.tests, half, got/2)
		}
	}
}

// TestBudgetRounds takes what is left after each round.
func TestBudgetRounds(t *testing.T) {
	stopped := func(pkg, name string, took time.Duration) record.Entry {
		return record.Entry{Class: record.Stopped, Package: pkg, Test: name, Needs: timed, Took: took}
	}
	b := budget{left: time.Minute, parallel: 2}
	round := []record.Entry{
		{Class: record.Every, Package: "a", Test: "Fast", Took: time.Second}, stopped("a", "Slow", 3*time.Second), stopped("b", "Slower", 3*time.Second),
		{Class: record.Stopped, Package: "b", Test: "Large", Needs: "memory: -check.memory", Took: time.Second}, {Class: record.Fails, Package: "b", Test: "Bad", Took: 2 * time.Second},
	}
	if b.spend(round); b.left != 54*time.Second { // b has searched for six seconds
		t.Errorf("left is %v", b.left)
	}
	tests, limit := b.next(round, 3*time.Second)
	if len(tests) != 2 || tests[0].Test != "Slow" || tests[1].Test != "Slower" || limit != 36*time.Second {
		t.Errorf("%v for %v", tests, limit)
	}
	for last, n := range map[time.Duration]int{18 * time.Second: 2, 18*time.Second + 1: 0} {
		if tests, _ := b.next(round, last); len(tests) != n {
			t.Errorf("after %v %d tests run again", last, len(tests))
		}
	}
	if tests, _ := b.next(round[:1], 0); tests != nil {
		t.Errorf("%v run again", tests)
	}
	b = budget{left: time.Minute, parallel: 2}
	if b.spend([]record.Entry{stopped("a", "X", 6*time.Second), stopped("b", "X", 6*time.Second), stopped("c", "X", 6*time.Second)}); b.left != 51*time.Second {
		t.Errorf("left is %v", b.left)
	}
}

// TestReplaced keeps the latest of what is told of a test.
func TestReplaced(t *testing.T) {
	again := []record.Entry{{Package: "a", Test: "X"}, {Package: "a", Test: "Y"}}
	all := []record.Entry{
		{Class: record.Stopped, Package: "a", Test: "X"}, {Package: "a", Test: "X", Behind: []string{"g"}}, {Package: "a", Test: "X", Mended: []string{"m"}},
		{Class: record.Stopped, Package: "a", Test: "Y"}, {Class: record.Every, Package: "b", Test: "X"},
	}
	round := []record.Entry{{Package: "a", Test: "X", Failure: &record.Failure{}}, {Class: record.Fails, Package: "a", Test: "X"}, {Class: record.Every, Package: "b", Test: "X"}}
	got := ""
	for _, e := range replaced(all, again, round) {
		got += e.Package + "." + e.Test + " " + string(e.Class) + strings.Join(e.Mended, "") + strings.Join(e.Behind, "") + ", "
	}
	// Y has not come to its end, and X of b was not to run again.
	if want := "a.X m, a.Y stopped by a limit, b.X under every schedule, a.X , a.X fail, "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAgain(t *testing.T) {
	tests := []record.Entry{{Package: "b", Test: "TestX/sub"}, {Package: "a", Test: "FuzzY/seed#0"}, {Package: "a", Test: "TestX"}}
	for pattern, want := range map[string]string{"": "-run=^(FuzzY|TestX)$", "Test": "-run=^(FuzzY|TestX)$", "X/s/t": "-run=^(FuzzY|TestX)$/s/t"} {
		if run, in := again(tests, pattern, nil); run != want || !slices.Equal(in, []string{"a", "b"}) {
			t.Errorf("after -run %q: %s in %v", pattern, run, in)
		}
	}
	if _, in := again([]record.Entry{{Package: ".", Test: "TestX"}}, "", []string{"x_test.go"}); !slices.Equal(in, []string{"x_test.go"}) {
		t.Errorf("in %v", in)
	}
}

func TestSelects(t *testing.T) {
	for _, x := range []struct {
		run, skip, name string
		want            bool
	}{
		{"", "", "TestX", true}, {"X", "", "TestX", true}, {"Y", "", "TestX", false}, {"X/y", "", "TestX", true}, {"(", "", "TestX", true},
		{"", "X", "TestX", false}, {"", "X/y", "TestX", true}, {"", "(", "TestX", true}, {"X", "Y", "TestX", true}, {"", "X|/y", "TestX", true},
	} {
		c := testCommand{pattern: x.run, skip: x.skip}
		if got := c.selects(x.name); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
}

func TestTotalMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	calls.Refused(t, porCommand, command.Misused, [][2]string{
		{"check -check.total=5 .", "check: -check.total=5: a time has a unit, such as 5s; the flag means: share D among all tests"},
		{"check -check.total=0 .", "-check.total=0: the value must be at least 1ms"},
		{"check -check.total=soon .", "this is not a time such as 3s"},
		{"check -check.total=1m -coverprofile x .", "-coverprofile does not go with -check.total, which runs some tests several times"},
		{"check -check.totl=1m .", "did you mean -check.total?"},
	})
}
