package explore

import (
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestLeftToo has a race that only a worker process has left: the verdict takes it for granted, too.
func TestLeftToo(t *testing.T) {
	known := exec.Assumption{Kind: sched.AssumeModel, What: hook.LibraryRace, File: "x.go", Line: 1}
	for _, tt := range []struct {
		left int64
		have []exec.Assumption
		want int
	}{{0, nil, 0}, {1, nil, 1}, {1, []exec.Assumption{known}, 1}} {
		got := leftToo(tt.have, &trace.Stats{Left: tt.left})
		if len(got) != tt.want || tt.want > 0 && !isLeftRace(got[0]) {
			t.Errorf("%d left, %v: %v", tt.left, tt.have, got)
		}
	}
}
