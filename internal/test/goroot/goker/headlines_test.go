package goker

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// headlinesName is the file with what the command says of each kernel.
const headlinesName = "HEADLINES.md"

// documented is a row of the table in the distribution's README: a kernel, and what its bug
// is.
var documented = regexp.MustCompile(`(?m)^\|\[(\w+)#(\d+)\][^|]*\|[^|]*\|[^|]*\| *(\w[^|]*?) *\| *(\w[^|]*?) *\|$`)

// causes returns what the bug of each kernel is, by the name of its file, as the distribution's README says it.
func (s *suite) causes(t *testing.T) map[string]string {
	text, err := os.ReadFile(filepath.Join(s.dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	causes := make(map[string]string)
	for _, m := range documented.FindAllStringSubmatch(string(text), -1) {
		causes[m[1]+m[2]] = strings.ToLower(m[3] + ": " + m[4])
	}
	return causes
}

// mislabelled has what the bugs are where the table and the description below it differ: of
// Cockroach18101 the table says double locking, the description that senders leak, and there
// is no lock in it.
var mislabelled = map[string]string{"Cockroach18101": "communication: channel"}

// rulings has, by what a documented cause says, what a headline has to say to name it.
var rulings = []struct{ cause, headline string }{
	{"ab-ba", `by lock order`},
	{"double locking", `which (it|main|g[0-9.]+) holds itself|forgotten unlock|recursive read lock`},
	{"missing unlock", `forgotten unlock|which it holds itself`},
	// Who waits for something else with a read lock keeps out a writer, who keeps out readers.
	{"rwr", `recursive read lock|by lock order|by waiting with a read lock`},
	{"channel & lock", `by waiting with a (read )?lock|lock of .*(send|recv|select)|(send|recv|select).* lock of`},
	{"channel & waitgroup", `wg\.wait.*(send|recv|select)|(send|recv|select).*wg\.wait`},
	{"condition variable", `cond\.wait|lost wakeup`},
	{"waitgroup", `wg\.wait`},
	{"channel", `(send|recv) of |in a select`},
}

// named reports whether a headline names a cause.
func named(cause, headline string) bool {
	for _, n := range rulings {
		if strings.Contains(cause, n.cause) {
			return regexp.MustCompile(n.headline).MatchString(headline)
		}
	}
	return false
}

// checkHeadlines compares what the command says of the modules with the table in the file, but
// for the seconds, or writes the table.
func checkHeadlines(t *testing.T, s *suite, which []string, found map[string]*outcome) {
	causes := s.causes(t)
	var b strings.Builder
	b.WriteString("| kernel | documented | status | named | execution | seconds | headline |\n" + strings.Repeat("|---", 7) + "|\n")
	n := 0
	for _, k := range which {
		o, cause := found[k], s.kernel(k).cause(causes)
		if o == nil {
			continue
		}
		says := "no"
		if o.Status == 1 && named(cause, o.Headline) {
			says = "yes"
			n++
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %.2f | %s |\n", k, cause, o.Status, says,
			orDash(o.Execution), o.Seconds, strings.ReplaceAll(o.Headline, "|", `\|`))
	}
	text := fmt.Sprintf(aboutHeadlines, command, n, len(which)) + b.String()
	if *update {
		if err := os.WriteFile(headlinesName, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(headlinesName)
	if err != nil {
		t.Fatal(err)
	}
	if withoutTimes(string(want)) != withoutTimes(text) {
		t.Errorf("%s does not hold any more; run with -update and look at the difference:\n%s", headlinesName, text)
	}
}

// aboutHeadlines is what the file begins with.
const aboutHeadlines = `# What the command says of the kernels

Each kernel is a module of its own: a test function and go.mod, nothing else. The command, in the
module's folder, is

    %s

The columns are

- what the bug is, as the table in the distribution's README has it;
- the exit status of the command;
- whether the headline of the report names the cause, by the rules of headlines_test.go;
- the number of the execution that shows the failure first;
- the seconds that go test counts for the test binary, on two cores that other work uses as well;
- the headline.

%d of %d fail with status 1 and name the cause. This writes the table, and compares three runs of
every module:

    GOPOR_FULL=1 go test -run TestModules ./internal/test/goroot/goker -update

`

// orDash returns a number as text, a dash for 0.
func orDash(n int) string {
	if n == 0 {
		return "–"
	}
	return strconv.Itoa(n)
}

// withoutTimes returns the table without execution numbers, seconds, and names of goroutines. The search shares its time
// between ways of passing time, so the numbers differ from one machine to the next.
func withoutTimes(table string) string {
	var b strings.Builder
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) > 7 {
			cells = slices.Delete(cells, 5, 7)
		}
		b.WriteString(strings.Join(cells, "|"))
	}
	return nameless(b.String())
}

// checkNames holds the headlines of reports of all searches against the documented causes.
func checkNames(t *testing.T, s *suite, found map[string]map[string]*finding) {
	causes := s.causes(t)
	for engine, rows := range found {
		for name, f := range rows {
			if f.Failure == nil {
				continue // which another test reports
			}
			if cause := s.kernel(name).cause(causes); !named(cause, f.Failure.Diagnosis.Headline) {
				t.Errorf("%s, %s: the headline does not name the cause, %s: %s", engine, name, cause, f.Failure.Diagnosis.Headline)
			}
		}
	}
}
