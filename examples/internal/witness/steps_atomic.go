package witness

import (
	"runtime"
	"sync/atomic"
)

var atomicSteps = []*Step{
	{Name: "n.Add(1)", do: func(t *thread) string { return seen(t.n.Add(1)) }},
	{Name: "n.Load()", do: func(t *thread) string { return seen(t.n.Load()) }},
	{Name: "n.Store(v)", do: void(func(t *thread) { t.n.Store(int64(t.value)) })},
	{Name: "n.CompareAndSwap(0, v)", do: func(t *thread) string { return seen(t.n.CompareAndSwap(0, int64(t.value))) }},
	{Name: "n.CompareAndSwap(1, 0)", do: func(t *thread) string { return seen(t.n.CompareAndSwap(1, 0)) }},
	{Name: "n.Swap(v)", do: func(t *thread) string { return seen(t.n.Swap(int64(t.value))) }},
	{Name: "n.Or(4)", do: func(t *thread) string { return seen(t.n.Or(4)) }},
	{Name: "n.And(6)", do: func(t *thread) string { return seen(t.n.And(6)) }},
	{Name: "AddUint32(&word, 1)", do: func(t *thread) string { return seen(atomic.AddUint32(&t.word, 1)) }},
	{Name: "LoadUint32(&word)", do: func(t *thread) string { return seen(atomic.LoadUint32(&t.word)) }},
	{Name: "CompareAndSwapUint32(&word, 0, 5)", do: func(t *thread) string { return seen(atomic.CompareAndSwapUint32(&t.word, 0, 5)) }},
	{Name: "n.Store(n.Load() + 1)", do: func(t *thread) string {
		v := t.n.Load()
		t.watch.Pause()
		t.n.Store(v + 1)
		return seen(v)
	}},
}

var valueSteps = []*Step{
	{Name: "ptr.Load()", do: func(t *thread) string {
		if p := t.ptr.Load(); p != nil {
			return seen(*p)
		}
		return "nil"
	}},
	{Name: "ptr.Store(&v)", do: void(func(t *thread) { v := t.value; t.ptr.Store(&v) })},
	{Name: "ptr.CompareAndSwap(nil, &v)", do: func(t *thread) string { v := t.value; return seen(t.ptr.CompareAndSwap(nil, &v)) }},
	{Name: "ptr.Swap(nil)", do: func(t *thread) string { return seen(t.ptr.Swap(nil) == nil) }},
	{Name: "val.Load()", do: func(t *thread) string { return seen(t.val.Load()) }},
	{Name: "val.Store(v)", do: void(func(t *thread) { t.val.Store(t.value) })},
	{Name: "val.Store(text)", do: void(func(t *thread) { t.val.Store("text") })},
	{Name: "val.CompareAndSwap(nil, v)", do: func(t *thread) string { return seen(t.val.CompareAndSwap(nil, t.value)) }},
	{Name: "val.Swap(v)", do: func(t *thread) string { return seen(t.val.Swap(t.value)) }},
}

var languageSteps = []*Step{
	{Name: "go n.Add(1)", do: void(func(t *thread) { go t.n.Add(1) })},
	{Name: "for i in 2 { go n.Add(i+1) }", do: void(func(t *thread) {
		for i := range 2 {
			go func() { t.n.Add(int64(i) + 1) }()
		}
	})},
	{Name: "go { d <- v }", do: void(func(t *thread) { v := t.value; go func() { t.d <- v }() })},
	{Name: "defer close(c) and panic", do: void(func(t *thread) {
		defer close(t.c)
		panic("early")
	})},
	{Name: "runtime.Goexit()", do: void(func(t *thread) {
		defer t.note("exit")
		runtime.Goexit()
	})},
	{Name: "defer n.Add(1) and runtime.Goexit()", do: void(func(t *thread) {
		defer func() { t.note(seen(t.n.Add(1))) }()
		runtime.Goexit()
	})},
	{Name: "range map { n.Add(1) }", needs: native, do: func(t *thread) string {
		sum := 0
		for _, v := range t.native {
			t.n.Add(1)
			sum += v
		}
		return seen(sum)
	}},
	{Name: "range map", needs: native, traits: ordered, do: void(func(t *thread) {
		for k := range t.native {
			t.note(seen(k))
		}
	})},
	{Name: "runtime.Gosched()", traits: yields, do: void(func(t *thread) { runtime.Gosched() })},
	{Name: "poll n 4 times", traits: yields | polls, do: func(t *thread) string {
		for i := 0; t.n.Load() == 0; i++ {
			if i == 3 {
				return "gave up"
			}
			runtime.Gosched()
		}
		return "seen"
	}},
	{Name: "spin 10 times on n", traits: polls, do: spin(10)},
	{Name: "spin 600 times on n", traits: polls, do: spin(600)},
}

// spin looks at n up to a number of times.
func spin(times int) func(t *thread) string {
	return func(t *thread) string {
		for i := 0; t.n.Load() == 0; i++ {
			if i == times {
				return "gave up"
			}
		}
		return "seen"
	}
}
