package goker

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// headlinesName is the file with what reports say of each kernel.
const headlinesName = "HEADLINES.md"

// leastNamed is how many of the headlines have to name the documented cause.
const leastNamed = 65

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

// checkHeadlines compares the headlines of reports with those in the file, or writes them, and
// looks at whether they name the documented cause.
func checkHeadlines(t *testing.T, s *suite, which []string, found map[string]map[string]*finding) {
	causes := s.causes(t)
	var b strings.Builder
	b.WriteString("| kernel | documented | named | headline |\n|---|---|---|---|\n")
	n := 0
	for _, k := range which {
		f, auto := found["optimal"][k], found["auto"][k]
		if f == nil || f.Failure == nil {
			f = found["random"][k]
		}
		if f == nil || f.Failure == nil || auto == nil || auto.Failure == nil {
			continue
		}
		file := strings.TrimSuffix(s.kernel(k).name, ".go")
		file, _, _ = strings.Cut(file, "_")
		cause, headline := causes[strings.ToLower(file)], f.Failure.Diagnosis.Headline
		if other, ok := mislabelled[k]; ok {
			cause = other
		}
		says := "no"
		if named(cause, headline) && named(cause, auto.Failure.Diagnosis.Headline) {
			says = "yes"
			n++
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", k, cause, says, strings.ReplaceAll(headline, "|", `\|`))
	}
	about := fmt.Sprintf("# What the headlines of reports say of the kernels\n\n"+
		"For each kernel: what its bug is, as the table in the distribution's README has it; whether the\n"+
		"headline of the report names that, by the rules of headlines_test.go; and the headline, of\n"+
		"optimal DPOR with options, or else at random. %d of %d name it, with no options as well. `go test -update` writes this.\n\n", n, len(which))
	if *update {
		if err := os.WriteFile(headlinesName, []byte(about+b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(headlinesName)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != about+b.String() {
		t.Errorf("%s does not hold any more; run with -update and look at the difference:\n%s", headlinesName, about+b.String())
	}
	if n < leastNamed {
		t.Errorf("%d of %d headlines name the documented cause", n, len(which))
	}
}
