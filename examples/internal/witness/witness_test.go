package witness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/outcomes"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// envServe makes a test binary one that runs programs natively.
const envServe = "GOPOR_WITNESS_SERVE"

// underControl is what a process for native runs says if it cannot be one.
const underControl = "witness: this test binary is under control itself; with go test there are two of them"

func TestMain(m *testing.M) {
	if os.Getenv(envServe) == "" {
		os.Exit(m.Run())
	}
	if outcomes.Controlled() {
		fmt.Fprintln(os.Stderr, underControl)
		os.Exit(1)
	}
	if err := Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// server is a process that runs programs natively, or will be once it is asked.
type server struct {
	cmd    *exec.Cmd
	in     *json.Encoder
	stdin  io.Closer
	out    *json.Decoder
	stderr bytes.Buffer
}

// start starts the test binary that go test has built, as it is.
func (s *server) start() error {
	s.stderr.Reset()
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append(os.Environ(), envServe+"=1", "POR_INSTRUMENT=off", "GOTRACEBACK=none")
	s.cmd.Stderr = &s.stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.in, s.stdin, s.out = json.NewEncoder(in), in, json.NewDecoder(out)
	return s.cmd.Start()
}

// stop ends the process, if there is one, and returns what it has died of.
func (s *server) stop() string {
	if s.cmd == nil {
		return ""
	}
	s.stdin.Close()
	s.cmd.Wait()
	s.cmd = nil
	return death.FindString(s.stderr.String())
}

// death matches what the runtime says last.
var death = regexp.MustCompile(`(?m)^(fatal error|panic): .*$`)

// run returns the outcomes of native runs. An error that has ended the process is
// an outcome.
func (s *server) run(q Request) (map[string]int, error) {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return nil, err
		}
	}
	var r Reply
	err := s.in.Encode(q)
	if err == nil {
		err = s.out.Decode(&r)
	}
	if err != nil {
		if text := s.stop(); text != "" {
			return map[string]int{text: 1}, nil
		}
		return nil, fmt.Errorf("%w\n%s", err, s.stderr.String())
	}
	if r.Error != "" {
		return nil, fmt.Errorf("%s", r.Error)
	}
	if r.Tired {
		s.stop()
	}
	return r.Outcomes, nil
}

// search returns all outcomes of p by an engine.
func search(p *Program, e trace.Engine, most int64) (*outcomes.Result, error) {
	notes := outcomes.NewNotes(len(p.Threads))
	return outcomes.Of(func() {
		notes.Reset()
		New(p, notes).Main()
	}, func() string { return Outcome(notes.All()) }, e, most)
}

// needBoth skips tests where there are not the two test binaries, one under control
// and one that is not.
func needBoth(t *testing.T) {
	t.Helper()
	if !outcomes.Controlled() {
		t.Skip("the test binary is not under control")
	}
	var s server
	_, err := s.run(Request{Program: "main:", Runs: 4, Waiting: 1})
	s.stop()
	if err != nil && strings.Contains(err.Error(), underControl) {
		t.Skip(underControl)
	} else if err != nil {
		t.Fatal(err)
	}
}

// limits says how hard a program is tried.
type limits struct {
	executions int64 // the most that are searched
	runs       int   // the number of native runs
	waiting    int   // see Request
}

var (
	usual    = limits{executions: 3000, runs: 400, waiting: 30}
	thorough = limits{executions: 3000, runs: 1500, waiting: 50}
)

// verdict is what comparing the two halves of a program has come to.
type verdict struct {
	skipped string // why there was nothing to compare, if so
	missed  []string
	found   map[string]int // by the search
	native  map[string]int
}

// compare compares the outcomes of p by an engine with those of native runs.
func (s *server) compare(p *Program, e trace.Engine, l limits) (v verdict, err error) {
	res, err := search(p, e, l.executions)
	switch {
	case err != nil:
		return v, err
	case res.Race != "" && p.traits()&plain != 0:
		return verdict{skipped: "data race"}, nil
	case !res.Complete:
		return verdict{skipped: "too big"}, nil
	}
	v.found = res.Outcomes
	request := Request{Program: p.String(), Runs: l.runs, Waiting: l.waiting, Grace: 10 * time.Millisecond}
	if v.native, err = s.run(request); err != nil {
		return v, err
	}
	if v.missed = v.missing(v.native); len(v.missed) == 0 {
		return v, nil
	}
	if v.misused() {
		return verdict{skipped: "misuse that Go notices not always"}, nil
	}
	// A wait may have been a long pause of the machine, and a process may have died of
	// the program before. Both show again.
	doubtful := func(o string) bool { return p.Timed() && strings.Contains(o, " waits") || death.MatchString(o) }
	if slices.ContainsFunc(v.missed, doubtful) {
		request.Grace, request.Waiting = time.Second, 10
		again, err := s.run(request)
		if err != nil {
			return v, err
		}
		v.missed = append(slices.DeleteFunc(v.missed, doubtful), v.missing(again)...)
		slices.Sort(v.missed)
		v.missed = slices.Compact(v.missed)
	}
	return v, nil
}

// misused reports whether what is missed is of no account since package sync was
// misused: the search says that somebody unlocks a RWMutex that is not
// locked in that way. Package sync forbids it, but does not notice when somebody else
// waits for the lock. Nor does it say what becomes of a WaitGroup that is used on after
// its counter was negative, who of those that wait is woken then, and how.
func (v *verdict) misused() bool {
	unlocked := v.found["fatal error: sync: RUnlock of unlocked RWMutex"]+v.found["fatal error: sync: Unlock of unlocked RWMutex"] > 0
	return unlocked || !slices.ContainsFunc(v.missed, func(o string) bool {
		return !strings.Contains(o, "negative WaitGroup counter") || !strings.Contains(o, "WaitGroup is reused")
	})
}

