package behaviour

import "fmt"

// This file is about operands that are read after calls in the same statement.

type lateT struct {
	a, b int
	next *lateT
}

func (t *lateT) add(n int) int { t.a += n; return n }

func RunLateLines(p Say) {
	n := 1
	keep(func() { n = 2 })
	t := &lateT{
		a: n, // with a comment
		b: here(p, 1) + n +
			here(p, 2),
		/* and another
		one */
		next: &lateT{a: here(p,
			here(p, 3)), b: func() int {
			n++
			return here(p, 4)
		}()},
	}
	here(p, n+t.a+t.b+t.next.a)
	a, b := n, here(p,
		here(p, n)+here(p, 5))
	here(p, a+b)
	n, t.a = n+
		here(p, 6), t.a*
		here(p, 7)
	here(p, n)
	if c := n + here(p,
		8); c+t.a >
		here(p, 9) {
		here(p, 10)
	} else if t.b >
		here(p, 11) {
		here(p, 12)
	}
	switch n +
		here(p, 13) {
	case 3:
	default:
		here(p, 14)
	}
	blame(p, func() {
		t.next.next.a = n + here(p, 15)
	})
	blame(p, func() {
		fmt.Sprint(t.a,
			t.next.next.b,
			here(p, 16),
		)
	})
	here(p, 17)
}

func RunLateValues(say Say) {
	t := &lateT{a: 1, b: 2}
	keep(func() { t = nil })
	pair := func() (int, int) { return t.a, t.add(1) }
	named := func() (x, y int) { defer func() { x++ }(); return t.a, t.add(1) }
	say(pair())
	say(named())
	say(t.a, t.add(2), t.a+t.add(3), len(fmt.Sprint(t.a))+t.add(1000), t.a)
	a, b := t.a, t.add(4)
	var c, d = t.a, t.add(5)
	say(a, b, c, d)
	if t.a == t.add(6) || t.a > 0 && t.a < 10*t.add(7) {
		say("yes")
	}
	if x := t.a - t.add(8); x > t.a-t.add(9) {
		say(x)
	} else if t.a&^t.add(10) > 0 {
		say(x, t.a)
	}
	switch y := t.add(1); t.a % (1 + t.add(2)) {
	case y:
		say("one")
	default:
		say(y)
	}
	func() {
		defer say(t.a, t.add(1))
		t.add(1)
	}()
	goto done
done:
	say([]int{t.a, t.add(1)}, []any{t.a, t.add(1)}, *t, t.add(1))
	list := []int{1, 2, 3}
	keep(func() { list = nil })
	grow := func(n int) int { list = append([]int{n}, list...); return n }
	list[len(list)-1] = grow(8)
	list[len(list)-1], list[1] = grow(9), list[2]
	list[len(list)-2] += grow(10)
	say(list, len(list)+grow(11), list[:2], grow(12), list)
	show := func(list []int) bool { say(list); return true }
	say(len(list) > 0 && show(append(list, grow(13))))
	lists := map[int][]int{}
	keep(func() { lists = nil })
	say(len(list) > 0 && len([]map[int][]int{lists, {1: {grow(14)}}}) == 2)
	ch := make(chan int, 2)
	ch <- t.a + t.add(3)
	var arr [256]int
	arr[t.a&0xff] = t.add(2)
	arr[t.a&0xff], arr[0] = t.add(2), t.a
	say(<-ch, arr[0], t.a > t.add(1), t.a)
	type flag bool
	var f flag = t.a > t.add(1) && t.add(2) > 0
	say(f == (t.a < t.add(5)), f)
	flags := []flag{true}
	keep(func() { flags = nil })
	more := func() int { flags = append([]flag{false}, flags...); return t.add(1) }
	func() {
		flag := t.a // a temporary cannot be of the type
		flags = append(flags, t.a > flag && more() > 0, flag > more())
		flags[len(flags)-1], f = t.a < flag && more() > 0, flag < 0 || t.a == more()
		say(len(flags), t.a, flags[0] == (t.a > 0 && more() > 0), t.a)
	}()
	say(flags, f)
	var own []int // by this goroutine only
	grown := func() int { own = append(own, 9); return 1 }
	own = append(own, grown())
	say(own, append(own, grown()), own)
	t.a, _ = t.b, t.add(1)
	_, t.a, _ = t.add(1), t.b+1, t.a > t.add(2) && t.add(3) > 0
	say(t.a)
	try(say, func() {
		var none *lateT
		t.a, _ = 1, none.a == 2
		say("not reached")
	})
	try(say, func() {
		defer func() { say(recover(), t.a+t.add(1)) }()
		panic(t.a + t.add(1))
	})
}
