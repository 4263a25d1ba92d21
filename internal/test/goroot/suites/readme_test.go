package suites

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

const readmeHead = `# The Go distribution's own tests, under control

The test of this folder reads the programs of test/chan and the tests of src/sync,
src/sync/atomic, src/context, src/runtime (chan_test.go) and src/time (sleep_test.go,
tick_test.go) from GOROOT, and runs each of them under control, as por check
does, for a bounded number of schedules. All of them behave as they do without it,
but for those that this page lists. The test fails if one of these would pass, and if
another one does not.

What is done to the sources: programs become functions that begin with the initial
values of their package-level variables, and what package testenv says is said by a
few lines of this folder's. Tests are run with -short. Goroutines that wait for ever
are allowed, as without control. The page is for Go 1.26 and 1.27; a release that the go
command has fetched by itself lacks test/chan.

## Left out

| of | tests | how it shows | because it |
|---|---|---|---|
`

var shown = map[why]string{
	outside: "cannot be built outside the standard library",
	fails:   "fails",
	long:    "is cut short",
	never:   "does not end",
	skips:   "skips itself",
}

// readme returns what README.md has to hold.
func readme() string {
	var b strings.Builder
	b.WriteString(readmeHead)
	for _, o := range leftOut {
		tests := strings.ReplaceAll(strings.TrimPrefix(o.tests, "Test_"), " ", ", ")
		fmt.Fprintf(&b, "| %s | %s%s | %s | %s |\n", o.suite, strings.ReplaceAll(tests, "Test_", ""), o.releases(), shown[o.why], o.reason)
	}
	b.WriteString("\n## Data races\n\nThese have real ones, which are ignored:")
	for _, of := range []string{programs} {
		for _, name := range racesAllowed[of] {
			fmt.Fprintf(&b, " %s/%s", of, strings.TrimPrefix(name, "Test_"))
		}
	}
	b.WriteString(".\n")
	return b.String() + serversReadme()
}

var update = flag.Bool("update", false, "write README.md")

// README.md shows the table.
func TestReadme(t *testing.T) {
	if *update {
		if err := os.WriteFile("README.md", []byte(readme()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("README.md")
	if err != nil || string(text) != readme() {
		t.Errorf("README.md is not what the table says; run this test with -update (%v)", err)
	}
}
