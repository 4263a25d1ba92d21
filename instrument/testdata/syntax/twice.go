package behaviour

// What is in the text twice: outside of executions, and in them, it says the same,
// and says it from the same lines.

// tally is shared, as far as its package can tell.
type tally struct {
	n, m int
	list []int
	next *tally
}

// reuse sets a result by a declaration that declares something else too.
func (t *tally) reuse(p Say) (n int, err error) {
	t.n, t.m = t.m+1, t.n+2
	n, m := t.n+t.m, t.m
	if n, err := here(p, m), err; n > 0 && t.n > 0 && t.m > 0 {
		t.n, t.m = n, here(p, n)
		return n, err
	}
	return
}

// bare returns the results that it has set.
func (t *tally) bare(p Say) (n int, m int) {
	n, m = t.n, t.m
	x, m := here(p, t.n), t.m+1
	n += x
	return
}

// find leaves loops by their labels.
func (t *tally) find(p Say, limit int) int {
	found := 0
rows:
	for i := 0; i < t.m; i++ {
		for j := range t.list {
			switch {
			case t.list[j] == i:
				found += here(p, i)
				continue rows
			case t.list[j] > limit:
				break rows
			}
		}
		goto next
	next:
		found++
	}
	return found
}

// last ends in a statement that ends it.
func (t *tally) last(p Say) int {
	for {
		if t.n += here(p, 1); t.n > t.m {
			return t.n
		}
	}
}

// clause has variables in the scope of its case.
func (t *tally) clause(p Say, v any) int {
	switch v := v.(type) {
	case int:
		n, v := t.n+t.m, v+1
		t.n, t.m = n, v
		return here(p, v)
	case string:
		t.n, t.m = len(v), t.n
	}
	return t.n + t.m
}

// fall goes on with the next case.
func (t *tally) fall(p Say) {
	switch {
	case t.n != -1:
		t.n, t.m = t.n+1, t.m+1
		here(p, 0)
		fallthrough
	case t.n == -1:
		func() { here(p, t.n+t.m) }()
	}
}

func RunTwiceResults(p Say) {
	t := &tally{list: []int{3, 1, 4, 1, 5}, m: 3}
	p(t.reuse(p))
	p(t.bare(p))
	p(t.find(p, 4), t.last(p))
	p(t.clause(p, 7), t.clause(p, "seven"))
	t.fall(p)
	p(*t)
}

// RunTwiceLines moves a literal, in which something is twice, to other lines. What
// comes after it has its own.
func RunTwiceLines(p Say) {
	t := &tally{m: 2}
	var f, g func() int
	go func() { _, _ = f, g }()
	f,
		t.n,
		g =
		func() int {
			for t.n < t.m {
				t.n++ // more
			}
			return t.m
		},
		0,
		func() int { return t.n + t.m }
	here(p, f())
	here(p, g())
	t.m +=
		func() int {
			for t.n < 9 {
				t.n += 3
			}
			return 1
		}()
	here(p, t.m)
}

// later is a literal that is made outside of executions, before any, and used in
// all: its channels have to be those of the execution.
var later = make([]func(c chan int) int, 1)

func init() {
	for i := range later {
		later[i] = func(c chan int) int {
			n := 0
			for range 3 {
				go func() { c <- 1 }()
				n += <-c
			}
			return n
		}
	}
}

func RunTwiceLater(p Say) { p(later[0](make(chan int))) }
