package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/record"
)

// TestCacheLines takes what the go command says of its cache from what it says, however it is cut.
func TestCacheLines(t *testing.T) {
	const text = "# example.org/a\n" +
		"testcache: example.org/a: test ID 01 => 02\n" +
		"testcache: example.org/a: test ID 02 => input ID 03 => aa\n" +
		"a.go:1: testcache: not of the cache\n" +
		"testcache\n\ntest\n" +
		"testcache: example.org/b: test ID 02 => input ID 03 => bb\n" +
		"testcache: example.org/b: test output expired due to go clean -testcache\n" +
		"testcache: example.org/c: test ID 02 => input ID 03 => cc\n" +
		"testcache: example.org/c: save test ID 02 => input ID 04 => dd\n" +
		"testcache: example.org/c: save test ID 05 => input ID 04 => ee\n" +
		"testcache: caching disabled for test argument: -test.count=1\n" +
		"no end"
	const rest = "# example.org/a\na.go:1: testcache: not of the cache\ntestcache\n\ntest\nno end"
	for size := 1; size <= len(text); size++ {
		var out bytes.Buffer
		w := newCacheLines(&out)
		for part := range slices.Chunk([]byte(text), size) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		w.flush()
		if out.String() != rest {
			t.Fatalf("in pieces of %d: %q", size, out.String())
		}
		if len(w.found) != 1 || w.found["example.org/a"] != "aa" || len(w.saved) != 1 || !slices.Equal(w.saved["example.org/c"], []string{"dd", "ee"}) {
			t.Fatalf("in pieces of %d: %v, %v", size, w.found, w.saved)
		}
	}
}

// TestCacheWatch asks for the lines, and leaves them if the user has asked for them.
func TestCacheWatch(t *testing.T) {
	for value, want := range map[string]string{"": "GODEBUG=gocachetest=1", "a=1": "GODEBUG=a=1,gocachetest=1", "gocachetest=1,a=1": ""} {
		t.Setenv("GODEBUG", value)
		var out bytes.Buffer
		w := newCacheLines(&out)
		got := slices.DeleteFunc(w.watch([]string{"X=1"}), func(v string) bool { return v == "X=1" })
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
		const line = "testcache: a: test ID 02 => input ID 03 => aa\n"
		w.Write([]byte(line))
		if shown := out.String() == line; shown != (want == "") || w.found["a"] != "aa" {
			t.Errorf("%q: shown %q, found %v", value, out.String(), w.found)
		}
	}
}

// TestSettle keeps verdicts with the key of the go command, and finds them by that alone.
func TestSettle(t *testing.T) {
	cache := t.TempDir()
	t.Setenv(environ.Cache, cache)
	verdict := func(pkg, test string) record.Entry {
		return record.Entry{Class: record.Every, Package: pkg, Test: test}
	}
	said := func(all []record.Entry) (texts string) {
		for _, e := range all {
			texts += e.Package + "." + e.Test + " "
		}
		return texts
	}
	settle := func(found map[string]string, saved map[string][]string, told ...record.Entry) string {
		w := &cacheLines{found: found, saved: saved}
		all, lost := w.settle(told)
		return said(all) + strings.Join(lost, " ")
	}
	mended := verdict("a", "TestX")
	mended.Mended, mended.Class = []string{"f"}, ""
	if got := settle(nil, map[string][]string{"a": {"k1", "k2"}, "none": {"k3"}}, verdict("a", "TestX"), verdict("b", "TestY"), mended); got != "a.TestX b.TestY a.TestX " {
		t.Errorf("what was told is %q", got)
	}
	for _, x := range []struct {
		found map[string]string
		told  []record.Entry
		want  string
	}{
		{map[string]string{"a": "k1"}, nil, "a.TestX a.TestX "},
		{map[string]string{"a": "k2"}, []record.Entry{verdict("b", "TestY")}, "b.TestY a.TestX a.TestX "},
		{map[string]string{"a": "other"}, nil, "a"},
		{map[string]string{"none": "k3"}, nil, ""},
		{map[string]string{"a": "k1"}, []record.Entry{verdict("a", "TestNow")}, "a.TestNow "}, // it has run
	} {
		if got := settle(x.found, nil, x.told...); got != x.want {
			t.Errorf("%v after %v: %q, want %q", x.found, x.told, got, x.want)
		}
	}
	w := &cacheLines{found: map[string]string{"a": "k1"}}
	all, _ := w.settle(nil)
	if s := record.Summarise(all); len(s.Mended) > 0 || s.Count[record.Every] != 1 {
		t.Errorf("a schedule is mended once: %+v", s)
	}
	old := time.Now().Add(-2 * verdictAge)
	name := filepath.Join(cache, build.Verdicts, "k1")
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	settle(nil, map[string][]string{"b": {"k9"}})
	if _, err := os.Stat(name); err == nil {
		t.Error("what nobody has asked for long is kept")
	}
}

// TestSay prints the summary where it belongs.
func TestSay(t *testing.T) {
	s := record.Summarise([]record.Entry{{Class: record.Every, Package: "example.org/a", Test: "TestX"}})
	bad := record.Summarise([]record.Entry{{Class: record.Fails, Package: "b", Test: "TestY"}})
	const line = "por: 1 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 0 fail, 0 not explored\n"
	for _, x := range []struct {
		json     bool
		s        *record.Summary
		lost     []string
		failed   bool
		out, err string
	}{
		{false, s, nil, false, "", line},
		{false, s, nil, true, "", line + "  go test fails for another reason, which is above\n"},
		{false, bad, nil, true, "", "por: 0 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 1 fail, 0 not explored\n  fail: b.TestY\n"},
		{true, s, nil, false, `"Action":"output","Package":"example.org/a","Output":"por: 1 pass under every schedule`, ""},
		{false, record.Summarise(nil), nil, true, "", ""},
		{true, record.Summarise(nil), nil, false, "", ""},
		{false, record.Summarise(nil), []string{"a", "b"}, false, "", "por: from the cache of go test, with no verdict kept: a b (-count=1 runs the tests again)\n"},
		{false, s, []string{"b"}, false, "", line + "  from the cache of go test, with no verdict kept: b (-count=1 runs the tests again)\n"},
		{true, record.Summarise(nil), []string{"a", "b"}, false, `"Package":"b"`, ""},
	} {
		var out, err bytes.Buffer
		c := testCommand{json: x.json}
		c.say(command.Env{Out: &out, Err: &err}, x.s, x.lost, x.failed, "")
		if err.String() != x.err || !strings.Contains(out.String(), x.out) || (x.out == "") != (out.Len() == 0) {
			t.Errorf("%+v: out %q, err %q", x, out.String(), err.String())
		}
		var alone bytes.Buffer
		new(testCommand).say(command.Env{Err: &alone}, record.Summarise(nil), nil, false, "1 test leaves goroutines behind")
		if alone.String() != "por: 1 test leaves goroutines behind\n" {
			t.Errorf("what is left behind alone: %q", alone.String())
		}
	}
}
