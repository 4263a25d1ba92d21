package network_test

import (
	"errors"
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

const (
	name  = "tcp 80"
	place = "4127.0.0.1"
)

// sockets are what the goroutines of a drawn program use.
type sockets struct {
	l    *network.Listener
	ends [2]*network.Conn // of one connection
	p    [2]*network.Packets
}

// full is as much as a direction of a connection has room for.
var full = make([]byte, network.Room)

// large is more than that.
var large = make([]byte, network.Room*9/4)

// action is an operation of a drawn program. It returns what has come of it.
type action struct {
	text string
	do   func(s *sockets) string
}

func text(data []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func wrote(n int, err error) string { return fmt.Sprint(n, outcome(err)) }

func outcome(err error) string {
	if err != nil {
		return err.Error()
	}
	return "ok"
}

// actions returns the operations of a family, for a socket or an end of a connection.
func actions(family string, i int) (list []action) {
	add := func(what string, do func(s *sockets) string) { list = append(list, action{fmt.Sprint(what, i), do}) }
	switch family {
	case "joined":
		add("piece", func(s *sockets) string {
			return text(s.ends[i].ReadFor(3, func() bool { return true }))
		})
		for n := range 4 {
			add("read", func(s *sockets) string { return text(s.ends[i].Read(n + 1)) })
		}
		add("write", func(s *sockets) string { return wrote(s.ends[i].Write([]byte("ab"))) })
		add("write", func(s *sockets) string { return wrote(s.ends[i].Write([]byte("c"))) })
		add("write", func(s *sockets) string { return wrote(s.ends[i].Write([]byte("def"))) })
		add("fill", func(s *sockets) string { return wrote(s.ends[i].Write(full)) })
		add("readall", func(s *sockets) string {
			data, err := s.ends[i].Read(1 << 20)
			return fmt.Sprint(len(data), err)
		})
		add("peek", func(s *sockets) string { return text(s.ends[i].Peek(true)) })
		add("closewrite", func(s *sockets) string { return outcome(s.ends[i].CloseWrite()) })
		add("closeread", func(s *sockets) string { return outcome(s.ends[i].CloseRead()) })
		add("close", func(s *sockets) string { return outcome(s.ends[i].Close()) })
		add("deadline", func(s *sockets) string { return outcome(s.ends[i].SetReadDeadline(0)) })
		add("nodeadline", func(s *sockets) string { return outcome(s.ends[i].SetReadDeadline(network.NoDeadline)) })
	case "stream", "unix":
		add("read", func(s *sockets) string { return text(s.ends[i].Read(2)) })
		add("read", func(s *sockets) string { return text(s.ends[i].Read(1)) })
		add("write", func(s *sockets) string { return wrote(s.ends[i].Write([]byte("ab"))) })
		add("write", func(s *sockets) string { return wrote(s.ends[i].Write([]byte("c"))) })
		add("readall", func(s *sockets) string {
			data, err := s.ends[i].Read(1 << 20)
			return fmt.Sprint(len(data), err)
		})
		add("peek", func(s *sockets) string { return text(s.ends[i].Peek(true)) })
		add("look", func(s *sockets) string { return text(s.ends[i].Peek(false)) })
		add("look", func(s *sockets) string { return text(s.ends[i].Peek(false)) })
		add("fill", func(s *sockets) string { return wrote(s.ends[i].Write(full)) })
		add("fill", func(s *sockets) string { return wrote(s.ends[i].Write(full)) })
		add("large", func(s *sockets) string { return wrote(s.ends[i].Write(large)) })
		add("readpart", func(s *sockets) string {
			data, err := s.ends[i].Read(len(full) / 2)
			return fmt.Sprint(len(data), err)
		})
		add("closewrite", func(s *sockets) string { return outcome(s.ends[i].CloseWrite()) })
		add("closeread", func(s *sockets) string { return outcome(s.ends[i].CloseRead()) })
		add("close", func(s *sockets) string { return outcome(s.ends[i].Close()) })
		add("ask", func(s *sockets) string { return outcome(s.ends[i].Ask()) })
		add("linger", func(s *sockets) string { return outcome(s.ends[i].SetLinger(true)) })
		add("deadline", func(s *sockets) string { return outcome(s.ends[i].SetReadDeadline(0)) })
		add("nodeadline", func(s *sockets) string { return outcome(s.ends[i].SetReadDeadline(network.NoDeadline)) })
		add("writedeadline", func(s *sockets) string { return outcome(s.ends[i].SetWriteDeadline(-1)) })
		add("later", func(s *sockets) string { return outcome(s.ends[i].SetReadDeadline(time.Second)) })
		add("sleep", func(s *sockets) string { sched.Sleep(time.Second); return "" })
	case "room", "unixroom":
		if i == 0 {
			add("fill", func(s *sockets) string { return wrote(s.ends[0].Write(full)) })
			add("large", func(s *sockets) string { return wrote(s.ends[0].Write(large)) })
			add("write", func(s *sockets) string { return wrote(s.ends[0].Write([]byte("ab"))) })
			add("closewrite", func(s *sockets) string { return outcome(s.ends[0].CloseWrite()) })
			add("writedeadline", func(s *sockets) string { return outcome(s.ends[0].SetWriteDeadline(0)) })
			add("later", func(s *sockets) string { return outcome(s.ends[0].SetWriteDeadline(time.Second)) })
			add("nodeadline", func(s *sockets) string { return outcome(s.ends[0].SetWriteDeadline(network.NoDeadline)) })
		} else {
			for range 2 {
				add("readpart", func(s *sockets) string {
					data, err := s.ends[1].Read(len(full) / 2)
					return fmt.Sprint(len(data), err)
				})
				add("readall", func(s *sockets) string {
					data, err := s.ends[1].Read(1 << 20)
					return fmt.Sprint(len(data), err)
				})
			}
			add("closeread", func(s *sockets) string { return outcome(s.ends[1].CloseRead()) })
		}
		add("close", func(s *sockets) string { return outcome(s.ends[i].Close()) })
		add("sleep", func(s *sockets) string { sched.Sleep(time.Second); return "" })
	case "listener":
		add("dial", func(s *sockets) string {
			c, err := network.Dial(name, place, fmt.Sprint("from", i), false)
			if err != nil {
				return err.Error()
			}
			return text(c.Read(1))
		})
		add("accept", func(s *sockets) string {
			c, from, err := s.l.Accept()
			if err != nil {
				return err.Error()
			}
			return from + wrote(c.Write([]byte("x")))
		})
		add("close", func(s *sockets) string { return outcome(s.l.Close()) })
		add("ask", func(s *sockets) string { return outcome(s.l.Ask()) })
		add("listen", func(s *sockets) string {
			l, err := network.Listen(name, place, "again")
			if err != nil {
				return err.Error()
			}
			return outcome(l.Close())
		})
		add("deadline", func(s *sockets) string { return outcome(s.l.SetDeadline(0)) })
		add("nodeadline", func(s *sockets) string { return outcome(s.l.SetDeadline(network.NoDeadline)) })
		add("later", func(s *sockets) string { return outcome(s.l.SetDeadline(time.Second)) })
	case "packets":
		other := fmt.Sprint("udp ", 1-i)
		add("send", func(s *sockets) string {
			return outcome(s.p[i].SendTo(other, place, fmt.Sprint(i), []byte("x"), i == 0))
		})
		add("self", func(s *sockets) string {
			return outcome(s.p[i].SendTo(fmt.Sprint("udp ", i), place, fmt.Sprint(i), []byte("y"), i == 0))
		})
		add("receive", func(s *sockets) string {
			data, from, err := s.p[i].ReceiveFrom()
			return from + text(data, err)
		})
		add("close", func(s *sockets) string { return outcome(s.p[i].Close()) })
		add("ask", func(s *sockets) string { return outcome(s.p[i].Ask()) })
		add("deadline", func(s *sockets) string { return outcome(s.p[i].SetReadDeadline(0)) })
		add("nodeadline", func(s *sockets) string { return outcome(s.p[i].SetReadDeadline(network.NoDeadline)) })
		add("writedeadline", func(s *sockets) string { return outcome(s.p[i].SetWriteDeadline(0)) })
	}
	return list
}

// open makes the sockets of a family.
func open(family string) (s sockets) {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	var err error
	if family == "packets" {
		for i := range s.p {
			s.p[i], err = network.ListenPackets(fmt.Sprint("udp ", i), place, fmt.Sprint("box", i))
			must(err)
		}
		return s
	}
	s.l, err = network.Listen(name, place, "127.0.0.1:80")
	must(err)
	if family != "listener" {
		s.ends[0], err = network.Dial(name, place, "from", strings.HasPrefix(family, "unix"))
		must(err)
		s.ends[1], _, err = s.l.Accept()
		must(err)
	}
	return s
}

// program is a drawn program: what each goroutine does.
type program struct {
	family  string
	time    sched.TimeMode
	threads [][]action
	plan    faults.Plan
}

// drawPlan draws one or two faults for a program of n goroutines, all of which main starts.
func drawPlan(rnd *rand.Rand, n int) (p faults.Plan) {
	kinds := (faults.All &^ faults.OfFiles).Each()
	for range 1 + rnd.IntN(2) {
		f := faults.Fault{Kind: kinds[rnd.IntN(len(kinds))], Path: []int32{int32(rnd.IntN(n))}, N: int32(rnd.IntN(2))}
		f.For = f.Kind.Times()[0]
		if f.For > 0 && rnd.IntN(2) == 0 {
			f.For = time.Second // as long as the sleeps and deadlines
		}
		if q, ok := p.With(f); ok {
			p = q
		}
	}
	return p
}

func draw(rnd *rand.Rand, family string) program {
	p := program{family: family, time: sched.TimeMode(rnd.IntN(4)), threads: make([][]action, 2+rnd.IntN(2))}
	if p.time > sched.TimeLag {
		p.time = sched.TimeDiscrete
	}
	total := 4
	if len(p.threads) == 3 {
		total = 5
	}
	for n := range total {
		i := rnd.IntN(len(p.threads))
		if n < len(p.threads) {
			i = n
		}
		list := actions(family, rnd.IntN(2))
		p.threads[i] = append(p.threads[i], list[rnd.IntN(len(list))])
	}
	return p
}

func (p program) String() string {
	var b strings.Builder
	for _, thread := range p.threads {
		for _, a := range thread {
			b.WriteString(a.text + " ")
		}
		b.WriteString("| ")
	}
	if p.plan != nil {
		fmt.Fprintf(&b, "with %v", p.plan)
	}
	return fmt.Sprint(p.family, ", time ", p.time, ": ") + b.String()
}

// closure returns the closure of a program, and what tells the state in the end: what has come of
// each operation.
func (p program) closure() (run func(), final func() string) {
	results := make([]string, len(p.threads))
	run = func() {
		clear(results)
		s := open(p.family)
		for i, thread := range p.threads {
			sched.Go(func() {
				for _, a := range thread {
					results[i] += a.do(&s) + ";"
				}
			})
		}
	}
	return run, func() string { return strings.Join(results, " | ") }
}

// check explores all interleavings of a program. A goroutine that waits for ever is no failure.
// Then engines explore it: one execution of each trace.
func (p program) check() (traces int, err error) {
	run, final := p.closure()
	o := exec.Options{AllowLeaks: true, Time: p.time, Net: exec.Net{Plan: p.plan.String()}}
	if p.family == "joined" {
		o.Model = sched.ModelStream
	}
	found, err := closures.ProgramOf(func() string { run(); return "" }, final, o).By(oracle.Enumerate, closures.MostExecutions, true)
	if err != nil {
		return 0, err
	}
	var bad []error
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
			return 0, err
		}
		if n := int(stats.Executions); n != found.Traces || len(outcomes) != len(found.Outcomes) {
			bad = append(bad, fmt.Errorf("%T: %d traces with %d outcomes, want %d with %d", e, n, len(outcomes), found.Traces, len(found.Outcomes)))
		}
	}
	return found.Traces, errors.Join(bad...)
}

