package native_test

import (
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/trace"
)

// These benchmarks are of what rewriting costs where nothing is controlled, next
// to the same natively.

func BenchmarkSendRecv(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		c := make(chan int, 1)
		for b.Loop() {
			c <- 1
			<-c
		}
	})
	b.Run("rewritten", func(b *testing.B) {
		c := native.Made(make(chan int, 1))
		for b.Loop() {
			native.To(c).Send(1)
			native.Recv(c)
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		c, d := make(chan int, 1), make(chan int, 1)
		for b.Loop() {
			select {
			case c <- 1:
			case d <- 2:
			}
			select {
			case <-c:
			case <-d:
			}
		}
	})
	b.Run("rewritten", func(b *testing.B) {
		c, d := make(chan int, 1), make(chan int, 1)
		for b.Loop() {
			{
				c0 := c
				v0 := native.To(c0).Elem(1)
				c1 := d
				v1 := native.To(c1).Elem(2)
				if native.On() {
					x, y := native.Into(c0, v0), native.Into(c1, v1)
					native.Select(x, y)
					c0, c1 = x.Chan(), y.Chan()
				}
				select {
				case c0 <- v0:
				case c1 <- v1:
				}
			}
			{
				c0 := c
				c1 := d
				if native.On() {
					x, y := native.From(c0), native.From(c1)
					native.Select(x, y)
					c0, c1 = x.Chan(), y.Chan()
				}
				select {
				case <-c0:
				case <-c1:
				}
			}
		}
	})
}

func BenchmarkMapRange(b *testing.B) {
	m := make(map[int]int)
	for i := range 100 {
		m[i] = i
	}
	b.Run("plain", func(b *testing.B) {
		n := 0
		for b.Loop() {
			for k, v := range m {
				n += k + v
			}
		}
	})
	b.Run("rewritten", func(b *testing.B) {
		n := 0
		for b.Loop() {
			for r := native.Over(m); r.Next(); {
				for k, v := range r.Map() {
					n += k + v
				}
			}
		}
	})
}

// BenchmarkControlled is of the same in an execution.
func BenchmarkControlled(b *testing.B) {
	m := make(map[int]int)
	for i := range 100 {
		m[i] = i
	}
	for name, f := range map[string]func(c chan int){
		"send and recv": func(c chan int) { native.To(c).Send(1); native.Recv(c) },
		"select": func(c chan int) {
			x := native.Into(c, 1)
			native.Poll(x)
			y := native.From(c)
			native.Poll(y)
		},
		"map range": func(chan int) {
			for r := native.Over(m); r.Next(); {
				for range r.Map() {
				}
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			n := 0
			c := exec.New(func() {
				c := native.Made(make(chan int, 1))
				for range n {
					f(c)
				}
			}, exec.Options{MaxSteps: 1 << 30, Races: sched.RaceIgnore})
			defer c.Shutdown()
			n = b.N
			run := c.Start()
			defer run.Close()
			s := make(trace.Schedule, 2*n)
			if name == "map range" {
				s = nil
			}
			b.ResetTimer()
			if err := run.Replay(s); err != nil {
				b.Fatal(err)
			}
		})
	}
}
