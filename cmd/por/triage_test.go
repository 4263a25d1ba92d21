package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/record"
)

func TestTriageParse(t *testing.T) {
	for _, k := range []struct {
		line string
		want string // of the error, "" if there is none
	}{
		{"./bank -run TestX", ""},
		{"-for 30s -run ^TestX$ -tags=a ./bank", ""},
		{"-for=30s -run=^TestX$/^a$ ./bank", ""},
		{"-for x -run TestX ./bank", "-for x: a time such as 30s is needed"},
		{"-for", "a time such as 30s is needed"},
		{"-for 0s -run TestX ./bank", "a time such as 30s"},
		{"-run TestX", "one package is needed"},
		{"-run TestX ./a ./b", "one package is needed"},
		{"-run TestX ./...", "one package is needed"},
		{"./bank", "the name of one test is needed"},
		{"-run . ./bank", "the name of one test is needed"},
		{"-run TestX|TestY ./bank", "the name of one test is needed"},
		{"-run TestX -count=3 ./bank", "the flag -count does not go with triage"},
	} {
		q := inquiry{limit: time.Minute}
		err := q.parse(strings.Fields(k.line))
		if (err != nil) != (k.want != "") || err != nil && !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v, want %q", k.line, err, k.want)
		}
		if err == nil && (q.pkg != "./bank" || !strings.HasPrefix(q.test, "TestX") || strings.ContainsAny(q.test, "^$")) {
			t.Errorf("%s: %+v", k.line, q)
		}
	}
}

// TestTriageTells looks at what is said of what was found, and its last line.
func TestTriageTells(t *testing.T) {
	flaky := runs{n: 20, failed: 3, took: 2 * time.Second}
	fine := runs{n: 20, took: time.Second}
	always := runs{n: 20, failed: 20, took: time.Second, first: "broken\n"}
	found := record.Failure{Headline: "assertion failed: x_test.go:3: lost", Time: "discrete", Execution: 4, Preemptions: 1, Fewest: true,
		Order: []string{"/x/a.go:1: lock mu", "/x/a.go:2: unlock mu"}, Report: "the report"}
	every := found
	every.Always, every.Execution, every.Preemptions = true, 1, 0
	late := found
	late.Time = "lag"
	for _, k := range []struct {
		name string
		q    inquiry
		want []string
		next string
	}{
		{"found", inquiry{plain: flaky, race: runs{reason: "no cgo\nmore"}, found: &found, phase: phases[0], draws: []int64{10, 0, 30},
			regression: &regression{file: "x_schedule_test.go", saved: "testdata/por/X/1", command: "go test -run X"}}, []string{
			"What:        assertion failed: x_test.go:3: lost", "Depends on:  the schedule, not on time",
			"The order of /x/a.go:1: lock mu", "and /x/a.go:2: unlock mu", "failed 3 of 20 times, in 100ms each", "not run: no cgo\n",
			"every schedule, in discrete time: found in execution 4, with 1 preemption, and no fewer; about one in 20 schedules drawn at random",
			"x_schedule_test.go, with testdata/por/X/1", "the report",
		}, "mend it, and run go test -run X until that passes"},
		{"late", inquiry{plain: flaky, race: fine, found: &late, phase: phases[1], regression: &regression{}},
			[]string{"Depends on:  time: it needs code that is slow", "rarer than a search at random finds"}, "mend it"},
		{"always", inquiry{plain: always, race: always, found: &every, phase: phases[0], draws: []int64{1, 1, 1}, regression: &regression{command: "por check"}},
			[]string{"Depends on:  neither the schedule nor time: it fails in every run, and under every schedule", "so do schedules drawn at random"}, "mend it, and run por check until that passes"},
		{"always under control", inquiry{plain: flaky, race: fine, found: &every, phase: phases[0], regression: &regression{}},
			[]string{"Depends on:  what is not under control"}, "mend it"},
		{"always as it is", inquiry{plain: always, race: always, found: &found, phase: phases[0], regression: &regression{saved: "testdata/por/X/1"}},
			[]string{"Depends on:  the schedule; as it is, every run has one that fails"}, "mend it, and run  until that passes, and the saved schedule is removed"},
		{"unfit", inquiry{plain: flaky, race: fine, unfit: "cannot be explored: it waits for the network"},
			[]string{"What:        it cannot be explored", "neither the schedule nor time"}, "keep out of the test what is not under control"},
		{"outside", inquiry{plain: flaky, race: fine, class: record.Every},
			[]string{"under no schedule that was explored", "what is not under control"}, "read what it has printed"},
		{"nothing", inquiry{plain: fine, race: fine, class: record.Every}, []string{"nothing was found"}, "nothing: every schedule passes"},
		{"bounded", inquiry{plain: fine, race: fine, class: record.Stopped, limit: time.Minute, pkg: "./x", test: "TestX"},
			[]string{"nothing was found"}, "give it more time: " + commandName() + " triage -for 10m0s ./x -run TestX"},
	} {
		var out bytes.Buffer
		k.q.tell(&out)
		for _, want := range k.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", k.name, want, out.String())
			}
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, "Next: "+k.next) {
			t.Errorf("%s: the last line is %q", k.name, last)
		}
	}
}

// TestTriageLocates finds the package that declares a test, among the files that are built.
func TestTriageLocates(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.org/m\n",
		"p.go":        "package p\n",
		"a_test.go":   "//go:build slow\n\npackage p\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
		"b_test.go":   "//go:build !slow\n\npackage p_test\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
		"c_test.go":   "//go:build never\n\npackage q\n",
		"d/d_test.go": "package d\n\nfunc (t T) TestX() {}\n",
		"d/e.txt":     "",
	} {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, k := range []struct{ flags, pkg, path, declares, wrong string }{
		{"", ".", "example.org/m", "p_test", ""},
		{"-tags=slow", ".", "example.org/m", "p", ""},
		{"", "./d", "example.org/m/d", "", "no file of example.org/m/d declares TestX"},
		{"", "tool", "", "", "go list: tool matches no package"},
		{"", "./e", "", "", "go list: stat " + filepath.Join(dir, "e") + ": directory not found"},
	} {
		q := inquiry{pkg: k.pkg, flags: strings.Fields(k.flags)}
		err, name := q.locate(), ""
		if err == nil {
			name, err = q.packageOf("TestX")
		}
		if (err != nil) != (k.wrong != "") || err != nil && err.Error() != k.wrong || name != k.declares || q.path != k.path && k.path != "" {
			t.Errorf("%+v: %q of %q in %s, %v", k, name, q.path, q.dir, err)
		}
	}
}
