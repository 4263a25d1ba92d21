package network_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/network"
)

// echo is what a node does that answers with what it gets, and counts that.
func echo(n *sched.Int64) func() {
	return func() {
		l, err := network.Listen("tcp 80", "4127.0.1.1", "127.0.1.1:80")
		if err != nil {
			panic(err)
		}
		for {
			c, _, err := l.Accept()
			if err != nil {
				panic(err)
			}
			sched.Go(func() {
				for {
					data, err := c.Read(10)
					if err != nil {
						c.Close()
						return
					}
					n.Add(1)
					c.Write(data)
				}
			})
		}
	}
}

// ask sends a text to the node, and returns the answer.
func ask(text string) (string, error) {
	c, err := network.Dial("tcp 80", "4127.0.1.1", "client", false)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := c.Write([]byte(text)); err != nil {
		return "", err
	}
	data, err := c.Read(10)
	return string(data), err
}

// explore returns what an execution may return, and fails if one fails.
func explore(t *testing.T, f func() string, opts ...por.Option) map[string]bool {
	t.Helper()
	got := make(map[string]bool)
	res, err := por.Explore(func() { got[f()] = true }, append(opts, por.Grant(sched.AssumeClock, sched.AssumeModel))...)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Failures) > 0 {
		t.Fatal(res.Failures[0].Report)
	}
	if !res.Exhaustive {
		t.Error(res.Verdict)
	}
	return got
}

func wants(t *testing.T, got map[string]bool, want ...string) {
	t.Helper()
	for _, w := range want {
		if !got[w] {
			t.Errorf("%q does not come", w)
		}
		delete(got, w)
	}
	for g := range got {
		t.Errorf("%q comes", g)
	}
}

// TestNodeStops stops a node while a client waits for an answer.
func TestNodeStops(t *testing.T) {
	got := explore(t, func() string {
		var n sched.Int64
		a := sched.NewNode("a", echo(&n))
		a.Start()
		answer := ""
		client := sched.Go(func() {
			text, err := ask("x")
			answer = fmt.Sprint(text, err)
		})
		a.Stop()
		client.Join()
		return fmt.Sprint(n.Load(), " ", answer)
	})
	wants(t, got,
		"0 "+network.Refused.Error(), // it had not listened, or did not listen any more
		"0 "+io.EOF.Error(),          // it had accepted, and not read: nothing was written yet
		"0 "+network.Reset.Error(),
		"1 "+io.EOF.Error(), // it had read
		"1 x"+fmt.Sprint(nil),
		"0 "+network.Broken.Error(),
	)
}

// TestNodeStartsAgain has a node that finds after its restart what it has kept, and the address free.
func TestNodeStartsAgain(t *testing.T) {
	got := explore(t, func() string {
		var n sched.Int64
		a := sched.NewNode("a", echo(&n))
		list := ""
		for range 2 {
			a.Start()
			for {
				text, err := ask("x")
				if errors.Is(err, network.Refused) {
					sched.Sleep(time.Second)
					continue
				}
				list += fmt.Sprint(text, err, " ")
				break
			}
			a.Stop()
		}
		return fmt.Sprint(list, n.Load(), a.Addr())
	})
	wants(t, got, "x<nil> x<nil> 2127.0.1.1")
}

// TestStoppedGoroutines has goroutines of a node that wait in all ways. None gets anything when the
// node has stopped, and none is leaked.
func TestStoppedGoroutines(t *testing.T) {
	got := explore(t, func() string {
		c, d, e := sched.NewChan[int](1), sched.NewChan[int](0), sched.NewChan[int](0)
		var moved sched.Int64
		a := sched.NewNode("a", func() {
			sched.Go(func() { c.Recv(); c.Recv(); moved.Add(1) })
			sched.Go(func() { sched.Select(sched.RecvCase(d, nil, nil), sched.RecvCase(e, nil, nil)); moved.Add(1) })
			sched.Go(func() { sched.Sleep(time.Hour); moved.Add(1) })
			sched.AfterFunc(time.Minute, func() { moved.Add(1) })
		})
		a.Start()
		sched.Sleep(time.Second)
		a.Stop()
		c.Send(1) // there is room
		sent := sched.Select(sched.SendCase(d, 1), sched.Default) == 0
		sched.Sleep(2 * time.Hour)
		return fmt.Sprint(moved.Load(), c.Len(), sent)
	})
	wants(t, got, "0 1 false")
}

// TestStoppedForALock has a goroutine of a node that waits for a lock. It gets the lock after the
// stop, and does not move.
func TestStoppedForALock(t *testing.T) {
	got := explore(t, func() string {
		var mu sched.Mutex
		moved := false
		a := sched.NewNode("a", func() {
			mu.Lock()
			moved = true
		})
		mu.Lock()
		a.Start()
		sched.Sleep(time.Second)
		a.Stop()
		mu.Unlock()
		sched.Sleep(time.Second)
		return fmt.Sprint(moved, mu.TryLock())
	})
	wants(t, got, "false false")
}

