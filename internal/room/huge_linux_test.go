package room

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

// TestHugePages looks whether the memory of a long list asks for huge pages, and other memory does
// not.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip(err)
	}
	type entry [64]byte
	long := ForOne(make([]entry, 1<<12))
	if size := cap(long) * len(entry{}); size < huge {
		t.Fatal(size)
	}
	for _, at := range []*entry{&long[0], &long[:cap(long)][cap(long)-1]} {
		if !asksForHugePages(t, unsafe.Pointer(at)) {
			t.Errorf("%p of a long list is in no mapping with huge pages", at)
		}
	}
	if asksForHugePages(t, unsafe.Pointer(&inNoList)) {
		t.Error("all memory asks for huge pages")
	}
}

// inNoList is memory that is in no list.
var inNoList [1]byte

// asksForHugePages reports what the system says of the mapping that p is in.
func asksForHugePages(t *testing.T, p unsafe.Pointer) bool {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	here := false
	for s := bufio.NewScanner(f); s.Scan(); {
		var from, to uintptr
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x ", &from, &to); n == 2 {
			here = from <= uintptr(p) && uintptr(p) < to
		} else if flags, ok := strings.CutPrefix(s.Text(), "VmFlags:"); ok && here {
			return slices.Contains(strings.Fields(flags), "hg")
		}
	}
	t.Skip("the system says nothing of the mapping")
	return false
}
