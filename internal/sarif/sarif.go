package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/trace"
)

const (
	home    = "https://github.com/gopor/gopor"
	help    = home + "/blob/main/docs/flaky.md#2-read-the-report"
	root    = "SRCROOT" // the name of the folder that files are relative to
	level   = "error"
	failure = "gopor/v1" // the name of the fingerprint
)

// descriptions says what a kind of failure is.
var descriptions = map[trace.FailureKind]string{
	trace.FailPanic:     "A goroutine panics under some order of the goroutines.",
	trace.FailFatal:     "A primitive is misused in a way that ends the program, such as unlocking an unlocked mutex.",
	trace.FailAssertion: "The test itself fails under some order of the goroutines.",
	trace.FailDeadlock:  "All goroutines wait.",
	trace.FailLeak:      "Goroutines wait for ever after the test has returned.",
	trace.FailRace:      "Nothing orders two accesses of a variable, one of which is a write.",
	trace.FailSteps:     "Goroutines run for ever and get nowhere.",
	trace.FailStarved:   "A goroutine waits in a loop for another one that has no turn.",
	trace.FailLong:      "An execution takes more steps than the limit allows.",
	trace.FailHistory:   "No order of the calls explains what they return.",
	trace.FailOutcome:   "Calls that overlap return what they never return one at a time.",
}

// rules returns the kinds of failures, in the order of their values.
func rules() (all []Rule) {
	for k := trace.FailPanic; descriptions[k] != ""; k++ {
		all = append(all, newRule(k.String(), descriptions[k]))
	}
	return all
}

// newRule returns the rule of a kind of failure.
func newRule(kind, description string) Rule {
	return Rule{strings.ReplaceAll(kind, " ", "-"), Message{description}, help, Configuration{level}}
}

// New returns the log of failures that por has found, in a version such as v1.2.3; another one is
// left out. Files below the folder base, which is an absolute path, are named relative to it.
func New(failures []*report.Diagnosis, por, base string) *Log {
	number, released := strings.CutPrefix(por, "v")
	if !released {
		number = ""
	}
	b := &builder{base: base, rules: rules(), results: []Result{}}
	for _, d := range failures {
		b.results = append(b.results, b.result(d))
	}
	return &Log{Schema: schema, Version: version, Runs: []Run{{
		Tool:               Tool{Driver{Name: "gopor", Version: number, InformationURI: home, Rules: b.rules}},
		Invocations:        []Invocation{{ExecutionSuccessful: true}},
		OriginalURIBaseIDs: map[string]ArtifactLocation{root: {URI: fileURI(base) + "/"}},
		ColumnKind:         "utf16CodeUnits",
		Results:            b.results,
	}}}
}

// Write writes a log.
func (l *Log) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(l)
}

// builder makes a log.
type builder struct {
	base    string
	rules   []Rule
	results []Result
}

// rule returns the index of the rule of a kind. A kind of a newer version of por gets a rule.
func (b *builder) rule(kind string) int {
	r := newRule(kind, kind)
	i := slices.IndexFunc(b.rules, func(s Rule) bool { return s.ID == r.ID })
	if i < 0 {
		i = len(b.rules)
		b.rules = append(b.rules, r)
	}
	return i
}

// result returns a failure.
func (b *builder) result(d *report.Diagnosis) Result {
	i := b.rule(d.Kind)
	r := Result{
		RuleID: b.rules[i].ID, RuleIndex: i, Level: level,
		PartialFingerprints: map[string]string{failure: fingerprint(d)},
		Properties: Properties{
			Bug: d.Bug, Test: d.Test, Package: d.Package, Preemptions: d.Preemptions, Replay: d.Replay, Command: d.Command, Saved: d.Saved,
		},
	}
	if l, ok := b.location(place(d)); ok {
		l.LogicalLocations = nil
		if d.Test != "" {
			l.LogicalLocations = []LogicalLocation{{d.Package + "." + d.Test, "function"}}
		}
		r.Locations = []Location{l}
	}
	lines := []string{plain(d.Headline).Text}
	for _, more := range append([]string{d.Cause, d.Note}, d.Remarks...) {
		if more != "" {
			lines = append(lines, plain(more).Text)
		}
	}
	for _, p := range d.Parties {
		lines = append(lines, b.party(&r, p))
	}
	if d.Command != "" {
		lines = append(lines, plain("To replay it: "+d.Command).Text)
	}
	r.Message.Text = strings.Join(lines, "\n")
	if flows := b.flows(d); len(flows) > 0 {
		r.CodeFlows = []CodeFlow{{plain(d.Headline), flows}}
	}
	return r
}

