package por

import (
	"testing"
	"time"

	"github.com/gopor/gopor/internal/explore"
)

// TestWatchdogFollowsMaxTime looks at how long a stuck execution is waited for: a module whose tests
// all wait for sockets takes that for each of them.
func TestWatchdogFollowsMaxTime(t *testing.T) {
	for _, test := range []struct {
		opts []Option
		want time.Duration
	}{
		{nil, 10 * time.Second},
		{[]Option{MaxTime(0)}, 10 * time.Second},
		{[]Option{MaxTime(time.Millisecond)}, 3 * time.Second},
		{[]Option{MaxTime(5 * time.Second)}, 5 * time.Second},
		{[]Option{MaxTime(time.Hour)}, 10 * time.Second},
		{[]Option{MaxTime(time.Second), Watchdog(time.Minute)}, time.Minute},
		{[]Option{Watchdog(time.Millisecond), MaxTime(time.Hour)}, time.Millisecond},
	} {
		c, err := explore.NewConfig(test.opts)
		if err != nil || c.Limits.Watchdog != test.want {
			t.Errorf("%v: %v, %v", test.want, c.Limits.Watchdog, err)
		}
	}
}
