package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/environ"
)

// What test programs tell is a table, and a line.
func TestSummary(t *testing.T) {
	name := filepath.Join(t.TempDir(), "record")
	t.Setenv(environ.CheckRecord, name)
	Add(Entry{Class: Every, Package: "a", Test: "TestX"}) // there is no file to write to
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	want := func(table, text string) {
		t.Helper()
		s := Summarise(Read(name))
		if got := s.Table(); got != table {
			t.Errorf("the table is\n%swant\n%s", got, table)
		}
		if got := s.String(); got != text {
			t.Errorf("the text is\n%s\nwant\n%s", got, text)
		}
	}
	want("", "")
	Add(Entry{Class: Every, Package: "example.org/long", Test: "TestX"})
	want("", "1 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 0 fail, 0 not explored")
	Add(Entry{Class: Every, Package: "example.org/long", Test: "TestY"})
	want("", "2 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 0 fail, 0 not explored")

	Add(Entry{Package: "example.org/long", Test: "TestZ", Failure: &Failure{Kind: "deadlock", Headline: "deadlock: a\nwaits", Place: "a.go:7", Order: []string{"a.go:1", "a.go:2"}}})
	Add(Entry{Package: "example.org/long", Test: "TestZ", Failure: &Failure{Headline: "another"}})
	Add(Entry{Class: Fails, Package: "example.org/long", Test: "TestZ"})
	Add(Entry{Package: "example.org/long", Test: "TestZ", Failure: &Failure{Headline: "the second time"}})
	Add(Entry{Class: Fails, Package: "example.org/long", Test: "TestZ"})
	Add(Entry{Class: Fails, Package: "example.org/long", Test: "TestZ", Reason: "of its own"})
	Add(Entry{Class: Stopped, Package: "b", Test: "TestS", Needs: "memory: -check.memory"})
	for range 2 {
		Add(Entry{Class: Stopped, Package: "b", Test: "TestT", Needs: "time: -check.time"})
	}
	Add(Entry{Class: Stopped, Package: "b", Test: "TestU"})
	Add(Entry{Class: Assuming, Package: "b", Test: "TestA"})
	Add(Entry{Package: "b", Test: "TestA", Mended: []string{"testdata/por/TestA/1 passes now"}})
	Add(Entry{Class: NotExplored, Package: "b", Test: "TestN", Reason: "waits for the network"})
	Add(Entry{Class: NotExplored, Package: "b", Test: "TestO", Reason: "cannot be explored: too long"})
	Add(Entry{Package: "b", Test: "TestP", Failure: &Failure{Headline: "assertion failed: p.go:7: 1 is not 2: p.go:7: no", Place: "p.go:7"}})
	Add(Entry{Class: Fails, Package: "b", Test: "TestP"})
	if all := Read(name); len(all) != 18 || all[2].Failure == nil || all[2].Failure.Order[1] != "a.go:2" {
		t.Errorf("%+v", all)
	}
	want(`  under every schedule  with assumptions  stopped by a limit  fail  not explored
                     -                 1                   4     1             2   b
                     2                 -                   -     3             -   example.org/long
`, `2 pass under every schedule, 1 with assumptions, 4 stopped by a limit (2 of time: -check.time, 1 of memory: -check.memory), 4 fail, 2 not explored
  stopped by a limit: b.TestS, b.TestT, b.TestU
  fail: example.org/long.TestZ, a.go:7: deadlock: a waits (and 1 more)
  fail: example.org/long.TestZ: the second time
  fail: example.org/long.TestZ: of its own
  fail: b.TestP, p.go:7: assertion failed: 1 is not 2: p.go:7: no
  not explored: b.TestN: waits for the network
  not explored: b.TestO: too long
  mended: b.TestA: testdata/por/TestA/1 passes now`)
}

