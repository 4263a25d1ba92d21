package por_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/network"
	"github.com/gopor/gopor/sched/trace"
)

// countRequests has a server that counts requests, and a client that makes one again if it fails. It
// returns how many times the server has counted, and the client's errors.
func countRequests(tries int) (counted int, err error) {
	l, e := network.Listen("tcp 80", "4127.0.0.1", "127.0.0.1:80")
	if e != nil {
		panic(e)
	}
	var n sched.Int64
	server := sched.Go(func() {
		for {
			c, _, err := l.Accept()
			if err != nil {
				return
			}
			if _, err := c.Read(10); err == nil {
				n.Add(1)
				c.Write([]byte("ok"))
			}
			c.Close()
		}
	})
	request := func() error {
		c, err := network.Dial("tcp 80", "4127.0.0.1", "client", false)
		if err != nil {
			return err
		}
		defer c.Close()
		c.SetReadDeadline(time.Second)
		if _, err := c.Write([]byte("request")); err != nil {
			return err
		}
		_, err = c.Read(2)
		return err
	}
	for range tries {
		e := request()
		if e == nil {
			break
		}
		err = errors.Join(err, e)
	}
	l.Close()
	server.Join()
	return int(n.Load()), err
}

// grants allows what the client and the server take for granted.
var grants = por.Grant(sched.AssumeClock, sched.AssumeModel)

func TestFaults(t *testing.T) {
	once := func() {
		if n, err := countRequests(2); n > 1 {
			panic(fmt.Sprint("counted ", n, " times, ", err))
		}
	}
	for _, tt := range []struct {
		name    string
		opts    []por.Option
		fails   bool
		verdict string
		fault   string
	}{
		{name: "none", verdict: "all 2 traces explored, none fails (exhaustive, granted: "},
		{name: "reset", opts: []por.Option{por.Faults(1, sched.FaultReset)}, fails: true, fault: " is reset"},
		{name: "short", opts: []por.Option{por.Faults(1, sched.FaultShort)}, fails: true, fault: " is reset after 1 of 2 bytes"},
		{name: "delay", opts: []por.Option{por.Faults(1, sched.FaultDelay)}, fails: true, fault: "what is written to the connection 127.0.0.1:80 -> client arrives late, by 1m0s"},
		{name: "refuse", opts: []por.Option{por.Faults(1, sched.FaultRefuse)},
			verdict: "; with 1 fault (refuse): all executions of 1 plan explored, "},
		{name: "slow", opts: []por.Option{por.Faults(2, sched.FaultSlow|sched.FaultRefuse)},
			verdict: "; with 2 faults (refuse, slow): all executions of 3 plans explored, "},
		{name: "datagrams", opts: []por.Option{por.Faults(1, sched.FaultLose)}, verdict: "; there is no place for a fault (lose)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := por.Explore(once, append(tt.opts, grants)...)
			if err != nil {
				t.Fatal(err)
			}
			if failed := len(res.Failures) > 0; failed != tt.fails {
				t.Fatalf("fails: %v, want %v; %v", failed, tt.fails, res.Verdict)
			}
			if !tt.fails {
				if text := res.Verdict.String(); !strings.Contains(text, tt.verdict) || !res.Exhaustive {
					t.Errorf("%s, exhaustive: %v, want %s", text, res.Exhaustive, tt.verdict)
				}
				return
			}
			f := &res.Failures[0]
			if len(f.Diagnosis.Faults) != 1 || !strings.HasSuffix(f.Diagnosis.Faults[0], tt.fault) || !strings.Contains(f.Report, "    fault: "+f.Diagnosis.Faults[0]+"\n") {
				t.Errorf("the faults are %q, want %q\n%s", f.Diagnosis.Faults, tt.fault, f.Report)
			}
			if !strings.HasPrefix(f.Replay, "p2") {
				t.Error(f.Replay)
			}
			// The replay has the fault without the option.
			again, err := por.Explore(once, por.Replay(f.Replay))
			if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != f.Msg {
				t.Errorf("%v, %+v", err, again)
			}
		})
	}
}

