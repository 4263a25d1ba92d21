package behaviour

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// This file is about the two phases of assignments, and about what panics, when,
// and with which value.

type cellT struct {
	x, y int
	next *cellT
	arr  [3]int
	s    []int
	m    map[string]int
	err  error
	*inner
}

type inner struct{ deep int }

var cellG = &cellT{}

// keep makes what f has captured shared, as far as the analysis knows.
func keep(f func()) { keptFunc = f }

var keptFunc func()

// try runs f and says what it panics with.
func try(say Say, f func()) {
	defer func() {
		r := recover()
		if err, ok := r.(error); ok {
			r = err.Error()
		}
		say("recovered", r)
	}()
	f()
}

func RunAssignUntyped(say Say) {
	type flag bool
	t := &struct {
		n    uint
		d    time.Duration
		mode os.FileMode
		f    flag
	}{n: 2}
	keep(func() { t = nil })
	t.n, t.d = 5, 1<<t.n
	say(t.n, t.d)
	t.n, t.mode, t.d = 3, 1<<t.n, -(1 << t.n)
	say(t.n, uint32(t.mode), t.d)
	func() {
		flag, time := 1, 2
		t.n, t.f = 4, t.n == 3
		say(t.n, t.f, flag, time)
		t.n, t.f, t.d = 6, !(t.n > 3), 1<<t.n
		say(t.n, t.f, t.d)
	}()
}

func RunAssignPhases(say Say) {
	x := []int{1, 2, 3}
	use := func() { say(x) }
	i := 0
	keep(func() { x, i = nil, 0 })
	func() { i, x[i] = 1, 2 }()
	use()
	i = 0
	func() { x[i], i = 2, 1 }()
	use()
	x[0], x[0] = 1, 2
	use()
	try(say, func() { x[1], x[3] = 4, 5 })
	use()
	var p *cellT
	get := func() *cellT { return p }
	keep(func() { p = nil })
	try(say, func() { x[2], get().x = 6, 7 })
	use()
	try(say, func() { x[1], p.x = 8, 9 })
	use()
	i = 2
	x = []int{3, 5, 7}
	for i, x[i] = range x {
		break
	}
	use()
	p = &cellT{next: &cellT{y: 5}}
	func() { p, p.x = p.next, 9 }()
	say(p.x, p.y)
	func() { x, x[0] = []int{7, 8}, 100 }()
	use()
	cellG = &cellT{inner: &inner{1}, next: &cellT{}}
	old := cellG.inner
	cellG.inner, cellG.deep = &inner{2}, 3
	say(old.deep, cellG.deep)
	cellG, cellG.next.x = cellG.next, 4
	say(cellG.x)
	var v struct{ *inner }
	v.inner = &inner{1}
	old = v.inner
	keep(func() { v.inner, old = nil, nil })
	v.inner, v.deep = &inner{2}, 3
	say(old.deep, v.deep)
	p = &cellT{next: &cellT{}}
	first := p.next
	p.next, (p.next.arr)[0] = &cellT{}, 7
	say(first.arr, p.next.arr)
	var none *struct {
		ok bool
		m  map[any]int
	}
	var list, other any = x, x
	keep(func() { none, list, other = nil, nil, nil })
	try(say, func() { none.ok = list == other })
	try(say, func() { none.ok = list != other })
	try(say, func() { none.m = map[any]int{list: 1} })
	of := func(s string, p *cellT) *cellT { say(s); return p }
	local := 0
	of("left", p).x, local = of("right", p).y, 1
	say(local)
	of("left", p).s = append(of("right", p).s, 1)
	p.s = append(p.s)
	say(p.s, append(p.s))
}

func RunAssignPanicsLate(say Say) {
	f := func(s string) int { say("call", s); return 1 }
	var p *cellT
	var m map[string]int
	var s []int
	keep(func() { p, m, s = nil, nil, nil })
	try(say, func() { p.x = f("field") })
	try(say, func() { p.arr[1] = f("array") })
	try(say, func() { s[f("index")] = f("element") })
	try(say, func() { s[5] = f("constant") })
	try(say, func() { m["a"] = f("map") })
	try(say, func() { m[fmt.Sprint(f("key"))] = f("value") })
	try(say, func() { *(&p.x) = f("address") })
	try(say, func() { q := (*int)(nil); sharePointer(q); *q = f("pointer") })
	try(say, func() { p.x, p.y = f("one"), f("two") })
	try(say, func() { cellG.s[3] = cellG.arr[f("right")+4] })
	zero := 0
	try(say, func() { cellG.s[3] = 1 / zero; _ = func() { zero++ } })
	try(say, func() { p.x += f("update") })
	try(say, func() { m["a"] += f("update of an entry") })
	try(say, func() { _, m["b"] = f("tuple"), 2 })
	try(say, func() { cellG.next.next.next.x = f("deep") })
}

func sharePointer(p *int) { kept = append(kept, p) }

var kept []*int

