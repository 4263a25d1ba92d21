package exec

import (
	"testing"
	"unsafe"
)

// TestWrittenPages: what is kept is compared after each execution once its page was written to, and
// not since another page has the same hash.
func TestWrittenPages(t *testing.T) {
	kept := make([][pageSize]byte, 4)
	k := &keeper{isHot: make(map[int]bool)}
	for i := range kept {
		k.rows = append(k.rows, keptRow{p: unsafe.Pointer(&kept[i]), size: pageSize / 2})
	}
	k.index()
	base := unsafe.Pointer(&kept[0])
	for i := len(kept); i < 1<<20; i++ {
		if p := unsafe.Add(base, i*pageSize); hashOfPage(pageOf(p)) == hashOfPage(pageOf(base)) {
			k.wrote(p, 1)
		}
	}
	if len(k.hot) > 0 {
		t.Errorf("%v are hot after writes to other pages", k.hot)
	}
	last := len(kept) - 1
	for range 2 {
		k.wrote(unsafe.Pointer(&kept[last]), 1)
		if !k.isHot[last] || k.isHot[0] {
			t.Errorf("%v are hot after a write to number %d", k.hot, last)
		}
	}
	k.wrote(base, 1)
	if !k.isHot[0] {
		t.Error("a write to number 0 was not seen")
	}
}
