package report

import (
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/sched"
)

// TestMixedText: the verdict says what was drawn by mixes before what each number of faults has.
func TestMixedText(t *testing.T) {
	c := FaultCover{Kinds: sched.FaultCrash | sched.FaultDelay, Most: 2, Mixed: faults.Mixed{Plans: 9, Executions: 1234},
		Levels: []FaultLevel{{Faults: 1, Plans: 5, Drawn: 5, Executions: 15}, {Faults: 2, Plans: 7}}}
	const want = "; 1,234 executions drawn with up to 2 faults (delay, crash), by mixes of kinds, none fails; with 1 fault "
	if got := c.text(); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
	if c.Exhausted() {
		t.Error("all is covered")
	}
	if c.Mixed = (faults.Mixed{}); strings.Contains(c.text(), "drawn with up to") {
		t.Error(c.text())
	}
}
