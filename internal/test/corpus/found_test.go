package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// TestReports runs the tests of the folder found, without gopor: each has to fail as its README says, and
// to pass with the suggested mend. It fetches the modules.
func TestReports(t *testing.T) {
	if !effort.Full() {
		t.Skip("it fetches modules: GOPOR_FULL=1")
	}
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip(err)
	}
	for _, x := range []struct {
		folder, run string
		race        bool
		sleep       bool // sleep.diff forces the order
		want        string
		unmended    bool // mend.diff does not say how to mend it
		apart       bool // both differences are of the same lines, so the mend is tried without the sleep
	}{
		{folder: "zap", run: "TestStopForced", want: `stopped without an error, and "abcd" is written`},
		{folder: "fx", run: "TestShutdown", race: true, want: "fx.exitCodeOption.apply()"},
		{folder: "fx", run: "TestStopWhileStartingForced", race: true, sleep: true, want: "lifecycle.(*Lifecycle).Stop()", apart: true},
		{folder: "fx", run: "TestStopExpiredForced", want: "the third Stop does not return"},
		{folder: "raft", run: "TestApplyForced", want: "raft is shut down, and a future of Apply has no answer"},
		{folder: "raft", run: "TestPipelineForced", want: "the pipeline is closed, and the future has no answer"},
		{folder: "raft", run: "TestSnapshotForced", want: `the latest snapshot is "wh"`, unmended: true},
		{folder: "otel", run: "TestBlockingForced", want: "the processor is shut down, and OnEnd does not return"},
		{folder: "otel", run: "TestFlushForced", want: "flushed, and not exported"},
		{folder: "ristretto", run: "TestCloseForced", want: "Set panics: send on closed channel"},
		{folder: "gocron", run: "TestShutdown", sleep: true, want: "gocron: timed out waiting for scheduler to stop", apart: true},
		{folder: "gocron", run: "TestAgain", sleep: true, want: "the scheduler was started, and runs no job", apart: true},
		{folder: "zerolog", run: "TestCloseForced", sleep: true, want: `"" was written`},
		{folder: "sentry-go", run: "TestClose", sleep: true, want: "Close of a client that has nothing to send took 5."},
		{folder: "watermill", run: "TestCloseForced", want: "the router is closed, and "},
		{folder: "dskit", run: "TestDeleteForced", want: "deleted, and still there: v"},
		{folder: "dskit", run: "TestSetForced", want: "1 in the LRU, and 2 behind it", unmended: true},
		{folder: "dskit", run: "TestWatcherForced", want: "a second service has failed, and Close does not return"},
		{folder: "dskit", run: "TestDescribeForced", race: true, want: "services.(*BasicService).switchState()", unmended: true},
	} {
		t.Run(x.folder+"/"+x.run, func(t *testing.T) {
			var sleep, mend []string
			if x.sleep {
				sleep = []string{"sleep.diff"}
			}
			if out, err := report(t, x.folder, x.run, x.race, sleep...); err == nil || !strings.Contains(out, x.want) {
				t.Errorf("%v, and should say %s:\n%s", err, x.want, out)
			}
			if x.unmended {
				return
			}
			if mend = []string{"mend.diff"}; x.sleep && !x.apart {
				mend = append(mend, "sleep.diff")
			}
			if out, err := report(t, x.folder, x.run, x.race, mend...); err != nil {
				t.Errorf("with %s: %v\n%s", strings.Join(mend, " and "), err, out)
			}
		})
	}
}

// report runs a test of a folder, with differences applied to a copy of the module that has the bug.
func report(t *testing.T, folder, run string, race bool, diffs ...string) (string, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("found", folder))); err != nil {
		t.Fatal(err)
	}
	do := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := do("go", "mod", "vendor"); err != nil {
		t.Skipf("the modules cannot be fetched: %s", out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	module, _, _ := strings.Cut(strings.TrimPrefix(string(page), "# "), " ")
	for _, diff := range diffs {
		if out, err := do("patch", "-p1", "-d", "vendor/"+module, "-i", filepath.Join(dir, diff)); err != nil {
			t.Fatalf("%s: %v\n%s", diff, err, out)
		}
	}
	args := []string{"test", "-mod=vendor", "-count=1", "-timeout=5m", "-run=^" + run + "$"}
	if race {
		args = append(args, "-race")
	}
	return do("go", append(args, ".")...)
}
