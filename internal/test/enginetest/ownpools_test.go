package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// poolStep is a step of a goroutine of a poolProgram.
type poolStep int

const (
	poolPut poolStep = iota // something new
	poolGet
	poolBack // what was got last is put back
	poolUse  // look at what was got last, and change it
	poolTurn // to the other Pool
	poolLook // at the cell
	poolMark // the cell
)

func (s poolStep) String() string {
	return [...]string{"put", "get", "back", "use", "turn", "look", "mark"}[s]
}

// poolProgram has goroutines that use two Pools. The second one makes what it lacks.
type poolProgram struct {
	steps [][]poolStep // by goroutine
	which []int        // by goroutine, the Pool that it uses
	seen  []string
}

func drawPools(r *rand.Rand) *poolProgram {
	p := &poolProgram{steps: make([][]poolStep, 2+r.IntN(2))}
	for range p.steps {
		p.which = append(p.which, r.IntN(2)&r.IntN(2))
	}
	for range 4 + r.IntN(3) {
		g := r.IntN(len(p.steps))
		p.steps[g] = append(p.steps[g], []poolStep{poolPut, poolPut, poolGet, poolGet, poolGet, poolBack, poolUse, poolTurn, poolLook, poolMark}[r.IntN(10)])
	}
	return p
}

// thing is what is put into Pools.
type thing struct {
	maker int // the goroutine, from 1, or 9 for New
	uses  *sched.Var[int]
}

func (p *poolProgram) run() {
	p.seen = make([]string, len(p.steps))
	pools := [2]*sched.Pool{{}, {New: func() any { return &thing{9, sched.NewVar(0)} }}}
	cell := sched.NewVar(0)
	do := func(g int) {
		which := p.which[g]
		last := &thing{g + 1, sched.NewVar(0)}
		for _, s := range p.steps[g] {
			pool := pools[which]
			switch s {
			case poolTurn:
				which = 1 - which
			case poolPut:
				pool.Put(&thing{g + 1, sched.NewVar(0)})
			case poolGet:
				maker := 0
				if got, ok := pool.Get().(*thing); ok {
					last, maker = got, got.maker
				}
				p.seen[g] += fmt.Sprint("got ", maker, ";")
			case poolBack:
				pool.Put(last)
			case poolUse:
				n := last.uses.Load()
				last.uses.Store(n + 1)
				p.seen[g] += fmt.Sprint("use ", n, ";")
			case poolLook:
				p.seen[g] += fmt.Sprint("cell ", cell.Load(), ";")
			case poolMark:
				cell.Store(g + 1)
			}
		}
	}
	for g := range p.steps[1:] {
		sched.Go(func() { do(g + 1) })
	}
	do(0)
}

type poolRun struct {
	trace.Driver
	p *poolProgram
}

func (r poolRun) AppendState(b []byte) []byte { return fmt.Append(b, r.p.seen, r.Outcome()) }

type poolStarts struct {
	c *exec.Closure
	p *poolProgram
}

func (s poolStarts) Start() trace.Run { return poolRun{s.c.Start().(trace.Driver), s.p} }

