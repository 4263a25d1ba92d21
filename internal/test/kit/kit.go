// Package kit has what several suites of tests need.
package kit

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Por builds the command por for a test and returns its file. The test runs in a folder of this
// module. Settings of the go command for other modules do not apply.
func Por(t testing.TB) string {
	t.Helper()
	por := filepath.Join(t.TempDir(), "por")
	if runtime.GOOS == "windows" {
		por += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", por, "github.com/gopor/gopor/cmd/por")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return por
}
