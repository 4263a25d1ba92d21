package sched_test

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

func heapNow() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

func TestLeaksX(t *testing.T) {
	for range 10 {
		begin := time.Now()
		c := sched.New(func() {
			c := sched.NewChan[int](0)
			sched.Go(func() { c.Recv() })
		}, sched.Options{Leaks: sched.NewLeaks()})
		r := c.Start()
		for len(r.Pending()) > 0 {
			r.Step(trace.Choice{G: r.Pending()[0].G})
		}
		f := r.Outcome()
		t.Log(f, time.Since(begin), heapNow())
		c.Shutdown()
		runtime.GC()
		t.Log(heapNow())
	}
}
