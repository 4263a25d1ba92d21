package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSplitFlags(t *testing.T) {
	tests := []struct {
		in              string
		names           string
		packages, rest  string
		flags, gc, left string // of the Build, and what SetFlags leaves
	}{
		{"", "", "", "", "", "", ""},
		{"./...", "", "./...", "", "", "", ""},
		{"-v -run X ./a ./b", "v run", "./a ./b", "", "", "", "-v -run X"},
		{"-race -tags a,b --count=1 p", "race tags count", "p", "", "-tags a,b", "", "-tags a,b --count=1"},
		{"-tags=a p -v", "tags v", "p", "", "-tags=a", "", "-tags=a -v"},
		{"-gcflags=-N -gcflags all=-l p", "gcflags gcflags", "p", "", "", "-N all=-l", ""},
		{"p -args -race x", "", "p", "-args -race x", "", "", ""},
		{"-test.run X -test.v p", "test.run test.v", "p", "", "", "", "-test.run X -test.v"},
		{"p -args x -v", "", "p", "-args x -v", "", "", ""},
		{"p -por.full -v", "v", "p", "-por.full", "", "", "-v"},
		{"-por.full -por.html x.html -por.json=y p q", "", "p q", "-por.full -por.html x.html -por.json=y", "", "", ""},
		{"p -update x -v -run X", "v run", "p", "-update x", "", "", "-v -run X"},
		{"p -update=x -args -v", "", "p", "-update=x -args -v", "", "", ""},
		{"p -short -failfast q -count 1", "short failfast count", "p q", "", "", "", "-short -failfast -count 1"},
		{"p -check.nothing=1", "check.nothing", "p", "", "", "", "-check.nothing=1"},
		{"-run", "run", "", "", "", "", "-run"},
	}
	for _, test := range tests {
		flags, packages, rest := SplitFlags(strings.Fields(test.in))
		var names []string
		for _, f := range flags {
			names = append(names, f.Name)
		}
		var b Build
		left := b.SetFlags(flags)
		got := []string{join(names), join(packages), join(rest), join(b.Flags), join(b.Gcflags), join(left)}
		want := []string{test.names, test.packages, test.rest, test.flags, test.gc, test.left}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.in, diff)
		}
	}
}

func join(words []string) string { return strings.Join(words, " ") }

// The flags of all packages have to reach the unmarked ones too, and the user's
// own must not lose the mark.
func TestFlags(t *testing.T) {
	b := Build{Debugged: true, Tool: []string{"/a b/tool"}, Gcflags: []string{"-N", "all=-l", "p=-S"}, plan: "/the plan", stdPlan: "/plans/plan-1", ToolID: "id"}
	got := join(b.flags())
	for _, want := range []string{
		"-gcflags=all='-gopor=/the plan' -gcflags='-gopor=/the plan' -N -gcflags=all='-gopor=/the plan' -l -gcflags=p='-gopor=/the plan' -S -gcflags=std=-l",
		"-gcflags=bytes=-gopor-std=plan-1 -l",
		"-gcflags=github.com/gopor/gopor/sched=-gopor-ours=id -l -gcflags=",
		"-toolexec='/a b/tool' '/the plan'",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("flags are %s\nwithout %s", got, want)
		}
	}
}

// A binary that is kept has what debuggers need of this module and of what is compiled for it only, others do not.
func TestDebugged(t *testing.T) {
	for in, want := range map[string]bool{"-v -run X": false, "-c": true, "-o x": true, "-test.cpuprofile x": true, "-exec=dlv": true} {
		flags, _, _ := SplitFlags(strings.Fields(in))
		b := Build{ToolID: "id", stdPlan: "/plans/plan-1"}
		b.SetFlags(flags)
		for _, mark := range []string{"github.com/gopor/gopor/sched=-gopor-ours=id", "bytes=-gopor-std=plan-1", "os=-gopor-divert=plan-1"} {
			without := strings.Contains(join(b.flags()), "-gcflags="+mark+" -dwarf=false -gcflags=")
			if b.Debugged != want || without == want {
				t.Errorf("%q: Debugged is %v, %s without symbols for debuggers is %v", in, b.Debugged, mark, without)
			}
		}
	}
}

func TestPlan(t *testing.T) {
	dir := t.TempDir()
	p := &Plan{Archives: map[string]string{"a": "/x"}, Twins: map[string]string{"sync": "twin"}, Tool: "1"}
	name, err := p.save(dir)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ReadPlan(name)
	if err != nil || !cmp.Equal(back, p) {
		t.Errorf("read %v (-want +got):\n%s", err, cmp.Diff(p, back))
	}
	p.Tool = "2"
	if other, err := p.save(dir); err != nil || other == name {
		t.Errorf("a plan for another tool is kept in the same file (%v)", err)
	}
}

func TestTrim(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for _, name := range []string{"old", "new"} {
		if err := os.MkdirAll(filepath.Join(dir, name+" tool"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{name, filepath.Join(name+" tool", "tool")} {
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"old", "old tool"} {
		if err := os.Chtimes(filepath.Join(dir, name), now, now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	Trim(dir, now.Add(-time.Hour))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 || filepath.Base(left[0]) != "new" {
		t.Errorf("left are %q, %v", left, err)
	}
}
