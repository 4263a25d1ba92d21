package saved

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var example = &Schedule{
	Test: "TestX/a b", Check: "TestX/a b#2", By: ByCheck, Flags: []string{"-tags=a,b", "-short"},
	Headline: "deadlock: g1 waits", Engine: "optimal", Time: "lag 100ms", Replay: "p1abc",
}

func TestText(t *testing.T) {
	const want = `por schedule v1
test: TestX/a b
check: TestX/a b#2
by: por.Check
flag: -tags=a,b
flag: -short
headline: deadlock: g1 waits
engine: optimal
time: lag 100ms
replay: p1abc
`
	if got := string(example.Text()); got != want {
		t.Errorf("got %s", got)
	}
	for _, text := range []string{want, strings.ReplaceAll(want, "\n", "\r\n"), want + "later: more\n"} {
		got, err := Parse([]byte(text))
		if err != nil || !cmp.Equal(got, example) {
			t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(example, got))
		}
	}
}

func TestBadText(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "damaged",
		"go test fuzz v1\nint(1)\n":          "not a saved schedule",
		"por schedule v2\nreplay: p1abc\n":   "another version of por: v2, and this one reads v1",
		"por schedule v1\n":                  "damaged",
		"por schedule v1\ntest: X\ncheck: X": "damaged",
		strings.Replace(string(example.Text()), "por.Check", "me", 1): "damaged",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name, err := Write(dir, example)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Write(dir, example); again != name || err != nil {
		t.Errorf("written again: %s, %v", again, err)
	}
	if got := Package(filepath.Join(dir, name)); got != dir {
		t.Errorf("%s is of package %s", name, got)
	}
	if got := Package(filepath.Join(dir, "x")); got != "" {
		t.Errorf("a file elsewhere is of package %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, name), example.Text()[:40], 0o666); err != nil {
		t.Fatal(err)
	}
	if beside, err := Write(dir, example); beside != name+"-2" || err != nil {
		t.Errorf("written beside a damaged file: %s, %v", beside, err)
	} else if err := Remove(dir, name); err != nil {
		t.Error(err)
	} else {
		name = beside
	}
	all := Load(dir, example.Test)
	if len(all) != 1 || all[0].Name != name || all[0].Err != nil || !cmp.Equal(all[0].Schedule, example) {
		t.Fatalf("%+v", all)
	}
	if err := os.WriteFile(filepath.Join(dir, filepath.Dir(name), "other"), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if all := Load(dir, example.Test); len(all) != 2 || all[1].Err == nil && all[0].Err == nil {
		t.Errorf("%+v", all)
	}
	if err := Remove(dir, name); err != nil || len(Load(dir, example.Test)) != 1 {
		t.Error(err)
	}
	if err := Remove(dir, filepath.Join(filepath.Dir(name), "other")); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("left are %v, %v", files, err)
	}
	if Load(dir, example.Test) != nil {
		t.Error("schedules of no folder")
	}
}

// Where nothing can be written there is an error, and nothing is left.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "testdata"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(dir, example); err == nil {
		t.Error("written")
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("left are %v", files)
	}
}

// Folders have names that every file system takes, and no two tests have the same.
func TestFolder(t *testing.T) {
	seen := make(map[string]string)
	for _, test := range []string{"TestX", "TestX/a", "TestX/..", "TestX/.", "TestX/", "TestX/a:b", "TestX/a*b", "TestX/a_b", "TestX/" + strings.Repeat("x", 200),
		"TestX/" + strings.Repeat("x", 201), "TestX/ü", "TestX/%2E%2E", "TestX/a.b", "TestX/.git", `TestX/a\b`} {
		dir := Folder(test)
		if other, ok := seen[dir]; ok {
			t.Errorf("%s and %s have the folder %s", test, other, dir)
		}
		seen[dir] = test
		rest, ok := strings.CutPrefix(filepath.ToSlash(dir), "testdata/por/TestX")
		if !ok || len(rest) > longest+20 || strings.ContainsAny(rest, `:*?"<>|\`) || strings.Contains(rest, "..") {
			t.Errorf("%s has the folder %s", test, dir)
		}
	}
	if got := filepath.ToSlash(Folder("TestX/a_b")); got != "testdata/por/TestX/a_b" {
		t.Errorf("an ordinary test has the folder %s", got)
	}
}
