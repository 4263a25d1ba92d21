package live

import (
	"testing"
	"unsafe"
)

// TestReserve puts values into pools and takes them out: the latest of a pool first, and of more
// than four the oldest is gone.
func TestReserve(t *testing.T) {
	var r Reserve
	var pools [2]byte
	a, b := unsafe.Pointer(&pools[0]), unsafe.Pointer(&pools[1])
	r.Put(a, 1)
	r.Put(b, 2)
	r.Put(a, 3)
	for _, want := range []any{3, 1, nil} {
		if got := r.Get(a); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	for i := range 4 {
		r.Put(a, 10+i)
	}
	if got := r.Get(b); got != nil {
		t.Errorf("the oldest value is still there: %v", got)
	}
	for _, want := range []any{13, 12, 11, 10, nil} {
		if got := r.Get(a); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	if r != (Reserve{}) {
		t.Errorf("an empty reserve keeps %v", r)
	}
}
