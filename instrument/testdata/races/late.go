package races

import "fmt"

// This file is about variables that are read together with calls and receives in
// one statement: the compiler reads them after those.

// after writes what p points to in another goroutine, and returns how to wait for
// that.
func after[T any](p *T, v T) (done chan int, wait func() int) {
	done = make(chan int)
	go func() { *p = v; done <- 1 }()
	return done, func() int { return <-done }
}

type pair struct{ a, b int }

func (p pair) sum(n int) int { return p.a + n }

type holder struct {
	p *pair
	n int
	f func(int) int
	c chan int
}

func use(...any) {}

func QuietLateReturn() {
	n := 0
	done, _ := after(&n, 1)
	f := func() (int, int) { return n, <-done }
	use(f())
}

func QuietLateReturnNamed() {
	n := 0
	done, _ := after(&n, 1)
	f := func() (a, b int) {
		defer func() { a++ }()
		return n, <-done
	}
	use(f())
}

func QuietLateSum() {
	n := 0
	_, wait := after(&n, 1)
	use(n + wait())
}

func QuietLateDefine() {
	n := 0
	done, _ := after(&n, 1)
	a := n + <-done
	use(a)
}

func QuietLateVar() {
	n := 0
	done, _ := after(&n, 1)
	var a, b = n, <-done
	use(a, b)
}

func QuietLateAssign() {
	n, a, b := 0, 0, 0
	done, _ := after(&n, 1)
	a, b = n, <-done
	use(a, b)
}

func QuietLateIndex() {
	n := 0
	var a [3]int
	done, _ := after(&n, 1)
	a[n] = <-done
	use(a)
}

func QuietLateArgument() {
	n := 0
	done, _ := after(&n, 1)
	use(n, <-done)
}

func RaceEarlyBuiltin() {
	n := 0
	done, _ := after(&n, 1)
	use(max(n, 2), <-done)
}

func QuietLateInterface() {
	n := 0
	_, wait := after(&n, 1)
	use(fmt.Sprint(n, wait()))
}

func QuietLateStruct() {
	n := 0
	done, _ := after(&n, 1)
	use(pair{n, <-done}, &pair{a: 1})
}

func QuietLateStructLines() {
	n := 0
	done, _ := after(&n, 1)
	p := &pair{
		a: n, // read when done
		b: <-done,
	}
	use(p)
}

func QuietLateSlice() {
	n := 0
	done, _ := after(&n, 1)
	use([]int{n, <-done})
}

func RaceEarlyMapEntry() {
	n := 0
	done, _ := after(&n, 1)
	use(map[int]int{1: n, 2: <-done})
}

func QuietLatePointer() {
	n := 0
	p := &n
	done, _ := after(p, 1)
	use(*p + <-done)
}

func QuietLateField() {
	h := &holder{p: &pair{}}
	_, wait := after(&h.p, &pair{1, 2})
	use(h.p.a + wait())
}

func QuietLateElement() {
	s := make([]int, 2)
	done, _ := after(&s[1], 1)
	use(s[1] + <-done)
}

func QuietLateSliceVariable() {
	s := make([]int, 2)
	done, _ := after(&s, []int{1, 2})
	use(s[1] + <-done)
}

func QuietLateElementAt() {
	s := make([]int, 2)
	done, _ := after(&s, []int{1, 2})
	use(s[<-done])
}

// An entry is read where it stands: the compiler has it so if it compiles with -race.
func RaceEarlyEntry() {
	m := map[int]int{}
	done := make(chan int)
	go func() { m[1] = 2; done <- 1 }()
	use(m[1] + <-done)
}

func QuietLateReceiver() {
	p := pair{}
	done, _ := after(&p, pair{1, 2})
	use(p.sum(<-done))
}

func QuietLateFunction() {
	h := &holder{}
	_, wait := after(&h.f, func(n int) int { return n })
	use(h.f(wait()))
}

func QuietLateChannel() {
	h := &holder{}
	_, wait := after(&h.c, make(chan int, 1))
	h.c <- wait()
}

func QuietLateSend() {
	n := 0
	done, _ := after(&n, 1)
	c := make(chan pair, 1)
	c <- pair{n, <-done}
}

func RaceEarlyLength() {
	s := make([]int, 2)
	done, _ := after(&s, nil)
	use(len(s) + <-done)
}

func RaceEarlyPart() {
	s := make([]int, 2)
	done, _ := after(&s, nil)
	use(s[:0], <-done)
}

func RaceEarlyAssertion() {
	var x any = 1
	done, _ := after(&x, any(2))
	use(x.(int) + <-done)
}

func RaceEarlyCall() {
	n := 0
	done, _ := after(&n, 1)
	f := func(n int) int { return n }
	use(f(n) + <-done)
}

func QuietLateCall() {
	n := 0
	done, _ := after(&n, 1)
	f := func(int, int) int { return 1 }
	use(f(n, <-done) + n)
}

func RaceEarlyAnd() {
	b := false
	_, wait := after(&b, true)
	use(b && wait() == 1)
}

func RaceEarlyAndTogether() {
	b := false
	_, wait := after(&b, true)
	use(b && true, wait())
}

func QuietLateAnd() {
	n := 0
	_, wait := after(&n, 1)
	ok := true
	use(n == wait() && ok)
}

func QuietLateCondition() {
	n := 0
	done, _ := after(&n, 1)
	if n == <-done {
		n = 3
	}
}

func QuietLateConditionInit() {
	n, k := 0, 0
	done, _ := after(&n, 1)
	if k++; k > 2 {
		n = 4
	} else if m := k; n+m == <-done {
		n = 3
	}
}

func QuietLateInit() {
	n := 0
	done, _ := after(&n, 1)
	if a := n + <-done; a > 0 {
		n = 3
	}
}

func QuietLateTag() {
	n := 0
	done, _ := after(&n, 1)
	switch n + <-done {
	case 1:
		n = 3
	}
}

func QuietLateTwo() {
	n, m := 0, 0
	done, _ := after(&n, 1)
	done2, _ := after(&m, 1)
	use(n+<-done, m+<-done2)
}

func QuietLateDefer() {
	n := 0
	done, _ := after(&n, 1)
	defer use(n, <-done)
}

func QuietLateUpdate() {
	n, a := 0, 0
	done, _ := after(&n, 1)
	a += n * <-done
	use(a)
}

func QuietLateTuple() {
	n := 0
	done, _ := after(&n, 1)
	f := func() (int, int) { return <-done, 1 }
	var a [2]int
	var b int
	a[n], b = f()
	use(a, b)
}

func RaceLate() {
	n := 0
	done := make(chan int)
	go func() { done <- 1; n = 1 }()
	use(n + <-done)
}

func RaceLateBefore() {
	n := 0
	done, _ := after(&n, 1)
	a := n
	use(a + <-done)
}

func QuietLateLength() {
	n := 0
	done, _ := after(&n, 1)
	f := func(n int) []int { return make([]int, n) }
	use(n + len(f(<-done)))
}
