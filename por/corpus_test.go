package por_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
)

const refused = "the eighth request is refused"

// manyRequests makes one request after the other. What matters has to happen to the eighth.
func manyRequests() {
	por.Sometimes("never")
	por.Sometimes(refused)
	for i := range 12 {
		if _, err := countRequests(1); err != nil {
			por.Reached("some request fails")
			if i == 7 && errors.Is(err, syscall.ECONNREFUSED) {
				por.Reached(refused)
			}
		}
	}
}

// fewRequests is what manyRequests may be after a change.
func fewRequests() {
	por.Sometimes(refused)
	for range 7 {
		countRequests(1)
	}
}

// property returns a property of a verdict, an empty one if there is none.
func property(v report.Verdict, name string) report.Property {
	for _, p := range v.Properties {
		if p.Name == name {
			return p
		}
	}
	return report.Property{}
}

// corpus is a folder of what searches keep.
type corpus struct {
	t   *testing.T
	dir string
}

// run searches. Four executions have no fault.
func (c *corpus) run(f func(), executions int64, opts ...por.Option) *report.Result {
	c.t.Helper()
	opts = append([]por.Option{por.Faults(2, sched.FaultReset|sched.FaultRefuse), por.Engine(engine.Random{Executions: 4}),
		por.MaxExecutions(executions), por.Corpus(c.dir), por.Name("x"), grants}, opts...)
	res, err := por.Explore(f, opts...)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Log(res.Verdict)
	return res
}

// entries returns the files of the folder that are entries.
func (c *corpus) entries() (all []string) {
	files, _ := filepath.Glob(filepath.Join(c.dir, "*", "*"))
	for _, f := range files {
		if name := filepath.Base(f); !strings.HasPrefix(name, "run-") && !strings.HasPrefix(name, "tried-") {
			all = append(all, f)
		}
	}
	return all
}

// draws returns how many executions the entries take.
func (c *corpus) draws() (all int64) {
	for _, f := range c.entries() {
		text, err := os.ReadFile(f)
		_, after, ok := strings.Cut(string(text), "\ndraws: ")
		if err != nil || !ok {
			c.t.Fatal(f, err)
		}
		all += int64(after[0] - '0')
	}
	return all
}

// has says what a verdict has to have, and must not have.
func has(t *testing.T, v report.Verdict, text string, want bool) {
	t.Helper()
	if strings.Contains(v.String(), text) != want {
		t.Errorf("%q in %q: want %v", text, v, want)
	}
}

// TestCorpus has searches that begin with what earlier ones have kept.
func TestCorpus(t *testing.T) {
	c := &corpus{t, t.TempDir()}
	first := c.run(manyRequests, 600).Verdict
	if p := property(first, refused); p.Executions == 0 || p.Earlier || len(c.entries()) == 0 {
		t.Fatal(p, c.entries())
	}
	has(t, first, "earlier", false)
	has(t, first, "; NEVER reached: never; reached: ", true)

	// The second day runs what was kept again. Without that, so few executions do not reach it.
	kept := c.draws()
	second := c.run(manyRequests, 4+kept).Verdict
	if a := second.Faults.Again; a.Kept != len(c.entries()) || a.Lost > 0 || a.Left > 0 || a.Executions != kept || a.Near > 0 {
		t.Errorf("%+v", a)
	}
	if p := property(second, refused); p.Executions < int64(len(c.entries())) || !p.Earlier || second.Exhaustive {
		t.Errorf("%+v", p)
	}
	has(t, second, "; reached 2 of the 3 properties, 2 on earlier runs only: some request fails (in ", true)
	has(t, second, refused+" (in ", true)
	has(t, second, "; NEVER reached: never;", true)
	if got := (&corpus{t, t.TempDir()}).run(manyRequests, 4+kept).Verdict; property(got, refused).Executions > 0 {
		t.Error("so few executions reach it anyway:", got)
	}

	// Then others are drawn, near these and elsewhere.
	before := c.entries()
	third := c.run(manyRequests, 4+kept+200).Verdict
	if a := third.Faults.Again; a.Near == 0 || len(third.Faults.Levels) == 0 {
		t.Errorf("%+v", third.Faults)
	}
	if p := property(third, "some request fails"); p.Earlier {
		t.Errorf("%+v", p)
	}
	if len(before) == 0 || len(c.entries()) == 0 {
		t.Error(before, c.entries())
	}

	// There is no time for what was kept. It stays.
	fourth := c.run(manyRequests, 4).Verdict
	if p := property(fourth, refused); fourth.Faults != nil || !p.Earlier || p.Executions > 0 {
		t.Errorf("%+v", p)
	}
	has(t, fourth, refused+" (on an earlier run; not run again)", true)
	fifth := c.run(manyRequests, 5).Verdict
	if p := property(fifth, refused); !p.Earlier || fifth.Faults.Again.Left+fifth.Faults.Again.Kept == 0 || len(c.entries()) == 0 {
		t.Errorf("%+v, %+v", p, fifth.Faults.Again)
	}

	// Fewer kinds of faults, or faults, are allowed: none that are not.
	for _, o := range []por.Option{por.Faults(2, sched.FaultReset)} {
		got := c.run(manyRequests, 100, o).Verdict
		if a := got.Faults.Again; a.Kept > 0 || a.Left > 0 || property(got, refused).Executions > 0 || property(got, refused).Earlier || len(c.entries()) == 0 {
			t.Errorf("%+v, %v", a, got)
		}
		has(t, got, "; NEVER reached: never, "+refused, true)
	}

	// An option has executions be others.
	for _, o := range []por.Option{por.Start(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)), por.Races(sched.RaceIgnore), por.Name("y")} {
		got := c.run(manyRequests, 5, o).Verdict
		if a := got.Faults.Again; a.Kept+a.Left > 0 || property(got, refused).Earlier {
			t.Errorf("%+v", a)
		}
	}
	// One that only limits them does not.
	if a := c.run(manyRequests, 5, por.MaxSteps(5000), por.MaxClock(time.Hour)).Verdict.Faults.Again; a.Kept+a.Left == 0 {
		t.Errorf("%+v", a)
	}

	// A program that has changed does not reach it any more.
	lost := c.run(fewRequests, 400).Verdict
	if a := lost.Faults.Again; a.Kept == 0 || a.Lost != a.Kept || len(c.entries()) > 0 {
		t.Errorf("%+v, %v", a, c.entries())
	}
	has(t, lost, "; NEVER reached: "+refused, true)
	has(t, lost, "no longer reach what they did)", true)
}

