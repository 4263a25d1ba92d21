package enginetest

import (
	"testing"
	"time"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
	"github.com/gopor/gopor/sched/trace"
)

// crowded is a kind of object, and what many goroutines do with one of it or with a few. Make
// returns what goroutine i does, again and again.
type crowded struct {
	name string
	make func() func(i int)
}

var crowdedKinds = []crowded{
	{"mutex: lock, lock", func() func(int) { var m sched.Mutex; return func(int) { m.Lock(); m.Unlock() } }},
	{"mutex: lock, trylock", func() func(int) {
		var m sched.Mutex
		return func(i int) {
			if i%2 == 0 {
				m.Lock()
				m.Unlock()
			} else if m.TryLock() {
				m.Unlock()
			}
		}
	}},
	{"rwmutex: lock, rlock, tryrlock", func() func(int) {
		var m sched.RWMutex
		return func(i int) {
			if i%3 == 0 {
				m.Lock()
				m.Unlock()
			} else if i%3 == 1 {
				m.RLock()
				m.RUnlock()
			} else if m.TryRLock() {
				m.RUnlock()
			}
		}
	}},
	{"atomic: add, load", func() func(int) { var n sched.Int64; return func(int) { n.Add(1); n.Load() } }},
	{"atomic: cas after load", func() func(int) {
		var n sched.Int64
		return func(int) { v := n.Load(); n.CompareAndSwap(v, v+1) }
	}},
	{"atomic: cas, store", func() func(int) {
		var n sched.Int64
		return func(i int) { n.CompareAndSwap(0, int64(i)); n.Store(0) }
	}},
	{"atomic: cas of two, crosswise", func() func(int) {
		var n, m sched.Int64
		return func(i int) {
			a, b := &n, &m
			if i%2 == 0 {
				a, b = b, a
			}
			a.CompareAndSwap(int64(i), int64(i+1))
			b.CompareAndSwap(int64(i), int64(i+1))
		}
	}},
	{"memory: write, read", func() func(int) { v := sched.NewVar(0); return func(int) { v.Store(v.Load() + 1) } }},
	{"buffered channel: send, receive", func() func(int) {
		c := sched.NewChan[int](100)
		return func(int) { c.Send(1); c.Recv() }
	}},
	{"unbuffered channel: send, receive", func() func(int) {
		c := sched.NewChan[int](0)
		return func(i int) {
			if i%2 == 0 {
				c.Send(1)
			} else {
				c.Recv()
			}
		}
	}},
	{"channel: close, receive", func() func(int) {
		c := sched.NewChan[int](0)
		closed := false
		return func(i int) {
			if !closed {
				closed = true
				c.Close()
			}
			c.Recv()
		}
	}},
	{"channel: len, send, receive", func() func(int) {
		c := sched.NewChan[int](100)
		return func(int) { c.Send(1); c.Len(); c.Recv() }
	}},
	{"select: buffered", func() func(int) {
		c, d := sched.NewChan[int](100), sched.NewChan[int](100)
		return func(int) {
			sched.Select(sched.SendCase(c, 1), sched.SendCase(d, 1))
			sched.Select(sched.RecvCase(c, nil, nil), sched.RecvCase(d, nil, nil))
		}
	}},
	{"select: unbuffered", func() func(int) {
		c, d := sched.NewChan[int](0), sched.NewChan[int](0)
		return func(i int) {
			if i%2 == 0 {
				sched.Select(sched.SendCase(c, 1), sched.SendCase(d, 1))
			} else {
				sched.Select(sched.RecvCase(c, nil, nil), sched.RecvCase(d, nil, nil))
			}
		}
	}},
	{"select: default", func() func(int) {
		c := sched.NewChan[int](5)
		return func(int) {
			sched.Select(sched.SendCase(c, 1), sched.Default)
			sched.Select(sched.RecvCase(c, nil, nil), sched.Default)
		}
	}},
	{"waitgroup: add, done", func() func(int) { var wg sched.WaitGroup; return func(int) { wg.Add(1); wg.Done() } }},
	{"waitgroup: add, wait", func() func(int) {
		wgs := make([]sched.WaitGroup, 20)
		return func(i int) {
			wg := &wgs[i/25%len(wgs)]
			wg.Add(1)
			wg.Done()
			wg.Wait()
		}
	}},
	{"once: first, later", func() func(int) {
		onces := make([]sched.Once, 300)
		n := 0
		return func(int) {
			n++
			onces[n%len(onces)].Do(func() {})
			onces[(n+1)%len(onces)].Do(func() {})
		}
	}},
	{"cond: wait, signal", func() func(int) {
		var m sched.Mutex
		c, calls := sched.NewCond(&m), 0
		return func(int) {
			m.Lock()
			if calls++; calls%2 == 1 {
				c.Wait()
			} else {
				c.Signal()
			}
			m.Unlock()
		}
	}},
	{"map: load or store, load, delete", func() func(int) {
		var m sched.Map
		return func(i int) { m.LoadOrStore(i%3, i); m.Load(i % 3); m.Delete(i % 3) }
	}},
	{"map: store, range", func() func(int) {
		var m sched.Map
		return func(i int) { m.Store(i%3, i); m.Range(func(k, v any) bool { return true }) }
	}},
	{"map: clear, store", func() func(int) {
		var m sched.Map
		return func(i int) {
			if i%50 == 49 {
				m.Clear()
			} else {
				m.Store(i%3, i)
			}
		}
	}},
	{"map: delete, store, range of many", func() func(int) {
		var m sched.Map
		return func(i int) {
			if i%50 == 49 {
				m.Range(func(k, v any) bool { return true })
			} else {
				m.Store(i, i)
				m.Delete(i - 1)
			}
		}
	}},
	{"timer: one for many", func() func(int) {
		t := sched.NewTimer(time.Millisecond)
		return func(i int) {
			if i%50 == 49 {
				t.Reset(time.Millisecond)
			} else {
				sched.Select(sched.RecvCase(t.C, nil, nil), sched.RecvCase(sched.After(2*time.Millisecond), nil, nil))
			}
		}
	}},
	{"connection: write, read, deadline", func() func(int) {
		client, server := connection()
		return func(i int) {
			switch {
			case i%50 == 49:
				server.SetReadDeadline(time.Duration(i-1) * time.Millisecond)
			case i%2 == 0:
				client.Write([]byte("a"))
			default:
				server.Read(1)
			}
		}
	}},
	{"connection: write, close", func() func(int) {
		client, server := connection()
		n := 0
		return func(i int) {
			if n++; n == 100 {
				server.Close()
			} else {
				client.Write([]byte("a"))
			}
		}
	}},
	{"listener: dial, accept, close", func() func(int) {
		l, _ := network.Listen("tcp 80", "4127.0.0.1", "127.0.0.1:80")
		n := 0
		return func(i int) {
			switch n++; {
			case n == 100:
				l.Close()
			case i%2 == 0:
				network.Dial("tcp 80", "4127.0.0.1", "client", false)
			default:
				l.Accept()
			}
		}
	}},
	{"packets: send, receive", func() func(int) {
		p, _ := network.ListenPackets("udp 80", "4127.0.0.1", "127.0.0.1:80")
		return func(i int) {
			if i%2 == 0 {
				p.SendTo("udp 80", "4127.0.0.1", "p", []byte("a"), false)
			} else {
				p.ReceiveFrom()
			}
		}
	}},
	{"pool: get, put", func() func(int) { var p sched.Pool; return func(i int) { p.Get(); p.Put(i) } }},
	{"sleep", func() func(int) {
		var n sched.Int64
		return func(i int) { sched.Sleep(time.Duration(i%7) * time.Millisecond); n.CompareAndSwap(0, 1) }
	}},
	{"timer: stop, reset", func() func(int) {
		t := sched.NewTimer(time.Hour)
		return func(int) { t.Stop(); t.Reset(time.Hour) }
	}},
	{"timer: fires, stop", func() func(int) {
		return func(i int) {
			t := sched.NewTimer(time.Duration(i%7) * time.Millisecond)
			sched.Sleep(time.Duration(i%5) * time.Millisecond)
			t.Stop()
		}
	}},
	{"context: cancel, err", func() func(int) {
		ctx, cancel := sched.WithCancel(sched.Background())
		return func(i int) {
			if i%16 == 5 {
				cancel()
			}
			_ = ctx.Err()
		}
	}},
	{"context: derive, cancel, done", func() func(int) {
		var ctx sched.Context
		var cancel func()
		return func(i int) {
			if i%2 == 1 && cancel != nil {
				cancel()
				return
			}
			ctx, cancel = sched.WithCancel(sched.Background())
			kid, _ := sched.WithCancel(ctx)
			sched.Select(sched.RecvCase(kid.Done(), nil, nil), sched.Default)
		}
	}},
	{"choose", func() func(int) { var n sched.Int64; return func(int) { n.CompareAndSwap(int64(sched.Choose(2)), 1) } }},
}

