package races

import "sync"

// This file is about when accesses happen: after all that the values and the
// operands wait for.

func QuietReadAtReceivedKey() {
	m := map[int]int{}
	c := make(chan int)
	go func() { m[1] = 2; c <- 1 }()
	_ = m[<-c]
}

func QuietReadAtReceivedKeyOK() {
	m := map[int]int{}
	c := make(chan int)
	go func() { m[1] = 2; c <- 1 }()
	_, ok := m[<-c]
	if v, ok2 := m[1]; ok != ok2 || v != 2 {
		panic("lost")
	}
}

func QuietWriteAtReceivedKey() {
	m := map[int]bool{}
	c := make(chan int)
	go func() { m[1] = false; c <- 1 }()
	m[<-c] = true
}

func QuietWriteNilAtReceivedKey() {
	m := map[int][]int{}
	c := make(chan int)
	go func() { m[1] = []int{1}; c <- 1 }()
	m[<-c] = nil
}

func QuietUpdateAtReceivedKey() {
	m := map[int]int{}
	c := make(chan int)
	go func() { m[1] = 2; c <- 1 }()
	m[<-c]++
}

func QuietWriteReceivedValue() {
	m := map[int]int{}
	c := make(chan int)
	go func() { m[1] = 2; c <- 1 }()
	m[2] = <-c
}

func QuietDeleteReceivedKey() {
	m := map[int]int{}
	c := make(chan int)
	go func() { m[1] = 2; c <- 1 }()
	delete(m, <-c)
}

func QuietIndexReceived() {
	s := make([]int, 2)
	c := make(chan int)
	go func() { s[1] = 2; c <- 1 }()
	_ = s[<-c]
}

func QuietIndexReceivedWrite() {
	s := make([]int, 2)
	c := make(chan int)
	go func() { s[1] = 2; c <- 1 }()
	s[<-c] = 5
}

func QuietCopyReceived() {
	s := make([]int, 2)
	c := make(chan []int)
	go func() { s[1] = 2; c <- []int{1} }()
	n := copy(s, <-c)
	_ = n
}

func QuietCopyReceivedStatement() {
	s := make([]int, 2)
	c := make(chan []int)
	go func() { s[1] = 2; c <- []int{1} }()
	copy(s, <-c)
}

func QuietCopyParts() {
	s := make([]int, 4)
	two := []int{1, 2}
	both(func() { n := copy(s, two); _ = n }, func() { n := copy(s[2:], two); _ = n })
}

func QuietCopyFromParts() {
	s := make([]int, 4)
	both(func() { _ = copy(make([]int, 2), s) }, func() { s[2] = 1 })
}

func QuietCopyString() {
	s := make([]byte, 4)
	both(func() { _ = copy(s, "ab") }, func() { s[2] = 1 })
}

func RaceCopy() {
	s := make([]int, 4)
	both(func() { n := copy(s, []int{1, 2}); _ = n }, func() { s[1] = 1 })
}

func RaceCopyStatement() {
	s := make([]int, 4)
	both(func() { copy(s, []int{1, 2}) }, func() { s[1] = 1 })
}

func RaceCopyFrom() {
	s := make([]int, 4)
	both(func() { n := copy(make([]int, 2), s); _ = n }, func() { s[1] = 1 })
}

func RaceCopyString() {
	s := make([]byte, 4)
	both(func() { n := copy(s, "abc"); _ = n }, func() { s[2] = 1 })
}

func RaceAppendAssign() {
	base := make([]int, 1, 4)
	both(func() { a := []int{}; a = append(base, 1); _ = a }, func() { b := []int{}; b = append(base, 2); _ = b })
}

func RaceAppendDefine() {
	base := make([]int, 1, 4)
	both(func() { a := append(base, 1); _ = a }, func() { b := append(base, 2); _ = b })
}

func RaceAppendArgument() {
	base := make([]int, 1, 4)
	use := func([]int) {}
	both(func() { use(append(base, 1)) }, func() { use(append(base, 2)) })
}

func RaceAppendReturn() {
	base := make([]byte, 1, 8)
	add := func(s string) []byte { return append(base, s...) }
	both(func() { add("a") }, func() { add("b") })
}

func RaceAppendVar() {
	base := make([]int, 1, 4)
	both(func() { var a = append(base, 1); _ = a }, func() { base[:2][1] = 3 })
}

func RaceAppendGrows() {
	base := make([]int, 1)
	both(func() { a := append(base, 1); _ = a }, func() { base[0] = 3 })
}

func QuietAppendGrows() {
	base := make([]int, 1)
	both(func() { a := append(base, 1); _ = a }, func() { b := append(base, 2); _ = b })
}

func QuietAppendInPlace() {
	base := make([]int, 1, 4)
	both(func() { a := append(base, 1); _ = a }, func() { base[0] = 3 })
}

func QuietAppendReceived() {
	base := make([]int, 1, 4)
	c := make(chan int)
	go func() { base[:2][1] = 3; c <- 1 }()
	a := append(base, <-c)
	_ = a
}

func RaceAppendSpread() {
	base := make([]int, 1, 4)
	both(func() { a := append([]int{}, base...); _ = a }, func() { base[0] = 3 })
}

func RaceMapRangeGoesOn() {
	m := map[int]int{1: 1, 2: 2}
	c, done := make(chan int), make(chan bool)
	go func() { <-c; m[1] = 3; done <- true }()
	first := true
	for range m {
		if first {
			c <- 1
			first = false
		}
	}
	<-done
}

