package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// racesMain explores the programs of package races and says of each what its
// failures are.
const racesMain = `package main

import (
	"fmt"

	"example.com/behaviour/races"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

func main() {
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
	main := []byte(racesMain)
	var names []string
	var sources []Source
	files, _ := filepath.Glob("testdata/races/*.go")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, Source{filepath.Base(name), withTwins(text)})
		for line := range strings.Lines(string(text)) {
			run, _, _ := strings.Cut(strings.TrimPrefix(line, "func "), "(")
			if strings.HasPrefix(line, "func Race") || strings.HasPrefix(line, "func Quiet") {
				names = append(names, run)
				main = fmt.Appendf(main, "\t{%q, races.%s},\n", run, run)
			}
		}
	}
	write(t, filepath.Join(dir, "main.go"), string(main)+"}\n")
	rewriteInto(t, dir, "races", sources)
	said := make(map[string][]string)
	for line := range strings.Lines(string(goTool(t, dir, "run", "."))) {
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

// withTwins returns the text of a file that imports the twins of standard
// packages.
func withTwins(text []byte) []byte {
	s := string(text)
	for _, path := range []string{"context", "sync", "sync/atomic", "time"} {
		s = strings.ReplaceAll(s, `"`+path+`"`, `"`+strings.TrimSuffix(Native, "native")+"std/"+path+`"`)
	}
	return []byte(s)
}
