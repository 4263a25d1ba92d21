package por

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/saved"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
)

// savedCheck is a Check of t whose failing schedules are saved in a folder. It returns what
// was found and what was told of files.
func savedCheck(t *testing.T, dir string, f func(testing.TB), opts ...Option) (*report.Result, string) {
	t.Helper()
	h, err := check.NewHarness(failingTB{t}, f)
	if err != nil {
		t.Fatal(err)
	}
	c, err := explore.NewConfig(opts)
	if err != nil {
		t.Fatal(err)
	}
	s := check.NewShared(c, h.Subject(), h)
	s.Where = explore.Place{Name: "TestX", Test: "TestX", Command: "go test", Pkg: "example.org/x"}
	s.Store = &explore.Store{Pkg: dir, By: saved.ByCheck}
	s.Store.Load(s.Where)
	res, err := h.Run(s)
	if err != nil {
		t.Fatal(err)
	}
	return res, strings.Join(s.Store.Conclude(res, true), "\n")
}

func savedFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, e := range saved.Load(dir, "TestX") {
		names = append(names, e.Name)
	}
	return names
}

// lostUpdate is a program in which an update is lost, after some other operations.
func lostUpdate(before int) func(testing.TB) {
	return func(t testing.TB) {
		var mu sched.Mutex
		var n sched.Int64
		for range before {
			mu.Lock()
			mu.Unlock()
		}
		var wg sched.WaitGroup
		for range 2 {
			wg.Add(1)
			sched.Go(func() {
				defer wg.Done()
				n.Store(n.Load() + 1)
			})
		}
		wg.Wait()
		if n.Load() != 2 {
			t.Error("lost")
		}
	}
}

func fixedUpdate(t testing.TB) {
	var wg sched.WaitGroup
	var n sched.Int64
	for range 2 {
		wg.Add(1)
		sched.Go(func() {
			defer wg.Done()
			n.Add(1)
		})
	}
	wg.Wait()
}

func wantTold(t *testing.T, told string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(told, p) {
			t.Errorf("what is told lacks %q: %s", p, told)
		}
	}
}

func TestSaved(t *testing.T) {
	dir := t.TempDir()
	res, told := savedCheck(t, dir, lostUpdate(0))
	files := savedFiles(t, dir)
	if len(res.Failures) != 1 || len(files) != 1 || res.Failures[0].Saved != files[0] {
		t.Fatalf("%d failures, files %v", len(res.Failures), files)
	}
	wantTold(t, told, "saved to "+files[0], "por replay ") // whatever runs command por here
	text, err := os.ReadFile(filepath.Join(dir, files[0]))
	if err != nil {
		t.Fatal(err)
	}
	wantTold(t, string(text), "headline: assertion failed by broken atomicity: saved_test.go:67: lost\n", "engine: auto\n", "time: discrete\n", "replay: "+res.Failures[0].Replay+"\n")

	first := res.Failures[0].Replay
	res, told = savedCheck(t, dir, lostUpdate(0))
	if len(res.Failures) != 1 || res.Failures[0].Replay != first || res.Stats.Executions != 0 {
		t.Errorf("the next run has %+v", res.Stats)
	}
	wantTold(t, res.Verdict.String(), "the execution fails; that was saved by an earlier run, and there was no search")
	wantTold(t, told, "the schedule is that of "+files[0])

	res, told = savedCheck(t, dir, lostUpdate(2))
	again := savedFiles(t, dir)
	if len(res.Failures) != 1 || len(again) != 1 || again[0] == files[0] {
		t.Errorf("after an edit there are %v, and %d failures", again, len(res.Failures))
	}
	wantTold(t, told, "diverged at step 0 ", "a failure is near it", files[0]+" is replaced, and was removed", "the schedule is that of "+again[0])

	res, told = savedCheck(t, dir, fixedUpdate)
	if len(res.Failures) != 0 || !res.Exhaustive || len(savedFiles(t, dir)) != 0 {
		t.Errorf("when it is fixed there are %d failures, files %v", len(res.Failures), savedFiles(t, dir))
	}
	wantTold(t, told, "no failure is near it", "and was removed")
	if left, err := os.ReadDir(dir); len(left) != 0 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
}

// A schedule that fits, and passes, is dropped before the search.
func TestSavedPasses(t *testing.T) {
	dir, fail := t.TempDir(), true
	f := func(t testing.TB) {
		var n sched.Int64
		sched.Go(func() { n.Store(1) })
		if n.Load() == 1 && fail {
			t.Error("one")
		}
	}
	savedCheck(t, dir, f)
	files := savedFiles(t, dir)
	fail = false
	res, told := savedCheck(t, dir, f)
	if len(res.Failures) != 0 || res.Stats.Executions != 2 || len(savedFiles(t, dir)) != 0 {
		t.Errorf("%+v, files %v", res.Stats, savedFiles(t, dir))
	}
	wantTold(t, told, files[0]+" passes now: it is mended, and was removed")
}

