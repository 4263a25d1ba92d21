package behaviour

import (
	"fmt"
	"strings"
)

type Say func(...any)

type (
	truth    bool
	named    chan int
	incoming <-chan int
	box      struct {
		v    any
		n    int
		ok   truth
		c    chan int
		list []int
		m    map[string]bool
	}
)

func full(vs ...int) chan int {
	c := make(chan int, len(vs))
	for _, v := range vs {
		c <- v
	}
	return c
}

func RunSendRecv(p Say) {
	c := make(chan int)
	go func() { c <- 41 }()
	p(<-c + 1)
}

func RunCommaOk(p Say) {
	c := full(1, 2)
	close(c)
	v, ok := <-c
	p(v, ok)
	var w, yes = <-c
	p(w, yes)
	v, ok = <-c
	p(v, ok)
	_, ok = (<-c)
	p(ok)
	var a, b any = <-c
	p(a, b)
}

func RunNamedBool(p Say) {
	c := full(7)
	close(c)
	var b box
	b.n, b.ok = <-c
	p(b.n, b.ok)
	var ok truth
	_, ok = <-c
	p(ok)
	m := map[string]truth{}
	b.v, m["x"] = <-c
	p(b.v, m)
}

func RunNamedBoolSpec(p Say) {
	c := make(chan truth, 1)
	c <- true
	var v, ok truth = <-c
	p(v, ok)
}

func RunToFields(p Say) {
	c := full(1, 2, 3)
	b := &box{list: make([]int, 2)}
	b.n = <-c
	b.list[<-c-1] = <-c
	b.v, _ = <-full(9)
	p(b.n, b.list, b.v)
}

func RunHeaders(p Say) {
	c := full(1, 2, 3, 4, 5)
	if v, ok := <-c; ok && v == 1 {
		p("if", v)
	}
	for v := <-c; v < 4; v = <-c {
		p("for", v)
	}
	switch v := <-c; v {
	case 5:
		p("switch", v)
	}
	c <- 3
	switch <-c {
	case 3:
		p("tag")
	}
	d := make(chan int, 3)
	for i := 0; i < 3; d <- i {
		i++
	}
	p(len(d), cap(d))
	if d := full(1); len(d) == cap(d) {
		p("full")
	}
}

func RunNested(p Say) {
	cc := make(chan chan int, 1)
	cc <- full(5)
	p(<-<-cc)
	cc <- full(6, 7)
	c := <-cc
	p(<-c * <-c)
	var out chan<- (<-chan int) = make(chan (<-chan int), 1)
	out <- full(1)
	p(len(out), cap(out))
}

func RunCompare(p Say) {
	c := full(1, 1)
	p(<-c == <-c, !(<-full(2) > 3))
	c2 := c
	p(c == c2, c != nil)
}

func RunSendConversions(p Say) {
	a := make(chan any, 4)
	a <- 1
	a <- "x"
	a <- nil
	a <- fmt.Errorf("e")
	p(<-a, <-a, <-a, <-a)
	f := make(chan float64, 2)
	s := 3
	f <- 1
	f <- 'a'
	p(<-f, <-f)
	e := make(chan error, 1)
	e <- nil
	p(<-e)
	t := make(chan truth, 1)
	t <- s == 3
	p(<-t)
	b := make(chan int8, 1)
	b <- 1 << s
	p(<-b)
	fn := make(chan func() int, 1)
	fn <- func() int { return <-full(4) }
	p((<-fn)())
}

func RunNamedTypes(p Say) {
	c := make(named, 2)
	c <- 1
	var in incoming = (chan int)(c)
	p(<-in, len(in), cap(in), len(c))
	var out chan<- int = c
	out <- 2
	p(len(out), cap(out), <-c)
	close(out)
	_, ok := <-in
	p(ok)
}

func RunArguments(p Say) {
	c := full(1, 2, 3)
	f := func(xs ...int) int { return len(xs) + xs[0] }
	p(f(<-c, <-c, <-c))
	g := func() (int, int) { return <-full(1), <-full(2) }
	p(g())
	p(strings.Repeat("x", <-full(3)), map[int]int{<-full(1): 2}, [2]int{<-full(8), 1})
}

func RunDefer(p Say) {
	c := full(1, 2)
	func() {
		defer close(c)
		defer p("deferred", <-c)
		defer func() { p("later", <-c) }()
		p("now")
	}()
	_, ok := <-c
	p(ok)
}

func RunGoClose(p Say) {
	c := make(chan int)
	go close(c)
	v, ok := <-c
	p(v, ok)
}

func RunShadowed(p Say) {
	close := func(s string) string { return s + "!" }
	len := func(c chan int) int { return 99 }
	make := func(n int) chan int { return nil }
	p(close("mine"), len(make(1)))
}

func catch(p Say, f func()) {
	defer func() { p("recovered", fmt.Sprint(recover())) }()
	f()
}

func RunPanics(p Say) {
	c := make(chan int, 1)
	close(c)
	catch(p, func() { c <- 1 })
	catch(p, func() { close(c) })
	var n chan int
	catch(p, func() { close(n) })
	p(len(n), cap(n))
	catch(p, func() {
		select {
		case c <- 1:
		}
	})
}

func RunPingPong(p Say) {
	a, b := make(chan int), make(chan int)
	go func() {
		for v := range a {
			b <- v * 2
		}
		close(b)
	}()
	for i := range 3 {
		a <- i
		p(<-b)
	}
	close(a)
	_, ok := <-b
	p(ok)
}

func RunSieve(p Say) {
	gen := make(chan int)
	stop := make(chan struct{})
	go func() {
		for i := 2; ; i++ {
			select {
			case gen <- i:
			case <-stop:
				return
			}
		}
	}()
	c := gen
	for range 5 {
		prime := <-c
		p(prime)
		next := make(chan int)
		go func(in <-chan int, out chan<- int) {
			for {
				select {
				case v := <-in:
					if v%prime != 0 {
						select {
						case out <- v:
						case <-stop:
							return
						}
					}
				case <-stop:
					return
				}
			}
		}(c, next)
		c = next
	}
	close(stop)
}

func RunMultiline(p Say) {
	c := make(chan int,
		4)
	c <- 1
	c <- 2 +
		3
	v := // a comment
		<-
		// another
		c
	p(v, (<-c), len(
		c,
	))
}

func RunMake(p Say) {
	n := uint8(2)
	p(cap(make(chan int, n)), cap(make(chan string)), cap(make(named, 'a')), make(<-chan int) == nil)
	catch(p, func() { n := -1; _ = make(chan int, n) })
}

func RunMethodChans(p Say) {
	b := box{c: make(chan int, 1)}
	b.c <- 3
	pb := &b
	p(<-pb.c)
	arr := [2]chan int{full(1), full(2)}
	p(<-arr[0], <-arr[1])
	m := map[string]chan int{"a": full(5)}
	p(<-m["a"], len(m["none"]))
}
