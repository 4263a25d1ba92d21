package native_test

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/trace"
)

// executions runs f some times, each time with another goroutine preferred, and
// returns how each ended.
func executions(t *testing.T, n int, f func() string) (ends []string) {
	t.Helper()
	var end string
	c := exec.New(func() { end = f() }, exec.Options{Races: sched.RaceIgnore, AllowLeaks: true})
	defer c.Shutdown()
	for i := range n {
		end = "unfinished"
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			op := p[i%len(p)]
			if _, err := run.Step(trace.Choice{G: op.G, Alt: int32(i) % op.Alts}); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range run.Outcome() {
			end += fmt.Sprint("; ", f.Msg)
		}
		run.Close()
		ends = append(ends, end)
	}
	return ends
}

// all fails the test unless all executions of f end like that.
func all(t *testing.T, want string, f func() string) {
	t.Helper()
	for i, got := range executions(t, 4, f) {
		if got != want {
			t.Errorf("execution %d: %s, not %s", i, got, want)
		}
	}
}

func TestAdoptedBuffer(t *testing.T) {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	all(t, "2 3 [1 2 3]", func() string {
		text := fmt.Sprint(native.Len(c), " ", native.Cap(c))
		native.To(c).Send(3)
		return fmt.Sprint(text, " ", []int{native.Recv(c), native.Recv(c), native.Recv(c)})
	})
	if len(c) != 2 || <-c != 1 || <-c != 2 {
		t.Error("the channel has changed")
	}
}

func TestAdoptedFullBufferMakesSendersWait(t *testing.T) {
	c := make(chan int, 1)
	c <- 1
	all(t, "[1 2]", func() string {
		native.Go(func() { native.To(c).Send(2) })
		return fmt.Sprint([]int{native.Recv(c), native.Recv(c)})
	})
}

func TestAdoptedClosed(t *testing.T) {
	c := make(chan int, 3)
	c <- 1
	c <- 2
	close(c)
	all(t, "[1 2 0] send on closed channel", func() (text string) {
		text = fmt.Sprint([]int{native.Recv(c), native.Recv(c), native.Recv(c)})
		defer func() { text += fmt.Sprint(" ", recover()) }()
		native.To(c).Send(1)
		return
	})
}

// TestAdoptedWithSender has a goroutine outside of control that waits to send.
func TestAdoptedWithSender(t *testing.T) {
	for size := range 2 {
		c := make(chan int, size)
		for i := range 3 {
			go func() { c <- i }()
		}
		time.Sleep(10 * time.Millisecond)
		all(t, fmt.Sprint(size), func() string { return fmt.Sprint(native.Len(c)) })
		got := []int{<-c, <-c, <-c}
		slices.Sort(got)
		if !slices.Equal(got, []int{0, 1, 2}) {
			t.Errorf("%v was sent", got)
		}
	}
}

func TestMadeIsFresh(t *testing.T) {
	var leak chan int
	all(t, "0 true", func() string {
		c := native.Made(make(chan int, 1))
		text := fmt.Sprint(native.Len(c), " ", leak != c)
		native.To(c).Send(1)
		leak = c
		return text
	})
	if len(leak) != 0 {
		t.Error("a value went through the native channel")
	}
}

func TestSelectChoices(t *testing.T) {
	seen := make(map[string]bool)
	for _, end := range executions(t, 6, func() string {
		a, b := native.Made(make(chan string, 1)), native.Made(make(chan string, 1))
		native.To(a).Send("a")
		x, y := native.From(a), native.Into(b, "b")
		native.Select(x, y)
		select {
		case v := <-x.Chan():
			return v
		case y.Chan() <- "b":
			return "sent " + native.Recv(b)
		}
	}) {
		seen[end] = true
	}
	if len(seen) != 2 || !seen["a"] || !seen["sent b"] {
		t.Error(seen)
	}
}

func TestDeadlock(t *testing.T) {
	for what, f := range map[string]func(){
		"select":      func() { native.Select() },
		"nil channel": func() { native.Recv((chan int)(nil)) },
		"nobody":      func() { native.To(native.Made(make(chan int))).Send(1) },
	} {
		for _, end := range executions(t, 1, func() string { f(); return "" }) {
			if end != "unfinished; all goroutines wait" {
				t.Error(what, end)
			}
		}
	}
}

// TestUnwinding has a deferred close in a goroutine that never ends by itself:
// what comes after it happens.
func TestUnwinding(t *testing.T) {
	n := 0
	executions(t, 2, func() string {
		c := native.Made(make(chan int))
		defer func() {
			native.Close(c)
			native.Close(make(chan int))
			native.Made(make(chan int))
			n++
		}()
		native.Recv(c)
		return ""
	})
	if n != 2 {
		t.Errorf("%d of 2 deferred functions went to their end", n)
	}
}

type node struct {
	name string
	next *node
}

