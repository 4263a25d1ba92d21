// Package races has programs Race..., in which goroutines race for plain memory,
// and programs Quiet..., in which they do not.
package races

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// both runs f and g in two goroutines and waits for them.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); f() }()
	go func() { defer wg.Done(); g() }()
	wg.Wait()
}

// This file is about the ways by which memory comes to be shared.

type T struct {
	a, b int
	next *T
	arr  [4]int
	s    []int
	f    func()
}

func (t *T) inc()    { t.a++ }
func (t T) sum() int { return t.a + t.b }

type outer struct {
	T
	other int
}

type outerp struct {
	*T
	other int
}

type incer interface{ inc() }

func RaceCapture() {
	n := 0
	both(func() { n++ }, func() { n++ })
}

func RaceParent() {
	n := 0
	_ = n
	done := make(chan bool)
	go func() { n = 1; done <- true }()
	n = 2
	<-done
}

func QuietParent() {
	n := 0
	_ = n
	done := make(chan bool)
	go func() { n = 1; done <- true }()
	<-done
	n = 2
}

func RaceClosureInStruct() {
	n := 0
	t := T{f: func() { n++ }}
	both(t.f, t.f)
}

func RaceClosureInSlice() {
	n := 0
	fs := []func(){func() { n++ }, func() { n = 3 }}
	both(fs[0], fs[1])
}

func RaceClosureInMap() {
	n := 0
	fs := map[string]func(){"a": func() { n++ }}
	both(fs["a"], func() { n = 2 })
}

func RaceClosureReturned() {
	counter := func() func() {
		n := 0
		return func() { n++ }
	}()
	both(counter, counter)
}

func RaceThroughInterface() {
	t := &T{}
	var i incer = t
	both(i.inc, func() { t.a = 2 })
}

func RaceThroughAny() {
	n := 0
	var x any = &n
	both(func() { *x.(*int) = 1 }, func() { n = 2 })
}

func RaceThroughChannel() {
	n := 0
	c := make(chan *int, 1)
	c <- &n
	both(func() { *<-c = 1 }, func() { n = 2 })
}

func RaceThroughMap() {
	n := 0
	m := map[string]*int{"n": &n}
	both(func() { *m["n"] = 1 }, func() { n = 2 })
}

func RaceMethodValue() {
	var t T
	both(t.inc, func() { t.a = 1 })
}

func RaceMethodExpression() {
	t := new(T)
	f := (*T).inc
	both(func() { f(t) }, func() { f(t) })
}

func RaceGoMethod() {
	var t T
	done := make(chan bool)
	go t.inc()
	go func() { t.a++; done <- true }()
	<-done
}

func RaceGoArgument() {
	var t T
	go func(p *T) { p.a = 1 }(&t)
	t.a = 2
}

func RaceDeferred() {
	n := 0
	done := make(chan bool)
	func() {
		defer func() { n++ }()
		go func() { n++; done <- true }()
	}()
	<-done
}

func RaceDeferredArgument() {
	n := 0
	done := make(chan bool)
	func() {
		defer func(p *int) { *p = 1 }(&n)
		go func() { n++; done <- true }()
	}()
	<-done
}

func store[E any](p *E, v E) { *p = v }

type box[E any] struct{ v E }

func (b *box[E]) set(v E) { b.v = v }
func (b *box[E]) get() E  { return b.v }

func RaceGeneric() {
	s := ""
	both(func() { store(&s, "a") }, func() { store(&s, "b") })
}

func RaceGenericMethod() {
	var b box[int]
	both(func() { b.set(1) }, func() { _ = b.get() })
}

func address() *T {
	var t T
	return &t
}

func RaceReturnedAddress() {
	t := address()
	both(func() { t.a = 1 }, func() { t.a = 2 })
}

func RaceSliceOfArray() {
	var a [4]int
	s := a[1:3]
	both(func() { s[0] = 1 }, func() { a[1] = 2 })
}

func QuietSliceOfArray() {
	var a [4]int
	s := a[1:3]
	both(func() { s[0] = 1 }, func() { a[0] = 2 })
}

func RaceArrayElement() {
	var a [4]int
	i := 2
	both(func() { a[i]++ }, func() { a[2]++ })
}

