package behaviour

import (
	"fmt"
	"sort"
	"strings"
)

func closed(vs ...int) chan int {
	c := full(vs...)
	close(c)
	return c
}

func RunRangeChan(p Say) {
	for v := range closed(1, 2, 3) {
		p(v)
	}
	n := 0
	for range closed(1, 2) {
		n++
	}
	for _ = range closed(1, 2) {
		n++
	}
	p(n)
	for v := range closed() {
		p("never", v)
	}
}

func RunRangeChanAssign(p Say) {
	var b box
	b.list = make([]int, 4)
	for b.v = range closed(1, 2) {
		b := b.v
		p(b)
	}
	i := 0
	for b.list[i] = range closed(4, 5, 6) {
		i++
	}
	var v int
	for v = range closed(8, 9) {
	}
	p(b.v, b.list, v)
}

func RunRangeChanRedeclare(p Say) {
	for v := range closed(1, 2) {
		v := v + 1
		p(v)
	}
}

func RunRangeChanClosures(p Say) {
	var fs []func() int
	for v := range closed(1, 2, 3) {
		fs = append(fs, func() int { v *= 2; return v })
		v++
	}
	for _, f := range fs {
		p(f())
	}
}

func RunRangeChanJumps(p Say) {
Outer:
	for v := range closed(1, 2, 3, 4, 5, 6) {
		switch {
		case v == 1:
			continue
		case v == 2:
			continue Outer
		case v == 5:
			break Outer
		}
		for w := range closed(v, v) {
			if w == 3 {
				break
			}
			p(v, w)
			continue Outer
		}
		p("end of", v)
	}
	for v := range closed(1, 2) {
		if v == 1 {
			goto skip
		}
		p(v)
	skip:
	}
}

func RunRangeChanModified(p Say) {
	c := closed(1, 2, 3)
	for v := range c {
		c = nil
		v *= 10
		p(v)
	}
}

func RunRangeChanNamed(p Say) {
	c := make(named, 2)
	c <- 1
	c <- 2
	close(c)
	for v := range incoming((chan int)(c)) {
		p(v)
	}
	for v := range func() <-chan int {
		p("once")
		return closed(1, 2)
	}() {
		p(v)
	}
	for v := range (box{c: closed(5)}).c {
		p(v)
	}
}

func sorted(f func(add func(...any))) string {
	var lines []string
	f(func(args ...any) { lines = append(lines, fmt.Sprint(args...)) })
	sort.Strings(lines)
	return strings.Join(lines, ",")
}

func RunRangeMap(p Say) {
	m := map[string]int{"a": 1, "b": 2, "c": 3}
	p(sorted(func(add func(...any)) {
		for k, v := range m {
			add(k, v)
		}
	}))
	n := 0
	for range m {
		n++
	}
	for k := range m {
		n += len(k)
	}
	for _, v := range m {
		n += v
	}
	for _ = range m {
		n++
	}
	p(n)
	var none map[int]int
	for k := range none {
		p("never", k)
	}
}

func RunRangeMapAssign(p Say) {
	var b box
	m := map[int]string{7: "x"}
	for b.n, b.v = range m {
	}
	p(b.n, b.v)
	var k int
	for k = range m {
		p(k)
	}
}

func RunRangeMapDelete(p Say) {
	m := map[int]int{1: 1, 2: 2, 3: 3, 4: 4}
	n := 0
	for k := range m {
		n++
		for j := range m {
			if j != k {
				delete(m, j)
			}
		}
	}
	p(n, len(m))
	m = map[int]int{1: 1, 2: 2, 3: 3}
	n = 0
	for range m {
		clear(m)
		n++
	}
	p(n)
	m = map[int]int{1: 1, 2: 1, 3: 1}
	s := 0
	for k, v := range m {
		s += v
		for j := range m {
			if j != k && m[j] == 1 {
				m[j] = 5
			}
		}
		m[k] = 0
	}
	p(s)
}

