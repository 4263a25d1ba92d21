package behaviour

import "fmt"

func RunSelectForms(p Say) {
	c := full(1, 2, 3, 4, 5, 6)
	select {
	case <-c:
		p("no variable")
	}
	select {
	case v := <-c:
		p(v)
	}
	select {
	case v, ok := <-c:
		p(v, ok)
	}
	var b box
	b.list = make([]int, 3)
	b.m = map[string]bool{}
	select {
	case b.list[len(c)-1] = <-c:
	}
	select {
	case b.v, b.m["x"] = (<-c):
	}
	select {
	case b.n, b.ok = <-c:
	}
	p(b.list, b.v, b.m, b.n, b.ok)
}

func RunSelectDefault(p Say) {
	c := make(chan int, 1)
	for range 3 {
		select {
		case c <- 5:
			p("sent")
		default:
			p("default", len(c))
		}
	}
	select {
	default:
		p("only default")
	}
	var n chan int
	select {
	case <-n:
	case n <- 1:
	default:
		p("nil")
	}
}

func RunSelectNilCases(p Say) {
	var n chan int
	c := full(3)
	select {
	case v := <-n:
		p("nil", v)
	case n <- 1:
		p("nil")
	case v := <-c:
		p(v)
	}
}

func RunSelectOrder(p Say) {
	ch := func(s string, c chan int) chan int { p("chan", s); return c }
	val := func(n int) int { p("value", n); return n }
	var list []int
	at := func(i int) int { p("left", i); return i }
	_ = list
	xs := make([]int, 2)
	select {
	case ch("a", nil) <- val(1):
	case xs[at(0)] = <-ch("b", full(7)):
	case ch("c", nil) <- val(2) + <-full(3):
	case xs[at(1)] = <-ch("d", nil):
	}
	p(xs)
}

func RunSelectSendConversions(p Say) {
	a := make(chan any, 1)
	f := make(chan float64, 1)
	t := make(chan truth, 1)
	e := make(chan error, 1)
	i, s := 1, uint(2)
	select {
	case a <- 1:
	}
	select {
	case f <- 1:
	}
	select {
	case t <- i == 1:
	}
	select {
	case e <- nil:
	}
	b := make(chan int8, 1)
	select {
	case b <- 1 << s:
	}
	p(<-a, <-f, <-t, <-e, <-b)
	select {
	case a <- nil:
		p(<-a)
	}
}

func RunSelectNamedTypes(p Say) {
	c := make(named, 1)
	var in incoming = (chan int)(c)
	var out chan<- int = c
	select {
	case out <- 1:
	case <-in:
	}
	select {
	case v := <-in:
		p(v)
	}
	select {
	case c <- 2:
		p(len(c))
	}
}

func RunSelectClosed(p Say) {
	c := make(chan int)
	close(c)
	select {
	case v, ok := <-c:
		p(v, ok)
	}
}

func selectReturns(c, d chan int) string {
	select {
	case v := <-c:
		return fmt.Sprint("c", v)
	case v, ok := <-d:
		return fmt.Sprint("d", v, ok)
	}
}

func RunSelectTerminates(p Say) {
	p(selectReturns(full(1), nil), selectReturns(nil, full(2)))
	f := func(c chan int) int {
	L:
		select {
		case <-c:
			return 1
		default:
			goto L
		}
	}
	p(f(full(1)))
}

func RunSelectBreak(p Say) {
	c := full(1, 2, 3, 4, 5)
L:
	for {
		select {
		case v := <-c:
			if v == 2 {
				break
			}
			if v == 3 {
				continue
			}
			if v == 5 {
				break L
			}
			p(v)
		}
		p("after")
	}
	p("end")
}

func RunSelectLabel(p Say) {
	c := full(1, 2)
S:
	select {
	case v := <-c:
		for {
			p(v)
			break S
		}
		p("never")
	}
	n := 0
T:
	select {
	case v := <-c:
		for v == 2 {
			c <- 3
			goto T
		}
		p("T", v)
		for {
			if n++; n > 2 {
				break T
			}
		}
		p("never")
	}
G:
	select {
	default:
		if n++; n < 6 {
			goto G
		}
		p("G", n)
	}
}

