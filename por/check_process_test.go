package por_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// TestChild holds what the tests of whole processes run.
func TestChild(t *testing.T) {
	if os.Getenv("GOPOR_TEST_CHILD") == "" {
		t.Skip("runs in a process of its own")
	}
	t.Run("deadlock", func(t *testing.T) { por.Check(t, abba) })
	t.Run("second", func(t *testing.T) {
		por.Check(t, writers(2), por.Races(sched.RaceExplore))
		por.Check(t, lostUpdate, por.Races(sched.RaceExplore))
	})
	t.Run("fatal", func(t *testing.T) {
		por.Check(t, func() { t.Fatal("real") })
		t.Log("Check has returned")
	})
	t.Run("interrupted", func(t *testing.T) {
		// As if Ctrl-C was typed again and again: the first ones must not end the process.
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
		me, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		por.Check(t, func() { me.Signal(os.Interrupt); writers(9)() }, por.Races(sched.RaceExplore), por.MaxTime(time.Minute))
	})
	t.Run("many", func(t *testing.T) { por.Check(t, writers(9), por.Races(sched.RaceExplore)) })
}

// child runs this test binary and returns what it prints.
func child(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), append(env, "GOPOR_TEST_CHILD=1", "POR_SAVE=off")...)
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out)
}

func wantText(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(out, p) {
			t.Errorf("%q is missing in\n%s", p, out)
		}
	}
}

var replayLine = regexp.MustCompile(`POR_REPLAY=(\S+) go test (?:-\S+ )*-run '(\S+)' (\S+)`)

func TestProcessReplays(t *testing.T) {
	for _, test := range []struct{ run, want string }{
		{"^TestChild$/^deadlock$", "deadlock by lock order: "},
		{"^TestChild$/^second$", "n = 1, want 2"},
	} {
		out := child(t, nil, "-test.run="+test.run)
		wantText(t, out, test.want, "--- FAIL")
		m := replayLine.FindStringSubmatch(out)
		if m == nil {
			t.Fatalf("no replay line in\n%s", out)
		}
		if m[2] != test.run || m[3] != "github.com/gopor/gopor/por" {
			t.Errorf("replay line is %q", m[0])
		}
		again := child(t, []string{"POR_REPLAY=" + m[1]}, "-test.run="+test.run)
		wantText(t, again, test.want, "the schedule that was replayed", m[0])
		if strings.Contains(again, "executions") {
			t.Errorf("the replay has searched:\n%s", again)
		}
	}
}

func TestProcessReplayOfAnotherTest(t *testing.T) {
	m := replayLine.FindStringSubmatch(child(t, nil, "-test.run=^TestChild$/^deadlock$"))
	if m == nil {
		t.Fatal("no replay line")
	}
	env := []string{"POR_REPLAY=" + m[1]}
	out := child(t, env, "-test.v", "-test.run=^TestChild$")
	wantText(t, out, "--- FAIL: TestChild/deadlock", "--- PASS: TestChild/second",
		"skipped, since POR_REPLAY holds the schedule of another Check than TestChild/second#2")
	out = child(t, env, "-test.run=^TestChild$/^second$")
	wantText(t, out, "--- FAIL: TestChild/second", "none of the 2 in TestChild/second has been replayed")
	out = child(t, []string{"POR_REPLAY=" + m[1][:len(m[1])-3] + "AAA"}, "-test.run=^TestChild$/^deadlock$")
	wantText(t, out, "POR_REPLAY is damaged: checksum")
}

func TestProcessRealFatal(t *testing.T) {
	out := child(t, nil, "-test.run=^TestChild$/^fatal$")
	wantText(t, out, ": real", "the closure has failed the test around it", "Check has returned")
}

func TestProcessShort(t *testing.T) {
	out := child(t, nil, "-test.v", "-test.short", "-test.run=^TestChild$/^many$")
	wantText(t, out, "NOT exhaustive (time limit; optimal DPOR", "--- PASS: TestChild/many")
	m := regexp.MustCompile(`explored in ([0-9.]+m?s)`).FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no time is told:\n%s", out)
	}
	if took, err := time.ParseDuration(m[1]); err != nil || took >= por.DefaultCheckTime {
		t.Errorf("%v, %v under -short, where the limit is %v without", took, err, por.DefaultCheckTime)
	}
}

func TestProcessTimeout(t *testing.T) {
	out := child(t, nil, "-test.v", "-test.timeout=2s", "-test.run=^TestChild$/^many$")
	wantText(t, out, "NOT exhaustive (the deadline of the test; optimal DPOR", "--- PASS: TestChild/many")
}

// TestProcessInterrupted: Ctrl-C ends a search that has taken two seconds, and the process
// after its verdict, whether there is a terminal or not.
func TestProcessInterrupted(t *testing.T) {
	if !effort.Full() {
		t.Skip("takes three seconds")
	}
	out := child(t, nil, "-test.v", "-test.run=^TestChild$/^interrupted$")
	wantText(t, out, "por: TestChild/interrupted: ", "executions explored", "NOT exhaustive (interrupted; ")
	if strings.Contains(out, "--- ") {
		t.Errorf("the process has gone on:\n%s", out)
	}
}

func TestGoTestReplays(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds a test")
	}
	m := replayLine.FindStringSubmatch(child(t, nil, "-test.run=^TestChild$/^deadlock$"))
	if m == nil {
		t.Fatal("no replay line")
	}
	cmd := exec.Command("sh", "-c", m[0])
	cmd.Env = append(os.Environ(), "GOPOR_TEST_CHILD=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("the replay passes")
	}
	wantText(t, string(out), "deadlock by lock order: ", "the schedule that was replayed", "--- FAIL: TestChild/deadlock")
}
