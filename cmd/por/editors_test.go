package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// editorSettings is what docs/editors.md has for VS Code: the settings, the tasks, and a
// configuration of the debugger.
type editorSettings struct {
	EnvVars        map[string]string `json:"go.testEnvVars"`
	Flags          []string          `json:"go.testFlags"`
	Timeout        string            `json:"go.testTimeout"`
	Tasks          []editorTask
	Configurations []struct {
		Program, Cwd, PreLaunchTask string
		Args                        []string
		Env                         map[string]string
	}
}

type editorTask struct {
	Label, Command string
	Args           []string
	Options        struct{ Cwd string }
	ProblemMatcher json.RawMessage
}

// editor stands for VS Code: a workspace, and the file that is open in it.
type editor struct {
	testing.TB
	workspace, file, selected string
	page                      string
	env                       []string
}

// settings reads the page as the editor does while the file is open.
func (e *editor) settings() (all editorSettings) {
	e.Helper()
	fill := strings.NewReplacer("${workspaceFolder}", e.workspace, "${file}", e.file, "${fileDirname}", filepath.Dir(e.file),
		"${fileDirnameBasename}", filepath.Base(filepath.Dir(e.file)), "${selectedText}", e.selected)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(e.page, -1)
	if len(blocks) != 3 {
		e.Fatalf("the page has %d blocks of JSON, and not settings, tasks and configurations", len(blocks))
	}
	for _, b := range blocks {
		if err := json.Unmarshal([]byte(fill.Replace(b[1])), &all); err != nil {
			e.Fatal(err)
		}
	}
	return all
}

// task returns the task of that name.
func (e *editor) task(label string) editorTask {
	e.Helper()
	for _, t := range e.settings().Tasks {
		if t.Label == label {
			return t
		}
	}
	e.Fatalf("the page has no task %q", label)
	return editorTask{}
}

// run runs a program in a folder, and returns what it prints.
func (e *editor) run(dir string, env map[string]string, name string, args ...string) string {
	cmd := exec.Command("env", append([]string{name}, args...)...) // which looks it up in that PATH
	cmd.Dir, cmd.Env = dir, e.env
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	out, err := cmd.CombinedOutput()
	e.Logf("%s %q: %v\n%s", name, args, err, out)
	return string(out)
}

// TestEditors does with docs/editors.md what VS Code does: its settings, its tasks, and its
// configuration, which is started without a debugger.
func TestEditors(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds binaries")
	}
	env, home := pageEnvironment(t)
	page, err := os.ReadFile(filepath.Join(home, "docs", "editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	workspace := filepath.Join(t.TempDir(), "example")
	copyExample(t, workspace, home)
	e := &editor{TB: t, workspace: workspace, file: filepath.Join(workspace, "bank", "bank_test.go"), selected: "TestTransfer", page: string(page), env: env}

	explore := e.task("por: explore")
	out := e.run(explore.Options.Cwd, nil, explore.Command, explore.Args...)
	var matcher struct {
		Pattern struct {
			Regexp              string
			File, Line, Message int
		}
	}
	if err := json.Unmarshal(explore.ProblemMatcher, &matcher); err != nil {
		t.Fatal(err)
	}
	p := matcher.Pattern
	problems := regexp.MustCompile("(?m)"+p.Regexp).FindAllStringSubmatch(out, -1)
	if len(problems) != 1 || problems[0][p.File] != "bank.go" || problems[0][p.Line] != "15" || !strings.HasPrefix(problems[0][p.Message], "deadlock by lock order") {
		t.Errorf("the editor shows the problems %q", problems)
	}
	one := e.task("por: explore the selected test")
	if out := e.run(one.Options.Cwd, nil, one.Command, one.Args...); !strings.Contains(out, "\npor: 0 pass under every schedule, 0 with assumptions, 0 stopped by a limit, 1 fail, 0 not explored\n") {
		t.Errorf("another test is explored than the selected one:\n%s", out)
	}

	schedules, err := filepath.Glob(filepath.Join(workspace, "bank/testdata/por/TestTransfer/*"))
	if err != nil || len(schedules) == 0 {
		t.Fatalf("no schedule is saved: %v", err)
	}
	e.file = schedules[0]
	replay := e.settings().Configurations[0]
	build := e.task(replay.PreLaunchTask)
	if out := e.run(build.Options.Cwd, nil, build.Command, build.Args...); strings.Contains(out, "FAIL") {
		t.Fatal(out)
	}
	if out := e.run(replay.Cwd, replay.Env, replay.Program, replay.Args...); !strings.Contains(out, "por: deadlock by lock order") || !strings.Contains(out, "replay") {
		t.Errorf("the configuration replays\n%s", out)
	}

	settings := e.settings()
	count := filepath.Join(workspace, "count", "count_test.go")
	text, err := os.ReadFile(count)
	if err == nil {
		err = os.WriteFile(count, []byte(strings.Replace(string(text), "n++; mu.Unlock()", "mu.Unlock(); n++", 1)), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"test", "-timeout", settings.Timeout, "-run", "^TestCount$", "example.org/shop/count"}, settings.Flags...)
	out = e.run(filepath.Join(workspace, "count"), settings.EnvVars, "go", args...)
	shown, err := filepath.Glob(filepath.Join(settings.EnvVars["POR_HTML"], "*.html"))
	if !strings.Contains(out, "=== RUN   TestCount") || !strings.Contains(out, "data race") || len(shown) != 1 {
		t.Errorf("with the settings there are the pages %q, %v, and go test prints\n%s", shown, err, out)
	}
}