func RunAssignPanicsBehindEntry(say Say) {
	m, none, s := map[string]int{}, map[string]int(nil), []int{}
	var p *cellT
	pair := func() (int, int) { return 7, 8 }
	show := func() { say(len(m), m["a"], m["b"], s); clear(m) }
	keep(func() { m, p, s = nil, nil, nil })
	try(say, func() { m["a"], p.x, m["b"] = 1, 2, 3 })
	show()
	try(say, func() { p.x, m["a"] = 1, 2 })
	show()
	try(say, func() { m["a"], m["b"], s[5] = 0, 1, 2 })
	show()
	try(say, func() { m["a"], *p = 1, cellT{} })
	show()
	try(say, func() { m["a"], p.x = pair() })
	show()
	try(say, func() { m["a"], none["a"], p.x = 1, 2, 3 })
	show()
	try(say, func() { m[fmt.Sprint("a")], s[len(m)], m["b"] = 1, len(fmt.Sprint(2)), 3 })
	show()
	try(say, func() {
		if m["a"], s[1] = 1, 2; true {
			say("no")
		}
	})
	show()
	defer func() {
		m["a"], p.err = 1, fmt.Errorf("%v", 2)
		m["b"], p.next.arr[1] = recover().(int), 9
		say(p.err, p.next.arr)
		show()
	}()
	p, s = &cellT{next: &cellT{}}, make([]int, 2)
	m["a"], p.x, m["b"], s[1] = 1, 2, 3, 4
	say(p.x)
	show()
	panic(6)
}

func RunAssignOrder(say Say) {
	i := 0
	next := func() int { i++; return i }
	a := make([]int, 10)
	share := func() []int { return a }
	share()[next()] = next()
	a[next()] += next() * 10
	a[next()]++
	a[next()], a[next()] = next(), next()
	say(a, i)
	t := &cellT{m: map[string]int{}, s: a}
	at := func() *cellT { say("at"); return t }
	at().x = next()
	at().x++
	at().m["a"], at().y = next(), next()
	at().m["a"]++
	at().m["a"] += next()
	at().s[next()%3] |= 1 << next()
	at().s = append(at().s, next())
	say(t.x, t.y, t.m, t.s, i)
}

func RunAssignTargetChanges(say Say) {
	a, b := &cellT{}, &cellT{}
	p := a
	move := func() int { p = b; return 5 }
	p.x = move()
	say(a.x, b.x)
	s, other := []int{0, 0}, []int{0, 0}
	i := 0
	swap := func() int { s, i = other, 1; return 7 }
	s[i] = swap()
	say(s, other)
	m := map[int]int{}
	n := m
	renew := func() int { m = map[int]int{}; return 3 }
	keep(func() { p, s, m, i = nil, nil, nil, 0 })
	m[1] = renew()
	p, s, i = a, []int{0, 0}, 0
	p.x = move()
	s[i] = swap()
	say(a.x, b.x, s, other)
	say(len(n)+len(m) == 1)
	k, e := 1, error(os.ErrExist)
	key := func() int { k++; return 4 }
	i, m[k], e = key(), 1, nil
	m[k], i = 7, key()
	say(i, m, e)
}

func RunAssignKinds(say Say) {
	var i any
	var e error
	var b bool
	type flag bool
	var fl flag
	var by byte
	var arr [2][2]int
	var st struct{ a, b int }
	keep(func() { i, e, b, fl, by, arr, st = nil, nil, false, false, 0, [2][2]int{}, struct{ a, b int }{} })
	m := map[string]int{"x": 1}
	i, b = m["x"]
	say(i, b)
	_, fl = m["y"]
	say(fl)
	i, fl = i.(int)
	say(i, fl)
	v, b := i.(string)
	say(v, b)
	n, fl := m["x"]
	say(n, fl)
	i, e = 5, errors.New("e")
	say(i, e)
	by, b = 255, by == 0
	by++
	by -= 2
	by <<= 3
	by &^= 16
	say(by, b)
	arr[1][0], arr[0] = 3, [2]int{1, 2}
	row := func() *[2]int { return &arr[1] }
	row()[1] = 4
	arr[0], arr[1] = arr[1], arr[0]
	say(arr)
	st.a, st.b = 1, 2
	ps := &st
	ps.a, ps.b = ps.b, ps.a
	st = struct{ a, b int }{st.b, st.a}
	say(st)
	i, i = 1, 2
	say(i)
	var f func(int) int
	f = func(n int) int {
		if n == 0 {
			return 1
		}
		return n * f(n-1)
	}
	say(f(5))
	c := 3
	keep(func() { c++ })
	x := 1.0
	keep(func() { x++ })
	i = 1 << c
	x, c = 1<<3, 1<<c
	say(i, x, c)
}

func RunRecoverInHeader(say Say) {
	var r, s any
	keep(func() { r, s = nil, nil })
	func() {
		defer func() {
			if r = recover(); r != nil {
				say("caught", r)
			}
		}()
		panic("p")
	}()
	func() {
		defer func() {
			if r, s = recover(), 1; r != nil {
				say("caught", r, s)
			}
		}()
		panic("q")
	}()
	func() {
		defer func() {
			switch cellG.err, s = nil, recover(); {
			case s != nil:
				say("caught", s)
			}
		}()
		panic("r")
	}()
	func() {
		defer func() {
			for r, s = recover(), 2; r != nil; r = nil {
				say("caught", r, s)
			}
		}()
		panic("s")
	}()
	n := 0
	count := func() (int, int) { n++; return n, -n }
	var x, y int
	keep(func() { x, y = 0, 0 })
	if x, y = count(); x > 5 {
		say("no")
	} else if x, y = count(); x == 2 {
		say("else", x, y)
	} else {
		say("no")
	}
	for x, y = count(); x < 5; x, y = count() {
		if x == 4 {
			continue
		}
		say("loop", x, y)
	}
loop:
	for x, y = count(); ; x, y = count() {
	choice:
		switch x, y = count(); {
		case x > 9:
			break loop
		case x%2 == 0:
			break choice
		default:
			continue loop
		}
		say("even", x)
	}
	switch x, y = count(); z := any(y).(type) {
	case int:
		say("int", z)
	}
}