// A schedule that passes with other settings than it was found with is not mended. Flags that limit the search do not count.
func TestSavedWithOtherFlags(t *testing.T) {
	left := func(found, now []string) int {
		dir := t.TempDir()
		name, err := saved.Write(dir, &saved.Schedule{Test: "TestX", Check: "TestX", Flags: found, Replay: "p1"})
		if err != nil {
			t.Fatal(err)
		}
		s := &explore.Store{Pkg: dir, Flags: now, Old: []*explore.SavedSchedule{{Entry: saved.Entry{Name: name, Schedule: &saved.Schedule{Flags: found}}, Fate: explore.Passed}}}
		notes := strings.Join(s.Conclude(new(report.Result), true), "\n")
		n := len(savedFiles(t, dir))
		if text := "is left as it is"; strings.Contains(notes, text) != (n == 1) || (len(s.Mended) == 1) == (n == 1) {
			t.Errorf("%v, then %v: %d files, %q, %q", found, now, n, notes, s.Mended)
		}
		return n
	}
	for _, test := range []struct {
		found, now []string
		want       int
	}{
		{nil, nil, 0},
		{[]string{"-check.maps=explore"}, nil, 1},
		{nil, []string{"-check.maps=explore"}, 1},
		{[]string{"-check.rand=explore", "-short"}, []string{"-short", "-check.rand=explore"}, 0},
		{[]string{"-check.time=1m", "-check.engine=dpor"}, []string{"-check.keep=2"}, 0},
		{[]string{"-race"}, nil, 1},
		{[]string{"-check.steps=100"}, nil, 1}, // what is too long there may end here
	} {
		if n := left(test.found, test.now); n != test.want {
			t.Errorf("found with %v, then run with %v: %d files, want %d", test.found, test.now, n, test.want)
		}
	}
}

// A schedule by lag is run by lag, and those after it as they are.
func TestSavedByLag(t *testing.T) {
	dir := t.TempDir()
	slow := func(t testing.TB) {
		done := sched.NewChan[int](1)
		sched.Go(func() { done.Send(1) })
		sched.Sleep(time.Millisecond)
		if done.Len() == 0 {
			t.Error("slow")
		}
	}
	res, _ := savedCheck(t, dir, slow)
	if len(res.Failures) != 1 || res.Failures[0].Time != sched.TimeLag {
		t.Fatalf("%+v", res.Verdict)
	}
	if res, _ = savedCheck(t, dir, slow); len(res.Failures) != 1 || res.Failures[0].Time != sched.TimeLag || res.Stats.Executions != 0 {
		t.Errorf("%+v", res.Verdict)
	}
	if res, _ = savedCheck(t, dir, slow, Time(sched.TimeDiscrete)); len(res.Failures) != 0 || len(savedFiles(t, dir)) != 1 {
		t.Errorf("in discrete time alone: %+v", res.Verdict)
	}
}

// Files that are of no use are told, and left.
func TestSavedBad(t *testing.T) {
	dir := t.TempDir()
	savedCheck(t, dir, lostUpdate(0))
	name := savedFiles(t, dir)[0]
	good, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		strings.Replace(string(good), "v1", "v7", 1): name + ": it is of another version of por: v7, and this one reads v1. It is left as it is",
		string(good[:len(good)-12]):                  name + " was not run: it is damaged: ",
		"":                                           name + ": it is not a saved schedule, or it is damaged",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		res, told := savedCheck(t, dir, fixedUpdate)
		if len(res.Failures) != 0 {
			t.Error(res.Failures[0].Report)
		}
		wantTold(t, told, want)
		if res, _ = savedCheck(t, dir, lostUpdate(0)); len(res.Failures) != 1 {
			t.Error("the failure is not found again")
		}
		if now, err := os.ReadFile(filepath.Join(dir, name)); string(now) != text || err != nil {
			t.Errorf("the file is %q now, %v", now, err)
		}
		if other := filepath.Join(dir, name+"-2"); strings.Contains(text, "v7") {
			if _, err := os.Stat(other); err == nil {
				t.Error("what another version has saved is saved again")
			}
		} else if now, err := os.ReadFile(other); string(now) != string(good) || err != nil {
			t.Errorf("saved beside the damaged file: %q, %v", now, err)
		} else {
			os.Remove(other)
		}
	}
}

// A failure that cannot be saved is told all the same.
func TestSavedNowhere(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "testdata"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	res, told := savedCheck(t, dir, lostUpdate(0))
	if len(res.Failures) != 1 || res.Failures[0].Saved != "" {
		t.Errorf("%d failures", len(res.Failures))
	}
	wantTold(t, told, "the schedule was not saved: ", "The replay string in the report has all of it")
}

// A replay string may be the name of a file.
func TestReplayFile(t *testing.T) {
	dir := t.TempDir()
	res, _ := savedCheck(t, dir, lostUpdate(0))
	file := filepath.Join(dir, res.Failures[0].Saved)
	if got, err := explore.ReplayOf(file); got != res.Failures[0].Replay || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	rep := res.Failures[0]
	rep.Replay = strings.Repeat("p1", explore.LongReplay)
	p := explore.Place{Name: "TestX", Test: "TestX/it's", Command: "go test", Flags: []string{"-tags=a b"}, Pkg: "example.org/x"}
	if got, want := p.ReplayCommand(&rep), "POR_REPLAY="+filepath.ToSlash(rep.Saved)+` go test '-tags=a b' -run '^TestX$/^it'\''s$' example.org/x`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := explore.ReplayOf(file + "x"); err == nil || !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

// Nothing is saved for stand-ins of a test, nor in folders that are not the user's.
func TestNotSaved(t *testing.T) {
	if c := new(explore.Config); explore.NewStore(failingTB{t}, explore.Place{Test: "TestX"}, c) != nil {
		t.Error("a stand-in has a store")
	}
	t.Setenv("POR_SAVE", "")
	if c := new(explore.Config); explore.NewStore(t, explore.Place{Test: "TestX"}, c) == nil {
		t.Error("a test has none")
	}
	t.Setenv("POR_SAVE", "off")
	if c := new(explore.Config); explore.NewStore(t, explore.Place{Test: "TestX"}, c) != nil {
		t.Error("POR_SAVE=off")
	}
	for dir, want := range map[string]bool{
		explore.StartFolder: true,
		t.TempDir():         false,
		filepath.Join(saved.RuntimeFolder(), "sync"): false,
		"/home/me/go/pkg/mod/example.org/x@v1.2.3/":  false,
	} {
		if got := saved.IsOwn(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}
