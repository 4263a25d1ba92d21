package network_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/test/closures"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
	"github.com/gopor/gopor/sched/trace"
)

// world is what the goroutines of a drawn program with a node use.
type world struct {
	node, other *sched.Node
	ch, full    *sched.Chan[int]
	mu          sched.Mutex
	runs        bool // as far as the goroutine knows that stops and starts the node
	c           *network.Conn
	begun       time.Time // as a goroutine of no node was told
}

type deed struct {
	text string
	do   func(w *world) string
}

// inside has what goroutines of the node do, outside what others do, and control what one of these
// does besides.
func inside() []deed {
	return []deed{
		{"recv", func(w *world) string { return fmt.Sprint(w.ch.Recv()) }},
		{"send", func(w *world) string { w.full.Send(7); return "sent" }},
		{"select", func(w *world) string {
			return fmt.Sprint(sched.Select(sched.RecvCase(w.ch, nil, nil), sched.SendCase(w.full, 3)))
		}},
		{"lock", func(w *world) string { w.mu.Lock(); return "locked" }},
		{"unlock", func(w *world) string { w.mu.Lock(); w.mu.Unlock(); return "unlocked" }},
		{"sleep", func(w *world) string { sched.Sleep(time.Second); return "slept" }},
		{"after", func(w *world) string {
			sched.AfterFunc(time.Second, func() { w.full.Send(9) })
			return "timer"
		}},
		{"go", func(w *world) string { sched.Go(func() { w.full.Send(5) }); return "go" }},
		{"accept", func(w *world) string {
			l, err := network.Listen(name, place, "127.0.0.1:80")
			if err != nil {
				return err.Error()
			}
			c, _, err := l.Accept()
			if err != nil {
				return err.Error()
			}
			return text(c.Read(1))
		}},
		{"receive", func(w *world) string {
			p, err := network.ListenPackets("udp 1", place, "box")
			if err != nil {
				return err.Error()
			}
			data, _, err := p.ReceiveFrom()
			return text(data, err)
		}},
		{"maycrash", func(w *world) string { sched.MayCrash(); return "" }},
		{"now", func(w *world) string { return w.ahead(sched.Now()) }},
		{"tick", func(w *world) string { return w.ahead(sched.After(time.Second).Recv()) }},
		{"within", func(w *world) string {
			// By the monotonic clock a deadline is where it was, whatever happens to the wall clock.
			t := sched.Now().Add(time.Second)
			w.mu.Lock()
			w.mu.Unlock()
			left := sched.Until(t)
			ctx, cancel := sched.WithDeadline(sched.Background(), t)
			defer cancel()
			ctx.Done().Recv()
			return fmt.Sprint(left > 0 && left <= time.Second, sched.Since(t) < time.Second)
		}},
	}
}

// ahead says how far the wall clock is ahead by which t was told.
func (w *world) ahead(t time.Time) string {
	return fmt.Sprint(t.Round(0).Sub(w.begun.Round(0)) - t.Sub(w.begun))
}

func outside() []deed {
	return []deed{
		{"Send", func(w *world) string { w.ch.Send(1); return "sent" }},
		{"Recv", func(w *world) string { return fmt.Sprint(w.full.Recv()) }},
		{"Try", func(w *world) string {
			return fmt.Sprint(sched.Select(sched.SendCase(w.ch, 2), sched.RecvCase(w.full, nil, nil), sched.Default))
		}},
		{"Lock", func(w *world) string { w.mu.Lock(); w.mu.Unlock(); return "locked" }},
		{"Sleep", func(w *world) string { sched.Sleep(time.Second); return "slept" }},
		{"Dial", func(w *world) string {
			c, err := network.Dial(name, place, "client", false)
			if err != nil {
				return err.Error()
			}
			w.c = c
			return wrote(c.Write([]byte("x"))) + text(c.Read(1))
		}},
		{"SendTo", func(w *world) string {
			p, err := network.ListenPackets("udp 2", place, "from")
			if err != nil {
				return err.Error()
			}
			return outcome(p.SendTo("udp 1", place, "from", []byte("d"), false))
		}},
	}
}

