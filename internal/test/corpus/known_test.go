package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

// TestKnown runs the tests of the folder known under por check. Each shows a bug of an old version that a
// later version does not have: KNOWN.md has them. It fetches the modules. The log has the figures.
func TestKnown(t *testing.T) {
	if !effort.Full() {
		t.Skip("it fetches modules: GOPOR_FULL=1")
	}
	por := filepath.Join(t.TempDir(), "por")
	if out, err := exec.Command("go", "build", "-o", por, "../../../cmd/por").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, x := range []struct {
		folder, run, module string
		old, mended         string
		want                string // how the failure begins
		late                bool   // only the search by lag finds it
	}{
		{folder: "hashicorp-raft", run: "TestSnapshot", module: "github.com/hashicorp/raft", old: "v1.1.2", mended: "v1.2.0",
			want: "deadlock: all goroutines wait"},
		{folder: "hashicorp-raft", run: "TestLeaderCh", module: "github.com/hashicorp/raft", old: "v1.1.2", mended: "v1.2.0",
			want: "LeaderCh has said last that a server leads that is shut down", late: true},
		{folder: "hashicorp-raft", run: "TestPipeline", module: "github.com/hashicorp/raft", old: "v1.1.0", mended: "v1.1.2",
			want: "the pipeline is closed, and takes a request"},
		{folder: "etcd-raft", run: "TestSnapshot", module: "go.etcd.io/raft/v3", old: "v3.7.0-rc.0", mended: "v3.7.0-rc.1",
			want: "data race: "},
		{folder: "etcd", run: "TestLead", module: "github.com/coreos/etcd", old: "v3.3.13+incompatible", mended: "v3.3.15+incompatible",
			want: "a server looks for a leader, and names one"},
	} {
		t.Run(x.folder+"/"+x.run, func(t *testing.T) {
			old := known(t, por, x.folder, x.run, x.module+"@"+x.old)
			failed := strings.Contains(old, "\n--- FAIL: "+x.run)
			if failed == x.late || !strings.Contains(old, x.want) {
				t.Errorf("%s should fail, saying %s:\n%s", x.old, x.want, old)
			}
			mended := known(t, por, x.folder, x.run, x.module+"@"+x.mended)
			if !strings.Contains(mended, "\n--- PASS: "+x.run) || strings.Contains(mended, x.want) {
				t.Errorf("%s should not fail:\n%s", x.mended, mended)
			}
			t.Log(x.old, strings.Join(figures.FindAllString(old, -1), "\n"))
			t.Log(x.mended, strings.Join(figures.FindAllString(mended, -1), "\n"))
		})
	}
}

// figures are the lines of a verdict that say how much there was.
var figures = regexp.MustCompile(`(?m)^.*(found in execution|(executions|traces?) explored).*$`)

// known returns what por check prints of a test with a version of a module.
func known(t *testing.T, por, folder, run, version string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), folder)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("known", folder))); err != nil {
		t.Fatal(err)
	}
	do := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	// The versions of other modules have to be those that this one asks for.
	for _, args := range [][]string{{"mod", "edit", "-require=" + version}, {"mod", "tidy"}} {
		if out, err := do("go", args...); err != nil {
			t.Skipf("the modules cannot be fetched: %s", out)
		}
	}
	out, _ := do(por, "check", "-v", "-check.time=20s", "-run=^"+run+"$", ".")
	return out
}
