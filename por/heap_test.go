package por

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/gopor/gopor/internal/explore"
)

// TestHeapWithoutCollector turns the garbage collector off while the heap is watched, as a test may
// that counts what a pool keeps: that is not to look like a heap without end, nor like one that does
// not grow.
func TestHeapWithoutCollector(t *testing.T) {
	for _, limit := range []int64{-1, 8 << 30} {
		runtime.GC() // of what other tests have left, it would make room
		w := explore.NewHeapWatch(64 << 20)
		off := debug.SetGCPercent(-1)
		defer debug.SetGCPercent(off)
		if limit > 0 {
			limit = debug.SetMemoryLimit(limit)
			defer debug.SetMemoryLimit(limit)
		}
		if w.TooMuch() {
			t.Errorf("%d of %d bytes although nothing was allocated", w.Size(), w.Most)
		}
		var kept [][]byte
		for range 32 {
			kept = append(kept, make([]byte, 16<<20))
		}
		if !w.TooMuch() {
			t.Errorf("%d of %d bytes although 512 MB were allocated", w.Size(), w.Most)
		}
		runtime.KeepAlive(kept)
		debug.SetGCPercent(off)
		kept = nil
		runtime.GC()
	}
}