func QuietMapRange() {
	m := map[int]int{1: 1, 2: 2}
	c := make(chan int)
	go func() {
		for k := range m {
			_ = k
		}
		c <- 1
	}()
	<-c
	m[3] = 1
}

func RaceMapRangeValue() {
	m := map[int]int{1: 1}
	both(func() {
		for range m {
		}
	}, func() { m[1] = 2 })
}

func RaceSliceRange() {
	s := []int{1, 2}
	both(func() {
		for _, v := range s {
			_ = v
		}
	}, func() { s[1] = 2 })
}

func QuietSliceRangeIndexes() {
	s := []int{1, 2}
	both(func() {
		for i := range s {
			_ = i
		}
	}, func() { s[1] = 2 })
}

func QuietSliceRangeStops() {
	s := []int{1, 2}
	both(func() {
		for _, v := range s {
			if v == 1 {
				break
			}
		}
	}, func() { s[1] = 2 })
}

func RaceDeferredDelete() {
	m := map[int]int{}
	both(func() { defer delete(m, 1) }, func() { m[2] = 1 })
}

func QuietDeferredDelete() {
	m := map[int]int{}
	var mu sync.Mutex
	both(func() { mu.Lock(); defer mu.Unlock(); defer delete(m, 1) }, func() { mu.Lock(); m[2] = 1; mu.Unlock() })
}

func RaceDeferredClear() {
	m := map[int]int{}
	both(func() { defer clear(m) }, func() { m[2] = 1 })
}

func RaceDeferredCopy() {
	s := make([]int, 2)
	both(func() { defer copy(s, []int{1}) }, func() { s[0] = 1 })
}

func RaceClear() {
	s := make([]int, 2)
	both(func() { clear(s) }, func() { s[1] = 1 })
}

func RaceSelectAssigns() {
	c := make(chan int, 1)
	c <- 1
	n := 0
	both(func() {
		select {
		case n = <-c:
		default:
		}
	}, func() { n = 2; _ = n })
}

func RaceSelectAssignsOK() {
	c := make(chan int, 1)
	c <- 1
	ok := false
	both(func() {
		select {
		case _, ok = <-c:
		}
	}, func() { ok = true; _ = ok })
}

func QuietSelectNotChosen() {
	c := make(chan int)
	n := 0
	both(func() {
		select {
		case n = <-c:
		default:
		}
	}, func() { n = 2; _ = n })
}

func RaceRangeAssigns() {
	var n int
	both(func() {
		for n = range 2 {
		}
	}, func() { n = 2; _ = n })
}

func RaceChanRangeAssigns() {
	n := 0
	c := make(chan int, 1)
	c <- 1
	close(c)
	both(func() {
		for n = range c {
		}
	}, func() { n = 2; _ = n })
}

func RaceMapRangeAssigns() {
	n := 0
	m := map[int]int{1: 1}
	both(func() {
		for n = range m {
		}
	}, func() { n = 2; _ = n })
}

func RaceIteratorAssigns() {
	n := 0
	both(func() {
		for n = range func(yield func(int) bool) { yield(1) } {
		}
	}, func() { n = 2; _ = n })
}

func RaceSwap() {
	a, b := 1, 2
	both(func() { a, b = b, a }, func() { b = 3 })
}

func RaceCommaOK() {
	m := map[int]int{}
	ok := false
	both(func() { _, ok = m[1] }, func() { ok = true; _ = ok })
}

func RaceShift() {
	n := uint8(1)
	both(func() { n <<= 1 }, func() { n &^= 1 })
}

func RaceStringBytes() {
	b := []byte("abc")
	both(func() { _ = string(b) }, func() { b[1] = 'x' })
}

func RaceArrayFromSlice() {
	b := []int{1, 2, 3}
	both(func() { _ = [2]int(b) }, func() { b[1] = 4 })
}

func QuietArrayFromSlice() {
	b := []int{1, 2, 3}
	both(func() { _ = [2]int(b) }, func() { b[2] = 4 })
}

func RaceCondition() {
	b := false
	both(func() { b = true; _ = b }, func() {
		for !b {
			break
		}
	})
}

func RaceHeader() {
	n, m := 0, 0
	both(func() {
		if n, m = 1, 2; m > 0 {
			return
		}
	}, func() { m = 3; _ = n })
}

func QuietGoArgument() {
	n := 1
	done := make(chan int)
	go func(k int) { done <- k }(n)
	n = 2
	<-done
}

func QuietDeferArgument() {
	var mu sync.Mutex
	n := 1
	f := func() {
		mu.Lock()
		defer mu.Unlock()
		defer func(k int) {}(n)
		n++
	}
	both(f, f)
}

func QuietWriteAfterCall() {
	n := 0
	_ = n
	wait := make(chan int)
	go func() { n = 1; wait <- 2 }()
	n = <-wait
}

func QuietUpdateAfterCall() {
	n := 0
	wait := make(chan int)
	go func() { n = 1; wait <- 2 }()
	n += <-wait
}

func QuietElementAfterCall() {
	s := []int{1, 2}
	wait := make(chan int)
	go func() { s[0] = 1; wait <- 2 }()
	s[0], s[1] = <-wait, 3
}

func QuietNilMap() {
	var m map[int]int
	both(func() { delete(m, 1) }, func() { delete(m, 1); _ = m[2] })
}