// missing returns the outcomes that the search has not found.
func (v *verdict) missing(native map[string]int) (missed []string) {
	for o := range native {
		if v.found[o] == 0 {
			missed = append(missed, o)
		}
	}
	slices.Sort(missed)
	return missed
}

// engines search in turn. All of them are complete.
var engines = []trace.Engine{engine.Optimal{}, engine.Optimal{}, engine.Optimal{}, engine.Source{}, unfold.QPOR{K: 2}, engine.Eager{}, engine.EagerAdaptive{}}

// TestCorpus compares the two halves of programs that have differed once, or do if the
// model is broken.
func TestCorpus(t *testing.T) {
	if !effort.Full() {
		t.Skip("runs each program thousands of times")
	}
	needBoth(t)
	text, err := os.ReadFile("testdata/corpus")
	if err != nil {
		t.Fatal(err)
	}
	var s server
	defer s.stop()
	for i, text := range strings.Split(string(text), "\n\n") {
		p, err := Parse(text)
		if err != nil {
			t.Errorf("program %d: %v", i, err)
			continue
		}
		what := "awaited"
		if awaits(p) == "" {
			what, _ = s.judge(t, int64(i), p, thorough)
		}
		t.Logf("%s:\n%v", what, p)
	}
}

// TestRandom compares the two halves of random programs. GOPOR_PROGRAMS and
// GOPOR_SEED are as for package enginetest; GOPOR_RUNS is the number of native runs of
// each program.
func TestRandom(t *testing.T) {
	needBoth(t)
	n := int64(100)
	if !effort.Full() {
		n /= 2
	}
	n = toytest.Number(t, "GOPOR_PROGRAMS", n)
	seed := effort.Seed(t, 1)
	most := toytest.Number(t, "GOPOR_FAILURES", 1)
	l := usual
	l.runs = int(toytest.Number(t, "GOPOR_RUNS", int64(l.runs)))
	var (
		mu             sync.Mutex
		tally          = make(map[string]int)
		next, failures atomic.Int64
		wg             sync.WaitGroup
	)
	for range 2 { // while one searches, the other's process runs programs natively
		wg.Go(func() {
			var s server
			defer s.stop()
			for failures.Load() < most {
				i := next.Add(1) - 1
				if i >= n {
					return
				}
				p := Generate(rand.New(rand.NewPCG(uint64(seed), uint64(i))).IntN)
				what, ok := "awaited", true
				if awaits(p) == "" {
					what, ok = s.judge(t, i, p, l)
				}
				if !ok {
					failures.Add(1)
				}
				mu.Lock()
				tally[what]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d programs: %v", n, tally)
}

// judge compares, and reports what is missed by a smaller program.
func (s *server) judge(t *testing.T, i int64, p *Program, l limits) (what string, ok bool) {
	e := engines[int(i)%len(engines)]
	v, err := s.compare(p, e, l)
	switch {
	case err != nil:
		t.Errorf("program %d, %s: %v\n%v", i, e.Name(), err, p)
		return "error", false
	case v.skipped != "":
		return v.skipped, true
	case len(v.missed) == 0:
		return "agreed", true
	}
	q := Shrink(p, func(q *Program) bool {
		w, err := s.compare(q, e, thorough)
		if err != nil || len(w.missed) == 0 {
			return false
		}
		v = w
		return true
	})
	t.Errorf("program %d, %s: Go shows what the search misses: %q\nit finds %q\nthe program, for testdata/corpus:\n%v",
		i, e.Name(), v.missed, slices.Sorted(maps.Keys(v.found)), q)
	return "missed", false
}

// TestNotices shows that the comparison notices what a search misses: here one that
// has a bound, and has covered what it promises.
func TestNotices(t *testing.T) {
	needBoth(t)
	var s server
	defer s.stop()
	for _, e := range []trace.Engine{bpor.Source{Bound: bpor.Preemptions(0)}, bpor.Source{Bound: bpor.Delays(1)}} {
		caught := false
		for i := uint64(0); i < 200 && !caught; i++ {
			p := Generate(rand.New(rand.NewPCG(1, i)).IntN)
			if awaits(p) != "" {
				continue
			}
			v, err := s.compare(p, e, usual)
			if err != nil {
				t.Fatal(err)
			}
			if caught = len(v.missed) > 0; caught {
				t.Logf("%s is caught by program %d: %q\n%v", e.Name(), i, v.missed, p)
			}
		}
		if !caught {
			t.Errorf("%s is not caught", e.Name())
		}
	}
}

// TestUnseen logs outcomes that the search has and that are never seen natively, for
// people to judge: they may be rare, or impossible. GOPOR_UNSEEN is the number of
// native runs of each of the random programs.
func TestUnseen(t *testing.T) {
	needBoth(t)
	runs := toytest.Number(t, "GOPOR_UNSEEN", 0)
	if runs == 0 {
		t.Skip("GOPOR_UNSEEN says how many native runs to make")
	}
	seed := effort.Seed(t, 1)
	var s server
	defer s.stop()
	for i := range toytest.Number(t, "GOPOR_PROGRAMS", 100) {
		p := Generate(rand.New(rand.NewPCG(seed, uint64(i))).IntN)
		v, err := s.compare(p, engine.Optimal{}, limits{executions: 200, runs: int(runs), waiting: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range slices.Sorted(maps.Keys(v.found)) {
			if v.native[o] == 0 && v.skipped == "" && !p.Timed() {
				t.Logf("program %d never ends in %q\n%v", i, o, p)
			}
		}
	}
}
