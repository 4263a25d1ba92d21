package record

import (
	"os"
	"path/filepath"
	"testing"

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
  fail: example.org/long.TestZ, a.go:7: deadlock: a waits (and 1 more)
  fail: example.org/long.TestZ: the second time
  fail: example.org/long.TestZ: of its own
  fail: b.TestP, p.go:7: assertion failed: 1 is not 2: p.go:7: no
  not explored: b.TestN: waits for the network
  not explored: b.TestO: too long
  mended: b.TestA: testdata/por/TestA/1 passes now`)
}