func RaceWholeArray() {
	var a [4]int
	both(func() { b := a; _ = b }, func() { a[3] = 1 })
}

func RaceWholeStruct() {
	var t, u T
	both(func() { t = u }, func() { t.b = 1 })
}

func QuietFields() {
	var t T
	both(func() { t.a = 1 }, func() { t.b = 1 })
}

func RacePromoted() {
	var o outer
	both(func() { o.a = 1 }, func() { o.T.a = 2 })
}

func RacePromotedPointer() {
	o := outerp{T: &T{}}
	both(func() { o.a = 1 }, func() { o.inc() })
}

func RacePromotedPointerItself() {
	o := outerp{T: &T{}}
	both(func() { o.T = nil }, func() { _ = o.other; defer func() { recover() }(); _ = o.a })
}

func RaceValueReceiver() {
	var t T
	both(func() { _ = t.sum() }, func() { t.b = 1 })
}

func RaceValueReceiverMethodValue() {
	var t T
	both(func() { f := t.sum; _ = f }, func() { t.b = 1 })
}

func RaceValueReceiverPromoted() {
	o := &outer{}
	both(func() { _ = o.sum() }, func() { o.b = 1 })
}

func RacePool() {
	p := sync.Pool{New: func() any { return new(T) }}
	t := p.Get().(*T)
	p.Put(t)
	both(func() { p.Get().(*T).a = 1 }, func() { t.a = 2 })
}

func RaceSyncMap() {
	var m sync.Map
	t := new(T)
	m.Store("t", t)
	both(func() { v, _ := m.Load("t"); v.(*T).a = 1 }, func() { t.a = 2 })
}

func QuietSyncMap() {
	var m sync.Map
	both(func() { t := new(T); t.a = 1; m.Store("t", t) }, func() {
		if v, ok := m.Load("t"); ok {
			v.(*T).a = 2
		}
	})
}

func RaceAfterFunc() {
	n := 0
	time.AfterFunc(time.Millisecond, func() { n++ })
	time.Sleep(time.Millisecond)
	n++
}

func RaceContextAfterFunc() {
	n := 0
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan bool)
	context.AfterFunc(ctx, func() { n++; done <- true })
	cancel()
	n++
	<-done
}

func RaceOnceFunc() {
	n := 0
	f := sync.OnceFunc(func() { n++ })
	both(f, func() { n++ })
}

func QuietOnceFunc() {
	n := 0
	f := sync.OnceFunc(func() { n++ })
	both(func() { f(); _ = n }, func() { f(); _ = n })
}

func RaceWaitGroupGo() {
	n := 0
	var wg sync.WaitGroup
	wg.Go(func() { n++ })
	n++
	wg.Wait()
}

func RaceNamedResult() {
	_ = func() (n int) {
		go func() { n++ }()
		return 7
	}()
}

func RaceNamedResultBareReturn() {
	_ = func() (n int) {
		go func() { n++ }()
		return
	}()
}

func RaceNamedResultBareReturnInLiteral() {
	_ = func() (n int) {
		go func() { defer func() {}(); n++ }()
		return
	}()
}

func QuietNamedResultBareReturn() {
	_ = func() (n int) {
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { n++ })
		return
	}()
}

func RaceNamedError() {
	f := func() (err error) {
		done := make(chan bool)
		go func() { err = errors.New("x"); done <- true }()
		if _, err = 1, error(nil); err != nil {
			return err
		}
		<-done
		return err
	}
	_ = f()
}

func RaceRedeclared() {
	var err error
	_ = err
	done := make(chan bool)
	go func() { err = errors.New("x"); done <- true }()
	n, err := func() (int, error) { return 1, nil }()
	_ = n
	<-done
}

var global int
var globalT T
var globalPtr = &globalT
var globalMap = map[int]int{1: 1}
var globalSlice = []int{1, 2}

