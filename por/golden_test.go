package por

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/muted"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
)

var update = flag.Bool("update", false, "write the texts of reports in testdata/report")

// scenarios are programs with a bug each, and what the first ten lines of the report have
// to say.
var scenarios = []struct {
	name  string
	f     any
	opts  []Option
	first []string
}{
	{"transfer", buggyTransfer, nil, []string{
		"deadlock by lock order: g1 and g2 wait for each other",
		"g1 waits in lock of bob.mu, held by g2", "por.Transfer", "from.lock()", "holds alice.mu", "to.lock()", "<- wants bob.mu"}},
	{"philosophers", buggyPhilosophers, nil, []string{"deadlock by lock order: g1, g2 and g3 wait for one another", "left.Lock()", "holds forks[i]"}},
	{"self", buggySelf, nil, []string{"deadlock with itself: main waits for p.mu, which it holds itself", "Transfer(p, newPurse())"}},
	{"forgotten", buggyForgotten, nil, []string{"deadlock by a forgotten unlock: main waits for mu, which g1 has locked (bugs_test.go:71) and not unlocked"}},
	{"held", buggyHeld, nil, []string{"deadlock by waiting with a lock: main waits for mu, held by g1, which waits in send of jobs", "por.submit", "jobs.Send(1)"}},
	{"reading", buggyReading, nil, []string{"deadlock by waiting with a read lock: main waits to write rw, read-locked by g1, which waits in send of jobs", "holds rw", "main waits in lock of rw, read-locked by g1"}},
	{"wakeup", buggyWakeup, nil, []string{"deadlock by a lost wakeup: main waits for filled, which g1 had woken up before"}},
	{"group", buggyGroup, nil, []string{"deadlock: all goroutines wait: main waits in wg.wait of wg, whose counter is not zero", "wg.Wait()"}},
	{"upgrade", buggyUpgrade, nil, []string{"deadlock by a recursive read lock: main asks to read rw once more, behind g1, which waits to write", "holds rw"}},
	{"leak", buggyLeak, nil, []string{"goroutine leak: g1 (bugs_test.go:", ") waits for ever in send of result (bugs_test.go:", "por.compute", "compute(result)"}},
	{"send", buggySend, nil, []string{"panic: send on closed channel: g1 sends on results, which main has closed before (bugs_test.go:"}},
	{"close", buggyClose, nil, []string{"panic: close of closed channel: ", "closes s.done, which", "has closed before", "check, then act", "por.(*server).stop"}},
	{"race", buggyRace, nil, []string{"data race: ", " of hits by g1 races with ", "por.count", "count(hits)", ", holding mu"}},
	{"shared", buggyShared, nil, []string{"data race: ", ", holding mu for reading", "por.count"}},
	{"counter", buggyCounter, nil, []string{"assertion failed by broken atomicity: bugs_test.go:", ": n = 1, want 2", "check, then act: main loads n = 0", "g1 stores n = 1"}},
	{"order", buggyOrder, nil, []string{"assertion failed: bugs_test.go:", ": the last word is main's"}},
	{"testify", buggyTestify, nil, []string{"the sum of all: Not equal: expected: 1 actual : 0", "por.checkSum"}},
	{"panic", buggyPanic, nil, []string{"panic: runtime error: index out of range [1] with length 1: main loads last = 1, which g1 has changed before (bugs_test.go:252)", "g1 adds to last = 1", "por.first", "first(items, &last)"}},
	{"livelock", buggyLivelock, []Option{MaxSteps(2000), Races(sched.RaceExplore)}, []string{
		"livelock: main repeats ", "; g1 repeats ", "read turn (bugs_test.go:265)", " for ever", "g2 waits in recv of news, since step "}},
	{"poll", buggyPoll, []Option{MaxSteps(2000)}, []string{"livelock: main repeats ", "load done", ", for ever", "g1 waits in recv of results, since step "}},
	{"ticker", buggyTicker, []Option{MaxSteps(10_000), MaxClock(10 * time.Minute)}, []string{"hangs: deadlock by lock order: g3 and g4 wait for each other; only a ticker goes on (bugs_test.go:292)", "holds alice.mu", "wants bob.mu"}},
	{"long", buggyLong, nil, []string{"n = 300"}},
	{"many", buggyMany, nil, []string{"goroutine leak: g1, g2, g3 and 17 others (bugs_test.go:", ") wait for ever in recv of gate (bugs_test.go:", "g1 waits in recv of gate", "; so do g2, g3, g4 and 16 others", "por.enter"}},
	{"unlock", buggyUnlock, nil, []string{"fatal error: sync: unlock of unlocked mutex: main unlocks mu (bugs_test.go:343)\n", "mu.Unlock()"}},
	{"done", buggyDone, nil, []string{"panic: sync: negative WaitGroup counter: g1 calls Done of wg (bugs_test.go:350), as main has before (bugs_test.go:351)"}},
	{"twice", buggyTwice, nil, []string{"fatal error: sync: unlock of unlocked mutex: main unlocks mu (bugs_panic_test.go:48), as g1 has before (bugs_panic_test.go:46)"}},
	{"again", buggyAgain, nil, []string{"panic: close of closed channel: g1 closes stop, which it has closed before (bugs_panic_test.go:"}},
	{"alike", buggyAlike, nil, []string{"data race: write of last by ", "; so does "}},
	{"vanish", buggyVanish, nil, []string{"nil pointer dereference: main loads user", ", which g1 has changed before (bugs_panic_test.go:14)"}},
	{"own", buggyOwn, nil, []string{"panic: runtime error: invalid memory address or nil pointer dereference\n"}},
	{"blocked", buggyBlocked, nil, []string{"data race: send of results by main races with close by g1", "send on closed channel: main sends on results, which g1 has closed meanwhile (bugs_panic_test.go:"}},
	{"log", buggyLog, nil, []string{": enough"}},
	{"deep", buggyDeep, nil, []string{"data race: write of n by ", "por.down"}},
	{"nested", buggyNested, nil, []string{"assertion failed by broken atomicity: ", "steps of work, want 5 !!!", "check, then act"}},
	{"signal", buggySignal, nil, []string{"deadlock by a signal to one of several: g2 waits for opened; the signal by main (bugs_trial_test.go:27) has woken g1", "g2 waits in cond.wait of opened"}},
	{"nil", buggyNil, nil, []string{"goroutine leak: g1 (", ") waits for ever in send of a nil channel ("}},
	{"sleep", buggySleep, []Option{Time(sched.TimeLag)}, []string{"assertion failed: bugs_trial_test.go:46: not ready", "Needs a delay: g1 at bugs_trial_test.go:43 is late by 2ms"}},
	{"timeout", buggyTimeout, []Option{Time(sched.TimeLag)}, []string{"goroutine leak: g1 (bugs_trial_test.go:", ") waits for ever in send of result (bugs_trial_test.go:", "Needs a delay: g1 at bugs_trial_test.go:55 is late by 10ms"}},
	{"add", buggyAdd, nil, []string{"data race: add of wg by g1 races with wait by main", "g1 adds to wg = 1", "main waits for wg"}},
	{"lazy", buggyLazy, nil, []string{"assertion failed by broken atomicity: ", ": values 1 and 2", "check, then act: main reads c.value = 0", "g1 writes c.value = 2"}},
	{"stop", buggyStop, nil, []string{"panic: close of closed channel: main closes stop, which g1 has closed before (bugs_trial_test.go:"}},
	{"errors", buggyErrors, nil, []string{"goroutine leak: g2 (bugs_trial_test.go:", ") waits for ever in send of errs (bugs_trial_test.go:", "It fails in every schedule (all 2)"}},
	{"debounce", buggyDebounce, []Option{Time(sched.TimeLag)}, []string{": 2 calls, want 1", "Needs a delay: main at bugs_trial_test.go:131 is late by 1ms"}},
	{"cancel", buggyCancel, nil, []string{"goroutine leak: g1 (bugs_trial_test.go:", ") waits for ever in recv of jobs (bugs_trial_test.go:"}},
	{"once", buggyOnce, nil, []string{"deadlock with itself: main waits for the function of once, which it runs itself"}},
	{"stall", buggyStall, []Option{MaxClock(10 * time.Minute), AllowLeaks()}, []string{"hangs: main waits in recv of news", "only a ticker helps, in 1h0m0s, beyond the limit of 10m0s"}},
	{"init", buggyInit, nil, []string{"deadlock by a Once that needs a lock of its caller: main waits for the function of setup, which g1 runs, and which waits for mu, which main holds itself", "runs setup", "wants mu", "holds mu", "wants setup"}},
	{"worker", buggyWorker, []Option{Engine(engine.DLSPOR{}), Time(sched.TimeDiscrete), MaxSteps(2000)}, []string{
		"livelock: g1 repeats ", "load stopped", ", for ever", "main waits for the end of another goroutine, since step "}},
	{"gate", buggyGate, nil, []string{"assertion failed by broken atomicity: ", ": 3 at once", "check, then act: g2 loads in = 1", "g3 adds to in = 2"}},
}