// TestFaultsAreCovered holds a search with faults to all plans there are, found without it, and all
// interleavings of each.
func TestFaultsAreCovered(t *testing.T) {
	const kinds = sched.FaultReset | sched.FaultRefuse | sched.FaultShort
	for most := 1; most <= 2; most++ {
		want := make(map[string]bool)
		var latest string
		program := func() {
			n, err := countRequests(2)
			latest = fmt.Sprint(n, err)
		}
		tried := make(map[string]bool)
		var try func(plan faults.Plan)
		try = func(plan faults.Plan) {
			if tried[plan.String()] {
				return
			}
			tried[plan.String()] = true
			c := exec.New(program, exec.Options{Net: exec.Net{Plan: plan.String(), Faults: kinds}, AllowLeaks: true})
			defer c.Shutdown()
			sites := make(map[string]faults.Fault)
			_, err := engine.Source{}.Explore(c, func(x *trace.Execution) bool {
				if x.Blocked {
					return true
				}
				x.Run.Outcome()
				want[latest] = true
				list, all := c.Sites()
				if !all {
					t.Fatal("sites are missing")
				}
				for _, s := range list {
					for _, k := range faults.Kind(s.Kinds).Each() {
						f := faults.Fault{Kind: k, Path: c.Path(s.G), N: s.N}
						sites[faults.Plan{f}.String()] = f
					}
				}
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan) == most {
				return
			}
			for _, f := range sites {
				if next, ok := plan.With(f); ok {
					try(next)
				}
			}
		}
		try(nil)
		got := make(map[string]bool)
		res, err := por.Explore(func() { program(); got[latest] = true }, por.Faults(most, kinds), por.AllowLeaks(), grants)
		if err != nil || !res.Exhaustive {
			t.Fatal(err, res)
		}
		if !maps.Equal(got, want) {
			t.Errorf("with %d faults: the outcomes are %v, want %v", most, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
		plans := 1
		for _, l := range res.Verdict.Faults.Levels {
			plans += l.Plans
		}
		if plans != len(tried) || len(want) < 4 {
			t.Errorf("with %d faults: %d plans, want %d; %d outcomes", most, plans, len(tried), len(want))
		}
	}
}

// TestFaultsAtALimit has more places for faults than the limit of executions allows.
func TestFaultsAtALimit(t *testing.T) {
	res, err := por.Explore(func() { countRequests(3) }, por.Faults(8, sched.FaultsAll), por.MaxExecutions(500))
	if err != nil || len(res.Failures) > 0 || res.Exhaustive {
		t.Fatal(err, res)
	}
	text := res.Verdict.String()
	if !strings.Contains(text, "NOT exhaustive") && !strings.Contains(text, "NOT explored") {
		t.Error(text)
	}
	if got := res.Verdict.Class(); got != "stopped by a limit" {
		t.Error(got)
	}
	if needs := res.Verdict.Needs(); !strings.Contains(needs, "MaxExecutions") {
		t.Error(needs)
	}
}

// TestFaultsOfAPart has executions without faults that are drawn, so that there may be other places.
func TestFaultsOfAPart(t *testing.T) {
	res, err := por.Explore(func() { countRequests(1) }, por.Faults(1, sched.FaultRefuse), por.Engine(engine.Random{Executions: 3}))
	if err != nil || res.Exhaustive || res.Verdict.Faults.Levels[0].All || res.Verdict.Faults.Exhausted() {
		t.Fatal(err, res)
	}
}

// TestErrorsOfFaults holds the errors after a reset to those of the types that users compare with.
func TestErrorsOfFaults(t *testing.T) {
	seen := make(map[string]bool)
	_, err := por.Explore(func() {
		_, err := countRequests(1)
		for name, target := range map[string]error{"reset": syscall.ECONNRESET, "refused": syscall.ECONNREFUSED, "pipe": syscall.EPIPE} {
			if errors.Is(err, target) {
				seen[name] = true
			}
		}
	}, por.Faults(1, sched.FaultReset|sched.FaultRefuse), por.AllowLeaks())
	if err != nil {
		t.Fatal(err)
	}
	if !seen["reset"] || !seen["refused"] {
		t.Error(seen)
	}
}

func TestProperties(t *testing.T) {
	res, err := por.Explore(func() {
		por.Sometimes("both")
		por.Sometimes("refused")
		por.Sometimes("counted")
		n, err := countRequests(1)
		if n == 1 {
			por.Reached("counted")
		}
		if errors.Is(err, syscall.ECONNREFUSED) {
			por.Reached("refused")
		}
		if n == 1 && errors.Is(err, syscall.ECONNREFUSED) {
			por.Reached("both")
		}
		por.Always("counted once", n <= 1)
	}, por.Faults(1, sched.FaultRefuse), grants)
	if err != nil || len(res.Failures) > 0 {
		t.Fatal(err, res)
	}
	const want = "; NEVER reached: both; reached: counted (in "
	if text := res.Verdict.String(); !strings.Contains(text, want) || !strings.Contains(text, ", refused (in ") {
		t.Error(text)
	}
}

func TestAlwaysFails(t *testing.T) {
	res, err := por.Explore(func() {
		var n sched.Int64
		h := sched.Go(func() { n.Add(1) })
		por.Always("n is 0", n.Load() == 0)
		h.Join()
	})
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Kind != trace.FailAssertion || !strings.Contains(res.Failures[0].Msg, "not always: n is 0") {
		t.Fatal(err, res)
	}
	defer func() {
		if recover() == nil {
			t.Error("a property that does not hold, without control, is no panic")
		}
	}()
	por.Always("false", false)
}

// TestCrashes has a node that loses what it has not written down.
func TestCrashes(t *testing.T) {
	run := func() {
		disk := 0 // of the node; its goroutine alone uses it
		var told sched.Int64
		n := por.NewNode("a", func() {
			memory := disk
			for range 2 {
				memory++
				por.MayCrash()
				told.Store(int64(memory))
				por.MayCrash()
				disk = memory
			}
			sched.Sleep(time.Hour)
		})
		n.Start()
		sched.Sleep(10 * time.Minute)
		last := told.Load()
		n.Stop()
		por.Always("what was told was written down", last == int64(disk))
		por.Always("nothing was counted twice", disk <= 2)
	}
	if res, err := por.Explore(run, grants); err != nil || len(res.Failures) > 0 || !res.Exhaustive {
		t.Fatal(err, res)
	}
	res, err := por.Explore(run, grants, por.Faults(1, sched.FaultCrash))
	if err != nil || len(res.Failures) != 1 {
		t.Fatal(err, res)
	}
	f := &res.Failures[0]
	if len(f.Diagnosis.Faults) != 1 || !strings.HasPrefix(f.Diagnosis.Faults[0], "node a crashes, starts again after ") {
		t.Error(f.Diagnosis.Faults, f.Report)
	}
}

// TestSkews has a node that takes a message for too old by its wall clock, and one that measures how
// long it has waited.
func TestSkews(t *testing.T) {
	run := func(wall bool) func() {
		return func() {
			sent := sched.NewChan[time.Time](1)
			n := por.NewNode("a", func() {
				begun := sched.Now()
				at := sent.Recv()
				por.MayCrash()
				now := sched.Now()
				if wall {
					por.Always("a message is new", now.Round(0).Sub(at.Round(0)) < time.Second)
				}
				por.Always("time goes on", now.Sub(begun) >= time.Second && now.Sub(begun) < 2*time.Second)
			})
			n.Start()
			sched.Sleep(time.Second)
			sent.Send(sched.Now())
			sched.Sleep(time.Second)
			n.Stop()
		}
	}
	res, err := por.Explore(run(false), grants, por.Faults(2, sched.FaultSkew))
	if err != nil || len(res.Failures) > 0 || !res.Exhaustive || !strings.Contains(res.Verdict.String(), "; with 1 fault (skew): all executions of 2 plans explored, ") {
		t.Error(err, res)
	}
	if res, err = por.Explore(run(true), grants); err != nil || len(res.Failures) > 0 {
		t.Error(err, res)
	}
	res, err = por.Explore(run(true), grants, por.Faults(1, sched.FaultSkew))
	if err != nil || len(res.Failures) != 1 {
		t.Fatal(err, res)
	}
	f := &res.Failures[0]
	if got := f.Diagnosis.Faults; len(got) != 1 || got[0] != "node a has its wall clock jump ahead by 1m0s" {
		t.Error(got, f.Report)
	}
	again, err := por.Explore(run(true), por.Replay(f.Replay))
	if err != nil || len(again.Failures) != 1 || again.Failures[0].Msg != f.Msg {
		t.Error(err, again)
	}
}
