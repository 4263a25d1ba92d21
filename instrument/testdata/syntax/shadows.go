package behaviour

import "fmt"

// This file gives names of the language, and of what rewritten code uses, to other
// things.

type shadowT struct {
	s  []int
	m  map[int]int
	b  []byte
	ok bool
}

func newShadow() *shadowT {
	return &shadowT{s: []int{1, 2, 3}, m: map[int]int{1: 2}, b: []byte("abc")}
}

func RunShadowLen(say Say) {
	t := newShadow()
	len, cap, copy := 1, 2, "copy"
	for i, v := range t.s {
		say(i, v, len, cap, copy)
	}
	t.s = append(t.s, len)
	t.b = append(t.b, "de"...)
	for _, v := range &[2]int{4, 5} {
		say(v)
	}
	say(t.s, string(t.b))
}

func RunShadowAppend(say Say) {
	t := newShadow()
	append := func(s []int, n int) []int { return s[n:] }
	delete := func(m map[int]int, k int) { m[k] = 7 }
	clear := func(s []int) { s[0] = 9 }
	copy := func(a, b []int) int { return 3 }
	t.s = append(t.s, 1)
	delete(t.m, 1)
	clear(t.s)
	n := copy(t.s, t.s)
	say(t.s, t.m, n)
}

func RunShadowTrue(say Say) {
	true, false, nil := 1, 2, 3
	t := newShadow()
	c := make(chan int, 1)
	select {
	case c <- true:
		say("sent")
	default:
		say("not sent")
	}
	select {
	case v, ok := <-c:
		say(v, ok)
	}
	_, t.ok = t.m[1]
	say(true, false, nil, t.ok)
	go func(b bool) { c <- 5 }(t.ok == (len(t.s) == 3))
	say(<-c)
}

func RunShadowTypes(say Say) {
	type int string
	type bool string
	type error float64
	t := newShadow()
	var i int = "i"
	var b bool = "b"
	var e error = 1
	f := func() { i, b, e = "j", "c", 2 }
	f()
	t.s[0] = 1 << t.s[1]
	_, t.ok = t.m[1]
	say(i, b, e, t.s, t.ok)
}

func RunShadowPackages(say Say) {
	fmtSprint := fmt.Sprint(1)
	fmt, sched, native, gopor := "fmt", "sched", "native", "gopor"
	c := make(chan string, 4)
	for _, s := range []string{fmt, sched, native, gopor} {
		c <- s
	}
	close(c)
	for s := range c {
		say(s)
	}
	say(fmtSprint)
}

func RunShadowMethods(say Say) {
	c := make(chan func() int, 1)
	len := func(x ...int) func() int { return func() int { return x[0] } }
	c <- len(5)
	select {
	case len := <-c:
		say(len())
	}
}
