package enginetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
	"github.com/gopor/gopor/sched/std/sync/atomic"
	"github.com/gopor/gopor/sched/trace"
)

// gang is a program in which main starts workers of two kinds. It is a text, a letter for each step:
//
//	A B    start a worker of the first or the second kind that has captured nothing of its own
//	C      the same as A, by a function that wraps the worker's in another one
//	I      start a worker of the first kind that has captured its number
//	w d p  Add of the WaitGroup; Done; Wait
//	u a    add to a number in memory, and do not use the result; or use it
//	l      lock, read and write the variable, unlock
//	s r    send, receive, on a channel with room for two
//	x y    write and read the plain variable, without a lock
//	j      if the latest result is the number 1, write the plain variable
//	k      if it is, read it
//	m n    write and read plain memory
//	h      if the latest result is the number 1, write plain memory
//	t      if it is, panic
//	z      sleep
//	g      start two goroutines that add to the number
//	q      look at the number that follows from the name of the goroutine
//	v      if the latest result is the number 1, do that
//	o      a look at the number of goroutines
type gang struct {
	main string
	kind [2]string
	lag  bool
}

func (p *gang) String() string {
	return fmt.Sprintf("main %s, workers %s and %s, lag %t", p.main, p.kind[0], p.kind[1], p.lag)
}

func drawGang(rng *rand.Rand) *gang {
	draw := func(from string, low, high int) string {
		var b strings.Builder
		for range low + rng.IntN(high-low+1) {
			b.WriteByte(from[rng.IntN(len(from))])
		}
		return b.String()
	}
	p := &gang{lag: rng.IntN(8) == 0}
	for i := range p.kind {
		p.kind[i] = draw("daaalsrrruyjjjkkkmnhhhtzgqvo", 1, 3)
	}
	starts := draw("AAAAABBCCI", 2, 3)
	for i, s := range starts {
		if i > 0 {
			p.main += draw("wuuxxmmylasrnwz", 0, 1)
		}
		p.main += string(s)
	}
	p.main = draw("wssxm", 0, 2) + p.main + draw("aslpxyrmn", 0, 1)
	return p
}

// gangRun is an execution of a gang: what its goroutines have seen.
type gangRun struct {
	p    *gang
	seen []*string // by goroutine, in the order of their starts
}

func (c *gangRun) run() {
	c.seen = c.seen[:0]
	var group sched.WaitGroup
	var mu sched.Mutex
	var number atomic.Int64
	channel, plain, held := sched.NewChan[int](2), sched.NewVar(0), sched.NewVar(0)
	memory := new(int64)
	sent, started := 0, 0 // by main
	var do func(who, steps string)
	start := func(who, steps string) { native.Go(func() { do(who, steps) }) }
	do = func(who, steps string) {
		log := new(string)
		*log = who
		c.seen = append(c.seen, log)
		latest := 0
		see := func(v int) {
			latest = v
			*log += fmt.Sprint(" ", v)
		}
		for _, s := range steps {
			switch s {
			case 'A':
				native.Go(func() { do("a", c.p.kind[0]) })
			case 'B':
				native.Go(func() { do("b", c.p.kind[1]) })
			case 'C':
				f := func() { do("a", c.p.kind[0]) }
				native.Go(func() { f() })
			case 'I':
				i := fmt.Sprint("i", started)
				started++
				native.Go(func() { do(i, c.p.kind[0]) })
			case 'w':
				group.Add(1)
			case 'd':
				group.Done()
			case 'p':
				group.Wait()
			case 'u':
				number.Add(native.UnusedInt64(1))
			case 'a':
				see(int(number.Add(1)))
			case 'l':
				mu.Lock()
				see(held.Load())
				held.Store(latest + 1)
				mu.Unlock()
			case 's':
				if who == "main" {
					channel.Send(sent)
					sent++
				} else {
					channel.Send(1)
				}
			case 'r':
				see(channel.Recv())
			case 'x':
				plain.Store(5)
			case 'y':
				see(plain.Load())
			case 'j':
				if latest == 1 {
					plain.Store(7)
				}
			case 'k':
				if latest == 1 {
					see(plain.Load())
				}
			case 'm':
				hook.WriteMemory(unsafe.Pointer(memory), 8)
			case 'n':
				hook.ReadMemory(unsafe.Pointer(memory), 8)
			case 'h':
				if latest == 1 {
					hook.WriteMemory(unsafe.Pointer(memory), 8)
				}
			case 't':
				if latest == 1 {
					panic("one")
				}
			case 'z':
				sched.Sleep(time.Millisecond)
			case 'g':
				for range 2 {
					start("c", "a")
				}
			case 'q':
				see(int(hook.Seed() % 3))
			case 'v':
				if latest == 1 {
					see(int(hook.Seed() % 3))
				}
			case 'o':
				see(sched.NumGoroutine())
			}
		}
	}
	do("main", c.p.main)
}