// TestCorpusEnds has searches without a corpus: with a seed, and where everything is covered.
func TestCorpusEnds(t *testing.T) {
	c := &corpus{t, t.TempDir()}
	seed := por.Seed(3)
	plain := (&corpus{t, ""}).run(manyRequests, 300, seed).Verdict
	for range 2 {
		got := c.run(manyRequests, 300, seed).Verdict
		if a, b := plain.Faults.Levels, got.Faults.Levels; len(a) != len(b) || a[0] != b[0] || got.Faults.Again.Kept > 0 {
			t.Errorf("%+v, and then %+v", a, b)
		}
		for i, p := range plain.Properties {
			if p != got.Properties[i] {
				t.Errorf("%+v, want %+v", got.Properties[i], p)
			}
		}
	}
	if files, _ := os.ReadDir(c.dir); len(files) > 0 {
		t.Error("a search with a seed keeps", files)
	}
	// Without a seed the first search is the same as ever.
	plain = (&corpus{t, ""}).run(manyRequests, 300).Verdict
	if got := c.run(manyRequests, 300).Verdict; property(got, refused) != property(plain, refused) {
		t.Errorf("%v, want %v", got, plain)
	}
	// Everything is covered.
	small := func() { countRequests(1) }
	for range 2 {
		res, err := por.Explore(small, por.Faults(1, sched.FaultRefuse), por.Corpus(c.dir), por.Name("small"), grants)
		if err != nil || !res.Exhaustive {
			t.Fatal(err, res.Verdict)
		}
		has(t, res.Verdict, "earlier", false)
	}
	files, _ := os.ReadDir(c.dir)
	if len(files) != 1 || strings.HasPrefix(files[0].Name(), "small") {
		t.Error(files)
	}
}

// TestCorpusFails has a failure that only an execution of an earlier search shows, since so few are
// run.
func TestCorpusFails(t *testing.T) {
	c := &corpus{t, t.TempDir()}
	c.run(manyRequests, 600)
	kept, draws := c.entries(), c.draws()
	f := func() {
		for i := range 12 {
			_, err := countRequests(1)
			if bad := i == 7 && errors.Is(err, syscall.ECONNREFUSED); bad {
				por.Reached(refused)
				por.Always("no request is refused", !bad)
			}
		}
	}
	res := c.run(f, 4+draws)
	if len(res.Failures) != 1 || len(res.Failures[0].Diagnosis.Faults) != 1 {
		t.Fatal(res.Verdict)
	}
	again, err := por.Explore(f, por.Replay(res.Failures[0].Replay), por.Name("x"))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != res.Failures[0].Msg {
		t.Errorf("%v, %+v", err, again)
	}
	if got := c.entries(); len(got) != len(kept) {
		t.Errorf("there were %v, and are %v", kept, got)
	}
	// Damaged files are ignored, in one line.
	os.WriteFile(kept[0], []byte("por corpus v9\n"), 0o666)
	got := c.run(manyRequests, 100).Verdict
	has(t, got, "; what is kept of searches: ignored "+kept[0]+": its first line is not por corpus v1", true)
	if strings.Contains(got.String(), "\n") {
		t.Error(got)
	}
}

// TestCorpusTries draws with other plans of one fault each day.
func TestCorpusTries(t *testing.T) {
	c := &corpus{t, t.TempDir()}
	none := por.Faults(1, sched.FaultReset|sched.FaultRefuse)
	for day, earlier := range []int{0, 19, 38} {
		v := c.run(func() {
			for range 12 {
				countRequests(1)
			}
		}, 4+3*20, none).Verdict
		if l := v.Faults.Levels[0]; l.Earlier != earlier || l.Plans != 60 || l.Drawn != 19 {
			t.Errorf("day %d: %+v", day, l)
		}
		has(t, v, fmt.Sprintf(" of 60 plans (%d others on earlier runs), none fails", earlier), day > 0)
		has(t, v, "earlier runs", day > 0)
	}
}
