package goker

import (
	"flag"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

var update = flag.Bool("update", false, "write the tables of README.md and HEADLINES.md")

// The kernels in which the default engine finds nothing.
const (
	// Time is in a ticker that fires for ever. The search goes depth first, and
	// does not come back from the end of ever longer executions.
	endless = "Etcd7492"
	// There is nothing to find.
	harmless = "Moby27782" + shipped
)

// restless are the kernels in which some go on for ever, so that with no options the goroutines
// of the leak are found beside others, which would not wait for ever.
var restless = []string{"Cockroach2448", "Kubernetes11298"}

// mostMemory is how much of it the kernels may take, one after the other.
const mostMemory = 200e6

// few are the kernels that are enough without GOPOR_FULL=1: a lock, a channel, a timer, a
// random number, a condition.
const few = "Cockroach10214|Grpc1460|Moby33781|Moby21233|Kubernetes58107"

// TestKernels finds the bug of every kernel, with no options, and with some by optimal DPOR
// and at random, and replays it.
func TestKernels(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := readSuite(t, strings.TrimSpace(string(goroot)))
	b := s.build(t)
	which := s.failing()
	if !effort.Full() {
		which = strings.Split(few, "|")
	}
	slices.Sort(which)
	began := s.findStarts()
	found := make(map[string]map[string]*finding)
	t.Run("engine", func(t *testing.T) {
		for _, engine := range []string{"auto", "optimal", "random"} {
			rows := make(map[string]*finding)
			found[engine] = rows
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				some := slices.DeleteFunc(slices.Clone(which), func(k string) bool {
					return k == endless && engine == "optimal"
				})
				b.search(t, engine, some, rows)
				for _, k := range some {
					if r := rows[k]; r != nil && r.Memory > mostMemory {
						t.Errorf("%s: %d bytes", k, r.Memory)
					}
					t.Run(k, func(t *testing.T) { b.judge(t, engine, s.kernel(k), rows[k], began) })
				}
			})
		}
	})
	if effort.Full() {
		t.Run("harmless", b.harmless)
		checkTable(t, which, found)
	}
	checkNames(t, s, found)
}

// harmless searches the one kernel that cannot fail as it is in the
// distribution, and covers everything.
func (b *binary) harmless(t *testing.T) {
	found := make(map[string]*finding)
	b.search(t, "optimal", []string{harmless}, found)
	if f := found[harmless]; f == nil || f.Failure != nil || !f.Exhaustive {
		t.Errorf("%+v", f)
	}
}

// judge holds a finding against what the distribution's test expects, and replays
// it.
func (b *binary) judge(t *testing.T, engine string, k *source, f *finding, began starts) {
	if f == nil || f.Failure == nil {
		t.Fatalf("no bug found: %+v", f)
	}
	waiting := f.waiting(began)
	if among := slices.DeleteFunc(slices.Clone(waiting), func(w string) bool { return !k.expects([]string{w}) }); len(among) == 0 ||
		len(among) < len(waiting) && (engine != "auto" || !slices.Contains(restless, k.kernel)) {
		t.Errorf("found %q, where %q are expected:\n%s", waiting, k.leaks, f.Failure.Report)
	}
	again := make(map[string]*finding)
	b.search(t, engine, []string{k.kernel}, again, "POR_REPLAY="+f.Failure.Replay)
	r := again[k.kernel]
	if r == nil || r.Failure == nil || r.Failure.Execution != 0 {
		t.Fatalf("the replay fails in no way: %+v", r)
	}
	if r.Kind != f.Kind || r.Failure.Msg != f.Failure.Msg || !slices.Equal(r.waiting(began), waiting) {
		t.Errorf("found %s, %q\nthe replay shows %s, %q", f.Kind, waiting, r.Kind, r.waiting(began))
	}
}

// expects reports whether all of those that wait are among those that the
// distribution's test expects to.
func (f *source) expects(waiting []string) bool {
	for _, w := range waiting {
		w = strings.ReplaceAll(w, f.suffix, "")
		if !slices.ContainsFunc(f.leaks, func(p *regexp.Regexp) bool { return p.MatchString(w) }) {
			return false
		}
	}
	return true
}
