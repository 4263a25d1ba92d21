package sync_test

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/sync"
)

// TestFiner asks for the finer models of the primitives below the twins.
func TestFiner(t *testing.T) {
	for _, p := range []struct {
		name, usual, fine string
		f                 func() string
	}{
		{"pool", "1", "0 | 1", func() string {
			p := sync.Pool{New: func() any { return 0 }}
			p.Put(1)
			return fmt.Sprint(p.Get())
		}},
		{"try", "true", "false | true", func() string {
			var rw sync.RWMutex
			return fmt.Sprint(rw.TryLock())
		}},
		{"range", "a1 b2", "a1 b2 | b1 a2", func() string { return ranged(0) }},
		{"late", "a1 b1", "a1 b1 | a1 b1 c1 | a1 c1 b1 | b1 a1 | b1 a1 c1 | b1 c1 a1", func() string { return ranged(1) }},
		{"group", "waited", "panic: sync: WaitGroup is reused before previous Wait has returned | waited", func() string {
			var wg sync.WaitGroup
			wg.Add(1)
			sched.Go(func() { wg.Done(); wg.Add(1); wg.Done() })
			result := "waited"
			if text := stdtest.Caught(wg.Wait); text != "<nil>" && text != "" {
				result = "panic: " + text
			}
			return result
		}},
	} {
		opts := []por.Option{por.Races(sched.RaceIgnore), por.AllowLeaks()}
		if got := stdtest.Explore(t, p.f, opts...); got.Outcomes != p.usual || got.Failures != "" {
			t.Errorf("%s: usually %+v, want %s", p.name, got, p.usual)
		}
		if got := stdtest.Explore(t, p.f, append(opts, por.Model(sched.ModelFine))...); got.Outcomes != p.fine || got.Failures != "" {
			t.Errorf("%s: finer %+v, want %s", p.name, got, p.fine)
		}
	}
}

// ranged returns what a Range visits that changes the map: its values, or its keys.
func ranged(how int) (text string) {
	var m sync.Map
	m.Store("a", 1)
	m.Store("b", 1)
	m.Range(func(k, v any) bool {
		if text != "" {
			text += " "
		}
		text += fmt.Sprint(k, v)
		if how == 0 {
			m.Store("a", 2)
			m.Store("b", 2)
		} else {
			m.LoadOrStore("c", 1)
		}
		return true
	})
	return text
}
