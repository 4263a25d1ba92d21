package exec_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// crowd is a closure in which goroutines start others, wait for each other, sleep
// and choose.
func crowd() {
	var mu sched.Mutex
	var wg sched.WaitGroup
	var n sched.Int64
	ch := sched.NewChan[int](0)
	for i := range 3 {
		wg.Go(func() {
			mu.Lock()
			n.Add(int64(sched.Choose(2)))
			mu.Unlock()
			if i == 0 {
				sched.Sleep(time.Second)
				sched.Go(func() { ch.Send(1) })
			}
		})
	}
	ch.Recv()
	wg.Wait()
}

// picker returns a decision that chooses at random, and notes what is pending and
// what has happened.
func picker(run trace.Run, seed uint64, most int, log *[]string, s *trace.Schedule) func(*trace.Event) (trace.Choice, bool) {
	r := rand.New(rand.NewPCG(seed, 0))
	return func(ev *trace.Event) (trace.Choice, bool) {
		if ev != nil {
			*log = append(*log, fmt.Sprint(ev.Op.G, ev.Kind, ev.Obj, ev.Alt, ev.Accesses(), ev.Order))
		}
		ops := run.Pending()
		*log = append(*log, fmt.Sprint(run.Len(), ops))
		if len(ops) == 0 || len(*s) == most {
			return trace.Choice{}, false
		}
		op := ops[r.IntN(len(ops))]
		c := trace.Choice{G: op.G, Alt: r.Int32N(op.Alts)}
		*s = append(*s, c)
		return c, true
	}
}

// TestDrive checks that a driven execution is the one that steps make, and that
// it goes on from any part of its schedule.
func TestDrive(t *testing.T) {
	c := exec.New(crowd, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	for seed := range uint64(300) {
		var want, got []string
		var schedule, again trace.Schedule
		run := c.Start()
		decide := picker(run, seed, 5+int(seed)%40, &want, &schedule)
		for choice, ok := decide(nil); ok; {
			ev, err := run.Step(choice)
			if err != nil {
				t.Fatal(err)
			}
			choice, ok = decide(ev)
		}
		run.Close()

		driven := c.Start().(trace.Driver)
		if err := driven.Drive(nil, picker(driven, seed, 5+int(seed)%40, &got, &again)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got) + cmp.Diff(schedule, again); diff != "" {
			t.Fatalf("seed %d (-steps +driven)\n%s", seed, diff)
		}
		driven.Close()

		half := len(schedule) / 2
		driven = c.Start().(trace.Driver)
		next := half
		err := driven.Drive(schedule[:half], func(*trace.Event) (trace.Choice, bool) {
			if next++; next > len(schedule) {
				return trace.Choice{}, false
			}
			return schedule[next-1], true
		})
		if err != nil || driven.Len() != len(schedule) {
			t.Fatalf("seed %d: %d events of %d: %v", seed, driven.Len(), len(schedule), err)
		}
		driven.Close()
	}
}

// TestDriveRefuses checks what becomes of choices that cannot be made.
func TestDriveRefuses(t *testing.T) {
	c := exec.New(crowd, exec.Options{MaxSteps: 2})
	defer c.Shutdown()
	always := func(choice trace.Choice) func(*trace.Event) (trace.Choice, bool) {
		return func(*trace.Event) (trace.Choice, bool) { return choice, true }
	}
	run := c.Start().(trace.Driver)
	if err := run.Drive(nil, always(trace.Choice{G: 99})); err == nil || run.Len() != 0 {
		t.Errorf("no such goroutine: %v after %d events", err, run.Len())
	}
	run.Close()
	if err := run.Drive(nil, always(trace.Choice{})); err != trace.ErrClosed {
		t.Errorf("closed: %v", err)
	}
	run = c.Start().(trace.Driver)
	if err := run.Drive(nil, always(trace.Choice{})); err == nil || run.Len() != 2 {
		t.Errorf("too many steps: %v after %d events", err, run.Len())
	}
	run.Close()
}
