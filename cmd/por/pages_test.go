package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

var update = flag.Bool("update", false, "write into the pages for people what their commands print")

// What differs from run to run, and is compared as if it did not.
var varying = []struct {
	find *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`(?m)^por: building the tests of .* under control: .*\n`), ""},
	{regexp.MustCompile(`\b[\d.]+(ns|µs|ms|s)\b`), "TIME"},
	{regexp.MustCompile(`[\d,]+ executions/s`), "RATE"},
	{regexp.MustCompile(`POR_REPLAY=p1[\w-]+`), "POR_REPLAY=SCHEDULE"},
	{regexp.MustCompile(`\b[0-9a-f]{16}\b`), "HASH"},
	{regexp.MustCompile(`failed \d+ of \d+ times`), "failed N of N times"},
	{regexp.MustCompile(`about one in \d+ schedules`), "about one in N schedules"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

// A block of a page with commands that are run, and what they print.
var consoleBlock = regexp.MustCompile("(?s)```console\n(.*?)```\n")

// TestPages runs the commands of README.md and of the pages in docs, page by page in a copy of
// docs/example, and compares what they print with what the pages say they do. A line "..." of a
// page stands for any number of lines. With the flag -update the pages are written.
func TestPages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are written for a shell")
	}
	if !effort.Full() && !*update {
		t.Skip("builds binaries")
	}
	env, home := pageEnvironment(t)
	pages, err := filepath.Glob(filepath.Join(home, "docs", "*.md"))
	if err != nil || len(pages) < 5 {
		t.Fatalf("%d pages in docs, %v", len(pages), err)
	}
	for _, page := range append(pages, filepath.Join(home, "README.md")) {
		t.Run(filepath.Base(page), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "example")
			copyExample(t, dir, home)
			run := func(command string) string {
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir, cmd.Env = dir, env
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Logf("%s: %v", command, err) // which may be what the page shows
				}
				return string(out)
			}
			now := consoleBlock.ReplaceAllFunc(text, func(block []byte) []byte {
				return checkBlock(t, block, run)
			})
			if *update && !bytes.Equal(now, text) {
				if err := os.WriteFile(page, now, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// pageEnvironment builds the commands, and returns the environment in which those of pages run, and the folder of
// this module.
func pageEnvironment(t *testing.T) (env []string, home string) {
	t.Helper()
	home, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), ".", "../porbench").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return append(os.Environ(), "POR_CACHE="+nativeCache(t), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GOFLAGS=", "GOWORK=off", "GITHUB_ACTIONS=", "CI=", "COLUMNS="), home
}

// checkBlock runs the commands of a block and compares what they print. It returns the block as
// it has to be, with what the commands print where that was something else.
func checkBlock(t *testing.T, block []byte, run func(command string) string) []byte {
	text := string(consoleBlock.FindSubmatch(block)[1])
	var b strings.Builder
	b.WriteString("```console\n")
	for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
		command, said, _ := strings.Cut(strings.TrimSuffix(part, "\n")+"\n", "\n")
		out := run(command)
		if !prints(said, out) {
			if !*update {
				t.Errorf("%s prints\n%s\nand the page says\n%s", command, out, said)
			}
			said = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(varying[0].find.ReplaceAllString(out, ""), "")
		}
		b.WriteString("$ " + command + "\n" + said)
	}
	b.WriteString("```\n")
	return []byte(b.String())
}

// prints reports whether a command that prints out prints what a page says.
func prints(said, out string) bool {
	for _, v := range varying {
		said, out = v.find.ReplaceAllString(said, v.as), v.find.ReplaceAllString(out, v.as)
	}
	var pattern strings.Builder
	for line := range strings.Lines(strings.TrimSpace(said) + "\n") {
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString(`(?:.*\n)*?`)
		} else {
			pattern.WriteString(regexp.QuoteMeta(line))
		}
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(strings.TrimSpace(out) + "\n")
}

// copyExample copies docs/example, which is to use the module in the folder home.
func copyExample(t *testing.T, dir, home string) {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(home, "docs", "example"))); err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mod, bytes.Replace(text, []byte("=> ../.."), []byte("=> "+home), 1), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Of what a page says a line "..." stands for any, and times do not matter.
func TestPrints(t *testing.T) {
	for _, test := range []struct {
		said, out string
		want      bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "b\n", false},
		{"a\n", "a\nb\n", false},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true},
		{"a\n  ...\nd\n", "a\nd\n", true},
		{"a\n...\nd\n", "a\nb\nc\n", false},
		{"...\nd\n", "a.d\n", false},
		{"in 1.5ms (1,000 executions/s)", "in 27s (3 executions/s)", true},
		{"POR_REPLAY=p1ab-_ go test", "POR_REPLAY=p1xy go test", true},
		{"in 2 executions", "in 3 executions", false},
		{"a (b)", "a (b)", true},
	} {
		if got := prints(test.said, test.out); got != test.want {
			t.Errorf("prints(%q, %q) is %v", test.said, test.out, got)
		}
	}
}
