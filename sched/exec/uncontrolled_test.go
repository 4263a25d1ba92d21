package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/stack"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
	announce "github.com/gopor/gopor/sched/native/access"
	"github.com/gopor/gopor/sched/std/sync"
)

// Goroutines that nobody controls are named if they use what the execution uses.
func TestOutsiders(t *testing.T) {
	type shared struct {
		n     int
		mu    sync.Mutex
		m     sync.Map
		group sync.WaitGroup
		once  sync.Once
		c     chan int
		large [1000]int
	}
	for name, test := range map[string]struct {
		outsider, controlled func(s *shared)
		alone                bool // main has no goroutines
		noted                bool
	}{
		"memory":       {func(s *shared) { closures.Store(&s.n, 1) }, func(s *shared) { closures.Load(&s.n) }, false, true},
		"memory alone": {func(s *shared) { closures.Store(&s.n, 1) }, func(s *shared) { closures.Load(&s.n) }, true, true},
		"read":         {func(s *shared) { closures.Load(&s.n) }, func(s *shared) { closures.Store(&s.n, 1) }, false, true},
		"read alone":   {func(s *shared) { closures.Load(&s.n) }, func(s *shared) { closures.Store(&s.n, 1) }, true, true},
		"reads":        {func(s *shared) { closures.Load(&s.n) }, func(s *shared) { closures.Load(&s.n) }, false, false},
		"reads alone":  {func(s *shared) { closures.Load(&s.n) }, func(s *shared) { closures.Load(&s.n) }, true, false},
		"read, written": {func(s *shared) { closures.Load(&s.n) }, func(s *shared) {
			closures.Load(&s.n)
			done := make(chan bool)
			go func() { closures.Store(&s.n, 1); close(done) }()
			<-done
		}, true, true},
		"large":        {func(s *shared) { closures.Load(&s.large[500]) }, func(s *shared) { announce.ClearSlice(s.large[:]) }, false, true},
		"a mutex":      {func(s *shared) { s.mu.Lock() }, func(s *shared) { s.mu.Lock() }, true, true},
		"an unlock":    {func(s *shared) { s.mu.Lock(); s.mu.Unlock() }, func(s *shared) { s.mu.TryLock() }, false, true},
		"a map":        {func(s *shared) { s.m.Store(1, 2) }, func(s *shared) { s.m.Load(1) }, false, true},
		"a group":      {func(s *shared) { s.group.Add(1) }, func(s *shared) { s.group.Add(1) }, false, true},
		"a once":       {func(s *shared) { s.once.Do(func() {}) }, func(s *shared) { s.once.Do(func() {}) }, false, true},
		"a channel":    {func(s *shared) { native.To(s.c).Send(1) }, func(s *shared) { native.To(s.c).Send(1) }, false, true},
		"a report":     {func(s *shared) { report(s.mu.Lock); report(func() { closures.Store(&s.n, 1) }) }, func(s *shared) { s.mu.TryLock(); closures.Load(&s.n) }, false, false},
		"other things": {func(s *shared) { s.mu.Lock(); closures.Store(&s.n, 1) }, func(s *shared) { s.once.Do(func() {}); native.To(s.c).Send(1) }, false, false},
	} {
		_, c := every(t, func() {
			s := &shared{c: make(chan int, 3)}
			if !test.alone {
				sched.Go(func() {}).Join()
			}
			done := make(chan bool)
			outsider := func() { test.outsider(s); close(done) }
			if name == "memory" || name == "a channel" { // in the other order
				test.controlled(s)
			}
			go outsider()
			<-done
			if !strings.HasPrefix(name, "a mutex") {
				test.controlled(s)
			}
			if name == "a mutex" {
				s.mu.TryLock()
			}
		})
		got := fmt.Sprint(c.Assumptions())
		if strings.Contains(got, "a goroutine that is not under control") != test.noted || test.noted && !strings.Contains(got, "_test.go:") && !strings.Contains(got, "closures.go:") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// report stands for what shows how far a search is.
//
//go:noinline
func report(f func()) { f() }

func init() { stack.Register(stack.Reporting, report) }

// What an outsider changes while executions go on is not put back.
func TestOutsidersKeepTheirs(t *testing.T) {
	keep(t, "p.m", &keptMap)
	keep(t, "p.root", &keptRoot)
	keptMap, keptRoot = map[string][]int{}, new(keptState)
	_, c := every(t, func() {
		done := make(chan bool)
		go func() {
			announce.WriteMap(keptMap)["outside"] = nil
			closures.Store(&keptRoot.n, 7)
			close(done)
		}()
		<-done
		keptRoot.name = "changed"
	})
	if got := fmt.Sprint(c.Assumptions()); len(keptMap) != 1 || keptRoot.n != 7 || !strings.Contains(got, "uncontrolled_test.go") && !strings.Contains(got, "closures.go") {
		t.Errorf("%v, %d, %s", keptMap, keptRoot.n, got)
	}
}
