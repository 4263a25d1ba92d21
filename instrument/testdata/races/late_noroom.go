package races

// This file is about variables that are read together with calls and receives where
// there is no room for another statement.

func QuietLateRightOfAnd() {
	n := 0
	_, wait := after(&n, 1)
	ok := true
	use(ok && n == wait())
}

func QuietLateRightOfOr() {
	n := 0
	done, _ := after(&n, 1)
	ok := false
	use(ok || n+1 > <-done)
}

func RaceEarlyRightOfAnd() {
	n := 0
	done, _ := after(&n, 1)
	ok := true
	use(ok && max(n, 2) == <-done)
}

func RaceEarlyRightOfAndAlone() {
	n, m := 0, 0
	_, wait := after(&n, 1)
	ok := true
	use(ok && n == 0 && m == wait())
}

func RaceLateRightOfAnd() {
	n := 0
	done := make(chan int)
	go func() { done <- 1; n = 1 }()
	ok := true
	use(ok && n == <-done)
}

func QuietLateRightOfAndArgument() {
	n := 0
	done, _ := after(&n, 1)
	f := func(a, b int) bool { return a > b }
	ok := true
	use(ok && f(n, <-done))
}

func QuietLateRightOfAndTwo() {
	n, m := 0, 0
	_, wait := after(&n, 1)
	_, wait2 := after(&m, 1)
	ok := true
	use(ok && n+m == wait()+wait2())
}

func RaceEarlyRightOfAndTwo() {
	n, m := 0, 0
	_, wait := after(&n, 1)
	_, wait2 := after(&m, 1)
	ok := true
	use(ok && wait()+n == 2*(m+1), wait2())
}

func QuietLateRightOfAndField() {
	h := &holder{p: &pair{}}
	_, wait := after(&h.p, &pair{1, 2})
	ok := true
	use(ok && h.p.a == wait())
}

func QuietLateRightOfAndPointer() {
	n := 0
	p := &n
	done, _ := after(p, 1)
	ok := true
	use(ok && *p == <-done)
}

func QuietLateRightOfAndElement() {
	s, i := make([]int, 2), 1
	done, _ := after(&s[i], 1)
	ok := true
	use(ok && s[i] == <-done)
}

func RaceEarlyRightOfAndEntry() {
	m := map[int]int{}
	done := make(chan int)
	go func() { m[1] = 2; done <- 1 }()
	ok := true
	use(ok && m[1] == <-done)
}

func QuietEarlyRightOfAndEntry() {
	m := map[int]int{}
	done := make(chan int)
	go func() { done <- 1; m[1] = 2 }()
	ok := true
	use(ok && m[1] == <-done)
}

func QuietLateLoop() {
	n := 0
	done, _ := after(&n, 2)
	for n == <-done {
	}
}

func QuietLateLoopCall() {
	n := 0
	_, wait := after(&n, 2)
	for i := 0; i < n*wait(); i++ {
		break
	}
}

func QuietLateCase() {
	n := 0
	done, _ := after(&n, 1)
	switch {
	case n == <-done:
		n = 3
	}
}

func QuietLateCaseValue() {
	n := 0
	_, wait := after(&n, 1)
	switch 2 {
	case n + wait(), n:
		n = 3
	}
}

func RaceEarlyCaseList() {
	n := 0
	_, wait := after(&n, 1)
	switch 0 {
	case 1 + n, wait():
		n = 3
	}
}

func RaceEarlyTag() {
	n := 0
	done, _ := after(&n, 1)
	switch n {
	case <-done:
		n = 3
	}
}

func QuietLateLabelled() {
	n := 0
	done, _ := after(&n, 1)
again:
	if n == 1+<-done {
		goto again
	}
}

func QuietLateLabelledSwitch() {
	n := 0
	done, _ := after(&n, 1)
out:
	switch n + <-done {
	case 2:
		break out
	}
}

func QuietLateLabelledInit() {
	n := 0
	done, _ := after(&n, 1)
out:
	for i := n + <-done; i < 9; i++ {
		break out
	}
}

func QuietLateGo() {
	n := 0
	done, _ := after(&n, 1)
	go use(n, <-done)
}

func QuietLateGoFunction() {
	h := &holder{}
	_, wait := after(&h.f, func(n int) int { return n })
	go h.f(wait())
}

func QuietLateGoFunctionOfTwo() {
	var f func(int, int)
	done, _ := after(&f, func(int, int) {})
	two := func() (int, int) { return <-done, 2 }
	go f(two())
}

func QuietLateGoReceiver() {
	p := pair{}
	done, _ := after(&p, pair{1, 2})
	go p.sum(<-done)
}

func QuietLateGoBuiltin() {
	s := make([]int, 3)
	done, _ := after(&s, []int{1})
	go copy(s, []int{<-done})
}

func RaceEarlyGo() {
	n := 0
	done, _ := after(&n, 1)
	go use(max(n, 2), <-done)
}

func QuietLateRange() {
	n := 0
	done, _ := after(&n, 1)
	for range n + <-done {
		break
	}
}

func QuietLateRangeOverCall() {
	n := 0
	done, _ := after(&n, 1)
	f := func(a, b int) []int { return make([]int, a+b) }
	for _, v := range f(n, <-done) {
		use(v)
	}
}

func QuietLateSelectSend() {
	n := 0
	done, _ := after(&n, 1)
	c := make(chan int, 1)
	select {
	case c <- n + <-done:
	}
}

func RaceEarlySelectChannel() {
	c := make(chan int, 1)
	_, wait := after(&c, make(chan int, 1))
	select {
	case c <- wait():
	}
}

func QuietLateSelectReceive() {
	n := 0
	done, _ := after(&n, 1)
	f := func(a, b int) chan int { c := make(chan int, 1); c <- a + b; return c }
	select {
	case <-f(n, <-done):
	}
}

func QuietLateSelectAssign() {
	n, a := 0, 0
	done, _ := after(&n, 1)
	f := func(a, b int) chan int { c := make(chan int, 1); c <- a + b; return c }
	select {
	case a = <-f(n, <-done):
	}
	use(a)
}

func QuietLateGroup() {
	n := 0
	done, _ := after(&n, 1)
	var (
		a = 1
		b = n + <-done
	)
	use(a, b)
}

func QuietLateNil() {
	var p *pair
	done, _ := after(&p, &pair{1, 2})
	ok := true
	use(ok && p.a == <-done)
}
