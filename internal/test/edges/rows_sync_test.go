package edges

import (
	"fmt"
	"strings"
)

const (
	ofMutex   = memoryModel + "call n of l.Unlock() is synchronized before call m of l.Lock() returns, n < m"
	ofTryLock = memoryModel + "a successful call of l.TryLock is equivalent to a call of l.Lock, an unsuccessful one has no synchronizing effect"
	ofRWMutex = memoryModel + "for a call of l.RLock there is an n so that the nth Unlock is before it, and its RUnlock before call n+1 of l.Lock"
	ofOnce    = memoryModel + "the completion of f() from once.Do(f) is synchronized before the return of any once.Do(f)"
	ofGroup   = "sync.WaitGroup: a call to Done synchronizes before the return of any Wait that it unblocks"
	ofGroupGo = "sync.WaitGroup.Go: the return from f synchronizes before the return of any Wait that it unblocks"
	ofCond    = "sync.Cond: a call to Broadcast or Signal synchronizes before any Wait that it unblocks"
	ofPool    = "sync.Pool: a call to Put(x) synchronizes before a call to Get returning that x"
	ofMap     = "sync.Map: a write operation synchronizes before any read operation that observes its effect"
	ofAtomic  = memoryModel + "if the effect of an atomic operation A is observed by B, then A is synchronized before B"

	condUnseen = "the race detector knows no edge of a Cond: its lock has them"
)

