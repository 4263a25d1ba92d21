package main

import (
	"runtime/metrics"
	"time"
)

// heapInterval is how often the size of the heap is looked at.
const heapInterval = 5 * time.Millisecond

// watchHeap begins to look at the size of the heap from time to time. The
// function it returns ends that, and tells the largest size seen. What is
// garbage but not yet collected counts.
func watchHeap() (peak func() uint64) {
	const name = "/memory/classes/heap/objects:bytes"
	sample := []metrics.Sample{{Name: name}}
	var most uint64
	look := func() {
		metrics.Read(sample)
		if sample[0].Value.Kind() == metrics.KindUint64 {
			most = max(most, sample[0].Value.Uint64())
		}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(heapInterval)
		defer tick.Stop()
		for {
			look()
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() uint64 {
		close(quit)
		<-done
		look()
		return most
	}
}
