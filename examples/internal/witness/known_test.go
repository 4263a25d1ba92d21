package witness

import (
	"os"
	"testing"
	"time"

	"github.com/gopor/gopor/por/engine"
)

// known are small programs, each with an outcome that Go has and that a coarser model
// than Go does not; those that use plain memory have no data race. The family says what such a model lacks, "" if it lacks nothing.
// GOPOR_NATIVE=1 runs them natively as well and logs how often each
// outcome was seen.
var known = []struct{ family, name, program, outcome string }{
	{"contexts", "a parent is cancelled and its child not yet", `
		main: a.Err(); b.Err()
		go: cancel a`, "canceled, live | ok"},
	{"contexts", "a parent is done and its child not yet", `
		main: <-a.Done(); b.Err()
		go: cancel a`, "ok, live | ok"},
	{"contexts", "a child is done and the next one not yet", `
		main: <-b.Done(); s.Err()
		go: cancel a`, "ok, live | ok"},
	{"contexts", "the next child is done before the first", `
		main: <-s.Done(); b.Err()
		go: cancel a`, "ok, live | ok"},
	{"contexts", "a function runs after a context, whose child is live", `
		main: AfterFunc(a, d <- b.Err()); cancel a; <-d`, "ok, ok, 1 true"},
	{"Range", "Range sees the first of two deletes only", `
		main: m.Store(1, v); m.Store(2, v); d <- v; m.Range
		go: <-d; m.Delete(1); m.Delete(2)`, "ok, ok, ok, [1 10] | 12 true, ok, ok"},
	{"Range", "Range sees what is stored while it is on its way", `
		main: m.Store(1, v); m.Store(2, v); m.Range { <-c }
		go: c <- v; m.Store(1, v); m.Store(2, v); c <- v`, "ok, ok, 32 | ok, ok, ok, ok"},
	{"Range", "Range does not visit what its function deletes", `
		main: m.Store(1, v); m.Store(2, v); m.Range { m.Delete }`, "ok, ok, 1"},
	{"TryLock", "two TryLock fail, one beside a reader", `
		main: rw.RLock(); rw.RUnlock(); rw.TryLock()
		go: rw.TryLock()`, "ok, ok, false | false"},
	{"Pool", "a Pool drops what it is given", `
		main: pool.Put(v); pool.Get()`, "ok, <nil>"},
	{"Pool", "a Pool returns what was put in last but first", `
		main: pool.Put(v); pool.Put(v); pool.Put(v); pool.Get(); pool.Get(); pool.Get()`, "ok, ok, ok, 10, 12, 11"},
	{"WaitGroup", "a WaitGroup is reused", `
		main: wg.Add(1); d <- v; wg.Wait()
		go: <-d; wg.Done(); wg.Add(1); wg.Done()`,
		"ok, ok, panic: sync: WaitGroup is reused before previous Wait has returned | 11 true, ok, ok, ok"},
	{"WaitGroup", "a new Wait takes the place of one that was woken", `
		main: wg.Add(1); wg.Wait()
		go: wg.Done() and wg.Add(1); wg.Wait()`,
		"ok waits | ok, panic: sync: WaitGroup is reused before previous Wait has returned"},
	{"select", "the second of two receiving cases", `
		main: select c <- v, default
		go: select <-c, <-c`, "sent | second 10"},
	{"select", "the second of two sending cases", `
		main: select <-c, default
		go: select c <- v, c <- v+1`, "21 true | second"},
	{"select", "the second cases of both", `
		main: select <-c, <-c
		go: select c <- v, c <- v+1`, "second 21 | second"},
	{"", "the second case of a closed channel", `
		main: close(c)
		go: select <-c, <-c`, "ok | second 0"},
	{"yields", "Gosched in vain", `
		main: runtime.Gosched(); runtime.Gosched(); n.Load()
		go: n.Add(1)`, "ok, ok, 0 | 1"},
	{"yields", "Gosched for less than others do", `
		main: runtime.Gosched(); runtime.Gosched(); runtime.Gosched(); runtime.Gosched(); n.Load()
		go: n.Add(1); n.Add(1); n.Add(1)`, "ok, ok, ok, ok, 2 | 1, 2, 3"},
	{"yields", "Gosched under a lock", `
		main: mu { Gosched, x = 10*x + v }; mu { Gosched, x = 10*x + v }; mu { x = 10*x + v }
		go: mu { x = 10*x + v }`, "1, 11, 111 | 1112"},
	{"yields", "a poll that gives up", `
		main: poll n 4 times
		go: n.Add(1)`, "gave up | 1"},
	{"yields", "Sleep(0) in vain", `
		main: time.Sleep(0); time.Sleep(0); n.Load()
		go: n.Add(1)`, "ok, ok, 0 | 1"},
	{"", "Sleep in vain", `
		main: time.Sleep(moment); n.Load()
		go: n.Add(1)`, "ok, 0 | 1"},
	{"yields", "Sleep in vain twice", `
		main: time.Sleep(moment); time.Sleep(moment); n.Load()
		go: n.Add(1)`, "ok, ok, 0 | 1"},
	{"ticker", "a ticker fires twice, and nobody else does anything", `
		main: <-ticker.C; <-ticker.C; n.Load()
		go: n.Add(1)`, "ok, ok, 0 | 1"},
	{"timer", "Stop and Reset both find the timer running", `
		main: <-timer.C
		go: timer.Stop(); timer.Reset()`, "ok | true, true"},
	{"", "a short spin that gives up", `
		main: spin 10 times on n
		go: n.Add(1)`, "gave up | 1"},
	{"", "a spin that gives up", `
		main: spin 600 times on n
		go: n.Add(1)`, "gave up | 1"},
	{"", "the second close panics", `
		main: close(c)
		go: close(c)`, "panic: close of closed channel | ok"},
	{"", "the first of two that are fatal", `
		main: mu.Unlock()
		go: rw.Unlock()`, "fatal error: sync: unlock of unlocked mutex"},
	{"memory", "a Write that waits before it reads", `
		main: late.Write(buf)
		go: buf[0] = 1; c <- v`, "1 <nil> | ok, ok"},
	{"memory", "a Write that does not read", `
		main: len.Write(buf)
		go: buf[0] = 1`, "1 <nil> | ok"},
	{"memory", "a Read that waits before it writes", `
		main: late.Read(buf)
		go: buf[0] = 1; c <- v`, "2 <nil> | ok, ok"},
	{"", "a Read that hands over", `
		main: hand.Read(buf)
		go: (<-hand)[0] = 1`, "1 <nil>1 | ok"},
	{"", "the length of an array in a struct", `
		main: range at.array
		go: at = new`, "3 | ok"},
	{"", "the length of an array literal", `
		main: range [1]int{x}; n.Load()
		go: x++`, "ok, 1 | 1"},
	{"", "the length of an array", `
		main: range *ref
		go: *ref = nil`, "3 | ok"},
	{"", "the length of an array behind a pointer", `
		main: len(**ref)
		go: *ref = nil`, "3 | ok"},
	{"order", "the order of a map", `
		main: range map`, "2, 3, 1, ok"},
}