// syncRows are about package sync.
var syncRows = []row{
	{name: "Mutex", why: ofMutex, decl: "var mu sync.Mutex; done := false", a: "mu.Lock(); WRITE; done = true; mu.Unlock()", b: "mu.Lock(); d := done; mu.Unlock(); if d { READ }"},
	{name: "Mutex, write before", why: ofMutex, decl: "var mu sync.Mutex; done := false", a: "WRITE; mu.Lock(); done = true; mu.Unlock()", b: "mu.Lock(); if done { READ }; mu.Unlock()"},
	{name: "two Mutexes", why: ofMutex, decl: "var mu, other sync.Mutex", none: true, a: "mu.Lock(); WRITE; mu.Unlock()", b: "other.Lock(); READ; other.Unlock()"},
	{name: "Mutex unlocked by another goroutine", why: ofMutex, decl: "var mu sync.Mutex; mu.Lock()", a: "WRITE; mu.Unlock()", b: "mu.Lock(); READ"},
	{name: "Mutex, Lock to Lock", why: unsaid, decl: "var mu sync.Mutex", none: true, a: "mu.Lock(); mu.Unlock(); WRITE", b: "mu.Lock(); mu.Unlock(); READ"},
	{name: "TryLock", why: ofTryLock, decl: "var mu sync.Mutex; done := false", a: "mu.Lock(); WRITE; done = true; mu.Unlock()", b: "if mu.TryLock() { if done { READ }; mu.Unlock() }"},
	{name: "TryLock that fails", why: ofTryLock, decl: "var mu sync.Mutex", none: true, a: "WRITE; mu.Lock()", b: "if mu.TryLock() { mu.Unlock() } else { READ }"},
	{name: "Unlock of a TryLock", why: ofTryLock, decl: "var mu sync.Mutex; done := false", a: "if mu.TryLock() { WRITE; done = true; mu.Unlock() }", b: "mu.Lock(); if done { READ }; mu.Unlock()"},
	{name: "RWMutex, Unlock to Lock", why: ofRWMutex, decl: "var mu sync.RWMutex; done := false", a: "mu.Lock(); WRITE; done = true; mu.Unlock()", b: "mu.Lock(); if done { READ }; mu.Unlock()"},
	{name: "RWMutex, Unlock to RLock", why: ofRWMutex, decl: "var mu sync.RWMutex; done := false", a: "mu.Lock(); WRITE; done = true; mu.Unlock()", b: "mu.RLock(); d := done; mu.RUnlock(); if d { READ }"},
	{name: "RWMutex, RUnlock to Lock", why: ofRWMutex, decl: "var mu sync.RWMutex; mu.RLock()", a: "WRITE; mu.RUnlock()", b: "mu.Lock(); READ"},
	{name: "RWMutex, two RUnlocks to Lock", why: ofRWMutex, decl: "var mu sync.RWMutex; mu.RLock(); mu.RLock()", a: "WRITE; mu.RUnlock()", b: "mu.RUnlock(); mu.Lock(); READ"},
	{name: "RWMutex, RUnlock to RLock", why: ofRWMutex, decl: "var mu sync.RWMutex", none: true, a: "mu.RLock(); WRITE; mu.RUnlock()", b: "mu.RLock(); READ; mu.RUnlock()"},
	{name: "RWMutex, RLocker", why: ofRWMutex, decl: "var mu sync.RWMutex; done := false", a: "mu.Lock(); WRITE; done = true; mu.Unlock()", b: "l := mu.RLocker(); l.Lock(); d := done; l.Unlock(); if d { READ }"},
	{name: "TryRLock", why: ofTryLock, decl: "var mu sync.RWMutex; done := false", a: "mu.Lock(); WRITE; done = true; mu.Unlock()", b: "if mu.TryRLock() { if done { READ }; mu.RUnlock() }"},
	{name: "TryRLock that fails", why: ofTryLock, decl: "var mu sync.RWMutex", none: true, a: "WRITE; mu.Lock()", b: "if mu.TryRLock() { mu.RUnlock() } else { READ }"},
	{name: "TryLock of an RWMutex", why: ofTryLock, decl: "var mu sync.RWMutex; mu.RLock()", a: "WRITE; mu.RUnlock()", b: "if mu.TryLock() { READ }", part: "RWMutex.TryLock"},
	{name: "Once", why: ofOnce, decl: "var once sync.Once; ran := false", a: "once.Do(func() { WRITE; ran = true })", b: "once.Do(func() { }); if ran { READ }",
		late: "first := false; once.Do(func() { ran, first = true, true }); if first { WRITE }"},
	{name: "Once, write before Do", why: ofOnce, decl: "var once sync.Once; ran := false", a: "WRITE; once.Do(func() { ran = true })", b: "once.Do(func() { }); if ran { READ }",
		late: "first := false; once.Do(func() { ran, first = true, true }); if first { WRITE }"},
	{name: "Once whose function panics", why: ofOnce + "; it is done then", decl: "var once sync.Once; ran := false",
		a: "defer func() { recover() }(); once.Do(func() { WRITE; ran = true; panic(1) })", b: "once.Do(func() { }); if ran { READ }",
		late: "defer func() { if recover() != nil { WRITE } }(); once.Do(func() { ran = true; panic(1) })"},
	{name: "Once that others wait for", why: ofOnce, decl: "var once sync.Once; var v atomic.Bool", a: "once.Do(func() { v.Store(true); WRITE; v.Store(true) })", b: "if v.Load() { once.Do(func() { }); READ }",
		late: "once.Do(func() { v.Store(true) }); WRITE"},
	{name: "Once, Do to its function", why: unsaid, decl: "var once sync.Once; n := 0", none: true, a: "WRITE; once.Do(func() { n++ })", b: "once.Do(func() { n++; READ })"},
	{name: "OnceFunc", why: "sync.OnceFunc: by a Once", decl: "f := sync.OnceFunc(func() { WRITE })", a: "f()", b: "f(); READ",
		late: "f(); WRITE"},
	{name: "OnceValue", why: "sync.OnceValue: by a Once", decl: "f := sync.OnceValue(func() int { WRITE; return 1 })", a: "f()", b: "f(); READ", late: "f(); WRITE"},
	{name: "OnceValues", why: "sync.OnceValues: by a Once", decl: "f := sync.OnceValues(func() (int, error) { WRITE; return 1, nil })", a: "f()", b: "f(); READ", late: "f(); WRITE"},
	{name: "Done to Wait", why: ofGroup, decl: "var wg sync.WaitGroup; wg.Add(1)", a: "WRITE; wg.Done()", b: "wg.Wait(); READ"},
	{name: "Done to Wait, of two", why: ofGroup, decl: "var wg sync.WaitGroup; wg.Add(2)", a: "WRITE; wg.Done()", b: "wg.Done(); wg.Wait(); READ"},
	{name: "Add of less than nothing to Wait", why: ofGroup, decl: "var wg sync.WaitGroup; wg.Add(1)", a: "WRITE; wg.Add(-1)", b: "wg.Wait(); READ"},
	{name: "Add of nothing to Wait", why: unsaid, decl: "var wg sync.WaitGroup", none: true, a: "WRITE; wg.Add(0)", b: "wg.Wait(); READ"},
	{name: "Add of nothing, and Done, to Wait", why: unsaid, decl: "var wg sync.WaitGroup; wg.Add(1)", none: true, a: "WRITE; wg.Add(0)", b: "wg.Done(); wg.Wait(); READ"},
	{name: "WaitGroup.Go", why: ofGroupGo, decl: "var wg sync.WaitGroup; c := make(chan int)", a: "wg.Go(func() { WRITE }); close(c)", b: "<-c; wg.Wait(); READ", late: "wg.Go(func() { }); close(c); WRITE"},
	{name: "WaitGroup.Go, to the function", why: "sync.WaitGroup.Go: it starts a goroutine", decl: "var wg sync.WaitGroup", alone: true, a: "WRITE; wg.Go(func() { READ }); wg.Wait()", late: "wg.Go(func() { READ }); WRITE; wg.Wait()"},
	{name: "Done to Done", why: unsaid, decl: "var wg sync.WaitGroup; wg.Add(2)", none: true, a: "WRITE; wg.Done()", b: "wg.Done(); READ"},
	{name: "Wait to Wait", why: unsaid, decl: "var wg sync.WaitGroup", none: true, a: "WRITE; wg.Wait()", b: "wg.Wait(); READ"},
	{name: "Signal", why: ofCond, decl: "var mu sync.Mutex; k := sync.NewCond(&mu); set := false", a: "mu.Lock(); WRITE; set = true; k.Signal(); mu.Unlock()", b: "mu.Lock(); for !set { k.Wait() }; mu.Unlock(); READ"},
	{name: "Broadcast", why: ofCond, decl: "var mu sync.Mutex; k := sync.NewCond(&mu); set := false", a: "mu.Lock(); WRITE; set = true; k.Broadcast(); mu.Unlock()", b: "mu.Lock(); for !set { k.Wait() }; mu.Unlock(); READ"},
	{name: "Signal without the lock", why: ofCond, decl: "k := sync.NewCond(new(sync.Mutex)); p := make(chan int)",
		a: "k.L.Lock(); go func() { k.L.Lock(); k.L.Unlock(); WRITE; k.Signal(); close(p) }(); k.Wait(); READ; k.L.Unlock(); <-p", alone: true,
		late:   "k.L.Lock(); go func() { k.L.Lock(); k.L.Unlock(); k.Signal(); WRITE; close(p) }(); k.Wait(); READ; k.L.Unlock(); <-p",
		native: condUnseen},
	{name: "Broadcast without the lock", why: ofCond, decl: "k := sync.NewCond(new(sync.Mutex)); p := make(chan int)",
		a: "k.L.Lock(); go func() { k.L.Lock(); k.L.Unlock(); WRITE; k.Broadcast(); close(p) }(); k.Wait(); READ; k.L.Unlock(); <-p", alone: true,
		late:   "k.L.Lock(); go func() { k.L.Lock(); k.L.Unlock(); k.Broadcast(); WRITE; close(p) }(); k.Wait(); READ; k.L.Unlock(); <-p",
		native: condUnseen},
	{name: "Signal to nobody", why: unsaid, decl: "k := sync.NewCond(new(sync.Mutex))", none: true, a: "WRITE; k.Signal()", b: "k.Signal(); READ"},
	{name: "Pool", why: ofPool, decl: "var p sync.Pool", a: "WRITE; p.Put(1)", b: "if p.Get() != nil { READ }", part: "sync.Pool"},
	{name: "Pool, Get to Put", why: unsaid, decl: "var p sync.Pool", none: true, a: "WRITE; p.Get()", b: "p.Put(1); READ", part: "sync.Pool"},
	{name: "Pool, Put of another", why: ofPool, decl: "p := sync.Pool{New: func() any { return 2 }}", none: true, a: "WRITE; p.Put(1)", b: "if p.Get() == 2 { READ }", part: "sync.Pool"},
}

