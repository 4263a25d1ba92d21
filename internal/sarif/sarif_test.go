package sarif

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
)

// programs fail in one way each, by the rule that is their name.
var programs = map[string]func(){
	"deadlock": func() {
		var a, b sched.Mutex
		sched.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		b.Lock()
		a.Lock()
		a.Unlock()
		b.Unlock()
	},
	"panic": func() {
		var n sched.Int64
		sched.Go(func() { n.Store(1) })
		if n.Load() == 1 {
			panic(`index [1] of ["a"](b)`)
		}
	},
	"goroutine-leak": func() {
		c := sched.NewChan[int](0)
		sched.Go(func() { c.Send(1) })
	},
	"data-race": func() {
		var v sched.Var[int]
		sched.Go(func() { v.Store(1) })
		v.Store(2)
	},
}

// find returns the failure of a program, as data.
func find(t *testing.T, rule string) *report.Diagnosis {
	t.Helper()
	res, err := por.Explore(programs[rule], por.Name(rule))
	if err != nil || len(res.Failures) != 1 {
		t.Fatalf("%s: %v, %v", rule, res, err)
	}
	return res.Failures[0].Diagnosis
}

// here returns the folder of this package.
func here(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Each failure has its rule, its line, its schedule in order, and links that lead to places.
func TestResults(t *testing.T) {
	link := regexp.MustCompile(`(?:^|[^\\])\[(?:[^\[\]\\]|\\.)*\]\((\d+)\)`)
	for rule := range programs {
		d := find(t, rule)
		run := New([]*report.Diagnosis{d}, "v1.2.3", here(t)).Runs[0]
		r := run.Results[0]
		if r.RuleID != rule || run.Tool.Driver.Rules[r.RuleIndex].ID != rule {
			t.Errorf("%s: the rules are %s and %s", rule, r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		if len(r.Locations) != 1 || r.Locations[0].PhysicalLocation.ArtifactLocation != (ArtifactLocation{"sarif_test.go", root}) || r.Locations[0].PhysicalLocation.Region.StartLine < 1 {
			t.Errorf("%s: the failure is at %+v", rule, r.Locations)
		}
		var order []int
		steps := 0
		for _, f := range r.CodeFlows[0].ThreadFlows {
			for _, l := range f.Locations {
				s := d.Steps[l.ExecutionOrder-1]
				if s.Goroutine != f.ID || !strings.Contains(l.Location.Message.Text, s.Op) || l.Location.PhysicalLocation.Region.StartLine != s.Stack[0].Line {
					t.Errorf("%s: step %+v is %+v of %s", rule, s, l, f.ID)
				}
				if (l.Importance == "essential") != s.Matters {
					t.Errorf("%s: step %+v is %s", rule, s, l.Importance)
				}
				order = append(order, l.ExecutionOrder)
			}
		}
		for _, s := range d.Steps {
			if !s.Private && len(s.Stack) > 0 {
				steps++
			}
		}
		slices.Sort(order)
		if len(slices.Compact(order)) != steps || steps < 2 {
			t.Errorf("%s: %d of %d steps are in the flow", rule, len(order), steps)
		}
		links := link.FindAllStringSubmatch(r.Message.Text, -1)
		if len(links) != len(r.RelatedLocations) || len(links) == 0 {
			t.Errorf("%s: %d links to %d places: %s", rule, len(links), len(r.RelatedLocations), r.Message.Text)
		}
		if !strings.HasPrefix(strings.NewReplacer(`\[`, "[", `\]`, "]", `\\`, `\`).Replace(r.Message.Text), d.Headline+"\n") {
			t.Errorf("%s: the text does not begin with %q: %s", rule, d.Headline, r.Message.Text)
		}
	}
}

// A failure keeps its fingerprint when it moves, and failures of two kinds have two.
func TestFingerprint(t *testing.T) {
	d := find(t, "deadlock")
	first := fingerprint(d)
	d.At.Line++
	d.Replay, d.Execution = "p1", 17
	if fingerprint(d) != first {
		t.Error("the fingerprint is another one after the code has moved")
	}
	d.At.Source = "b.Lock()"
	if fingerprint(d) == first || fingerprint(find(t, "panic")) == first {
		t.Error("two failures have one fingerprint")
	}
}

// Files are named relative to the folder, where they are in it.
func TestArtifact(t *testing.T) {
	b := &builder{base: filepath.FromSlash("/home/my code")}
	for file, want := range map[string]ArtifactLocation{
		"/home/my code/a b/x.go": {"a%20b/x.go", root},
		"/usr/go/src/x.go":       {"file:///usr/go/src/x.go", ""},
		"/home/my codes/x.go":    {"file:///home/my%20codes/x.go", ""},
		"example.org/m/x.go":     {"example.org/m/x.go", ""},
	} {
		if got := b.artifact(file); got != want {
			t.Errorf("%s is %+v, want %+v", file, got, want)
		}
	}
	l := New(nil, "(devel)", b.base)
	if uri := l.Runs[0].OriginalURIBaseIDs[root].URI; uri != "file:///home/my%20code/" || l.Runs[0].Tool.Driver.Version != "" {
		t.Errorf("the folder is %s, and the version %q", uri, l.Runs[0].Tool.Driver.Version)
	}
}

// A kind of failure that this version does not know gets a rule.
func TestUnknownKind(t *testing.T) {
	run := New([]*report.Diagnosis{{Kind: "cosmic ray", Headline: "x"}}, "v1", "/").Runs[0]
	if id := run.Tool.Driver.Rules[run.Results[0].RuleIndex].ID; id != "cosmic-ray" || run.Results[0].RuleID != id {
		t.Errorf("the rule is %s", id)
	}
	for _, r := range run.Tool.Driver.Rules {
		if r.ShortDescription.Text == "" {
			t.Errorf("%s has no description", r.ID)
		}
	}
}

// The logs keep the schema of the standard, and logs that are spoilt do not.
func TestSchema(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds a tool")
	}
	dir := t.TempDir()
	tool := filepath.Join(dir, "validate")
	build := exec.Command("go", "build", "-o", tool, "./sarif")
	build.Dir = "../tools"
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("the validator cannot be built: %s", out)
	}
	validate := func(l *Log, spoil func(string) string) string {
		var b bytes.Buffer
		if err := l.Write(&b); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "x.sarif")
		if err := os.WriteFile(name, []byte(spoil(b.String())), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(tool, name)
		cmd.Dir = "../tools"
		out, err := cmd.CombinedOutput()
		if err == nil {
			return ""
		}
		return string(out)
	}
	as := func(s string) string { return s }
	all := []*report.Diagnosis{{Kind: "panic", Headline: "nothing else is known"}}
	for rule := range programs {
		all = append(all, find(t, rule))
	}
	for _, l := range []*Log{New(nil, "v0.9.0", "/"), New(all, "v0.9.0", here(t))} {
		if fault := validate(l, as); fault != "" {
			t.Error(fault)
		}
	}
	for _, field := range []string{`"text"`, `"startLine"`, `"executionOrder"`, `"frames"`, `"level"`} {
		if validate(New(all, "v0.9.0", here(t)), func(s string) string { return strings.ReplaceAll(s, field, `"x"`) }) == "" {
			t.Errorf("the validator takes a log without %s", field)
		}
	}
}

// What is written is read again as it was.
func TestWrite(t *testing.T) {
	l := New([]*report.Diagnosis{find(t, "deadlock")}, "v1", here(t))
	var b bytes.Buffer
	var again Log
	if err := l.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &again); err != nil || !reflect.DeepEqual(*l, again) {
		t.Errorf("%v: %s", err, &b)
	}
}