// TestDrawnFaults is TestDrawn with plans of faults.
func TestDrawnFaults(t *testing.T) {
	programs := 120
	if os.Getenv("GOPOR_FULL") != "" {
		programs = 3000
	}
	if n, err := strconv.Atoi(os.Getenv("GOPOR_PROGRAMS")); err == nil {
		programs = n
	}
	for _, family := range []string{"stream", "unix", "joined", "room", "listener", "packets"} {
		t.Run(family, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(2, uint64(len(family))))
			traces := 0
			for range programs {
				p := draw(rnd, family)
				p.plan = drawPlan(rnd, len(p.threads))
				n, err := p.check()
				if err != nil {
					t.Fatalf("%v\n%v", p, err)
				}
				traces += n
			}
			t.Logf("%d programs, %d traces", programs, traces)
		})
	}
}

// TestDrawn explores all interleavings of small programs: each trace has as many of them as its
// partial order has linear extensions, and all of these end the same. So the accesses of every
// operation of a socket are right in the states that the programs come to. It would find a Close
// that does not depend on a Write, say.
func TestDrawn(t *testing.T) {
	programs := 150
	if os.Getenv("GOPOR_FULL") != "" {
		programs = 3000
	}
	for _, family := range []string{"stream", "unix", "joined", "room", "unixroom", "listener", "packets"} {
		t.Run(family, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(1, uint64(len(family))))
			traces := 0
			for range programs {
				p := draw(rnd, family)
				n, err := p.check()
				if err != nil {
					t.Fatalf("%v\n%v", p, err)
				}
				traces += n
			}
			t.Logf("%d programs, %d traces", programs, traces)
		})
	}
}
