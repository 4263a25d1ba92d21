package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// shellBlock matches a block of a page with commands of which the page does not show the output.
var shellBlock = regexp.MustCompile("(?ms)^```(sh|make|yaml)\n(.*?)^```$")

// blocks are the blocks of each page with what their output has to have. Those of docs/cluster.md
// are run by por/cluster, which has a NATS server.
var blocks = map[string][]string{
	"README.md": {"", ""},
	"docs/ci.md": {
		", 4 fail, 0 not explored", ", 4 fail, 0 not explored", `"Action":"output"`, "deadlock by lock order",
		"", "", // steps for GitHub
		", 4 fail, 0 not explored\n",
		", 4 fail, 0 not explored",
	},
	"docs/cluster.md":   nil,
	"docs/debugging.md": {"deadlock by lock order", "PASS"},
	"docs/editors.md":   {"deadlock by lock order"},
	"docs/servers.md":   {"por: 1 pass under every schedule"},
}

// standIns are programs that pages name and that may not be there: git finds this repository in
// the place of the published one, dlv and gotestsum run the program that they are given.
var standIns = map[string]string{
	"git":       `for name; do :; done; case $name in https:*) name=${name##*/};; esac; ln -s "$GOPOR" "$name"`,
	"dlv":       `while [ "$1" != -- ]; do program=$last; last=$1; shift; done; shift; exec "$last" "$@"`,
	"gotestsum": `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`,
}

