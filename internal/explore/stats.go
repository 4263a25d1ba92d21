package explore

import (
	"fmt"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched/trace"
)

// StatsLine returns the statistics in one line.
func StatsLine(st trace.Stats) string {
	rate := ""
	if sec := st.Elapsed.Seconds(); sec > 0 {
		rate = fmt.Sprintf(" (%s executions/s)", format.Grouped(int64(float64(st.Executions)/sec)))
	}
	kept := ""
	if st.Kept > 0 {
		kept = ", at most " + format.Counted(st.Kept, "event") + " kept"
	}
	return fmt.Sprintf("%s, %s blocked, %s pruned, %s and %s replayed, %s reversed, %s, longest %s%s, %s%s",
		format.Counted(st.Executions, "execution"), format.Grouped(st.Blocked), format.Grouped(st.Pruned),
		format.Counted(st.Steps, "step"), format.Grouped(st.Replayed), format.Counted(st.Races, "race"),
		format.Counted(st.Checks, "dependence check"), format.Counted(int64(st.MaxDepth), "step"), kept, format.Time(st.Elapsed), rate)
}
