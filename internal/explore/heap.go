package explore

import (
	"math"
	"runtime/metrics"
)

// heapWatch knows by how much the heap of the process has grown, or is about to, since
// it was made. The heap is about to grow to where the garbage collector next looks.
type heapWatch struct {
	sample [3]metrics.Sample
	Most   uint64 // where the heap may grow to
}

func NewHeapWatch(limit int64) *heapWatch {
	w := new(heapWatch)
	for i, name := range []string{"/gc/heap/goal:bytes", "/gc/gogc:percent", "/memory/classes/heap/objects:bytes"} {
		w.sample[i].Name = name
	}
	w.Most = w.Size() + uint64(limit)
	return w
}

// Size returns the size that the heap will have when it is looked at next, or the one that it has
// while the collector is turned off. Its goal is the limit of memory then, which may be none.
func (w *heapWatch) Size() uint64 {
	metrics.Read(w.sample[:])
	if off := w.sample[1].Value.Uint64() > math.MaxInt32; off {
		return w.sample[2].Value.Uint64()
	}
	return w.sample[0].Value.Uint64()
}

func (w *heapWatch) TooMuch() bool { return w.Size() > w.Most }
