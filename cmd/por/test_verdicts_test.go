package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/record"
)

// TestSettle keeps verdicts with the key of the go command, and finds them by that alone.
func TestSettle(t *testing.T) {
	cache := t.TempDir()
	t.Setenv(environ.Cache, cache)
	verdict := func(pkg, test string) record.Entry {
		return record.Entry{Class: record.Every, Package: pkg, Test: test, Took: time.Hour}
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
	if s := record.Summarise(all); len(s.Mended) > 0 || s.Count[record.Every] != 1 || s.Tests[0].Took != 0 {
		t.Errorf("a schedule is mended once, and the time is that of another run: %+v", s)
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
