package lease

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// readsAgain reads by the cache, puts a value and reads again. The wall clock of the cache is ahead
// by so much from the beginning.
func readsAgain(by Clock, ahead time.Duration) {
	var store, cache *por.Node
	store = por.NewNode("store", func() { panic(Store(store.Addr())) })
	cache = por.NewNode("cache", func() { panic(Cache(cache.Addr(), store.Addr(), by)) })
	cache.Skew(ahead)
	store.Start()
	cache.Start()
	time.Sleep(time.Second)
	Get(cache.Addr())
	if Put(store.Addr(), 7) == nil {
		v, err := Get(cache.Addr())
		por.Always("a read gives what was put before", err != nil || v == 7)
	}
	store.Stop()
	cache.Stop()
}

// explore explores readsAgain, and returns the report of a failure, "" if there is none.
func explore(t *testing.T, by Clock, ahead time.Duration, opts ...por.Option) string {
	t.Helper()
	opts = append(opts, por.Time(sched.TimeDiscrete), por.MaxTime(3*time.Second))
	res, err := por.Explore(func() { readsAgain(by, ahead) }, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(res.Verdict)
	if len(res.Failures) == 0 {
		return ""
	}
	if want := "not always: a read gives what was put before"; !strings.Contains(res.Failures[0].Msg, want) {
		t.Fatal(res.Failures[0].Report)
	}
	return res.Failures[0].Report
}

// TestSkewed has a cache with a wall clock that is off.
func TestSkewed(t *testing.T) {
	for _, ahead := range []time.Duration{time.Minute, -time.Minute, -2 * time.Minute} {
		for by, right := range map[Clock]bool{Wall: ahead >= 0, Margin: ahead >= -margin, Monotonic: true} {
			if report := explore(t, by, ahead); (report == "") != right {
				t.Errorf("by %d, %v ahead: %q", by, ahead, report)
			}
		}
	}
}

// TestJumps has wall clocks that jump by a minute.
func TestJumps(t *testing.T) {
	for _, x := range []struct {
		by    Clock
		jumps int
		fails []string // what the report has
	}{
		{Wall, 1, []string{"fault: node cache has its wall clock jump back by 1m0s", "fault: node store has its wall clock jump ahead by 1m0s"}},
		{Margin, 1, nil},
		{Margin, 2, []string{"has its wall clock jump"}},
		{Monotonic, 2, nil},
	} {
		report := explore(t, x.by, 0, por.Faults(x.jumps, sched.FaultSkew))
		found := slices.ContainsFunc(x.fails, func(text string) bool { return strings.Contains(report, text) })
		if found != (x.fails != nil) || !found && report != "" {
			t.Errorf("by %d, %d jumps: %s", x.by, x.jumps, report)
		}
	}
}