func RaceGlobal()        { both(func() { global++ }, func() { global++ }) }
func RaceGlobalField()   { both(func() { globalT.a++ }, func() { globalPtr.a++ }) }
func RaceGlobalMap()     { both(func() { globalMap[1]++ }, func() { _ = globalMap[2] }) }
func RaceGlobalSlice()   { both(func() { globalSlice[1]++ }, func() { _ = globalSlice[1] }) }
func QuietGlobalSlice()  { both(func() { globalSlice[0]++ }, func() { _ = globalSlice[1] }) }
func RaceGlobalMapLen()  { both(func() { delete(globalMap, 5) }, func() { _ = len(globalMap) }) }
func QuietGlobalMapLen() { both(func() { _ = globalMap[1] }, func() { _ = len(globalMap) }) }

func RaceAtomicAndPlain() {
	var n int64
	both(func() { atomic.AddInt64(&n, 1) }, func() { n++ })
}

func RaceLinkedList() {
	head := &T{next: &T{next: &T{}}}
	both(func() { head.next.next.a = 1 }, func() {
		for p := head; p != nil; p = p.next {
			p.a++
		}
	})
}

func RacePointerToPointer() {
	t := &T{}
	p := &t
	both(func() { (*p).a = 1 }, func() { t.a = 2 })
}

func RaceInlinedCallee() {
	t := &T{}
	bump := func(p *T) { p.a++ }
	done := make(chan bool)
	go func() { bump(t); done <- true }()
	bump(t)
	<-done
}

func RaceLiteralInLoop() {
	var sum int
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { sum += i })
	}
	wg.Wait()
}

func QuietLiteralInLoop() {
	var sums [2]int
	var wg sync.WaitGroup
	for i := range sums {
		wg.Go(func() { sums[i] += i })
	}
	wg.Wait()
}

func RaceLoopVariable() {
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Go(func() { i = 7 })
	}
	wg.Wait()
}

func RaceLoopVariableContinue() {
	yes := true
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Go(func() { i = 7 })
		if yes {
			continue
		}
		panic("no")
	}
	wg.Wait()
}

func RaceLoopVariableContinueInSwitch() {
	yes := true
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Go(func() { i = 7 })
		switch {
		case yes:
			continue
		}
		panic("no")
	}
	wg.Wait()
}

func RaceLoopVariableContinueLabel() {
	yes := true
	var wg sync.WaitGroup
loop:
	for i := 0; i < 2; i++ {
		wg.Go(func() { i = 7 })
		for yes {
			continue loop
		}
		panic("no")
	}
	wg.Wait()
}

func QuietLoopVariable() {
	for i := 0; i < 2; i++ {
		done := make(chan bool)
		go func() { i++; done <- true }()
		<-done
	}
}

func RaceIteratorBody() {
	each := func(yield func(int) bool) { _ = yield(1) && yield(2) }
	n := 0
	done := make(chan bool)
	go func() { n++; done <- true }()
	for i := range each {
		n += i
	}
	<-done
}

func RaceSelfReference() {
	n := 0
	var f func(int)
	f = func(k int) {
		if k > 0 {
			n++
			f(k - 1)
		}
	}
	both(func() { f(1) }, func() { f(1) })
}

func RaceFunctionVariable() {
	f := func() {}
	both(func() { f = nil }, func() { g := f; _ = g })
}

func RaceErrorsAs() {
	var target *wrapped
	both(func() { errors.As(error(&wrapped{}), &target); target = nil }, func() { target = nil })
}

type wrapped struct{}

func (*wrapped) Error() string { return "" }

func RaceSwitchVariable() {
	var x any = 1
	both(func() { x = "s" }, func() {
		switch v := x.(type) {
		case int:
			_ = v
		}
	})
}

func RaceTwoLevels() {
	n := 0
	_ = n
	done := make(chan bool)
	func() {
		func() {
			go func() { n = 1; done <- true }()
		}()
	}()
	n = 2
	<-done
}

func RaceParameter() {
	f := func(n int) {
		done := make(chan bool)
		go func() { n++; done <- true }()
		n++
		<-done
	}
	f(1)
}

func RaceReceiver() {
	new(T).raceReceiver()
	T{}.raceValueReceiver()
}

func (t *T) raceReceiver() { both(func() { t.a++ }, func() { t = nil }) }

func (t T) raceValueReceiver() { both(func() { t.a++ }, func() { t.a++ }) }

func RaceValueReceiverItself() { T{}.raceValueReceiver() }
