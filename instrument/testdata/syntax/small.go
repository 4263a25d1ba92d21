package behaviour

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Small functions have copies, and are inlined with both of their texts.

type smallT struct {
	n, m int
	next *smallT
	list []int
	mu   sync.Mutex
	c    chan int
}

func (x *smallT) sum() int               { return x.n + x.m }
func (x *smallT) set(n int, more ...int) { x.n, x.m = n, len(more) }
func (x *smallT) deep() int              { return x.next.sum()*10 + x.sum() }
func (x *smallT) at(i int) int           { return x.list[i] + x.n }
func (x *smallT) two() (int, error)      { return x.n, errors.New(fmt.Sprint(x.m)) }
func (x *smallT) quietTwo() (n, m int)   { return x.n, x.m }
func (x *smallT) send(v int)             { x.c <- v + x.n }
func (x *smallT) receive() int           { return <-x.c + <-x.c }
func (x smallList) Len() int             { return len(x) }
func (x smallList) Less(i, j int) bool   { return x[i] < x[j] }
func (x smallList) Swap(i, j int)        { x[i], x[j] = x[j], x[i] }

func (x *smallT) locked(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.n += n
	if x.n > 3 {
		return
	}
	x.m++
}

func (x *smallT) insert(v int) *smallT {
	switch {
	case x == nil:
		return &smallT{n: v}
	case v > x.n:
		x.next = x.next.insert(v)
	}
	return x
}

func (x *smallT) labels() (n int) {
outer:
	for i := range x.list {
		for {
			if x.list[i] > x.n {
				continue outer
			}
			x.n++
			n += i + 1
			if n > 20 {
				break outer
			}
		}
	}
	return n
}

type smallList []int

type smallWrap struct {
	smallT
	*smallList
}

type smallG[T any] struct{ v, w T }

func (g *smallG[T]) swap()       { g.v, g.w = g.w, g.v }
func (g smallG[T]) pair() (T, T) { return g.v, g.w }

func smallMax[T int | string](x *T, y *T) T { return max(*x, *y) }

type smaller interface{ sum() int }

func smallSorted(list []int, less *int) (n int) {
	sort.Slice(list, func(i, j int) bool { n += *less; return list[i] < list[j] })
	return min(n, 1) + *less
}

func smallQuiet(x *smallT) func() int {
	fields := strings.FieldsFunc("a b", func(rune) bool { x.n++; return x.n == x.m })
	x.m = len(fields)
	return func() int { x.n++; return x.n * x.m }
}

func RunSmall(say Say) {
	x := &smallT{n: 1, m: 2, list: []int{5, 6, 7}, c: make(chan int, 3)}
	keep(func() { x = nil })
	x.next = &smallT{n: 3, m: 4}
	say(x.sum(), x.deep(), x.at(1))
	x.set(7, 8, 9)
	x.next.set(x.sum())
	say(x.two())
	say(x.quietTwo())
	say(x.next.quietTwo())
	x.send(1)
	x.send(x.sum())
	say(x.receive())
	for range 3 {
		x.next.locked(1)
	}
	say(x.next.sum(), x.labels())
	var f interface{ sum() int } = x
	say(f.sum(), x.insert(800).insert(802).insert(801).next.next.sum())
}

func RunSmallPanics(say Say) {
	x := &smallT{}
	keep(func() { x = nil })
	for _, f := range []func(){
		func() { say(x.at(1), x.n) },
		func() { x.next.set(1) },
		func() { say(x.deep()) },
		func() { x.list = []int{1}; x.list[x.at(0)]++ },
		func() { smallWrap{}.Swap(0, 1) },
	} {
		func() {
			defer func() { say(recover(), x.n, x.list) }()
			f()
		}()
	}
}

func RunSmallEmbedded(say Say) {
	w := &smallWrap{smallList: &smallList{3, 1, 2}}
	keep(func() { w = nil })
	w.set(1, 2)
	sort.Sort(w)
	w.next = &smallT{n: w.sum()}
	say(w.deep(), *w.smallList, w.Less(0, 1), w.Len())
	sort.Sort(sort.Reverse(*w.smallList))
	say(*w.smallList)
	sum, set := w.sum, (*smallT).set
	set(&w.smallT, 5)
	say(sum(), smaller(w).sum())
}

func RunSmallGeneric(say Say) {
	g := &smallG[string]{"a", "b"}
	keep(func() { g = nil })
	g.swap()
	say(g.pair())
	say(smallMax(&g.v, &g.w), smallMax[int](new(int), new(int)))
}

func RunSmallLiterals(say Say) {
	one := 1
	keep(func() { one = 0 })
	say(smallSorted([]int{3, 2, 1}, &one))
	x := &smallT{m: 2}
	f := smallQuiet(x)
	say(f(), f(), x.n)
}

func RunSmallStarted(say Say) {
	x := &smallT{c: make(chan int)}
	n, wg := new(atomic.Int32), new(sync.WaitGroup)
	keep(func() { x = nil })
	go x.send(1)
	go x.send(2)
	say(x.receive())
	for range 2 {
		wg.Go(func() { n.Add(int32(x.sum()) + 1) })
	}
	wg.Wait()
	defer x.set(3)
	say(n.Load())
}
