package behaviour

func sum[C ~chan int](c C) (n int) {
	for v := range c {
		n += v
	}
	return n
}

func generic[C ~chan T, T any](c C, v T, p Say) {
	c <- v
	p(len(c), cap(c))
	w, ok := <-c
	p(w, ok)
	select {
	case c <- v:
	default:
	}
	select {
	case x := <-c:
		p(x)
	}
	d := make(C, 1)
	d <- v
	close(d)
	for v := range d {
		p(v)
	}
	_, ok = <-d
	p(ok)
}

func RunGenericChan(p Say) {
	generic(make(named, 2), 5, p)
	generic(make(chan string, 2), "s", p)
	generic(make(chan any, 2), nil, p)
	p(sum(closed(1, 2)), sum(named(closed(3))))
}

func either[C chan int | <-chan int](c C) (int, int) { return <-c, len(c) }

func into[C chan<- T | chan T, T any](c C, v T) int {
	c <- v
	close(c)
	return len(c) + cap(c)
}

func onto[C chan T | chan<- T, T any](c C, v T) int {
	c <- v
	return len(c)*10 + cap(c)
}

func RunGenericDirections(p Say) {
	p(onto(make(chan int, 3), 3), onto((chan<- int)(make(chan int, 2)), 3))
	p(either(full(1)))
	p(either((<-chan int)(full(2))))
	p(into(make(chan int, 1), 3))
	p(into((chan<- int)(make(chan int, 2)), 3))
}

func pass[T any](c chan<- T, v T) { c <- v }

type pipe[T any] struct{ c chan T }

func (q pipe[T]) put(v T) { q.c <- v }
func (q pipe[T]) get() (v T, ok bool) {
	select {
	case v, ok = <-q.c:
	default:
	}
	return
}

func RunGenericGo(p Say) {
	c := make(chan int, 1)
	go pass(c, 1)
	p(<-c)
	go pass[int](c, 2)
	p(<-c)
	go pass[int](c, int(<-full(3)))
	p(<-c)
	a := make(chan any, 1)
	x := 4
	go pass[any](a, x)
	p(<-a)
	q := pipe[string]{make(chan string)}
	go q.put("q")
	p(<-q.c)
	p(q.get())
	go apply(pass[int], c, 5)
	p(<-c)
	go apply(pass, c, 6)
	p(<-c)
}

func apply[T any](f func(chan<- T, T), c chan T, v T) { f(c, v) }

func keysum[M ~map[K]V, K comparable, V int | int8](m M) (n V) {
	for _, v := range m {
		n += v
	}
	for k := range m {
		if _, ok := m[k]; ok {
			n++
		}
	}
	return n
}

func RunGenericMap(p Say) {
	p(keysum(namedMap{"a": 1, "b": 2}), keysum(map[float64]int8{1: 1}))
}