// TestDisk has a node with goroutines that write memory, which the node finds after a restart. The
// stop orders that: there is no data race.
func TestDisk(t *testing.T) {
	got := explore(t, func() string {
		var disk, other sched.Var[int]
		a := sched.NewNode("a", func() {
			disk.Store(disk.Load() + 1)
			sched.Go(func() { other.Store(other.Load() + 1) })
		})
		for range 2 {
			a.Start()
			sched.Sleep(time.Second)
			a.Stop()
		}
		return fmt.Sprint(disk.Load(), other.Load())
	})
	wants(t, got, "2 2")
}

// TestPartition cuts a client node off from a server.
func TestPartition(t *testing.T) {
	got := explore(t, func() string {
		var n sched.Int64
		a := sched.NewNode("a", echo(&n))
		a.Start()
		sched.Sleep(time.Millisecond)
		result := ""
		b := sched.NewNode("b", func() {
			begin := sched.Now()
			text, err := ask("x")
			result += fmt.Sprint(text, err, sched.Since(begin).Round(time.Second))
		})
		por.Partition([]*por.Node{a}, []*por.Node{b})
		b.Start()
		sched.Sleep(2 * time.Second)
		text, err := ask("y") // the test reaches both
		result += fmt.Sprint(text, err, " ")
		por.Heal(a, b)
		sched.Sleep(time.Minute)
		a.Stop()
		b.Stop()
		return result
	})
	wants(t, got, "y<nil> x<nil> 3s")
}

// TestNeverHealed has a partition that does not end.
func TestNeverHealed(t *testing.T) {
	res, err := por.Explore(func() {
		var n sched.Int64
		a := sched.NewNode("a", echo(&n))
		a.Start()
		sched.Sleep(time.Millisecond)
		done := sched.NewChan[bool](0)
		var b *sched.Node
		b = sched.NewNode("b", func() {
			c, err := network.Dial("tcp 80", "4127.0.1.1", "b", false)
			if err != nil {
				panic(err)
			}
			por.Partition([]*por.Node{a}, []*por.Node{b})
			c.Write([]byte("x"))
			c.Read(1)
			done.Send(true)
		})
		b.Start()
		done.Recv()
	}, por.MaxExecutions(10))
	if err != nil || len(res.Failures) == 0 || !strings.Contains(res.Failures[0].Report, "from which nothing arrives: nodes ") {
		t.Fatal(err, res.Failures[0].Report)
	}
}

// TestPartitionOfConns cuts a connection off, and heals it.
func TestPartitionOfConns(t *testing.T) {
	got := explore(t, func() string {
		var n sched.Int64
		a := sched.NewNode("a", echo(&n))
		a.Start()
		sched.Sleep(time.Millisecond)
		result := ""
		b := sched.NewNode("b", func() {
			c, err := network.Dial("tcp 80", "4127.0.1.1", "b", false)
			if err != nil {
				panic(err)
			}
			sched.Sleep(time.Second)
			begin := sched.Now()
			c.Write([]byte("1"))
			c.Write([]byte("2"))
			for range 2 {
				data, err := c.Read(1)
				result += fmt.Sprint(string(data), err, sched.Since(begin).Round(time.Second), " ")
			}
		})
		b.Start()
		sched.Sleep(time.Millisecond)
		por.Partition([]*por.Node{a}, []*por.Node{b})
		sched.Sleep(10 * time.Second)
		por.Heal(a, b)
		sched.Sleep(time.Second)
		a.Stop()
		b.Stop()
		return result
	})
	wants(t, got, "1<nil> 9s 2<nil> 9s ")
}

