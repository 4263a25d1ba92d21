package sync_test

import (
	"fmt"
	"reflect"
	original "sync"
	"testing"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/sync"
)

// alone lets executions be alone until the test is over.
func alone(t *testing.T) {
	machine.Turns.Everyone.Store(true)
	machine.Turns.Taken.Store(true)
	t.Cleanup(func() {
		machine.Turns.Everyone.Store(false)
		machine.Turns.Taken.Store(false)
	})
}

// TestAlone does the other tests with executions that are alone, where the words of locks are as natively.
func TestAlone(t *testing.T) {
	alone(t)
	for name, test := range map[string]func(t *testing.T){
		"OutsiderBeside": TestOutsiderBeside, "OutsiderUnlocks": TestOutsiderUnlocks, "OutsiderWaits": TestOutsiderWaits,
		"OutsideAgain": TestOutsideAgain, "Zeroed": TestZeroed, "Contention": TestContention, "Copies": TestCopies,
		"CopiesWait": TestCopiesWait, "Released": TestReleased, "ManyCopied": TestManyCopied, "Finer": TestFiner, "LikeSched": TestLikeSched,
		"LikeOriginal": TestLikeOriginal, "Adopted": TestAdopted, "Readers": TestReaders, "Failures": TestFailures,
		"OnceAgain": TestOnceAgain, "Overwritten": TestOverwritten,
	} {
		t.Run(name, test)
	}
}

// locks are the locks of this package, or those of package sync.
type locks[M, R, W, O comparable] struct {
	Mu   M
	RW   R
	WG   W
	Once O
}

// comparing uses some of what is in two variables, and compares them after every step.
func comparing[L comparable](a, b *L, steps []func(l *L)) string {
	text := ""
	for i, step := range steps {
		for _, l := range []*L{a, b} {
			step(l)
			text += fmt.Sprintln(i, *a == *b, any(*a) == any(*b), reflect.DeepEqual(a, b), reflect.ValueOf(a).Elem().IsZero(),
				map[L]bool{*a: true}[*b], *a == *new(L))
		}
	}
	return text
}

// TestCompared compares locks as those of package sync are compared, while they are used in the same way and not.
func TestCompared(t *testing.T) {
	alone(t)
	type twin = locks[sync.Mutex, sync.RWMutex, sync.WaitGroup, sync.Once]
	type native = locks[original.Mutex, original.RWMutex, original.WaitGroup, original.Once]
	twins := []func(l *twin){
		func(l *twin) { l.Mu.Lock() }, func(l *twin) { l.Mu.Unlock() }, func(l *twin) { l.Mu.TryLock() }, func(l *twin) { l.Mu.Unlock() },
		func(l *twin) { l.RW.RLock() }, func(l *twin) { l.RW.RLock() }, func(l *twin) { l.RW.RUnlock() }, func(l *twin) { l.RW.RUnlock() },
		func(l *twin) { l.RW.Lock() }, func(l *twin) { l.RW.Unlock() },
		func(l *twin) { l.WG.Add(2) }, func(l *twin) { l.WG.Done() }, func(l *twin) { l.WG.Done() }, func(l *twin) { l.WG.Wait() },
		func(l *twin) { l.Once.Do(func() {}) }, func(l *twin) { l.Once.Do(func() {}) },
	}
	natives := []func(l *native){
		func(l *native) { l.Mu.Lock() }, func(l *native) { l.Mu.Unlock() }, func(l *native) { l.Mu.TryLock() }, func(l *native) { l.Mu.Unlock() },
		func(l *native) { l.RW.RLock() }, func(l *native) { l.RW.RLock() }, func(l *native) { l.RW.RUnlock() }, func(l *native) { l.RW.RUnlock() },
		func(l *native) { l.RW.Lock() }, func(l *native) { l.RW.Unlock() },
		func(l *native) { l.WG.Add(2) }, func(l *native) { l.WG.Done() }, func(l *native) { l.WG.Done() }, func(l *native) { l.WG.Wait() },
		func(l *native) { l.Once.Do(func() {}) }, func(l *native) { l.Once.Do(func() {}) },
	}
	want := comparing(new(native), new(native), natives)
	if got := stdtest.Alone(t, func() string { return comparing(new(twin), new(twin), twins) }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var a, b twin // from before the executions, which leave marks in them
	twins = []func(l *twin){func(*twin) {}, twins[0], twins[4], twins[10], twins[14]}
	natives = []func(l *native){func(*native) {}, natives[0], natives[4], natives[10], natives[14]}
	want = comparing(new(native), new(native), natives)
	for range 2 {
		if got := stdtest.Alone(t, func() string { return comparing(&a, &b, twins) }); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if a != (twin{}) {
			t.Errorf("an execution has left %+v", &a)
		}
	}
}

// TestPrintedAlone prints locks that an execution has used as those of package sync are printed.
func TestPrintedAlone(t *testing.T) {
	alone(t)
	mu, rw := new(original.Mutex), new(original.RWMutex)
	got := stdtest.Alone(t, func() string {
		mu, rw := new(sync.Mutex), new(sync.RWMutex)
		mu.Lock()
		mu.Unlock()
		rw.RLock()
		rw.RUnlock()
		return fmt.Sprintf("%+v %+v", mu, rw)
	})
	if want := fmt.Sprintf("%+v %+v", mu, rw); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