// TestKnown requires the known outcomes of a complete search.
func TestKnown(t *testing.T) {
	needBoth(t)
	var s server
	defer s.stop()
	for _, k := range known {
		t.Run(k.name, func(t *testing.T) {
			p, err := Parse(k.program)
			if err != nil {
				t.Fatal(err)
			}
			res, err := search(p, engine.Optimal{}, 1_000_000)
			if err != nil || !res.Complete {
				t.Fatalf("%v, %+v", err, res)
			}
			awaited, found := false, res.Outcomes[k.outcome] > 0 && (res.Race == "" || p.traits()&plain == 0)
			for _, f := range families {
				if f.name == k.family {
					awaited = f.awaited
					if !f.holds(p) {
						t.Errorf("not a program of the family %q", f.name)
					}
				}
			}
			switch {
			case found && awaited:
				t.Errorf("found, although the family %q is awaited: take that back", k.family)
			case !found && !awaited:
				t.Errorf("%v%q is not found, but %v, race %q", p, k.outcome, res.Outcomes, res.Race)
			}
			s.tryNatively(t, p, k.outcome)
		})
	}
}

// tryNatively logs how often an outcome is seen natively, if that is asked for.
func (s *server) tryNatively(t *testing.T, p *Program, outcome string) {
	if os.Getenv("GOPOR_NATIVE") == "" {
		return
	}
	seen, runs := 0, 0
	for begin := time.Now(); seen == 0 && time.Since(begin) < 5*time.Second; {
		got, err := s.run(Request{Program: p.String(), Runs: 4000, Waiting: 50, Grace: 5 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range got {
			runs += n
		}
		seen += got[outcome]
	}
	t.Logf("seen in %d of %d native runs", seen, runs)
}