// outcomes returns what comes of all executions up to renaming of goroutines. Of those that fail
// otherwise than by a deadlock that is only how, since they end where they fail.
func (p *gang) outcomes(t *testing.T, e trace.Engine, alike bool, most int64) (all map[string]bool, n int64, c *exec.Closure) {
	r := &gangRun{p: p}
	o := exec.Options{Exchange: exec.Exchange{Alike: alike}}
	if p.lag {
		o.Time, o.Lag = sched.TimeLag, time.Millisecond
	}
	c = exec.New(r.run, o)
	defer c.Shutdown()
	all = make(map[string]bool)
	stats, err := e.Explore(c, func(x *trace.Execution) bool {
		if x.Blocked {
			return x.Stats.Blocked < most
		}
		n++
		stuck := false
		for _, f := range x.Run.Outcome() {
			if stuck = true; f.Kind != trace.FailDeadlock && f.Kind != trace.FailLeak {
				all[failure+f.Kind.String()] = true
				return n < most
			}
		}
		var seen []string
		for _, s := range r.seen {
			seen = append(seen, *s)
		}
		slices.Sort(seen)
		all[fmt.Sprint(seen, " stuck ", stuck)] = true
		return n < most
	})
	switch {
	case err != nil:
		t.Fatalf("%v, %s, alike %t: %v", p, e.Name(), alike, err)
	case !stats.Exhaustive:
		return nil, n, c
	}
	return all, stats.Executions, c
}

const failure = "fails by "

func fails(outcomes map[string]bool) bool {
	for o := range outcomes {
		if strings.HasPrefix(o, failure) {
			return true
		}
	}
	return false
}

// TestAlike holds searches that find interchangeable goroutines to brute force: the outcomes are
// the same up to renaming, or the search says that goroutines were told apart.
func TestAlike(t *testing.T) {
	programs, source := toytest.Seeds(t, 2000)
	engines := []trace.Engine{engine.Optimal{}, engine.Source{}, engine.DPOR{}, engine.Reverse{}, engine.DFS{}}
	var judged, found, fewer, apart, failing int64
	var before, after int64
	for i := range programs {
		p := drawGang(source(i))
		all, n, _ := p.outcomes(t, engine.Optimal{}, false, 200)
		if all == nil {
			continue
		}
		e := engines[i%int64(len(engines))]
		some, m, c := p.outcomes(t, e, true, 2000)
		if some == nil {
			continue
		}
		judged++
		if len(c.Alike()) > 0 {
			found++
		}
		if c.ToldApart() {
			apart++
			continue
		}
		if e.Name() == "optimal" {
			before, after = before+n, after+m
			if m < n {
				fewer++
			}
			if m > n {
				t.Errorf("program %d, %v: %d executions, %d without", i, p, m, n)
			}
		}
		// An execution ends where it fails, so how depends on the interleaving. And where one
		// goroutine races another one that knows more may pass.
		if fails(all) && fails(some) {
			failing++
			continue
		}
		if !maps.Equal(all, some) {
			t.Fatalf("program %d, %v, by %s:\n%v\nnot\n%v", i, p, e.Name(), slices.Sorted(maps.Keys(some)), slices.Sorted(maps.Keys(all)))
		}
	}
	t.Logf("%d programs, %d with lines, %d told apart, %d of optimal's have fewer executions (%d, not %d), %d fail", judged, found, apart, fewer, after, before, failing)
}
