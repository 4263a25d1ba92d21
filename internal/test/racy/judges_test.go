package racy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// answer is what a judge says about a program.
type answer int

const (
	none       answer = iota // no race: every schedule has been run, or many
	part                     // no race, but the verdict names something that it takes for granted, or a limit
	race                     // a data race
	other                    // it fails otherwise
	unexplored               // por says that it cannot be explored, and why
)

func (a answer) String() string {
	return []string{"no race", "no race in part", "race", "other failure", "not explored"}[a]
}

// finding is an answer, and what it rests on.
type finding struct {
	answer
	output string
}

// raceFound is what a report of a data race has, and allRun a verdict that
// claims to be a proof.
var (
	raceFound = regexp.MustCompile(`(?m)^ *(\S+: )?por: data race( in \S+)?: `)
	allRun    = regexp.MustCompile(`(?m)^ *(\S+: )?por: .* explored.*\(exhaustive`)
)

// explore asks por check.
func (m *module) explore(t *testing.T, por string) []finding {
	t.Helper()
	cmd := m.command(por, "test", "-check", "-check.executions=5000", "-check.time=10s", "-check.leaks=allow", "-json", "-mod=mod", "-vet=off", "./...")
	out, _ := cmd.CombinedOutput() // there are races: it fails
	all := make([]finding, len(m.programs))
	passed, skipped := make([]bool, len(all)), make([]bool, len(all))
	for line := range bytes.Lines(out) {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		name, _, sub := strings.Cut(e.Test, "/")
		n, err := strconv.Atoi(strings.TrimPrefix(name, "TestP"))
		if err != nil || n >= len(all) {
			continue
		}
		switch e.Action {
		case "output":
			all[n].output += e.Output
		case "pass":
			passed[n] = passed[n] || !sub
		case "skip":
			skipped[n] = skipped[n] || !sub
		}
	}
	for n := range all {
		f := &all[n]
		switch {
		case f.output == "":
			t.Fatalf("no verdict on TestP%d:\n%.4000s", n, out)
		case raceFound.MatchString(f.output):
			f.answer = race
		case skipped[n] && strings.Contains(f.output, "por: cannot be explored: "):
			f.answer = unexplored
		case !passed[n]:
			f.answer = other
		case !allRun.MatchString(f.output):
			f.answer = part
		}
	}
	return all
}

// raceShown is what a native run has that shows a race: maps and groups notice some by
// themselves.
var raceShown = regexp.MustCompile("WARNING: DATA RACE|fatal error: concurrent map|panic: sync: WaitGroup (misuse|is reused)")

// effortOf is how much is done to have a race happen: how often a program runs with each
// number of threads, and how long a pause may be.
type effortOf struct {
	runs  int
	pause time.Duration
}

// efforts are tried one after the other on programs of which por says that they race. On
// others there is the first.
var efforts = []effortOf{{60, 100 * time.Microsecond}, {400, 400 * time.Microsecond}, {400, 4 * time.Millisecond}}

// workers is how many programs run at a time. They sleep most of the time.
const workers = 6

// native asks go test -race about each program, which runs in a process of its own.
func (m *module) native(t *testing.T, found []finding) []finding {
	t.Helper()
	for first := 0; first < len(m.programs); first += perPackage {
		cmd := m.command("go", "test", "-race", "-c", "-tags", "restless", "-mod=mod", "-vet=off", "-o", m.binary(first), "./"+m.folder(first))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	all := make([]finding, len(m.programs))
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for n := range numbers {
				for i, e := range efforts {
					if all[n].answer == none && (i == 0 || found[n].answer == race) {
						all[n] = m.run(n, e)
					}
				}
			}
		})
	}
	for n := range m.programs {
		numbers <- n
	}
	close(numbers)
	wg.Wait()
	return all
}

// run runs one program under the race detector.
func (m *module) run(n int, e effortOf) finding {
	cmd := m.command(m.binary(n), fmt.Sprintf("-test.run=^TestP%d$", n), fmt.Sprintf("-test.count=%d", e.runs),
		"-test.cpu=1,2,4", "-test.parallel=8", "-test.timeout=60s")
	cmd.Env = append(cmd.Env, "GORACE=halt_on_error=1", fmt.Sprintf("RACY_PAUSE=%d", e.pause.Microseconds()))
	out, err := cmd.CombinedOutput()
	f := finding{none, string(out)}
	switch {
	case raceShown.MatchString(f.output):
		f.answer = race
	case err != nil:
		f.answer = other
	}
	return f
}

func (m *module) binary(n int) string { return filepath.Join(m.dir, m.folder(n)+".test") }

func (m *module) command(words ...string) *exec.Cmd {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "POR_SAVE=off")
	return cmd
}
