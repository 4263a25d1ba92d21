package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRelease runs the script that tries a release in small repositories that lack something. The script has
// to refuse each by name. .ci/run runs it to its end.
func TestRelease(t *testing.T) {
	for _, program := range []string{"bash", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	script, err := os.ReadFile(filepath.Join(home, ".ci", "release"))
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]string{
		".ci/release": string(script), ".ci/api": "echo the API is compared\n", "LICENSE": "Apache\n",
		"go.mod":            "module github.com/gopor/gopor\n",
		"nested/go.mod":     "module github.com/gopor/gopor/nested\n\nreplace github.com/gopor/gopor => ..\n",
		"nested/LICENSE":    "Apache\n",
		"example/go.mod":    "module example.org/shop\n",
		"docs/CHANGELOG.md": "# Changes\n\n## v0.9.0\n\n- Something.\n\n## v0.8.0\n",
	}
	for _, x := range []struct {
		name, args string
		changed    map[string]string // files after the commit
		committed  map[string]string // files before it
		tag        string
		want       string
	}{
		{name: "no section", args: "", committed: map[string]string{"docs/CHANGELOG.md": "# Changes\n"}, want: "has no section of a version"},
		{name: "not a version", args: "0.9.0", want: "0.9.0 is not a version such as v0.9.0"},
		{name: "older section", args: "v0.8.0", want: "the first section of docs/CHANGELOG.md is v0.9.0, not v0.8.0"},
		{name: "changed file", args: "v0.9.0", changed: map[string]string{"go.mod": "module github.com/gopor/gopor\n\ngo 1.26.0\n"}, want: "files have changes that are not committed"},
		{name: "new file", args: "v0.9.0", changed: map[string]string{"x.go": "package x\n"}, want: "files have changes that are not committed"},
		{name: "page", args: "v0.9.0", committed: map[string]string{"README.md": "No version has been released yet.\n"}, want: "these pages say that nothing is released"},
		{name: "API", args: "v0.9.0", committed: map[string]string{".ci/api": "echo some break users; exit 1\n"}, want: "some break users"},
		{name: "tag", args: "v0.9.0", tag: "v0.9.0", want: "there is a tag v0.9.0 already"},
		{name: "nested tag", args: "v0.9.0", tag: "nested/v0.9.0", want: "there is a tag nested/v0.9.0 already"},
		{name: "licence", args: "v0.9.0", committed: map[string]string{"nested/LICENSE": ""}, want: "nested has no LICENSE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(files map[string]string) {
				for name, text := range files {
					name = filepath.Join(dir, name)
					if text == "" {
						os.Remove(name)
						continue
					}
					if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			git := func(args ...string) {
				cmd := exec.Command("git", append([]string{"-c", "user.name=gopor", "-c", "user.email=gopor@example.org"}, args...)...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
				}
			}
			write(good)
			write(x.committed)
			git("init", "--quiet")
			git("add", "--all")
			git("commit", "--quiet", "-m", "all")
			if x.tag != "" {
				git("tag", x.tag)
			}
			write(x.changed)
			cmd := exec.Command("bash", append([]string{".ci/release"}, strings.Fields(x.args)...)...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), x.want) {
				t.Errorf("the script ends with %v, and should say %q:\n%s", err, x.want, out)
			}
			if strings.Contains(string(out), "a clone with the commit") {
				t.Errorf("the script goes on:\n%s", out)
			}
		})
	}
}
