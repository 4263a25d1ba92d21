package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
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
