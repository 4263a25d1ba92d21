package explore

import (
	"testing"

	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/sched/exec"
)

// TestNoteEarlier has a goroutine from before the executions that has ended since. It may be the reason that
// all fail, and is none if one has passed.
func TestNoteEarlier(t *testing.T) {
	for _, test := range []struct {
		passed int64
		was    stack.Frame
		notes  int
	}{
		{0, stack.Frame{File: "pool.go", Line: 7}, 1},
		{1, stack.Frame{File: "pool.go", Line: 7}, 0},
		{0, stack.Frame{}, 0},
	} {
		c := exec.New(func() {}, exec.Options{})
		var s Session
		s.Findings.Tally, s.Findings.earlier = &tally{passed: test.passed}, test.was
		s.noteEarlier(c)
		got := assumptionsOf(c)
		if len(got) != test.notes || test.notes > 0 && (got[0].File != "pool.go" || got[0].Line != 7) {
			t.Errorf("passed %d, was %v: %v", test.passed, test.was, got)
		}
		c.Shutdown()
	}
}