// Tests that fail alike have one line, which names all of them.
func TestAlike(t *testing.T) {
	var all []Entry
	add := func(pkg, name, kind, place string) {
		all = append(all, Entry{Package: pkg, Test: name, Failure: &Failure{Kind: kind, Headline: kind + ": of " + name, Place: place}}, Entry{Class: Fails, Package: pkg, Test: name})
	}
	add("p", "One", "deadlock", "a.go:1")
	for _, name := range []string{"A", "B", "B", "C", "D"} {
		add("p", name, leak, "a.go:2")
	}
	for _, name := range []string{"A", "A", "A", "B"} {
		add("q", name, leak, "a.go:2")
	}
	for _, name := range []string{"E", "F", "G", "H"} {
		add("q", name, "deadlock", "a.go:2")
	}
	const want = `
  fail: p.One, a.go:1: deadlock: of One
  fail: 4 tests of p, a.go:2: goroutine leak: of A: A, B, C, D (-check.leaks=allow lets leaks pass)
  fail: q.A, a.go:2: goroutine leak: of A
  fail: q.A, a.go:2: goroutine leak: of A
  fail: q.A, a.go:2: goroutine leak: of A
  fail: q.B, a.go:2: goroutine leak: of B
  fail: 4 tests of q, a.go:2: deadlock: of E: E, F, G, H`
	if got := Summarise(all).String(); !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The slowest tests are named, but for those that a limit has stopped, which have a line of their own.
func TestSlowest(t *testing.T) {
	var all []Entry
	for name, took := range map[string]time.Duration{"Two": 2 * time.Second, "Nine": 9*time.Second + 140*time.Millisecond, "Less": 999 * time.Millisecond, "One": time.Second, "Three": 3 * time.Second} {
		all = append(all, Entry{Class: Every, Package: "p", Test: name, Took: took})
	}
	all = append(all, Entry{Class: Stopped, Package: "p", Test: "Limit", Took: 10 * time.Second})
	want := "\n  stopped by a limit: p.Limit\n  slowest: p.Nine (9.1s), p.Three (3s), p.Two (2s)"
	if got := Summarise(all).String(); !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := Summarise(all[:0:0]).String(); got != "" {
		t.Errorf("of no test it is said: %s", got)
	}
	two := Summarise([]Entry{{Class: Every, Package: "p", Test: "Least", Took: time.Second}, {Class: Every, Package: "p", Test: "Less", Took: time.Second - 1}})
	if got := two.String(); !strings.HasSuffix(got, "\n  slowest: p.Least (1s)") {
		t.Error(got)
	}
	for _, alone := range []Entry{{Class: Every, Took: time.Minute}, {Class: Stopped, Took: time.Minute}} {
		if got := Summarise([]Entry{alone}).String(); strings.Contains(got, "\n") {
			t.Errorf("of one test it is said: %s", got)
		}
	}
}

// TestStrictly makes runs fail.
func TestStrictly(t *testing.T) {
	s := Summarise([]Entry{
		{Class: Every, Package: "p", Test: "A"}, {Class: Assuming, Package: "p", Test: "B"}, {Class: Stopped, Package: "p", Test: "C", Needs: "time: -check.time"},
		{Class: Stopped, Package: "p", Test: "D"}, {Class: NotExplored, Package: "p", Test: "E"},
	})
	passing := Summarise([]Entry{{Class: Every, Package: "p", Test: "A"}, {Class: Fails, Package: "p", Test: "F"}})
	for _, x := range []struct {
		s       *Summary
		classes []Class
		lost    int
		want    string
	}{
		{s, nil, 1, ""},
		{passing, []Class{Stopped, NotExplored}, 0, ""},
		{passing, []Class{Stopped, NotExplored}, 2, "  the run fails by -x: 2 with no verdict kept"},
		{s, []Class{NotExplored}, 0, "  the run fails by -x: 1 not explored"},
		{s, []Class{Assuming, Stopped, NotExplored}, 0, "  strict: p.B: with assumptions\n  strict: p.C: stopped by a limit of time: -check.time\n  strict: p.D: stopped by a limit\n" +
			"  the run fails by -x: 1 with assumptions, 2 stopped by a limit, 1 not explored"},
	} {
		if got := strings.Join(x.s.Strictly("-x", x.classes, x.lost), "\n"); got != x.want {
			t.Errorf("%v, %d lost: got\n%s\nwant\n%s", x.classes, x.lost, got, x.want)
		}
	}
}

// TestNeeds counts what has stopped tests, in words.
func TestNeeds(t *testing.T) {
	s := Summarise([]Entry{
		{Class: Stopped, Package: "p", Test: "A", Needs: "time: -check.time"},
		{Class: Stopped, Package: "p", Test: "B", Needs: "interrupted"},
		{Class: Stopped, Package: "p", Test: "C", Needs: "time: -check.time"},
		{Class: Stopped, Package: "p", Test: "D"},
	})
	if got, want := s.needs(), " (2 of time: -check.time, 1 interrupted)"; got != want {
		t.Errorf("stopped by%s, want%s", got, want)
	}
}

// TestTwice lists a test that has run several times once.
func TestTwice(t *testing.T) {
	e := Entry{Class: Stopped, Package: "p", Test: "A", Needs: "time: -check.time", Late: "when g1 is late"}
	s := Summarise([]Entry{e, e, {Class: Stopped, Package: "p", Test: "B"}})
	want := "0 pass under every schedule, 0 with assumptions, 3 stopped by a limit (2 of time: -check.time), 0 fail, 0 not explored\n  stopped by a limit: p.A, p.B\n  late: p.A fails when g1 is late"
	if got := s.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
