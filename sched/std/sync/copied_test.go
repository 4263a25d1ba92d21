package sync_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/sync"
	"github.com/gopor/gopor/sched/trace"
)

// duplicate copies what go vet would not let be copied.
func duplicate[T any](p *T) *T {
	q := new(T)
	reflect.ValueOf(q).Elem().Set(reflect.ValueOf(p).Elem())
	return q
}

// state uses up what is in primitives, and says what it was.
func state(p *primitives) string {
	text := fmt.Sprint("mu ", p.mu.TryLock())
	p.mu.Unlock()
	readers := 0
	if p.rw.TryLock() {
		text += " rw free"
		p.rw.Unlock()
	} else if !p.rw.TryRLock() {
		text += " rw locked"
		p.rw.Unlock()
	} else {
		for p.rw.RUnlock(); !p.rw.TryLock(); readers++ {
			p.rw.RUnlock()
		}
		p.rw.Unlock()
	}
	negative := func() (is bool) {
		defer func() { is = recover() != nil }()
		p.wg.Done()
		return
	}
	count := 0
	for ; !negative(); count++ {
	}
	text += fmt.Sprintf(" %d readers, count %d, once", readers, count)
	p.once.Do(func() { text += " again" })
	return text
}

// TestCopies copies primitives that are in use: copies begin as natively.
func TestCopies(t *testing.T) {
	use := func(p *primitives, n int) {
		p.mu.Lock()
		for range n {
			p.rw.RLock()
		}
		p.wg.Add(n)
		p.once.Do(func() {})
	}
	program := func(n int, before *primitives) string {
		p := new(primitives)
		if before != nil {
			p = before
		} else {
			p.mu.Lock()
			p.mu.Unlock()
			p.rw.Lock()
			p.rw.Unlock()
			p.wg.Wait()
		}
		text := ""
		keep := func(what string, q *primitives) { text += what + ": " + state(q) + "\n" }
		free := duplicate(p)
		use(p, n)
		used, later := duplicate(p), duplicate(p)
		second := duplicate(used)
		p.rw.RUnlock()
		p.wg.Done()
		less := duplicate(p)
		if n == 1 {
			p.rw.Lock()
		}
		writing := duplicate(p)
		keep("free", free)
		keep("used", used)
		keep("second", second)
		keep("less", less)
		keep("writing", writing)
		keep("the original", p)
		keep("afterwards", duplicate(p))
		keep("later", later)
		var once sync.Once
		var during *sync.Once
		once.Do(func() { during = duplicate(&once) })
		once.Do(func() { text += "once more" })
		return text + fmt.Sprint(during != nil)
	}
	for n := 1; n <= 13; n += 3 {
		want := program(n, nil)
		if got := stdtest.Alone(t, func() string { return program(n, nil) }); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	// What is copied may be in use since before the execution.
	prepared := func() *primitives {
		p := new(primitives)
		p.rw.RLock()
		p.wg.Add(2)
		p.once.Do(func() {})
		return p
	}
	before := prepared()
	if got, want := stdtest.Alone(t, func() string { return program(4, before) }), program(4, prepared()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCopiesWait waits in copies for what never comes.
func TestCopiesWait(t *testing.T) {
	for name, c := range map[string]struct {
		wait func()
		want string
	}{
		"Mutex": {func() { var m sync.Mutex; m.Lock(); c := duplicate(&m); m.Unlock(); c.Lock() },
			"held by no goroutine: it is a copy of one that was locked"},
		"RWMutex": {func() {
			var m sync.RWMutex
			m.RLock()
			c := duplicate(&m)
			m.RUnlock()
			c.RLock()
			c.Lock()
		},
			"read-locked by no goroutine: it is a copy of one that was locked, main"},
		"Once": {func() { var o, c *sync.Once; o = new(sync.Once); o.Do(func() { c = duplicate(o) }); c.Do(func() {}) },
			"whose function runs in the one that it was copied from"},
	} {
		res, err := por.Explore(c.wait)
		if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailDeadlock {
			t.Fatalf("%s: %v, %v", name, res, err)
		}
		if text := fmt.Sprint(res.Failures[0]); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s lacks %q", name, text, c.want)
		}
	}
}

// TestReleased copies what has just let its caller go on, before whoever has done that goes on: it is free, or done.
func TestReleased(t *testing.T) {
	res, err := por.Explore(func() {
		var wg sync.WaitGroup
		var once sync.Once
		var n sched.Int32
		wg.Go(func() { once.Do(func() { n.Add(1) }) })
		once.Do(func() { n.Add(1) })
		duplicate(&once).Do(func() { panic("not done") })
		wg.Wait()
		if wg := duplicate(&wg); true {
			wg.Wait()
		}
	})
	if err != nil || len(res.Failures) > 0 || !res.Exhaustive {
		t.Errorf("%v, %+v", err, res)
	}
}

// TestManyCopied copies what more goroutines use than a key counts: it is said.
func TestManyCopied(t *testing.T) {
	program := func(n int) func() {
		return func() {
			var wg sync.WaitGroup
			var rw sync.RWMutex
			wg.Add(n + 1)
			for range n {
				rw.RLock()
			}
			duplicate(&wg).Done()
			duplicate(&rw).RUnlock()
		}
	}
	for n, want := range map[int]int{13: 0, 14: 2, 40: 2} {
		res, err := por.Explore(program(n))
		if err != nil || len(res.Failures) > 0 || len(res.Verdict.Assumptions) != want || res.Exhaustive != (want == 0) {
			t.Errorf("%d: %v, %v, %+v", n, err, res, res.Verdict.Assumptions)
		}
		for _, a := range res.Verdict.Assumptions {
			if a.Kind != sched.AssumeCount || !strings.HasSuffix(a.File, "copied_test.go") {
				t.Error(a)
			}
		}
		// No option counts further.
		if text := res.Verdict.Details(); strings.Contains(text, "por.Model") || want > 0 && !strings.Contains(text, "por.Grant(sched.AssumeCount)") {
			t.Errorf("%d: %s", n, text)
		}
	}
}