// connection returns both ends of a connection.
func connection() (client, server *network.Conn) {
	l, _ := network.Listen("tcp 80", "4127.0.0.1", "127.0.0.1:80")
	var wg sched.WaitGroup
	wg.Go(func() { client, _ = network.Dial("tcp 80", "4127.0.0.1", "client", false) })
	server, _, _ = l.Accept()
	wg.Wait()
	return client, server
}

// racing has one engine of those that treat races alike. It has none of those that look at all pairs
// of dependent events (classic-bpor, and the complete ones of bpor). They take cubic time, and run
// the program for none of that.
var racing = []string{"dpor", "source", "optimal", "reverse", "epor", "epor-adaptive",
	"lazy-bpor", "optimal-bpor", "nidhugg-bpor", "source-bpor", "unfold-optimal"}

// mostReplays is how many times as many steps as an execution has may be repeated for its races, and
// to get to the next execution.
const mostReplays = 6

// TestRacesReplayLittle: an execution with thousands of races, of whatever object, costs no more
// than a few executions.
func TestRacesReplayLittle(t *testing.T) {
	size := effort.Of(7_000, 1_000)
	for _, k := range crowdedKinds {
		for name, rush := range map[string]func(f func(int)){
			"many goroutines": func(f func(int)) { together(size/4, func(i int) { f(i) }) },
			"in turns": func(f func(int)) {
				together(8, func(i int) {
					for range size / 24 {
						f(i)
						sched.Gosched()
					}
				})
			},
		} {
			for _, e := range racing {
				e, _ := engine.Named(e)
				c := exec.New(func() { rush(k.make()) }, exec.Options{MaxSteps: 10 * size, Races: sched.RaceExplore})
				length, seen := 0, 0
				stats, err := e.Explore(c, func(x *trace.Execution) bool {
					length = max(length, len(x.Schedule))
					seen++
					return seen < 2
				})
				c.Shutdown()
				if err != nil || stats.Replayed > int64(mostReplays*length) {
					t.Errorf("%s, %s, %s: %d steps repeated for %d races of an execution of %d, %v", k.name, name, e.Name(), stats.Replayed, stats.Races, length, err)
				}
			}
		}
	}
}

// together runs f in n goroutines.
func together(n int, f func(i int)) {
	var wg sched.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}
