package sync_test

import (
	"fmt"
	"reflect"
	original "sync"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/sync"
)

// TestLayout holds the types of this package, and those of package sched, to the size, the
// alignment, the exported fields and the comparability of those of package sync.
func TestLayout(t *testing.T) {
	for _, c := range []struct{ want, twin, primitive reflect.Type }{
		{reflect.TypeFor[original.Mutex](), reflect.TypeFor[sync.Mutex](), reflect.TypeFor[sched.Mutex]()},
		{reflect.TypeFor[original.RWMutex](), reflect.TypeFor[sync.RWMutex](), reflect.TypeFor[sched.RWMutex]()},
		{reflect.TypeFor[original.WaitGroup](), reflect.TypeFor[sync.WaitGroup](), reflect.TypeFor[sched.WaitGroup]()},
		{reflect.TypeFor[original.Once](), reflect.TypeFor[sync.Once](), reflect.TypeFor[sched.Once]()},
		{reflect.TypeFor[original.Pool](), reflect.TypeFor[sync.Pool](), reflect.TypeFor[sched.Pool]()},
		{reflect.TypeFor[original.Map](), reflect.TypeFor[sync.Map](), reflect.TypeFor[sched.Map]()},
		{reflect.TypeFor[original.Cond](), reflect.TypeFor[sync.Cond](), reflect.TypeFor[sched.Cond]()},
	} {
		for _, got := range []reflect.Type{c.twin, c.primitive} {
			if layoutOf(got) != layoutOf(c.want) {
				t.Errorf("%v of %s: %s, want %s", got, got.PkgPath(), layoutOf(got), layoutOf(c.want))
			}
		}
	}
}

func layoutOf(t reflect.Type) string {
	text := fmt.Sprintf("%d bytes at multiples of %d, comparable %v", t.Size(), t.Align(), t.Comparable())
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			text += fmt.Sprintf(", %s at %d", f.Name, f.Offset)
		}
	}
	return text
}

// TestPrinted prints locks that were used outside of control as those of package sync are, which go vet would
// not let be printed.
func TestPrinted(t *testing.T) {
	type locks[M, R, O any] struct {
		Mu   *M
		RW   *R
		Once *O
	}
	var twins locks[sync.Mutex, sync.RWMutex, sync.Once]
	var originals locks[original.Mutex, original.RWMutex, original.Once]
	twins.Mu, twins.RW, twins.Once = new(sync.Mutex), new(sync.RWMutex), new(sync.Once)
	originals.Mu, originals.RW, originals.Once = new(original.Mutex), new(original.RWMutex), new(original.Once)
	for range 2 {
		for _, p := range [][2]any{{twins.Mu, originals.Mu}, {twins.RW, originals.RW}, {twins.Once, originals.Once}} {
			if got, want := fmt.Sprintf("%+v", p[0]), fmt.Sprintf("%+v", p[1]); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		twins.Mu.TryLock()
		originals.Mu.TryLock()
		twins.RW.TryRLock()
		originals.RW.TryRLock()
		twins.Once.Do(func() {})
		originals.Once.Do(func() {})
	}
}
