package environ

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, text := range os.Environ() {
		if name, _, _ := strings.Cut(text, "="); strings.HasPrefix(name, prefix) {
			t.Setenv(name, "")
		}
	}
	abs, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		value string
		want  []string // in the error, none if there is to be no error
	}{
		{Instrument, "off", nil},
		{Instrument, "", nil},
		{Instrument, "maybe", []string{`POR_INSTRUMENT="maybe"`, "allowed: off"}},
		{Instrument, "OFF", []string{`POR_INSTRUMENT="OFF"`}},
		{Cache, abs, nil},
		{Cache, "cache", []string{`POR_CACHE="cache"`, "not absolute"}},
		{ReplayLenient, "0", nil},
		{ReplayLenient, "1", nil},
		{ReplayLenient, "yes", []string{`POR_REPLAY_LENIENT="yes"`, "allowed: 0 or 1"}},
		{Replay, "p1AAAA", nil},
		{Replay, "testdata/por/TestX/1", nil},
		{Replay, "anything", []string{`POR_REPLAY="anything"`, "neither a schedule nor a path", "the path of a saved schedule"}},
		{Full, "1", nil},
		{Full, "all", []string{`POR_FULL="all"`, "allowed: 0 or 1"}},
		{HTML, "pages/", nil},
		{JSON, "failure.json", nil},
		{CheckCommand, `"por" ""`, nil},
		{CheckPrefix + "TIME", "5s", nil},
		{"GOPOR_SEED", "1", nil},
		{"POR_INSTRUMNET", "off", []string{"POR_INSTRUMNET is unknown", "POR_CACHE, POR_FULL, POR_HTML, POR_INSTRUMENT, POR_JSON, POR_REPLAY, POR_REPLAY_LENIENT, POR_SAVE"}},
		{"POR_CHECK_TIMES", "", []string{"POR_CHECK_TIMES is unknown"}},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			t.Setenv(test.name, test.value)
			err := Check()
			if (err != nil) != (test.want != nil) {
				t.Fatalf("the error is %v", err)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
					t.Errorf("the error lacks %q: %v", part, err)
				}
			}
		})
	}
	t.Setenv("POR_B", "1")
	t.Setenv("POR_A", "1")
	t.Setenv(Instrument, "x")
	if err := Check(); err == nil || !regexp.MustCompile(`POR_INSTRUMENT="x".*POR_A is unknown.*POR_B is unknown`).MatchString(err.Error()) {
		t.Errorf("several mistakes are told as: %v", err)
	}
}

// Every variable is described where people look for it.
func TestDocumented(t *testing.T) {
	if !slices.IsSorted(names()) {
		t.Errorf("variables are in the order %v", names())
	}
	for _, file := range []string{"../../docs/settings.md", "../../por/doc.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range Variables {
			if !strings.Contains(string(text), v.Name+" ") && !strings.Contains(string(text), v.Name+"`") {
				t.Errorf("%s does not say what %s is", file, v.Name)
			}
		}
	}
}

// TestRerun passes on how tests are run again.
func TestRerun(t *testing.T) {
	for _, r := range []Rerun{
		{Por: "por"},
		{Por: "'/a b/por'", Dir: "x y", Flags: []string{"-tags=a b", `-overlay="\`, "-short", ""}},
	} {
		if got := ParseRerun(r.String()); got.Por != r.Por || got.Dir != r.Dir || !slices.Equal(got.Flags, r.Flags) {
			t.Errorf("%q is read from %s, written by %q", got, r.String(), r)
		}
	}
	for _, text := range []string{"", "por test -check", `"por"`} {
		if got := ParseRerun(text); got.Por != "por" || got.Dir != "" || len(got.Flags) > 0 {
			t.Errorf("%s: %q", text, got)
		}
	}
}