// screenLines is how many lines a report has at most.
const screenLines = 40

// tried says how many schedules there was time for.
var tried = regexp.MustCompile(`each of \d+ schedules tried`)

// TestGoldenReports compares reports with those in testdata/report, holds them to their
// length, and looks at what is said at once. What comes after the schedule is left out.
func TestGoldenReports(t *testing.T) {
	effort.Computes(t)
	defer func(old explore.ReportTimes) { explore.ReportTime = old }(explore.ReportTime)
	explore.ReportTime = explore.ReportTimes{Every: time.Hour, Least: time.Hour, Minimise: time.Hour, Total: time.Hour, Near: time.Hour}
	t.Setenv(explore.Columns, "")
	for _, test := range scenarios {
		o := &muted.TB{TB: t}
		t.Run(test.name, func(t *testing.T) {
			Check(o, test.f, append([]Option{Direct()}, test.opts...)...)
			text := o.Report
			if n := strings.Count(text, "\n"); n > screenLines {
				t.Errorf("%d lines", n)
			}
			begin := strings.Join(strings.SplitN(text, "\n", 11)[:min(10, strings.Count(text, "\n"))], "\n")
			for _, part := range test.first {
				if !strings.Contains(begin, part) {
					t.Errorf("%q is not in the first lines", part)
				}
			}
			for line := range strings.Lines(text) {
				if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > explore.DefaultWidth-4 && !strings.Contains(line, "POR_REPLAY") && !strings.HasPrefix(line, "por: ") && !strings.HasPrefix(line, "also: ") {
					t.Errorf("a line of %d characters: %s", n, line)
				}
			}
			text, _, _ = strings.Cut(text, "\nto replay it:")
			text = tried.ReplaceAllString(text, "each of some schedules tried")
			name := filepath.Join("testdata", "report", test.name+".txt")
			if *update {
				if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if text != string(want) {
				t.Errorf("(-want +got)\n%s", cmp.Diff(string(want), text))
			}
		})
	}
}

// TestReportWidth writes a report for terminals of several widths.
func TestReportWidth(t *testing.T) {
	o := &muted.TB{TB: t}
	for width, want := range map[string]int{"": explore.DefaultWidth, "72": 72, "160": 160, "1": explore.LeastWidth, "100000": explore.MostWidth, "wide": explore.DefaultWidth} {
		t.Setenv(explore.Columns, width)
		if got := explore.ScreenWidth(); got != want {
			t.Errorf("%s=%s: %d characters, not %d", explore.Columns, width, got, want)
		}
	}
	t.Setenv(explore.Columns, "72")
	Check(o, buggyTransfer, Direct())
	for line := range strings.Lines(o.Report) {
		if n := len([]rune(line)); n > 72-4+1 && !strings.HasPrefix(line, "por: ") && !strings.Contains(line, "POR_REPLAY") {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
}

// TestReportFull shows everything where that is asked for.
func TestReportFull(t *testing.T) {
	o := &muted.TB{TB: t}
	Check(o, buggyLong, Direct(), Full())
	if n := strings.Count(o.Report, "\n"); n < 900 || strings.Contains(o.Report, "left out") {
		t.Errorf("%d lines:\n%.2000s", n, o.Report)
	}
	t.Setenv("POR_FULL", "1")
	again := &muted.TB{TB: t}
	Check(again, buggyLong, Direct())
	if n := strings.Count(again.Report, "\n"); n < 900 || strings.Contains(again.Report, "left out") {
		t.Errorf("under POR_FULL=1 %d lines:\n%.2000s", n, again.Report)
	}
}

// TestReportOfMillion takes no longer than is reasonable for a very long execution.
func TestReportOfMillion(t *testing.T) {
	effort.Computes(t)
	o := &muted.TB{TB: t}
	Check(o, func(t testing.TB) {
		var n sched.Int32
		h := sched.Go(func() {
			for range 10 {
				n.Add(1)
			}
		})
		for range effort.Of(1_000_000, 250_000) {
			n.Add(1)
		}
		h.Join()
		t.Error("enough")
	}, Direct(), MaxSteps(2_000_000), MaxTime(time.Minute))
	if !strings.Contains(o.Report, ": enough") || strings.Count(o.Report, "\n") > screenLines {
		t.Errorf("%.3000s", o.Report)
	}
}