// TestMapOrder ranges over maps in executions that make their keys anew.
func TestMapOrder(t *testing.T) {
	keys := map[string]func(i int) any{
		"int":     func(i int) any { return -i },
		"string":  func(i int) any { return strings.Repeat("x", i) },
		"float":   func(i int) any { return float64(i) / 3 },
		"complex": func(i int) any { return complex(1, float64(i)) },
		"bool":    func(i int) any { return i > 3 },
		"array":   func(i int) any { return [2]uint8{1, uint8(i)} },
		"mixed":   func(i int) any { return []any{i, fmt.Sprint(i), int8(i), nil}[i%4] },
		"struct":  func(i int) any { return struct{ a, b any }{nil, uint(i)} },
		"pointer": func(i int) any { return &node{"x", &node{name: fmt.Sprint(i)}} },
		"chan":    func(i int) any { return native.Made(make(chan int)) },
	}
	for kind, key := range keys {
		ends := executions(t, 5, func() string {
			m := make(map[any]int)
			for i := range 20 {
				m[key(i)] = i
			}
			var order []int
			for r := native.Over(m); r.Next(); {
				for _, v := range r.Map() {
					order = append(order, v)
				}
			}
			if len(order) != len(m) {
				t.Errorf("%s: %d of %d keys", kind, len(order), len(m))
			}
			return fmt.Sprint(order)
		})
		if len(slices.Compact(ends)) != 1 {
			t.Errorf("%s: %v", kind, ends)
		}
	}
}

// TestMapChannelsOfGoroutines has channels that several goroutines have made, in
// whatever order, as keys.
func TestMapChannelsOfGoroutines(t *testing.T) {
	ends := executions(t, 5, func() string {
		m := make(map[chan string]string)
		done := native.Made(make(chan int))
		for i := range 3 {
			native.Go(func() {
				native.To(done).Send(0)
				for j := range 2 {
					m[native.Made(make(chan string))] = fmt.Sprint(i, j)
				}
				native.To(done).Send(0)
			})
		}
		for range 6 {
			native.Recv(done)
		}
		var order []string
		for r := native.Over(m); r.Next(); {
			for _, v := range r.Map() {
				order = append(order, v)
			}
		}
		return fmt.Sprint(order)
	})
	for _, end := range ends {
		if end != "[0 0 0 1 1 0 1 1 2 0 2 1]" {
			t.Error(end)
		}
	}
}

func TestUncontrolled(t *testing.T) {
	c := native.Made(make(chan int, 1))
	done := make(chan bool)
	executions(t, 1, func() string { // somebody is controlled, but not this goroutine
		go func() {
			native.To(c).Send(1)
			done <- native.Len(c) == 1 && native.Cap(c) == 1 && native.Recv(c) == 1
			native.Close(c)
			_, ok := native.Recv2(c)
			done <- ok
			native.Go(func() { done <- true })
		}()
		if !<-done || <-done {
			t.Error("the channel is not itself")
		}
		<-done // from a goroutine that is not controlled either
		return ""
	})
}

// TestMapRings ranges over a map whose keys lead back to themselves: they cannot
// be told apart, and nobody tries for ever.
func TestMapRings(t *testing.T) {
	executions(t, 1, func() string {
		m := make(map[*node]bool)
		for range 3 {
			n := &node{name: "x"}
			n.next = n
			m[n] = true
		}
		n := 0
		for r := native.Over(m); r.Next(); {
			n += len(r.Map())
		}
		if n != 3 {
			t.Errorf("%d of 3 keys", n)
		}
		return ""
	})
}

// TestOutsideChannel waits for what only a goroutine outside of the execution
// could do. The report says which channels are not the execution's own alone.
func TestOutsideChannel(t *testing.T) {
	a, b := make(chan int), make(chan string)
	ticks := time.After(time.Hour)
	const note = " outside of the execution: a goroutine or timer that is not under control may be what is waited for"
	for _, test := range []struct {
		what string
		f    func()
		want []string
	}{
		{"receive", func() { native.Recv(a) }, []string{"chan 1 was made"}},
		{"send", func() { native.To(a).Send(1) }, []string{"chan 1 was made"}},
		{"select", func() { native.Select(native.From(b), native.Into(a, 1)) }, []string{"chan 1 was made", "chan 2 was made"}},
		{"twice", func() { native.Go(func() { native.Recv(a) }); native.Recv(a) }, []string{"chan 1 was made"}},
		{"leak", func() { native.Go(func() { native.Recv(a) }) }, []string{"chan 1 was made"}},
		{"timer", func() { native.Recv(ticks) }, []string{"chan 1 is of a timer that was made outside of the execution, and is not under control"}},
		{"its own", func() { native.Recv(native.Made(make(chan int))) }, nil},
		{"given away", func() {
			c := make(chan os.Signal, 1)
			native.Outside(native.Made(c))
			signal.Notify(c, os.Interrupt)
			defer signal.Stop(c)
			native.Recv(c)
		}, []string{"chan 1 is known"}},
		{"given away though made outside", func() { native.Recv(native.Outside(a)) }, []string{"chan 1 was made"}},
		{"given away later", func() {
			native.Select(native.From(a), native.From(closed()))
			native.Recv(native.Outside(a))
		}, []string{"chan 2 was made"}},
		{"nil", func() { native.Recv(native.Outside[chan int](nil)) }, nil},
		{"a lock, after one was used", func() {
			var mu sched.Mutex
			native.Select(native.From(a), native.From(closed()))
			mu.Lock()
			mu.Lock()
		}, nil},
	} {
		c := exec.New(test.f, exec.Options{Record: true})
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
				t.Fatal(err)
			}
		}
		fails := run.Outcome()
		if len(fails) != 1 {
			t.Fatalf("%s: %+v", test.what, fails)
		}
		var got []string
		for _, line := range strings.Split(fails[0].Details(), "\n") {
			if name, ok := strings.CutSuffix(line, note); ok || strings.Contains(line, " of a timer ") {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want a line on %q", test.what, fails[0].Details(), test.want)
		}
		c.Shutdown()
	}
}

// closed returns a channel that is closed.
func closed() chan int {
	c := native.Made(make(chan int))
	native.Close(c)
	return c
}