// TestShellBlocks runs the blocks that are not in TestPages, in a copy of docs/example beside the
// module, page by page.
func TestShellBlocks(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds binaries")
	}
	env, home := pageEnvironment(t)
	tools := t.TempDir()
	for name, script := range standIns {
		if err := os.WriteFile(filepath.Join(tools, name), []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	pages, err := filepath.Glob(filepath.Join(home, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	inner, err := filepath.Glob(filepath.Join(home, "docs/*/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(append(pages, inner...), filepath.Join(home, "README.md")) {
		name, _ := filepath.Rel(home, page)
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		found := shellBlock.FindAllStringSubmatch(string(text), -1)
		wants, known := blocks[filepath.ToSlash(name)]
		if known && wants == nil {
			continue
		}
		if len(found) != len(wants) {
			t.Errorf("%s has %d blocks of commands, and %d are tested", name, len(found), len(wants))
			continue
		}
		if len(found) == 0 {
			continue
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			s := &shell{TB: t, home: home, dir: filepath.Join(t.TempDir(), "example")}
			s.env = append(env, "GOPOR="+home, "GOBIN="+t.TempDir(), "PATH="+tools+string(filepath.ListSeparator)+pathOf(env))
			copyExample(t, s.dir, home)
			s.prepare(name, home)
			for i, b := range found {
				if out := s.block(b[1], b[2]); !strings.Contains(out, wants[i]) {
					t.Errorf("%s lacks %q and prints\n%s", b[2], wants[i], out)
				}
			}
			s.finish(name)
		})
	}
}

// shell is a folder in which the blocks of a page are run.
type shell struct {
	testing.TB
	home  string // the repository
	dir   string
	env   []string
	saved string // the name of a saved schedule, for those that pages name
}

// run runs a script, and returns what it prints.
func (s *shell) run(script string) string {
	s.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	s.Logf("%s\n%v", script, err)
	return string(out)
}

// block runs a block of a page.
func (s *shell) block(kind, text string) string {
	if s.saved != "" {
		text = regexp.MustCompile(`\b[0-9a-f]{16}\b`).ReplaceAllString(text, s.saved)
	}
	switch kind {
	case "yaml":
		return s.yaml(text)
	case "make":
		rule, _, _ := strings.Cut(text, ":")
		return s.run("cat >Makefile <<'EOF'\n" + text + "EOF\nmake " + rule)
	}
	return s.run(text)
}

var (
	ownAction  = regexp.MustCompile(`uses: gopor/gopor/(\S+)@`)
	actionWith = regexp.MustCompile(`(?m)^    ([\w-]+):`)
	actionOut  = regexp.MustCompile(`steps\.check\.outputs\.(\w+)`)
	jobVar     = regexp.MustCompile(`(?m)^    ([A-Z_]+): (.*)$`)
	jobStep    = regexp.MustCompile(`(?m)^    - (.*)$`)
	jobKeeps   = regexp.MustCompile(`(?m)^    paths: \[(.*)\]$`)
)

// yaml runs the script of a job, and looks for what the job keeps. The inputs and outputs of the
// action of this repository have to be there; .ci/run runs the action's steps.
func (s *shell) yaml(text string) string {
	action, err := os.ReadFile(filepath.Join(s.home, ".github/actions/check/action.yml"))
	if err != nil {
		s.Fatal(err)
	}
	inputs, outputs, _ := strings.Cut(string(action), "\noutputs:")
	declares := func(part, name string) {
		if !strings.Contains(part, "\n  "+name+":\n") {
			s.Errorf("the action has no %s", name)
		}
	}
	if used := ownAction.FindStringSubmatchIndex(text); used != nil {
		if _, err := os.Stat(filepath.Join(s.home, text[used[2]:used[3]], "action.yml")); err != nil {
			s.Error(err)
		}
		for _, with := range actionWith.FindAllStringSubmatch(text[used[1]:], -1) {
			declares(inputs, with[1])
		}
	}
	for _, out := range actionOut.FindAllStringSubmatch(text, -1) {
		declares(outputs, out[1])
	}
	_, script, ok := strings.Cut(text, "  script:\n")
	if !ok {
		return ""
	}
	script, _, _ = strings.Cut(script, "  artifacts:\n")
	lines := []string{"set -e; export CI_PROJECT_DIR=$PWD"}
	_, vars, _ := strings.Cut(text, "  variables:\n")
	vars, _, _ = strings.Cut(vars, "  cache:\n")
	for _, v := range jobVar.FindAllStringSubmatch(vars, -1) {
		if v[1] != "GOCACHE" { // an empty one takes minutes
			lines = append(lines, "export "+v[1]+"="+v[2])
		}
	}
	for _, step := range jobStep.FindAllStringSubmatch(script, -1) {
		lines = append(lines, step[1])
	}
	if len(lines) < 4 {
		s.Errorf("the job runs %q", lines)
	}
	s.run("rm -f ../gopor") // as a runner begins
	out := s.run(strings.Join(lines, "\n"))
	_, kept, _ := strings.Cut(text, "  artifacts:\n")
	for _, name := range append(strings.Split(jobKeeps.FindStringSubmatch(kept)[1], ", "), ".cache/por") {
		if left := s.run("ls " + name); strings.Contains(left, "No such file") || left == "" {
			s.Errorf("%s is kept, and is not there: %s", name, left)
		}
	}
	return out
}

// prepare makes what the page takes for granted.
func (s *shell) prepare(page, home string) {
	switch page {
	case "docs/servers.md":
		s.dir = home
	case "README.md": // the module does not know gopor yet, and is beside it
		s.run("rm -r count job many stack; rm go.sum; printf 'module example.org/shop\n\ngo 1.26.0\n' >go.mod; ln -s $GOPOR ../gopor")
	case "docs/editors.md":
		s.run("por check -run TestTransfer ./bank")
		all, err := filepath.Glob(filepath.Join(s.dir, "bank/testdata/por/TestTransfer/*"))
		if err != nil || len(all) != 1 {
			s.Fatalf("the schedules %q are saved, %v", all, err)
		}
		s.saved, s.dir = filepath.Base(all[0]), filepath.Join(s.dir, "bank")
	}
}

// finish looks at what the blocks have left.
func (s *shell) finish(page string) {
	if page != "README.md" {
		return
	}
	if out := s.run(`test -x "$GOBIN"/por && cat go.mod && go tool por check -run TestTransfer ./bank`); !strings.Contains(out, "\ttool github.com/gopor/gopor/cmd/por") &&
		!strings.Contains(out, "\ntool github.com/gopor/gopor/cmd/por\n") || !strings.Contains(out, "deadlock by lock order") {
		s.Errorf("after the commands of the README there is\n%s", out)
	}
}

// pathOf returns the PATH of an environment.
func pathOf(env []string) (path string) {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			path = value
		}
	}
	return path
}
