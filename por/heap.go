package por

import (
	"math"
	"runtime/metrics"
)

// heapWatch knows by how much the heap of the process has grown, or is about to, since
// it was made: that is where the garbage collector next looks for what can be freed.
type heapWatch struct {
	sample [2]metrics.Sample
	most   uint64 // where the heap may grow to
}

func newHeapWatch(limit int64) *heapWatch {
	w := new(heapWatch)
	w.sample[0].Name, w.sample[1].Name = "/gc/heap/goal:bytes", "/gc/heap/live:bytes"
	w.most = w.size() + uint64(limit)
	return w
}

// size returns the size that the heap will have when it is looked at next; where there
// is no such moment, that of what was alive when that was done last.
func (w *heapWatch) size() uint64 {
	metrics.Read(w.sample[:])
	if goal := w.sample[0].Value.Uint64(); goal < math.MaxInt64 {
		return goal
	}
	return w.sample[1].Value.Uint64()
}

func (w *heapWatch) tooMuch() bool { return w.size() > w.most }
