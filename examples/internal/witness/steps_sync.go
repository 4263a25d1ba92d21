package witness

import (
	"runtime"
	"slices"
	"sync"
)

var lockSteps = []*Step{
	{Name: "mu.Lock()", do: void(func(t *thread) { t.mu.Lock() })},
	{Name: "mu.Unlock()", do: void(func(t *thread) { t.mu.Unlock() })},
	{Name: "mu.TryLock()", do: func(t *thread) string { return seen(t.mu.TryLock()) }},
	{Name: "mu { x = 10*x + v }", traits: plain, do: func(t *thread) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.watch.Pause()
		t.x = 10*t.x + t.number + 1
		return seen(t.x)
	}},
	{Name: "mu { n.Add(1), n.Add(1) }", do: func(t *thread) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		a := t.n.Add(1)
		t.watch.Pause()
		return seen(a, t.n.Add(1))
	}},
	{Name: "try mu { n.Add(1) }", do: func(t *thread) string {
		if !t.mu.TryLock() {
			return "false"
		}
		defer t.mu.Unlock()
		t.watch.Pause()
		return seen(t.n.Add(1))
	}},
	{Name: "x++", traits: plain, do: func(t *thread) string { t.x++; return seen(t.x) }},
	{Name: "mu { Gosched, x = 10*x + v }", traits: plain | yields, do: func(t *thread) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		runtime.Gosched()
		t.x = 10*t.x + t.number + 1
		return seen(t.x)
	}},
}

var rwSteps = []*Step{
	{Name: "rw.Lock()", do: void(func(t *thread) { t.rw.Lock() })},
	{Name: "rw.Unlock()", do: void(func(t *thread) { t.rw.Unlock() })},
	{Name: "rw.RLock()", traits: sharesRW, do: void(func(t *thread) { t.rw.RLock() })},
	{Name: "rw.RUnlock()", traits: sharesRW, do: void(func(t *thread) { t.rw.RUnlock() })},
	{Name: "rw.TryLock()", traits: tries, do: func(t *thread) string { return seen(t.rw.TryLock()) }},
	{Name: "rw.TryRLock()", traits: tries | sharesRW, do: func(t *thread) string { return seen(t.rw.TryRLock()) }},
	{Name: "rw { n.Add(1) }", do: func(t *thread) string {
		t.rw.Lock()
		defer t.rw.Unlock()
		t.watch.Pause()
		return seen(t.n.Add(1))
	}},
	{Name: "shared rw { n.Load() }", traits: sharesRW, do: func(t *thread) string {
		t.rw.RLock()
		defer t.rw.RUnlock()
		t.watch.Pause()
		return seen(t.n.Load())
	}},
	{Name: "try rw { n.Add(1) }", traits: tries, do: func(t *thread) string {
		if !t.rw.TryLock() {
			return "false"
		}
		defer t.rw.Unlock()
		t.watch.Pause()
		return seen(t.n.Add(1))
	}},
	{Name: "try shared rw { n.Load() }", traits: tries | sharesRW, do: func(t *thread) string {
		if !t.rw.TryRLock() {
			return "false"
		}
		defer t.rw.RUnlock()
		t.watch.Pause()
		return seen(t.n.Load())
	}},
	{Name: "rw.RLocker() { x }", traits: plain | sharesRW, do: func(t *thread) string {
		l := t.rw.RLocker()
		l.Lock()
		defer l.Unlock()
		return seen(t.x)
	}},
}

var syncSteps = []*Step{
	{Name: "wg.Add(1)", traits: addsWG, do: void(func(t *thread) { t.wg.Add(1) })},
	{Name: "wg.Done()", do: void(func(t *thread) { t.wg.Done() })},
	{Name: "wg.Wait()", traits: waitsWG, do: void(func(t *thread) { t.wg.Wait() })},
	{Name: "wg.Go(n.Add(1))", traits: addsWG, do: void(func(t *thread) { t.wg.Go(func() { t.n.Add(1) }) })},
	{Name: "wg.Done() and wg.Add(1)", traits: addsWG, do: void(func(t *thread) { t.wg.Done(); t.watch.Pause(); t.wg.Add(1) })},
	{Name: "once.Do(n.Add(1))", do: func(t *thread) string {
		ran := false
		t.once.Do(func() { t.watch.Pause(); t.n.Add(1); ran = true })
		return seen(ran, t.n.Load())
	}},
	{Name: "once.Do(<-c)", do: func(t *thread) string {
		v := 0
		t.once.Do(func() { v = <-t.c })
		return seen(v)
	}},
	{Name: "once.Do(panic)", do: void(func(t *thread) { t.once.Do(func() { t.n.Add(1); panic("once") }) })},
	{Name: "OnceValue twice", do: func(t *thread) string {
		f := sync.OnceValue(func() int64 { return t.n.Add(1) })
		go func() { f(); t.n.Add(1) }()
		return seen(f())
	}},
}

