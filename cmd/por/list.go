package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/doc"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/format"
)

// listed is a test function, as por check -list prints it. The tags are the fields of its JSON.
type listed struct {
	Package    string `json:"package"`
	Test       string `json:"test"`
	File       string `json:"file"` // with its folder
	Line       int    `json:"line"`
	Goroutines string `json:"goroutines"`        // yes, no, or not known
	Because    string `json:"because,omitempty"` // the function that starts one, or that may do so
	Explored   bool   `json:"explored"`          // by por check
	Reason     string `json:"reason,omitempty"`  // why it is not
}

// The values of Goroutines.
const (
	startsSome = "yes"
	startsNone = "no"
	notKnown   = "not known"
)

// list prints the tests of packages without building or running them.
func (c *testCommand) list(e command.Env, dir string, packages []string) int {
	pattern, err := regexp.Compile(c.listed)
	if err != nil {
		return e.Misused("check: -list %s: %v", c.listed, err)
	}
	s, err := loadSources(dir, c.compiled(), packages)
	if err != nil {
		return e.Failed(err)
	}
	var all []listed
	for _, p := range s.targets {
		tests, err := s.tests(p)
		if err != nil {
			return e.Failed(err)
		}
		all = append(all, slices.DeleteFunc(tests, func(t listed) bool { return !pattern.MatchString(t.Test) })...)
	}
	switch {
	case c.json:
		encoder := json.NewEncoder(e.Out)
		for _, t := range all {
			encoder.Encode(t)
		}
	case len(all) == 0:
		fmt.Fprintln(e.Err, "por: no test")
	default:
		writeList(e, all)
	}
	return command.OK
}

// compiled returns the flags by which packages are found and compiled.
func (c *testCommand) compiled() (flags []string) {
	for _, f := range c.kept {
		if build.Compiled(f) && f.Name != "race" {
			flags = append(flags, f.Words...)
		}
	}
	return flags
}

// writeList prints tests as a table, and counts them.
func writeList(e command.Env, all []listed) {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "goroutines\ttest")
	count := make(map[string]int)
	for _, t := range all {
		note := ""
		switch {
		case t.Reason != "":
			note = "not explored: " + t.Reason
		case t.Because != "" && t.Goroutines == notKnown:
			note = "perhaps by " + t.Because
		case t.Because != "":
			note = "by " + t.Because
		}
		count[t.Goroutines]++
		fmt.Fprintf(w, "%s\t%s.%s\t%s\n", t.Goroutines, t.Package, t.Test, note)
	}
	w.Flush()
	for line := range bytes.Lines(text.Bytes()) {
		fmt.Fprintf(e.Out, "%s\n", bytes.TrimRight(line, " \n"))
	}
	fmt.Fprintf(e.Err, "por: %s: %d start goroutines, %d start none, of %d that is not known\n",
		format.Counted(int64(len(all)), "test"), count[startsSome], count[startsNone], count[notKnown])
}

// tests returns the tests of a package, by file and line.
func (s *sources) tests(p *sourcePackage) (all []listed, err error) {
	if len(p.TestGoFiles)+len(p.XTestGoFiles)+len(p.IgnoredGoFiles) == 0 {
		return nil, nil
	}
	b, err := s.binary(p)
	if err != nil {
		return nil, err
	}
	for _, unit := range []*unit{b.inside, b.outside} {
		for _, f := range unit.files {
			for _, d := range testFuncs(f.File) {
				t := listed{Package: p.ImportPath, Test: d.Name.Name, Explored: true}
				t.Goroutines, t.Because = b.judge(unit, d)
				if strings.HasPrefix(t.Test, "Example") {
					t.Explored, t.Reason = false, "examples run once"
				} else if call := b.checksItself(unit, d); call != "" {
					t.Explored, t.Reason = false, "it calls "+call+", and runs once"
				}
				t.File, t.Line = s.place(d)
				all = append(all, t)
			}
		}
	}
	for _, name := range p.IgnoredGoFiles {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := s.parse(p, name)
		if err != nil {
			continue // what is not built need not be Go
		}
		for _, d := range testFuncs(f.File) {
			t := listed{Package: p.ImportPath, Test: d.Name.Name, Goroutines: notKnown, Reason: excluded(f.File, name)}
			t.File, t.Line = s.place(d)
			all = append(all, t)
		}
	}
	slices.SortStableFunc(all, func(a, b listed) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	return all, nil
}

// excluded says why a file is not built.
func excluded(f *ast.File, name string) string {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) {
				return "the file " + name + " is not built: " + c.Text
			}
		}
	}
	return "the file " + name + " is not built on this platform"
}

// testFuncs returns the test functions of a file, with its examples that have an output.
func testFuncs(f *ast.File) (all []*ast.FuncDecl) {
	runs := make(map[string]bool)
	for _, e := range doc.Examples(f) {
		runs["Example"+e.Name] = e.Output != "" || e.EmptyOutput
	}
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		switch {
		case !ok || d.Recv != nil || d.Body == nil:
		case runs[d.Name.Name], isTest(d, "Test") && d.Name.Name != "TestMain", isTest(d, "Fuzz"):
			all = append(all, d)
		}
	}
	return all
}

// isTest reports whether the name of a function is that of a test. The go command has looked at its
// parameters.
func isTest(d *ast.FuncDecl, prefix string) bool {
	rest, ok := strings.CutPrefix(d.Name.Name, prefix)
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && !unicode.IsLower(first)
}

// loadSources asks the go command for the packages, and for all that they import.
func loadSources(dir string, flags, packages []string) (*sources, error) {
	const fields = "-json=ImportPath,Name,Dir,Standard,DepOnly,ForTest,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Imports,TestImports,XTestImports,ImportMap"
	cmd := exec.Command("go", slices.Concat([]string{"list", "-deps", "-test", fields}, flags, []string{"--"}, packages)...)
	cmd.Dir = dir
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(problems.String())
		if text == "" {
			text = err.Error()
		}
		return nil, fmt.Errorf("go list: %s", text)
	}
	s := newSources()
	for d := json.NewDecoder(&out); ; {
		p := new(sourcePackage)
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return s, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test") {
			s.add(p)
		}
	}
}