// TestNodesRefuse has misuses of nodes.
// TestSkew looks at what is told by the clock of a node that is off, and has jumped.
func TestSkew(t *testing.T) {
	for _, mode := range []sched.TimeMode{sched.TimeDiscrete, sched.TimeLag} {
		f := func() string {
			begun := sched.Now()
			ahead := func(t time.Time) time.Duration { return t.Round(0).Sub(begun.Round(0)) - t.Sub(begun) }
			var told []any
			var jump func(time.Duration)
			boot := func() {
				first := sched.Now()
				jump(-90 * time.Second)
				now := sched.Now()
				told = append(told, ahead(first), ahead(now), now.Sub(first) < time.Second, now.After(first))
				// Timers and deadlines are by the monotonic clock.
				ticked := sched.After(time.Second).Recv()
				told = append(told, ahead(ticked), ticked.Sub(now).Round(time.Second))
				soon := sched.Now().Add(time.Minute)
				ctx, cancel := sched.WithDeadline(sched.Background(), soon)
				jump(time.Hour)
				ctx.Done().Recv()
				cancel()
				told = append(told, ahead(sched.Now()), sched.Since(now).Round(time.Second))
				// Times without a reading are by the wall clock.
				noon := sched.Now().Round(0).Add(time.Minute)
				told = append(told, sched.Until(noon).Round(time.Second))
				jump(30 * time.Second)
				told = append(told, sched.Until(noon).Round(time.Second))
				ctx, cancel = sched.WithDeadline(sched.Background(), noon)
				ctx.Done().Recv()
				cancel()
				told = append(told, sched.Since(now).Round(time.Second))
				sched.Go(func() { told = append(told, ahead(sched.Now())) }).Join()
			}
			n := sched.NewNode("a", boot)
			// A goroutine of no node moves the clock.
			asked, done := sched.NewChan[time.Duration](0), sched.NewChan[bool](0)
			jump = func(d time.Duration) { asked.Send(d); done.Recv() }
			mover := sched.Go(func() {
				for range 3 {
					n.Skew(asked.Recv())
					done.Send(true)
				}
			})
			n.Skew(time.Minute)
			n.Start()
			mover.Join()
			sched.Sleep(5 * time.Minute)
			told = append(told, ahead(sched.Now()))
			n.Stop()
			// The clock stays off.
			jump = func(time.Duration) {}
			again := len(told)
			n.Start()
			sched.Sleep(5 * time.Minute)
			n.Stop()
			return fmt.Sprint(told[:again+1]...)
		}
		const want = "1m0s -30s true true -30s 1s 59m30s 1m1s 1m0s 30s 1m31s 1h0m0s 0s 1h0m0s"
		got := explore(t, f, por.Time(mode), por.MaxTime(20*time.Second))
		wants(t, got, want)
	}
}

// TestSkewByLag holds what contexts may do on a node with a clock that is off to what they may do
// elsewhere.
func TestSkewByLag(t *testing.T) {
	for _, mode := range []sched.TimeMode{sched.TimeLag, sched.TimeAnyOrder} {
		var want map[string]bool
		var traces int64
		for _, skew := range []time.Duration{0, time.Hour, -time.Hour} {
			got := make(map[string]bool)
			res, err := por.Explore(func() {
				text := ""
				n := sched.NewNode("a", func() {
					now := sched.Now()
					parent, stop := sched.WithDeadline(sched.Background(), now.Add(50*time.Millisecond))
					ctx, cancel := sched.WithTimeout(parent, 50*time.Millisecond)
					text = fmt.Sprint(parent.Err(), ctx.Err(), sched.Since(now) >= 50*time.Millisecond)
					sched.Sleep(30 * time.Millisecond)
					text += fmt.Sprint(parent.Err(), ctx.Err())
					cancel()
					stop()
				})
				n.Skew(skew)
				n.Start()
				sched.Sleep(70 * time.Millisecond)
				n.Stop()
				got[text] = true
			}, por.Time(mode), por.Grant(sched.AssumeClock, sched.AssumeModel))
			if err != nil || !res.Exhaustive {
				t.Fatal(err, res)
			}
			if want == nil {
				want, traces = got, res.Stats.Executions
			}
			if !maps.Equal(got, want) || len(got) < 2 || res.Stats.Executions != traces {
				t.Errorf("%v ahead: %v in %d traces, want %v in %d", skew, got, res.Stats.Executions, want, traces)
			}
		}
	}
}

func TestNodesRefuse(t *testing.T) {
	for _, tt := range []struct {
		want string
		f    func(n *sched.Node)
	}{
		{"Stop of node a, which does not run", func(n *sched.Node) { n.Stop() }},
		{"Stop of node a, which does not run", func(n *sched.Node) { n.Start(); n.Stop(); n.Stop() }},
		{"Start of node a, which runs", func(n *sched.Node) { n.Start(); n.Start() }},
		{"there is a node a", func(*sched.Node) { sched.NewNode("a", func() {}) }},
		{`"" is not a name`, func(*sched.Node) { sched.NewNode("", func() {}) }},
		{"a nil function", func(*sched.Node) { sched.NewNode("b", nil) }},
		{"Skew of node a by 24h0m0.000000001s: a clock moves by 24h0m0s at most", func(n *sched.Node) { n.Skew(24*time.Hour + 1) }},
		{"Skew of node a by -2562047h47m16.854775808s", func(n *sched.Node) { n.Skew(math.MinInt64) }},
		{"node a is named twice", func(n *sched.Node) { sched.Partition([]*sched.Node{n}, []*sched.Node{n}) }},
	} {
		res, err := por.Explore(func() { tt.f(sched.NewNode("a", func() {})) })
		if err != nil || len(res.Failures) == 0 || !strings.Contains(res.Failures[0].Msg, tt.want) {
			t.Errorf("%v, %v, want %s", err, res, tt.want)
		}
	}
}
