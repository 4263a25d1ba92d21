package instrument

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/kit"
)

// racesHead begins a test that explores the programs of package races and says of each
// what its failures are.
const racesHead = `package races

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		r, err := por.Explore(p.run, por.Grant(sched.AssumeMapOrder), por.MaxExecutions(1000))
		if err != nil {
			fmt.Println(p.name, "error", err)
			continue
		}
		fmt.Println(p.name, len(r.Failures), r.Exhaustive)
		for _, f := range r.Failures {
			fmt.Println(p.name, "failure", f.Kind, f.Msg)
		}
	}
}

var programs = []struct {
	name string
	run  func()
}{
`

// TestRaces explores programs in which goroutines share memory in many ways: a
// race must be found where there is one, and nowhere else.
func TestRaces(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds a program")
	}
	dir := behaviourModule(t)
	main := []byte(racesHead)
	var names []string
	files, _ := filepath.Glob("testdata/races/*.go")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, filepath.Base(name)), string(text))
		for line := range strings.Lines(string(text)) {
			run, _, _ := strings.Cut(strings.TrimPrefix(line, "func "), "(")
			if strings.HasPrefix(line, "func Race") || strings.HasPrefix(line, "func Quiet") {
				names = append(names, run)
				main = fmt.Appendf(main, "\t{%q, %s},\n", run, run)
			}
		}
	}
	write(t, filepath.Join(dir, "programs_test.go"), string(main)+"}\n")
	said := make(map[string][]string)
	for line := range strings.Lines(underControl(t, dir, "-run", "TestPrograms", "-v", ".")) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		said[name] = append(said[name], rest)
	}
	for _, name := range names {
		got := strings.Join(said[name], "; ")
		race := strings.Contains(got, "failure data race")
		if strings.HasPrefix(name, "Race") != race || !race && got != "0 true" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// underControl runs por test in a module's folder and returns what it prints.
func underControl(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(kit.Por(t), append([]string{"test", "-mod=mod"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("por test: %v\n%s", err, out)
	}
	return string(out)
}