// TestOwnPools holds the rule for Pools to four things. It is exact: brute force and all engines
// agree. It has no outcome that Go does not allow, which are those of sched.ModelPool. Where a
// Pool that goroutines share has another outcome, an execution notes that there may be one. And it
// makes traces fewer.
func TestOwnPools(t *testing.T) {
	n, source := toytest.Seeds(t, 3000)
	fewer, differ, quiet := 0, 0, 0
	for i := range n {
		p := drawPools(source(i))
		options := func(own bool, m sched.Model) exec.Options {
			return exec.Options{Races: sched.RaceExplore, Model: m, Coarser: exec.Coarser{OwnPools: own}}
		}
		explore := func(o exec.Options) (all *oracle.Result, ends map[string]bool, noted bool, err error) {
			c := exec.New(p.run, o)
			defer c.Shutdown()
			all, err = oracle.Enumerate(poolStarts{c, p}, oracle.Limits{Executions: 3000})
			if err != nil {
				return nil, nil, false, err
			}
			ends = make(map[string]bool)
			for _, class := range all.Classes {
				ends[class.State] = true
			}
			return all, ends, c.Assumes(func(a exec.Assumption) bool { return a.Is(hook.OwnPool) }), nil
		}
		shared, lifo, _, err := explore(options(false, 0))
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
		own, got, noted, err := explore(options(true, 0))
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
		_, allowed, _, err := explore(options(true, sched.ModelPool))
		if err != nil && !errors.Is(err, oracle.ErrTooBig) {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
		for end := range got {
			if err == nil && !allowed[end] {
				t.Fatalf("program %d: %v %v\nGo does not allow %s", i, p.steps, p.which, end)
			}
		}
		if err := own.Check(); err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
		if fmt.Sprint(got) != fmt.Sprint(lifo) {
			differ++
			if !noted {
				t.Fatalf("program %d: %v %v\nnot noted: with a Pool for each goroutine %v, with one for all %v", i, p.steps, p.which, got, lifo)
			}
		}
		if !noted {
			quiet++
		}
		if len(own.Classes) < len(shared.Classes) {
			fewer++
		}
		c, second := exec.New(p.run, options(true, 0)), &poolProgram{steps: p.steps, which: p.which}
		names := exec.New(second.run, options(true, 0))
		for _, e := range memoryEngines {
			if err := Verify(e.Engine, e.Promise, poolStarts{c, p}, names, own); err != nil {
				t.Fatalf("program %d, engine %s: %v\n%v", i, e.Engine.Name(), err, p.steps)
			}
		}
		c.Shutdown()
		names.Shutdown()
	}
	t.Logf("%d programs have fewer traces with the rule, %d have other outcomes, and %d note nothing", fewer, differ, quiet)
	if int64(fewer) < n/5 || int64(differ) < n/20 || int64(quiet) < n/20 {
		t.Error("too few")
	}
}

// TestOwnPoolsCommute counts the traces of goroutines that get and put.
func TestOwnPoolsCommute(t *testing.T) {
	for _, tt := range []struct {
		own  bool
		m    sched.Model
		want int64
	}{{true, 0, 1}, {false, 0, 2520}} {
		c := exec.New(func() {
			pool := sched.Pool{New: func() any { return new(int) }}
			for range 4 {
				sched.Go(func() { pool.Put(pool.Get()) })
			}
		}, exec.Options{Model: tt.m, Coarser: exec.Coarser{OwnPools: tt.own}})
		for _, e := range memoryEngines {
			if !e.Promise.Once || !e.Promise.Unblocked {
				continue
			}
			stats, err := e.Engine.Explore(c, func(*trace.Execution) bool { return true })
			if err != nil || stats.Executions != tt.want {
				t.Errorf("own %v, engine %s: %d traces, %v; want %d", tt.own, e.Engine.Name(), stats.Executions, err, tt.want)
			}
		}
		c.Shutdown()
	}
}

// TestOwnPoolsBegin tests that no execution finds what another one has put, and that a Pool which
// outlives executions is met by each anew.
func TestOwnPoolsBegin(t *testing.T) {
	var pool sched.Pool
	var found []string
	c := exec.New(func() {
		done := sched.NewChan[int](2)
		for i := range 2 {
			sched.Go(func() {
				if v := pool.Get(); v != nil {
					found = append(found, fmt.Sprint(v))
				}
				pool.Put(fmt.Sprint("by ", i))
				if v := pool.Get(); v != fmt.Sprint("by ", i) {
					found = append(found, fmt.Sprint("not its own: ", v))
				}
				pool.Put("left")
				done.Send(i)
			})
		}
		done.Recv()
		done.Recv()
	}, exec.Options{Coarser: exec.Coarser{OwnPools: true}})
	defer c.Shutdown()
	all, err := oracle.Enumerate(c, oracle.Limits{Executions: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) > 0 {
		t.Errorf("%d classes; found %s", len(all.Classes), strings.Join(found, ", "))
	}
}

// TestOwnPoolsNoted has an execution in which several goroutines use a Pool, and one in which the
// state of that Pool is used again for a Pool of one goroutine. Nothing is noted of the latter.
func TestOwnPoolsNoted(t *testing.T) {
	c := exec.New(func() {
		if sched.Choose(2) == 0 {
			var pool sched.Pool
			sched.Go(func() { pool.Put(1) }).Join()
			pool.Get()
			return
		}
		var pool sched.Pool
		pool.Get()
		pool.Put(1)
	}, exec.Options{Coarser: exec.Coarser{OwnPools: true}})
	defer c.Shutdown()
	stats, err := engine.DFS{}.Explore(c, func(*trace.Execution) bool { return true })
	if as := c.Assumptions(); err != nil || stats.Executions < 2 || len(as) != 1 {
		t.Errorf("%d executions, %v: %v", stats.Executions, err, as)
	}
}

// TestOwnPoolsMissed tests that an execution tells whether a goroutine got nothing although another
// one has put something that is still there.
func TestOwnPoolsMissed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		f      func(p *sched.Pool)
		missed bool
	}{
		{"nothing is there", func(p *sched.Pool) { sched.Go(func() { p.Get() }).Join() }, false},
		{"it was got", func(p *sched.Pool) { p.Put(1); p.Get(); sched.Go(func() { p.Get() }).Join() }, false},
		{"it is there", func(p *sched.Pool) { p.Put(1); sched.Go(func() { p.Get() }).Join() }, true},
		{"it is there, and New", func(p *sched.Pool) {
			p.New = func() any { return 1 }
			p.Put(1)
			sched.Go(func() { p.Get() }).Join()
		}, false},
	} {
		c := exec.New(func() { tt.f(new(sched.Pool)) }, exec.Options{Coarser: exec.Coarser{OwnPools: true}})
		if _, err := (engine.Optimal{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil || c.Missed() != tt.missed {
			t.Errorf("%s: %v, %v", tt.name, c.Missed(), err)
		}
		c.Shutdown()
	}
}