func control() []deed {
	return []deed{
		{"turn", func(w *world) string {
			if w.runs = !w.runs; w.runs {
				w.node.Start()
				return "started"
			}
			w.node.Stop()
			return "stopped"
		}},
		{"apart", func(w *world) string { sched.Partition([]*sched.Node{w.node}, []*sched.Node{w.other}); return "apart" }},
		{"heal", func(w *world) string { sched.Heal(w.node, w.other); return "healed" }},
		{"skew", func(w *world) string { w.node.Skew(time.Minute); return "skewed" }},
		{"back", func(w *world) string { w.node.Skew(-time.Hour); return "skewed" }},
	}
}

// TestDrawnNodes is TestDrawn for nodes: goroutines in one, and others that stop and start it.
func TestDrawnNodes(t *testing.T) {
	programs := 150
	if os.Getenv("GOPOR_FULL") != "" {
		programs = 3000
	}
	if n, err := strconv.Atoi(os.Getenv("GOPOR_PROGRAMS")); err == nil {
		programs = n
	}
	rnd := rand.New(rand.NewPCG(3, 3))
	traces := 0
	for number := range programs {
		var in, out, peer []deed
		for range 1 + rnd.IntN(2) {
			in = append(in, inside()[rnd.IntN(len(inside()))])
		}
		list := append(outside(), control()...)
		out = append(out, list[rnd.IntN(len(list))], control()[rnd.IntN(len(control()))])
		if rnd.IntN(2) == 0 {
			out[0], out[1] = out[1], out[0]
		}
		if rnd.IntN(2) == 0 {
			peer = append(peer, outside()[rnd.IntN(len(outside()))])
		}
		plan := faults.Plan{}
		if rnd.IntN(2) == 0 {
			kinds := []faults.Kind{faults.Crash, faults.Isolate, faults.Skew}
			f := faults.Fault{Kind: kinds[rnd.IntN(3)], Path: []int32{0}, N: int32(rnd.IntN(2)), For: time.Second}
			if number%3 == 0 && f.Kind == faults.Crash {
				f.Kind = faults.Torn
			}
			plan, _ = plan.With(f)
		}
		if number%5 == 0 { // the other goroutine's first stop is a power failure
			plan, _ = plan.With(faults.Fault{Kind: faults.Torn, Path: []int32{1}, N: faults.Stops})
		}
		peerInside := rnd.IntN(2) == 0
		var b strings.Builder
		for _, list := range [][]deed{in, out, peer} {
			for _, d := range list {
				b.WriteString(d.text + " ")
			}
			b.WriteString("| ")
		}
		what := fmt.Sprint(b.String(), peerInside, " with ", plan)
		var results [3]string
		run := func() {
			clear(results[:])
			w := &world{ch: sched.NewChan[int](1), full: sched.NewChan[int](0), runs: true, begun: sched.Now()}
			w.node = sched.NewNode("a", func() {
				for _, d := range in {
					results[0] += d.do(w) + ";"
				}
			})
			others := func() {
				for _, d := range peer {
					results[2] += d.do(w) + ";"
				}
			}
			w.other = sched.NewNode("b", others)
			w.node.Start()
			sched.Go(func() {
				for _, d := range out {
					results[1] += d.do(w) + ";"
				}
			})
			if peerInside {
				w.other.Start()
			} else if peer != nil {
				sched.Go(others)
			}
		}
		final := func() string { return strings.Join(results[:], " | ") }
		o := exec.Options{AllowLeaks: true, Net: exec.Net{Plan: plan.String()}}
		found, err := closures.ProgramOf(func() string { run(); return "" }, final, o).By(oracle.Enumerate, closures.MostExecutions, true)
		if err != nil {
			t.Fatalf("%s\n%v", what, err)
		}
		traces += found.Traces
		for _, e := range []trace.Engine{engine.Optimal{}, engine.Source{}, engine.DPOR{}} {
			c := exec.New(run, o)
			outcomes := map[string]bool{}
			stats, err := e.Explore(trace.CheckLaws(c), func(x *trace.Execution) bool {
				if !x.Blocked {
					outcomes[final()] = true
				}
				return true
			})
			c.Shutdown()
			if err != nil {
				t.Fatalf("%s\n%v", what, err)
			}
			if n := int(stats.Executions); n != found.Traces || len(outcomes) != len(found.Outcomes) {
				t.Errorf("%s\n%T: %d traces with %d outcomes, want %d with %d", what, e, n, len(outcomes), found.Traces, len(found.Outcomes))
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d programs, %d traces", programs, traces)
}
