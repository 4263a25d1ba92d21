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
	Add(Entry{Class: Exhausted, Package: "a", Test: "TestX"}) // nobody is there to be told
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if rows, text, unfit := Summary(name); rows != "" || text != "" || unfit != 0 {
		t.Errorf("of nothing: %q, %q, %d", rows, text, unfit)
	}
	Add(Entry{Class: Exhausted, Package: "example.org/long", Test: "TestX"})
	Add(Entry{Class: Exhausted, Package: "example.org/long", Test: "TestY"})
	if rows, text, _ := Summary(name); rows != "" || text != "2 exhausted, 0 explored in part, 0 fail under some schedules" {
		t.Errorf("of one package: %q, %q", rows, text)
	}
	Add(Entry{Class: Fails, Package: "example.org/long", Test: "TestZ"})
	Add(Entry{Class: Explored, Package: "b", Test: "TestX"})
	Add(Entry{Class: Unfit, Package: "b", Test: "TestN", Headline: "waits for the network"})
	Add(Entry{Package: "b", Test: "TestX", Failure: &Failure{Kind: "deadlock", Order: []string{"a.go:1", "a.go:2"}}})
	if all := Read(name); len(all) != 6 || all[5].Failure == nil || all[5].Failure.Order[1] != "a.go:2" {
		t.Errorf("%+v", all)
	}
	rows, text, unfit := Summary(name)
	const table = `  exhaustive  bounded  found  not under control
           -        1      -                  1   b
           2        -      1                  -   example.org/long
`
	if rows != table {
		t.Errorf("the table is\n%swant\n%s", rows, table)
	}
	if want := "2 exhausted, 1 explored in part, 1 fails under some schedules; 1 not explored:\n  b.TestN waits for the network"; text != want || unfit != 1 {
		t.Errorf("%q, %d", text, unfit)
	}
}
