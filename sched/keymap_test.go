package sched_test

import (
	"errors"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// pointers have what is no plain data in maps and pools: what it leads to decides what comes next.
var pointers = map[string]func(){
	"load or store": func() {
		var m sched.Map
		var x sched.Int64
		for i := range int64(2) {
			sched.Go(func() {
				v, _ := m.LoadOrStore("k", &i)
				x.Add(*v.(*int64))
			})
		}
		if v, ok := m.Load("k"); ok && *v.(*int64) == 1 {
			x.Store(7)
		}
	},
	"store": func() {
		var m sched.Map
		for i := range int64(2) {
			sched.Go(func() { m.Store("k", &i) })
		}
		var x sched.Int64
		if v, ok := m.Load("k"); ok && *v.(*int64) == 1 {
			x.Store(7)
		}
	},
	"swap": func() {
		var m sched.Map
		var x sched.Int64
		for i := range int64(2) {
			sched.Go(func() {
				if v, ok := m.Swap("k", &i); ok && *v.(*int64) == 1 {
					x.Store(3)
				}
			})
		}
		v, _ := m.LoadAndDelete("k")
		if p, ok := v.(*int64); ok && m.CompareAndSwap("k", p, "") {
			x.Store(4)
		}
		m.Clear()
	},
	"pool": func() {
		var p sched.Pool
		var x sched.Int64
		for i := range int64(2) {
			sched.Go(func() {
				p.Put(&i)
				if *p.Get().(*int64) == 1 {
					x.Add(5)
				}
			})
		}
		if v, ok := p.Get().(*int64); ok {
			x.Store(*v)
		}
	},
}

// TestKeysOfPointers: what is in maps and pools is told apart by who has put it there.
func TestKeysOfPointers(t *testing.T) {
	for name, f := range pointers {
		for _, k := range []trace.Keying{{}, {Tracked: true}, {Tracked: true, Exact: true}} {
			c := sched.New(f, sched.Options{AllowLeaks: true})
			if got, err := oracle.EqualFutures(c, k, oracle.Limits{}); err != nil || k.Tracked && got.Merged == 0 {
				t.Errorf("%s, %v: %+v, %v", name, k, got, err)
			}
			stats, err := por.Stateful{Keying: k}.Explore(c, func(*trace.Execution) bool { return true })
			if err != nil || stats.States == 0 || !stats.Exhaustive {
				t.Errorf("%s, %v: %+v, %v", name, k, stats, err)
			}
			c.Shutdown()
		}
	}
}

// TestRangeHasNoKey: in what order keys have come is part of no key, so that a program that ranges
// over a map cannot name its states, and says so.
func TestRangeHasNoKey(t *testing.T) {
	c := sched.New(func() {
		var m sched.Map
		sched.Go(func() { m.Store(1, 1) })
		m.Store(2, 2)
		m.Range(func(_, _ any) bool { return true })
	}, sched.Options{})
	defer c.Shutdown()
	if _, err := oracle.EqualFutures(c, trace.Keying{Tracked: true}, oracle.Limits{}); !trace.IsUnkeyed(err) || errors.Is(err, oracle.ErrUnequal) {
		t.Error(err)
	}
}
