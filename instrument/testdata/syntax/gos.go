package behaviour

import "fmt"

type counter struct {
	n    int
	done chan string
}

func (c counter) report()           { c.done <- fmt.Sprint("value ", c.n) }
func (c *counter) point(s string)   { c.done <- fmt.Sprint("pointer ", c.n, s) }
func (c *counter) many(xs ...any)   { c.done <- fmt.Sprint(xs...) }
func (c *counter) result() int      { c.done <- "result"; return 1 }
func send(c chan string, xs ...int) { c <- fmt.Sprint(len(xs), xs) }

type reporter interface{ report() }

func RunGoReceiver(p Say) {
	c := counter{1, make(chan string, 9)}
	go c.report()
	c.n = 2
	p(<-c.done)
	go c.point("x")
	p(<-c.done)
	var r reporter = c
	go r.report()
	r = nil
	p(<-c.done)
	f := c.report
	go f()
	f = nil
	p(<-c.done)
	go counter.report(c)
	p(<-c.done)
	go (*counter).point(&c, "y")
	p(<-c.done)
	go c.result()
	p(<-c.done)
}

func RunGoEvaluatesNow(p Say) {
	c := make(chan string, 3)
	i := 1
	f := send
	go f(c, i, i+1)
	i, f = 5, nil
	p(<-c)
	xs := []int{1, 2}
	go send(c, xs...)
	xs = nil
	p(<-c)
	go send(c)
	p(<-c)
	go send(c, nil...)
	p(<-c)
}

func RunGoLiteral(p Say) {
	c := make(chan int, 1)
	for i := range 3 {
		go func(n int, s string) { c <- n + len(s) }(i, "ab")
		p(<-c)
	}
	x := 1
	go func() { c <- x }()
	p(<-c)
	go func() int { c <- 8; return 1 }()
	p(<-c)
	go (func() { c <- 9 })()
	p(<-c)
	go func(
		a int,
		b ...int,
	) {
		c <- a + len(b)
	}(
		1, // one
		2,
		3,
	)
	p(<-c)
}

func RunGoConstants(p Say) {
	c := make(chan string, 1)
	f := func(a any, b float64, e error, s []int, t truth, x int8, fn func()) {
		c <- fmt.Sprintf("%T %v %v %v %v %v %v", a, b, e, s == nil, t, x, fn == nil)
	}
	i, s := 1, uint(3)
	go f(1, 2, nil, nil, true, 3, nil)
	p(<-c)
	go f(i == 1, 'a', fmt.Errorf("e"), []int{}, i == 1, 1<<s, func() {})
	p(<-c)
	go f("x"+"y", 1<<3, nil, nil, !(i == 1) && i == 2, -1<<s, nil)
	p(<-c)
	go f(truth(i == 1), 1, nil, nil, truth(true) && i == 1, 0, nil)
	p(<-c)
}

func RunGoMulti(p Say) {
	c := make(chan string, 1)
	two := func() (int, string) { return 1, "two" }
	go func(n int, s string) { c <- fmt.Sprint(n, s) }(two())
	p(<-c)
	go func(a any, xs ...any) { c <- fmt.Sprint(a, xs) }(two())
	p(<-c)
}

func RunGoBuiltins(p Say) {
	done := make(chan int)
	src, dst := []int{1, 2}, make([]int, 2)
	m := map[string]int{"a": 1}
	go copy(dst, src)
	go delete(m, "a")
	go close(done)
	go print()
	go clear(map[int]int{})
	<-done
	p("done")
}

func RunGoOrder(p Say) {
	c := make(chan int, 1)
	note := func(s string) int { p(s); return len(s) }
	fn := func() func(int, int) { p("fn"); return func(a, b int) { c <- a*10 + b } }
	go fn()(note("a"), note("bb"))
	p("after")
	p(<-c)
	d := full(3, 4)
	go func(a, b int) { c <- a - b }(<-d, <-d)
	p(len(d), <-c)
}

func RunGoArgumentPanics(p Say) {
	var r reporter
	catch(p, func() { go r.report() })
	var c *counter
	catch(p, func() { go c.report() })
	catch(p, func() { go send(c.done, 1) })
}

func RunGoLabelled(p Say) {
	c := make(chan int, 9)
	i := 0
again:
	go func(n int) { c <- n }(i)
	p(<-c)
	if i++; i < 2 {
		goto again
	}
}

func RunGoNested(p Say) {
	c := make(chan int)
	go func() {
		go func(n int) {
			go func() { c <- n }()
		}(<-full(4))
	}()
	p(<-c)
}

func RunGoInBodies(p Say) {
	c := make(chan int, 9)
	switch {
	case true:
		go func() { c <- 1 }()
		p(<-c)
	default:
	}
	if true {
		go func(n int) { c <- n }(2)
	}
	p(<-c)
}
