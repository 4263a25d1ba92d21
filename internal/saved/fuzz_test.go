package saved

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse reads files as people, editors and merges may leave them. One that can be read is written as it was read.
func FuzzParse(f *testing.F) {
	s := &Schedule{Test: "TestA/b", Check: "TestA/b#2", By: ByCheck, Flags: []string{"-tags=slow", "-race"}, Headline: "data race: x", Engine: "optimal", Time: "discrete", Replay: "p1CD"}
	f.Add(s.Text())
	f.Add([]byte("por schedule v1\r\ntest: T\r\ncheck: T\r\nby: por test -check\r\nreplay: p1\r\nlater: x\r\n"))
	f.Add([]byte("por schedule v2\n"))
	f.Add([]byte("por schedule v1\n<<<<<<< ours\ntest:  T \n=======\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			if s != nil || err.Error() == "" {
				t.Errorf("%+v, %v", s, err)
			}
			return
		}
		again, err := Parse(s.Text())
		if err != nil {
			t.Fatalf("%q is read as %+v, and written as %q, which is not read: %v", text, s, s.Text(), err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("%q is read, and what is written of it is read as something else (-first +then):\n%s", text, diff)
		}
	})
}

// FuzzFolder finds folders for tests of any name: below testdata/por, and no two tests have one.
func FuzzFolder(f *testing.F) {
	f.Add("TestA", "TestB")
	f.Add("TestA/../../x", "TestA/..")
	f.Add("TestA/", "TestA")
	f.Add("a/%2E", "a/.")
	f.Add("TestÄ/\xff", "TestÄ/\xfe")
	f.Fuzz(func(t *testing.T, one, two string) {
		a, b := Folder(one), Folder(two)
		for _, dir := range []string{a, b} {
			if !filepath.IsLocal(dir) || !strings.HasPrefix(dir, root+string(filepath.Separator)) || filepath.Clean(dir) != dir {
				t.Errorf("the folder %q of %q or %q", dir, one, two)
			}
		}
		if a == b && one != two {
			t.Errorf("%q and %q both have the folder %q", one, two, a)
		}
	})
}