var condSteps = []*Step{
	{Name: "mu { cond.Wait() }", do: void(func(t *thread) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cond.Wait()
	})},
	{Name: "mu { for n == 0 { cond.Wait() } }", do: func(t *thread) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		for t.n.Load() == 0 {
			t.cond.Wait()
		}
		return seen(t.n.Load())
	}},
	{Name: "mu { x, cond.Wait(), x }", traits: plain, do: func(t *thread) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.x = 10*t.x + t.number + 1
		t.cond.Wait()
		t.x = 10*t.x + t.number + 5
		return seen(t.x)
	}},
	{Name: "cond.Signal()", do: void(func(t *thread) { t.cond.Signal() })},
	{Name: "cond.Broadcast()", do: void(func(t *thread) { t.cond.Broadcast() })},
	{Name: "mu { cond.Signal(), n.Add(1) }", do: func(t *thread) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cond.Signal()
		return seen(t.n.Add(1))
	}},
}

var mapSteps = []*Step{
	{Name: "m.Load(1)", do: func(t *thread) string { return seen(t.m.Load(1)) }},
	{Name: "m.Load(2)", do: func(t *thread) string { return seen(t.m.Load(2)) }},
	{Name: "m.Store(1, v)", traits: writesMap, do: void(func(t *thread) { t.m.Store(1, t.value) })},
	{Name: "m.Store(2, v)", traits: writesMap, do: void(func(t *thread) { t.m.Store(2, t.value) })},
	{Name: "m.LoadOrStore(1, v)", traits: writesMap, do: func(t *thread) string { return seen(t.m.LoadOrStore(1, t.value)) }},
	{Name: "m.LoadAndDelete(1)", traits: writesMap, do: func(t *thread) string { return seen(t.m.LoadAndDelete(1)) }},
	{Name: "m.Delete(1)", traits: writesMap, do: void(func(t *thread) { t.m.Delete(1) })},
	{Name: "m.Delete(2)", traits: writesMap, do: void(func(t *thread) { t.m.Delete(2) })},
	{Name: "m.Swap(2, v)", traits: writesMap, do: func(t *thread) string { return seen(t.m.Swap(2, t.value)) }},
	{Name: "m.CompareAndSwap(1, 10, v)", traits: writesMap, do: func(t *thread) string { return seen(t.m.CompareAndSwap(1, 10, t.value)) }},
	{Name: "m.CompareAndDelete(1, 10)", traits: writesMap, do: func(t *thread) string { return seen(t.m.CompareAndDelete(1, 10)) }},
	{Name: "m.Clear()", traits: writesMap, do: void(func(t *thread) { t.m.Clear() })},
	{Name: "m.Range", traits: ranges, do: func(t *thread) string {
		var l []string
		t.m.Range(func(k, v any) bool {
			l = append(l, seen(k, v))
			t.watch.Pause()
			return true
		})
		slices.Sort(l) // the order is that of a map
		return seen(l)
	}},
	{Name: "m.Range { <-c }", traits: ranges, do: func(t *thread) string {
		sum := 0
		t.m.Range(func(k, v any) bool {
			if sum += v.(int); sum == v.(int) {
				<-t.c
				<-t.c
			}
			return true
		})
		return seen(sum)
	}},
	{Name: "m.Range { m.Delete }", traits: ranges | writesMap, do: func(t *thread) string {
		visits := 0
		t.m.Range(func(k, v any) bool {
			visits++
			t.m.Delete(1)
			t.m.Delete(2)
			return true
		})
		return seen(visits)
	}},
}

var poolSteps = []*Step{
	{Name: "pool.Put(v)", traits: puts, do: void(func(t *thread) { t.pool.Put(t.value) })},
	{Name: "pool.Get()", traits: gets, do: func(t *thread) string { return seen(t.pool.Get()) }},
}