func RunSelectGoto(p Say) {
	c := full(1, 2)
again:
	select {
	case v := <-c:
		p(v)
		if v == 1 {
			goto again
		}
		goto out
	}
	p("never")
out:
	p("out")
}

func RunSelectContinueOuter(p Say) {
	c := full(1, 2, 3)
Outer:
	for i := range 3 {
		for {
			select {
			case v := <-c:
				p(i, v)
				continue Outer
			}
		}
	}
}

func RunSelectNested(p Say) {
	c, d := full(1, 2), full(3)
	select {
	case v := <-c:
		select {
		case w := <-d:
			p(v, w)
			select {
			case x, ok := <-c:
				p(x, ok)
			default:
			}
		case d <- v:
		}
	}
	select {
	case v := <-func() chan int {
		select {
		case c <- 1:
		default:
		}
		return c
	}():
		p(v)
	}
}

func RunSelectShadow(p Say) {
	c := full(1, 2)
	v := "outer"
	select {
	case v := <-c:
		c := "inner"
		p(v, c)
		{
			v := v + 1
			p(v)
		}
	}
	select {
	case c := <-c:
		p(c)
	}
	p(v)
}

func RunSelectClosures(p Say) {
	c := full(1, 2, 3)
	var fs []func() int
	for len(c) > 0 {
		select {
		case v := <-c:
			fs = append(fs, func() int { v++; return v })
		}
	}
	for _, f := range fs {
		p(f(), f())
	}
}

func RunSelectRace(p Say) {
	a, b, done := make(chan int), make(chan int), make(chan bool)
	sum := 0
	go func() { a <- 1; done <- true }()
	go func() { b <- 2; done <- true }()
	go func() { p("got", <-a+<-b); done <- true }()
	for range 3 {
		select {
		case <-done:
			sum++
		}
	}
	p(sum)
}

func RunSelectBoth(p Say) {
	in, out := make(chan int), make(chan int)
	end := make(chan struct{})
	go func() {
		var q []int
		for {
			var send chan<- int
			var first int
			if len(q) > 0 {
				send, first = out, q[0]
			}
			select {
			case v, ok := <-in:
				if !ok {
					close(end)
					return
				}
				q = append(q, v)
			case send <- first:
				q = q[1:]
			}
		}
	}()
	for i := range 4 {
		in <- i
	}
	for range 4 {
		p(<-out)
	}
	close(in)
	<-end
}

func RunSelectMultiline(p Say) {
	c := full(1)
	d := make(chan int)
	select {
	case v :=
		<-c:
		p(v)
	case d <- // why
	func() int {
		return 3
	}():
		p("sent")
	}
	select {
	case full(
		1,
	) <- 2:
	case v, ok := <-full(
		4,
	): // comment
		p(v, ok)
	}
}

func RunSelectReceiveInOperand(p Say) {
	cc := make(chan chan int, 1)
	cc <- full(5)
	select {
	case v := <-<-cc:
		p(v)
	}
	d := make(chan int, 1)
	select {
	case d <- <-full(6):
		p(<-d)
	}
}

func RunSelectDeferAndReturn(p Say) {
	f := func(c chan int) (n int) {
		defer func() { n *= 2 }()
		select {
		case n = <-c:
			return
		}
	}
	p(f(full(21)))
}

func RunSelectInSwitch(p Say) {
	c := full(1, 2)
	switch {
	case true:
		select {
		case <-c:
			if len(c) == 1 {
				break
			}
			p("never")
		}
		p("in switch")
		fallthrough
	case false:
		select {
		case v := <-c:
			p(v)
		}
	}
}

func RunSelectTypeSwitch(p Say) {
	c := make(chan any, 2)
	c <- 1
	c <- "s"
	for range 2 {
		select {
		case v := <-c:
			switch v := v.(type) {
			case int:
				p("int", v)
			case string:
				p("string", v)
			}
		}
	}
	c <- 2.5
	switch v := (<-c).(type) {
	case float64:
		p(v)
	}
}
