package iter_test

import (
	"fmt"
	original "iter"
	"runtime"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/stdtest"
	"github.com/gopor/gopor/sched/std/iter"
)

// pulls is one of the two packages.
type pulls struct {
	pull  func(iter.Seq[int]) (func() (int, bool), func())
	pull2 func(iter.Seq2[int, string]) (func() (int, string, bool), func())
}

var (
	twin = pulls{iter.Pull[int], iter.Pull2[int, string]}
	real = pulls{original.Pull[int], original.Pull2[int, string]}
)

// count yields the numbers from 1 to n, and says in text how it ends.
func count(n int, text *string) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { *text += " deferred" }()
		for i := range n {
			if !yield(i + 1) {
				*text += " stopped"
				return
			}
		}
		*text += " end"
	}
}

func (p pulls) all() (text string) {
	next, stop := p.pull(count(2, &text))
	for range 4 {
		v, ok := next()
		text += fmt.Sprint(" ", v, ok)
	}
	stop()
	stop()
	return text
}

func (p pulls) stopped() (text string) {
	next, stop := p.pull(count(2, &text))
	next()
	stop()
	stop()
	v, ok := next()
	_, unused := p.pull(count(2, &text))
	unused()
	return text + fmt.Sprint(" ", v, ok)
}

func (p pulls) pairs() (text string) {
	next, stop := p.pull2(func(yield func(int, string) bool) {
		_ = yield(1, "a") && yield(2, "b")
	})
	defer stop()
	for range 3 {
		k, v, ok := next()
		text += fmt.Sprint(k, v, ok)
	}
	return text
}

func (p pulls) panics() (text string) {
	next, stop := p.pull(func(yield func(int) bool) {
		yield(1)
		panic("seq")
	})
	next()
	text = stdtest.Caught(func() { next() })
	v, ok := next()
	stop()
	text += fmt.Sprint(v, ok)
	next, stop = p.pull(func(yield func(int) bool) {
		defer panic("late")
		yield(1)
	})
	next()
	return text + stdtest.Caught(stop)
}

func (p pulls) again() (text string) {
	var next func() (int, bool)
	next, stop := p.pull(func(yield func(int) bool) {
		text = stdtest.Caught(func() { next() })
		yield(1)
	})
	next()
	stop()
	next, stop = p.pull(func(yield func(int) bool) {
		if !yield(1) {
			text += fmt.Sprint(yield(2))
		}
	})
	next()
	stop()
	return text
}

func TestLikeOriginal(t *testing.T) {
	for name, f := range map[string]func(pulls) string{
		"all": pulls.all, "stopped": pulls.stopped, "pairs": pulls.pairs, "panics": pulls.panics, "again": pulls.again,
	} {
		want := f(real)
		if got := f(twin); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if got := stdtest.Alone(t, func() string { return f(twin) }); got != want {
			t.Errorf("%s under control: got %q, want %q", name, got, want)
		}
	}
}

// TestGoexit ends the goroutine that pulls.
func TestGoexit(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		text := ""
		sched.Go(func() {
			defer func() { text += "ended" }()
			next, _ := iter.Pull(func(func(int) bool) { runtime.Goexit() })
			next()
			text += "not this"
		}).Join()
		return text
	})
	if found.Outcomes != "ended" || found.Failures != "" {
		t.Errorf("%+v", found)
	}
}

// TestControlled uses primitives in a sequence, with as many traces as without.
func TestControlled(t *testing.T) {
	program := func(pull func(iter.Seq[int]) (func() (int, bool), func())) func() string {
		return func() string {
			var mu sched.Mutex
			n := 0
			h := sched.Go(func() { mu.Lock(); n++; mu.Unlock() })
			next, stop := pull(func(yield func(int) bool) {
				mu.Lock()
				v := n
				mu.Unlock()
				yield(v)
			})
			v, _ := next()
			stop()
			h.Join()
			return fmt.Sprint(v)
		}
	}
	direct := func(seq iter.Seq[int]) (func() (int, bool), func()) {
		next := func() (v int, ok bool) {
			seq(func(x int) bool { v, ok = x, true; return false })
			return v, ok
		}
		return next, func() {}
	}
	if found := stdtest.Same(t, program(iter.Pull[int]), program(direct)); found.Traces != 2 || found.Outcomes != "0 | 1" {
		t.Errorf("%+v", found)
	}
}

// TestAbandoned leaves a sequence where it is: a leak, which it is.
func TestAbandoned(t *testing.T) {
	found := stdtest.Explore(t, func() string {
		var text string
		next, _ := iter.Pull(count(2, &text))
		next()
		return text
	})
	if found.Failures != "goroutine leak: "+format.LeakMessage(1) {
		t.Errorf("%+v", found)
	}
}

// TestCalledAtOnce calls next and stop from several goroutines, which is a data race unless something orders them.
func TestCalledAtOnce(t *testing.T) {
	for name, call := range map[string]func(next func() (int, bool), stop func()){
		"next": func(next func() (int, bool), _ func()) { next() },
		"stop": func(_ func() (int, bool), stop func()) { stop() },
	} {
		for _, ordered := range []bool{false, true} {
			found := stdtest.Explore(t, func() string {
				var text string
				next, stop := iter.Pull(count(3, &text))
				var mu sched.Mutex
				locked := func(f func()) {
					if ordered {
						mu.Lock()
						defer mu.Unlock()
					}
					f()
				}
				h := sched.Go(func() { locked(func() { call(next, stop) }) })
				locked(func() { next() })
				h.Join()
				stop()
				return ""
			})
			if raced := strings.Contains(found.Failures, "data race: write of "); raced == ordered || ordered && found.Failures != "" {
				t.Errorf("%s, ordered: %v: %+v", name, ordered, found)
			}
		}
	}
}
