package races

// This file is about the way of an address through the program, where it has to be
// followed for a goroutine to be seen that uses it.

// peek reads, and is started in the functions below as a method value.
func (t *T) peek(done chan bool) {
	_ = t.a
	done <- true
}

func startPeek(t *T, done chan bool) {
	f := t.peek
	go f(done)
}

func RaceMethodValueStartedByCallee() {
	var t T
	done := make(chan bool)
	startPeek(&t, done)
	t.a = 1
	<-done
}

func QuietMethodValueStartedByCallee() {
	var t T
	t.a = 1
	done := make(chan bool)
	startPeek(&t, done)
	<-done
}

func RaceMethodValueStartedByLiteral() {
	var t T
	done := make(chan bool)
	func(t *T) { f := t.peek; go f(done) }(&t)
	t.a = 1
	<-done
}

func RaceMethodValueStartedByMethodValue() {
	var t T
	done := make(chan bool)
	f := t.startPeek
	f(done)
	t.a = 1
	<-done
}

func (t *T) startPeek(done chan bool) {
	f := t.peek
	go f(done)
}

func startBySelf(p *T, done chan bool) {
	if p != nil {
		f := p.peek
		go f(done)
		return
	}
	var t T
	startBySelf(&t, done)
	t.a = 1
	<-done
}

func RaceMethodValueStartedByRecursion() { startBySelf(nil, make(chan bool)) }

func writeBySelf(p *T) {
	if p != nil {
		p.a = 1
		return
	}
	var t T
	done := make(chan bool)
	go func() { _ = t.a; done <- true }()
	writeBySelf(&t)
	<-done
}

func RaceWrittenByRecursion() { writeBySelf(nil) }

func RaceDeferredClearOfArray() {
	done := make(chan bool)
	func() {
		var a [3]int
		defer clear(a[:])
		go func() { _ = a[0]; done <- true }()
	}()
	<-done
}

type table map[int]int

func (t table) peek(done chan bool) {
	_ = t[1]
	done <- true
}

func RaceDeferredDeleteOfValue() {
	done := make(chan bool)
	func() {
		t := table{1: 2}
		defer delete(t, 1)
		f := t.peek
		go f(done)
	}()
	<-done
}

func RaceEqualArguments() {
	var t T
	done := make(chan bool)
	func(p, q *T) { p.b = 1; f := q.peek; go f(done) }(&t, &t)
	t.a = 1
	<-done
}

func RaceWrittenByPointerToIterationBefore() {
	done := make(chan bool)
	var p *int
	for range 2 {
		n := 0
		if p != nil {
			*p = 1
		}
		p = &n
		go func() { _ = n; done <- true }()
	}
	<-done
	<-done
}

func RaceCopiedToIterationBefore() {
	done := make(chan bool)
	var p *[2]int
	for range 2 {
		var a [2]int
		if p != nil {
			copy(p[:], a[:])
		}
		p = &a
		go func() { _ = a[0]; done <- true }()
	}
	<-done
	<-done
}

func QuietWrittenByPointerToIteration() {
	done := make(chan bool)
	var p *int
	for range 2 {
		n := 0
		p = &n
		*p = 1
		go func() { _ = n; done <- true }()
	}
	<-done
	<-done
}

// parallel calls the body of a loop in goroutines, one after the other by chance only.
func parallel(yield func(int) bool) {
	both(func() { yield(1) }, func() { yield(2) })
}

func ranged(f func(func(int) bool)) (n int) {
	for i := range f {
		n += i
	}
	return n
}

func RaceIteratorInGoroutines() { _ = ranged(parallel) }

func RaceIteratorInGoroutinesAtHand() {
	n := 0
	for i := range parallel {
		n += i
	}
}

func QuietIteratorInGoroutines() {
	_ = ranged(func(yield func(int) bool) {
		done := make(chan bool)
		for i := range 3 {
			go func() { yield(i); done <- true }()
			<-done
		}
	})
}