func RunRangeMapInsert(p Say) {
	m := map[int]int{1: 1}
	for k := range m {
		if k < 100 {
			m[k+1000] = 1
		}
	}
	p(len(m))
}

func RunRangeMapBreak(p Say) {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	n := 0
	for range m {
		n++
		break
	}
	p(n)
L:
	for range m {
		for {
			n++
			break L
		}
	}
	p(n)
M:
	for k := range m {
		for {
			n += k
			continue M
		}
	}
	p(n)
N:
	for range m {
		n++
		switch {
		case n%2 == 0:
			break
		default:
			break N
		}
		if n > 100 {
			break
		}
		continue N
	}
	for range m {
		select {
		case <-full(1):
			n++
			break
		}
	}
	p(n > 8)
}

func RunRangeMapGoto(p Say) {
	m := map[int]int{1: 1, 2: 2}
	n, rounds := 0, 0
again:
	for range m {
		n++
		if rounds++; rounds < 3 {
			goto again
		}
		break
	}
	p(n)
	f := func() int {
		for k := range m {
			return k - k
		}
		return 1
	}
	p(f())
}

func RunRangeMapClosures(p Say) {
	var fs []func() int
	for k, v := range map[int]int{1: 1, 2: 2, 3: 3} {
		fs = append(fs, func() int { return k * v })
	}
	s := 0
	for _, f := range fs {
		s += f()
	}
	p(s)
}

func RunRangeMapOnce(p Say) {
	m := func() map[int]int { p("once"); return map[int]int{1: 1, 2: 2} }
	n := 0
	for k := range m() {
		n += k
	}
	for k, v := range map[string][]int{
		"a": {1},
		"b": {2},
	} {
		n += len(k) + v[0]
	}
	p(n)
}

func RunRangeMapNaN(p Say) {
	z := 0.0
	m := map[float64]int{z / z: 1, 2: 2}
	m[z/z] = 3
	s := 0
	for k, v := range m {
		if k == k {
			delete(m, k)
		}
		s += v
	}
	p(s)
	n := 0
	for range m {
		clear(m)
		n++
	}
	p(n)
}

func RunRangeMapNested(p Say) {
	m := map[string]map[int]bool{"a": {1: true, 2: true}, "b": {3: true}}
	s := 0
Outer:
	for _, in := range m {
		for k := range in {
			s += k
			if k == 3 {
				continue Outer
			}
		}
	}
	p(s)
}

func RunRangeMapLabelUnused(p Say) {
	m := map[int]int{1: 1, 2: 2}
	n := 0
L:
	for k := range m {
		for range 3 {
			n += k
			if n > 1000 {
				break
			}
			continue L
		}
	}
	p(n)
}

type namedMap map[string]int

func RunRangeMapNamed(p Say) {
	n := 0
	for k, v := range (namedMap{"x": 1, "yy": 2}) {
		n += len(k) * v
	}
	p(n)
}

func RunRangeMapDefer(p Say) {
	f := func() (n int) {
		for _, v := range map[int]int{1: 1, 2: 2} {
			defer func() { n += v }()
		}
		return 0
	}
	p(f())
}

func RunRangeFunc(p Say) {
	seq := func(yield func(int) bool) {
		for v := range closed(1, 2, 3) {
			if !yield(v) {
				return
			}
		}
	}
	c := make(chan int, 9)
	for v := range seq {
		if v == 3 {
			break
		}
		c <- v
		p(<-c)
	}
}

func RunRangeMapBreakInSwitch(p Say) {
	m := map[int]bool{1: true, 2: true, 3: true}
	n := 0
	for k := range m {
		switch {
		case k > 0:
			if n >= 0 {
				break
			}
			p("not reached")
		}
		switch any(k).(type) {
		case int:
			if n >= 0 {
				break
			}
			p("not reached")
		}
		select {
		default:
			break
		}
		n++
	}
	p(n)
}
