package por

import (
	"fmt"
	"time"
)

// reporter prints the lines of the option Progress.
type reporter struct {
	s     *session
	begin time.Time
	last  time.Time
	seen  int64 // executions at last
	any   bool
}

func newReporter(s *session) *reporter {
	now := time.Now()
	return &reporter{s: s, begin: now, last: now}
}

// line prints how far the search is and how fast it went since the line before.
func (r *reporter) line() {
	if r.s.cfg.progress == nil {
		return
	}
	now := time.Now()
	n := r.s.executions.Load()
	rate := float64(n-r.seen) / now.Sub(r.last).Seconds()
	fmt.Fprintf(r.s.cfg.progress, "por: %s: %s, %s blocked in %v (%s/s)\n", r.s.where.name,
		counted(n, "execution"), group(r.s.blocked.Load()), now.Sub(r.begin).Round(time.Second), group(int64(rate)))
	r.last, r.seen, r.any = now, n, true
}

// final prints the last line, if there was one before.
func (r *reporter) final() {
	if r.any {
		r.line()
	}
}
