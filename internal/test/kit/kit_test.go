package kit

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPor runs the command that Por has built.
func TestPor(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=nonsense")
	out, err := exec.Command(Por(t), "help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "por check") {
		t.Errorf("%v\n%s", err, out)
	}
}
