package behaviour

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// here returns the position of its caller, and adds nothing to n.
func here(p Say, n int) int {
	_, file, line, _ := runtime.Caller(1)
	p(filepath.Base(file), line)
	return n
}

// blame says where f panics, unless in a function that only passes it on.
func blame(p Say, f func()) {
	defer func() {
		r := recover()
		var pcs [30]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
		for {
			f, more := frames.Next()
			if strings.Contains(f.Function, "example.com") {
				p(fmt.Sprint(r), filepath.Base(f.File), f.Line)
				return
			}
			if !more {
				return
			}
		}
	}()
	f()
}

func RunPositionsSelect(p Say) {
	c := full(1, 2, 3, 4)
	d := make(chan int, 9)
	select {
	case <-c:
		here(p, 1)
	}
	blame(p, func() {
		select {
		case v := <-c:
			panic(v)
		}
	})
	select {
	case d <- here(p, 1) +
		here(p, 2):
		here(p, 3)
	case (chan int)(
		nil) <- here(p, 5):
	}
	here(p, 4)
	select {
	case v, ok := <-map[int]chan int{
		here(p, 1): nil,
		here(p, 2): c,
	}[here(p, 2)]:
		here(p, v)
		select {
		case d <- func() int {
			return here(p, 3)
		}():
			here(p, 4)
		}
		_ = ok
	}
	here(p, 5)
	close(d)
	blame(p, func() {
		select {
		case d <- 1:
		case <-(chan int)(nil):
		}
	})
}

func RunPositionsGo(p Say) {
	done := make(chan int)
	go func() {
		here(p, 1)
		blame(p, func() {
			panic("go")
		})
		done <- 1
	}()
	<-done
	go func(
		a, b int,
	) {
		here(p, a)
		done <- b
	}(
		here(p, 1),
		// in between
		here(p, 2),
	)
	<-done
	here(p, 4)
	go func(n int) { here(p, n); done <- 1 }(
		1)
	<-done
	go func() { here(p, 1); done <- 1 }(
	// nothing
	)
	<-done
	here(p, 5)
	go (func(n int) func() {
		here(p, 1)
		return func() {
			here(p, 2)
			done <- 1
		}
	})(here(p,
		3))()
	<-done
	here(p, 6)
}

func RunPositionsOther(p Say) {
	c := full(1, 2, 3)
	close(c)
	for v := range c {
		here(p, v)
		for range map[int]int{
			here(p, 1): here(p, 2),
		} {
			here(p, 3)
		}
	}
	here(p, 4)
	blame(p, func() {
		c <- here(p, 1)
	})
	blame(p, func() {
		var s []int
		c <- s[5]
	})
	blame(p, func() {
		close(
			c,
		)
	})
	here(p, 5)
}
