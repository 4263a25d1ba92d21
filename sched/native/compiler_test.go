//go:build !race

package native

import (
	"testing"
	"unsafe"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// TestCompiler races the functions that the compiler calls with each other. Accesses of a
// goroutine's own stack are left out, in an execution in which others have had it before.
func TestCompiler(t *testing.T) {
	type pair struct{ x, y int32 }
	p := new(pair)
	all, x, y := unsafe.Pointer(p), unsafe.Pointer(&p.x), unsafe.Pointer(&p.y)
	local := func() {
		var n [4]int
		for i := range n {
			p := uintptr(unsafe.Pointer(&n[i])) // which does not escape so
			racewrite(*(*unsafe.Pointer)(unsafe.Pointer(&p)))
		}
	}
	tests := []struct {
		name  string
		f, g  func()
		races bool
	}{
		{"reads", func() { raceread(x) }, func() { racereadrange(all, 8) }, false},
		{"a read and a write", func() { raceread(x) }, func() { racewrite(x) }, true},
		{"a read and a write of all", func() { raceread(y) }, func() { racewriterange(all, 8) }, true},
		{"parts", func() { raceread(x) }, func() { racewrite(y) }, false},
		{"a write and a read of all", func() { racewrite(y) }, func() { racereadrange(all, 8) }, true},
		{"own stacks", local, local, false},
	}
	for _, test := range tests {
		c := exec.New(func() {
			for range 3 {
				sched.Go(test.f)
				test.g()
			}
		}, exec.Options{})
		r := c.Start()
		for p := r.Pending(); len(p) > 0; p = r.Pending() {
			if _, err := r.Step(trace.Choice{G: p[0].G}); err != nil {
				t.Fatal(err)
			}
		}
		if raced := len(r.Outcome()) > 0; raced != test.races {
			t.Errorf("%s: race %v", test.name, raced)
		}
		c.Shutdown()
	}
}