// brackets escapes what begins and ends links.
var brackets = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`)

// plain returns a text in which brackets are no links.
func plain(s string) Message { return Message{brackets.Replace(s)} }

// place returns the line of a failure. If the headline is not about one, it is that of a goroutine
// that has to do with it, or else that of the first step that matters.
func place(d *report.Diagnosis) report.Frame {
	if d.At.File != "" {
		return d.At
	}
	for _, p := range d.Parties {
		for _, a := range p.Acts {
			if len(a.Stack) > 0 {
				return a.Stack[0]
			}
		}
	}
	for _, s := range d.Steps {
		if s.Matters && len(s.Stack) > 0 {
			return s.Stack[0]
		}
	}
	return report.Frame{}
}

// party adds the stacks of a goroutine to a result, and returns a line about it.
func (b *builder) party(r *Result, p report.Party) string {
	line := plain(p.Does).Text
	for i, a := range p.Acts {
		s := Stack{Message: plain(strings.TrimSpace(p.Goroutine + " " + a.Does)), Frames: []StackFrame{}}
		for _, f := range a.Stack {
			l, _ := b.location(f)
			s.Frames = append(s.Frames, StackFrame{l})
		}
		r.Stacks = append(r.Stacks, s)
		if i == len(p.Acts)-1 && len(a.Stack) > 0 {
			if l, ok := b.location(a.Stack[0]); ok {
				m := plain(p.Goroutine + " " + p.Does)
				l.ID, l.Message = len(r.RelatedLocations)+1, &m
				r.RelatedLocations = append(r.RelatedLocations, l)
				line = fmt.Sprintf("[%s](%d)", line, l.ID)
			}
		}
	}
	return plain(p.Goroutine).Text + " " + line
}

// flows returns the schedule, goroutine by goroutine: the steps that the user's code makes on
// something that several goroutines use.
func (b *builder) flows(d *report.Diagnosis) (all []ThreadFlow) {
	for _, g := range d.Goroutines {
		flow := ThreadFlow{ID: g.Name, Message: plain(strings.TrimSpace(g.Name + " " + g.Call))}
		for i := range d.Steps {
			s := &d.Steps[i]
			if s.Goroutine != g.Name || s.Private || len(s.Stack) == 0 {
				continue
			}
			l, ok := b.location(s.Stack[0])
			if !ok {
				continue
			}
			m := plain(s.Does())
			if s.Preempts {
				m.Text += " (a preemption)"
			}
			l.Message = &m
			flow.Locations = append(flow.Locations, ThreadFlowLocation{Location: l, ExecutionOrder: i + 1, Importance: importance(s)})
		}
		if len(flow.Locations) > 0 {
			all = append(all, flow)
		}
	}
	return all
}

// importance returns whether a step is shown first, by default, or only if all are.
func importance(s *report.Step) string {
	switch {
	case s.Matters:
		return "essential"
	case s.After || s.Library:
		return "unimportant"
	}
	return "important"
}

// location returns the place of a call, and whether it is known.
func (b *builder) location(f report.Frame) (l Location, ok bool) {
	if f.Func != "" {
		l.LogicalLocations = []LogicalLocation{{f.Func, "function"}}
	}
	if f.File == "" || f.Line < 1 {
		return l, false
	}
	region := Region{StartLine: f.Line}
	if f.Source != "" {
		region.Snippet = &Message{f.Source}
	}
	l.PhysicalLocation = &PhysicalLocation{b.artifact(f.File), region}
	return l, true
}

// artifact returns a file, relative to the base if it is below that.
func (b *builder) artifact(file string) ArtifactLocation {
	if !filepath.IsAbs(file) {
		return ArtifactLocation{URI: (&url.URL{Path: filepath.ToSlash(file)}).String()}
	}
	if rel, err := filepath.Rel(b.base, file); err == nil && filepath.IsLocal(rel) {
		return ArtifactLocation{(&url.URL{Path: filepath.ToSlash(rel)}).String(), root}
	}
	return ArtifactLocation{URI: fileURI(file)}
}

// fileURI returns the URI of an absolute path, with a slash before the letter of a drive.
func fileURI(file string) string {
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: strings.TrimSuffix(path, "/")}).String()
}

// fingerprint returns what tells a failure from others while lines move.
func fingerprint(d *report.Diagnosis) string {
	at := place(d)
	sum := sha256.Sum256([]byte(strings.Join([]string{d.Package, d.Test, d.Bug, at.Func, at.Source}, "\x00")))
	return hex.EncodeToString(sum[:16])
}