// mapRows are about sync.Map.
var mapRows = []row{
	{name: "Map, Store to Load", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.Store(1, 2)", b: "if _, ok := m.Load(1); ok { READ }"},
	{name: "Map, Store to Range", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.Store(1, 2)", b: "m.Range(func(_, _ any) bool { READ; return true })"},
	{name: "Map, Store to LoadOrStore", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.Store(1, 2)", b: "if _, ok := m.LoadOrStore(1, 3); ok { READ }"},
	{name: "Map, LoadOrStore to Load", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.LoadOrStore(1, 2)", b: "if _, ok := m.Load(1); ok { READ }"},
	{name: "Map, Store to LoadAndDelete", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.Store(1, 2)", b: "if _, ok := m.LoadAndDelete(1); ok { READ }"},
	{name: "Map, LoadAndDelete to Load", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.LoadAndDelete(1)", b: "if _, ok := m.Load(1); !ok { READ }"},
	{name: "Map, Delete to Load", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.Delete(1)", b: "if _, ok := m.Load(1); !ok { READ }"},
	{name: "Map, Delete to LoadOrStore", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.Delete(1)", b: "if _, ok := m.LoadOrStore(1, 3); !ok { READ }"},
	{name: "Map, Delete to Swap", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.Delete(1)", b: "if _, ok := m.Swap(1, 3); !ok { READ }"},
	{name: "Map, Delete to Range", why: ofMap + ", as the race detector sees it of Range", decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.Delete(1)", b: "n := 0; m.Range(func(_, _ any) bool { n++; return true }); if n == 0 { READ }"},
	{name: "Map, Swap to Load", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.Swap(1, 3)", b: "if v, _ := m.Load(1); v == 3 { READ }"},
	{name: "Map, Store to Swap", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.Store(1, 2)", b: "if _, ok := m.Swap(1, 3); ok { READ }"},
	{name: "Map, CompareAndSwap to Load", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.CompareAndSwap(1, 2, 3)", b: "if v, _ := m.Load(1); v == 3 { READ }"},
	{name: "Map, Store to CompareAndSwap", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.Store(1, 2)", b: "if m.CompareAndSwap(1, 2, 3) { READ }"},
	{name: "Map, Store to CompareAndSwap that fails", why: ofMap, decl: "var m sync.Map; m.Store(1, 1)", a: "WRITE; m.Store(1, 2)", b: "if !m.CompareAndSwap(1, 1, 1) { READ }"},
	{name: "Map, CompareAndDelete to Load", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.CompareAndDelete(1, 2)", b: "if _, ok := m.Load(1); !ok { READ }"},
	{name: "Map, Store to CompareAndDelete", why: ofMap, decl: "var m sync.Map", a: "WRITE; m.Store(1, 2)", b: "if m.CompareAndDelete(1, 2) { READ }"},
	{name: "Map, Store to CompareAndDelete that fails", why: ofMap, decl: "var m sync.Map; m.Store(1, 1)", a: "WRITE; m.Store(1, 2)", b: "if !m.CompareAndDelete(1, 1) { READ }"},
	{name: "Map, Clear to Load", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.Clear()", b: "if _, ok := m.Load(1); !ok { READ }"},
	{name: "Map, Clear to Range", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", a: "WRITE; m.Clear()", b: "n := 0; m.Range(func(_, _ any) bool { n++; return true }); if n == 0 { READ }"},
	{name: "Map, other key", why: ofMap, decl: "var m sync.Map", none: true, a: "WRITE; m.Store(1, 2)", b: "m.Load(2); READ"},
	{name: "Map, only Stores", why: ofMap, decl: "var m sync.Map", none: true, a: "WRITE; m.Store(1, 2)", b: "m.Store(1, 3); READ"},
	{name: "Map, only Loads", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", none: true, a: "WRITE; m.Load(1)", b: "m.Load(1); READ"},
	{name: "Map, CompareAndSwap that fails to Load", why: ofMap, decl: "var m sync.Map; m.Store(1, 2)", none: true, a: "WRITE; m.CompareAndSwap(1, 3, 4)", b: "if v, _ := m.Load(1); v == 2 { READ }"},
}

// atomicRows are about package sync/atomic: every operation that changes something before every one that sees it.
func atomicRows() (rows []row) {
	for _, typ := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr"} {
		decl := "var v atomic." + typ
		for _, change := range []string{"Store(1)", "Add(1)", "Swap(1)", "CompareAndSwap(0, 1)", "Or(1)"} {
			rows = append(rows, row{name: typ + "." + change, why: ofAtomic, decl: decl, a: "WRITE; v." + change, b: "if v.Load() == 1 { READ }"})
		}
		for _, look := range []string{"v.Add(1) == 2", "v.Swap(2) == 1", "v.CompareAndSwap(1, 2)", "!v.CompareAndSwap(0, 0)", "v.And(1) == 1", "v.Or(2) == 1"} {
			rows = append(rows, row{name: typ + ": " + look, why: ofAtomic, decl: decl, a: "WRITE; v.Store(1)", b: "if " + look + " { READ }"})
		}
		rows = append(rows, row{name: typ + ".And", why: ofAtomic, decl: decl + "; v.Store(3)", a: "WRITE; v.And(1)", b: "if v.Load() == 1 { READ }"})
	}
	for _, name := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr"} {
		rows = append(rows, functionRows(strings.ToLower(name), name)...)
	}
	return append(rows, otherAtomicRows...)
}

// functionRows are about the functions for a type.
func functionRows(typ, name string) (rows []row) {
	decl := "var v " + typ
	for _, change := range []string{"Store%s(&v, 1)", "Add%s(&v, 1)", "Swap%s(&v, 1)", "CompareAndSwap%s(&v, 0, 1)", "Or%s(&v, 1)"} {
		call := "atomic." + fmt.Sprintf(change, name)
		rows = append(rows, row{name: call, why: ofAtomic, decl: decl, a: "WRITE; " + call, b: "if atomic.Load" + name + "(&v) == 1 { READ }"})
	}
	for _, look := range []string{"atomic.Add%s(&v, 1) == 2", "atomic.Swap%s(&v, 2) == 1", "atomic.CompareAndSwap%s(&v, 1, 2)", "!atomic.CompareAndSwap%s(&v, 0, 0)", "atomic.And%s(&v, 1) == 1", "atomic.Or%s(&v, 2) == 1"} {
		cond := fmt.Sprintf(look, name)
		rows = append(rows, row{name: cond, why: ofAtomic, decl: decl, a: "WRITE; atomic.Store" + name + "(&v, 1)", b: "if " + cond + " { READ }"})
	}
	return rows
}

var otherAtomicRows = []row{
	{name: "Bool.Store to Load", why: ofAtomic, decl: "var v atomic.Bool", a: "WRITE; v.Store(true)", b: "if v.Load() { READ }"},
	{name: "Bool.Swap", why: ofAtomic, decl: "var v atomic.Bool", a: "WRITE; v.Swap(true)", b: "if v.Swap(true) { READ }"},
	{name: "Bool.CompareAndSwap", why: ofAtomic, decl: "var v atomic.Bool", a: "WRITE; v.CompareAndSwap(false, true)", b: "if v.CompareAndSwap(true, false) { READ }"},
	{name: "Bool.CompareAndSwap that fails", why: ofAtomic, decl: "var v atomic.Bool", a: "WRITE; v.Store(true)", b: "if !v.CompareAndSwap(false, false) { READ }"},
	{name: "Pointer.Store to Load", why: ofAtomic, decl: "var v atomic.Pointer[int]", a: "WRITE; v.Store(x)", b: "if v.Load() != nil { READ }"},
	{name: "Pointer.Swap", why: ofAtomic, decl: "var v atomic.Pointer[int]", a: "WRITE; v.Swap(x)", b: "if v.Swap(nil) != nil { READ }"},
	{name: "Pointer.CompareAndSwap", why: ofAtomic, decl: "var v atomic.Pointer[int]", a: "WRITE; v.CompareAndSwap(nil, x)", b: "if v.CompareAndSwap(x, nil) { READ }"},
	{name: "Pointer.CompareAndSwap that fails", why: ofAtomic, decl: "var v atomic.Pointer[int]", a: "WRITE; v.Store(x)", b: "if !v.CompareAndSwap(nil, nil) { READ }"},
	{name: "StorePointer", why: ofAtomic, decl: "var v unsafe.Pointer", a: "WRITE; atomic.StorePointer(&v, unsafe.Pointer(x))", b: "if atomic.LoadPointer(&v) != nil { READ }"},
	{name: "SwapPointer", why: ofAtomic, decl: "var v unsafe.Pointer", a: "WRITE; atomic.SwapPointer(&v, unsafe.Pointer(x))", b: "if atomic.SwapPointer(&v, nil) != nil { READ }"},
	{name: "CompareAndSwapPointer", why: ofAtomic, decl: "var v unsafe.Pointer", a: "WRITE; atomic.CompareAndSwapPointer(&v, nil, unsafe.Pointer(x))", b: "if !atomic.CompareAndSwapPointer(&v, nil, nil) { READ }"},
	{name: "Value.Store to Load", why: ofAtomic, decl: "var v atomic.Value", a: "WRITE; v.Store(1)", b: "if v.Load() != nil { READ }"},
	{name: "Value.Swap", why: ofAtomic, decl: "var v atomic.Value", a: "WRITE; v.Swap(1)", b: "if v.Swap(2) != nil { READ }"},
	{name: "Value.CompareAndSwap", why: ofAtomic, decl: "var v atomic.Value; v.Store(1)", a: "WRITE; v.CompareAndSwap(1, 2)", b: "if v.CompareAndSwap(2, 3) { READ }"},
	{name: "Value.CompareAndSwap that fails", why: ofAtomic, decl: "var v atomic.Value; v.Store(1)", a: "WRITE; v.Store(2)", b: "if !v.CompareAndSwap(1, 1) { READ }"},
	{name: "what others add in between", why: ofAtomic, decl: "var v atomic.Int32; go v.Add(1)", a: "WRITE; v.Add(2)", b: "if v.Load() == 3 { READ }"},
	{name: "what another stores in between", why: ofAtomic, decl: "var v atomic.Int32; var in sync.WaitGroup; in.Go(func() { v.Store(2) })", none: true, a: "WRITE; v.Store(1)", b: "if v.Load() == 2 { READ }; in.Wait()"},
	{name: "Store to Store", why: ofAtomic, decl: "var v atomic.Int32", none: true, a: "WRITE; v.Store(1)", b: "v.Store(2); READ"},
	{name: "Load to Load", why: ofAtomic, decl: "var v atomic.Int32", none: true, a: "WRITE; v.Load()", b: "v.Load(); READ"},
	{name: "Load to Store", why: ofAtomic, decl: "var v atomic.Int32", none: true, a: "WRITE; v.Load()", b: "v.Store(1); READ"},
	{name: "Load to Store of a Value", why: ofAtomic, decl: "var v atomic.Value", none: true, a: "WRITE; v.Load()", b: "v.Store(1); READ"},
	{name: "CompareAndSwap that fails to Load", why: ofAtomic, decl: "var v atomic.Int32", none: true, a: "WRITE; v.CompareAndSwap(1, 2)", b: "v.Load(); READ"},
	{name: "Store to Load of what was before", why: ofAtomic, decl: "var v atomic.Int32", none: true, a: "WRITE; v.Store(1)", b: "if v.Load() == 0 { READ }"},
	{name: "other variable", why: ofAtomic, decl: "var v, w atomic.Int32", none: true, a: "WRITE; v.Store(1)", b: "w.Load(); READ"},
	{name: "a plain write of it", why: "it is an access as any other", decl: "v := new(int32)", none: true, a: "*v = 1", b: "atomic.LoadInt32(v)"},
}
