package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// groupStep is a step of a goroutine of a groupProgram.
type groupStep int

const (
	groupAdd groupStep = iota
	groupDone
	groupWait
	groupSubmit // through the channel
	groupTake
	groupLook // at the cell
	groupMark // the cell
)

func (s groupStep) String() string {
	return [...]string{"add", "done", "wait", "submit", "take", "look", "mark"}[s]
}

// groupProgram has goroutines that count what they submit to each other by a WaitGroup.
type groupProgram struct {
	steps [][]groupStep // by goroutine
	seen  []string
}

func drawGroup(r *rand.Rand) *groupProgram {
	p := &groupProgram{steps: make([][]groupStep, 2+r.IntN(2))}
	for left := 3 + r.IntN(3); left > 0; left-- {
		g, h := r.IntN(len(p.steps)), r.IntN(len(p.steps))
		switch r.IntN(7) {
		case 0:
			p.steps[g] = append(p.steps[g], groupWait)
		case 1:
			p.steps[g] = append(p.steps[g], groupMark)
		case 2:
			p.steps[g] = append(p.steps[g], groupLook)
		case 3: // an Add before or after the Done
			p.steps[g] = append(p.steps[g], groupAdd)
			p.steps[h] = append(p.steps[h], groupDone)
		default:
			p.steps[g] = append(p.steps[g], groupAdd, groupSubmit)
			p.steps[h] = append(p.steps[h], groupTake, groupDone)
		}
	}
	return p
}

func (p *groupProgram) run() {
	p.seen = make([]string, len(p.steps))
	var wg sched.WaitGroup
	c, cell := sched.NewChan[int](8), sched.NewVar(0)
	do := func(g int) {
		defer func() {
			if r := recover(); r != nil {
				p.seen[g] += fmt.Sprint(r)
			}
		}()
		for _, s := range p.steps[g] {
			switch s {
			case groupAdd:
				wg.Add(1)
			case groupDone:
				wg.Done()
			case groupWait:
				wg.Wait()
				p.seen[g] += "waited;"
			case groupSubmit:
				c.Send(1)
			case groupTake:
				c.Recv()
			case groupLook:
				p.seen[g] += fmt.Sprint(cell.Load(), ";")
			case groupMark:
				cell.Store(g + 1)
			}
		}
	}
	for g := range p.steps[1:] {
		sched.Go(func() { do(g + 1) })
	}
	do(0)
}

type groupRun struct {
	trace.Driver
	p *groupProgram
}

func (r groupRun) AppendState(b []byte) []byte {
	return fmt.Append(b, r.p.seen, r.Outcome())
}

type groupStarts struct {
	c *exec.Closure
	p *groupProgram
}

func (s groupStarts) Start() trace.Run { return groupRun{s.c.Start().(trace.Driver), s.p} }

// TestLooseDones holds the rule for loose calls of Done to two things. Where no order makes a
// counter negative, it is exact: brute force and all engines agree, and there are the outcomes that
// there are without the rule. Where some order does, an execution shows that with the rule, too,
// and notes that the rule may leave something out.
func TestLooseDones(t *testing.T) {
	n, source := toytest.Seeds(t, 4000)
	fewer, negative := 0, 0
	for i := range n {
		p := drawGroup(source(i))
		explore := func(loose bool) (*oracle.Result, map[string]bool, error) {
			c := exec.New(p.run, exec.Options{Races: sched.RaceExplore, Coarser: exec.Coarser{LooseDones: loose}})
			defer c.Shutdown()
			all, err := oracle.Enumerate(groupStarts{c, p}, oracle.Limits{Executions: 3000})
			if err != nil {
				return nil, nil, err
			}
			ends := make(map[string]bool)
			for _, class := range all.Classes {
				ends[class.State] = true
				if strings.Contains(class.OtherState, "negative") {
					ends[class.OtherState] = true
				}
			}
			if loose && panics(ends) && !noted(c) {
				t.Fatalf("program %d: not noted\n%v\n%v", i, p.steps, ends)
			}
			return all, ends, nil
		}
		strict, want, err := explore(false)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
		loose, got, err := explore(true)
		if err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
		if panics(want) != panics(got) {
			t.Fatalf("program %d: %v\nwithout the rule %v, with it %v", i, p.steps, want, got)
		}
		if panics(want) {
			negative++
			for _, e := range memoryEngines {
				if !findsNegative(t, e.Engine, p) {
					t.Fatalf("program %d: %s finds no negative counter\n%v", i, e.Engine.Name(), p.steps)
				}
			}
			continue
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("program %d: %v\nwithout the rule %v, with it %v", i, p.steps, want, got)
		}
		if err := loose.Check(); err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
		if len(loose.Classes) < len(strict.Classes) {
			fewer++
		}
		c, second := exec.New(p.run, exec.Options{Races: sched.RaceExplore, Coarser: exec.Coarser{LooseDones: true}}), &groupProgram{steps: p.steps}
		names := exec.New(second.run, exec.Options{Races: sched.RaceExplore, Coarser: exec.Coarser{LooseDones: true}})
		for _, e := range memoryEngines {
			if err := Verify(e.Engine, e.Promise, groupStarts{c, p}, names, loose); err != nil {
				t.Fatalf("program %d, engine %s: %v\n%v", i, e.Engine.Name(), err, p.steps)
			}
		}
		c.Shutdown()
		names.Shutdown()
	}
	t.Logf("%d programs have fewer traces with the rule, and %d a negative counter", fewer, negative)
	if int64(fewer) < n/20 || int64(negative) < n/20 {
		t.Error("too few")
	}
}

// findsNegative reports whether an engine makes an execution of p in which a counter becomes
// negative.
func findsNegative(t *testing.T, e trace.Engine, p *groupProgram) bool {
	c := exec.New(p.run, exec.Options{Races: sched.RaceExplore, Coarser: exec.Coarser{LooseDones: true}})
	defer c.Shutdown()
	found := false
	if _, err := e.Explore(groupStarts{c, p}, func(x *trace.Execution) bool {
		found = panics(map[string]bool{string(x.Run.(groupRun).AppendState(nil)): true})
		return !found
	}); err != nil {
		t.Fatal(err)
	}
	return found
}

// noted reports whether an execution of c has noted what the rule may leave out.
func noted(c *exec.Closure) bool {
	for _, a := range c.Assumptions() {
		if strings.Contains(a.What, "sync.WaitGroup") { // used again, or with a negative counter
			return true
		}
	}
	return false
}

func panics(ends map[string]bool) bool {
	for end := range ends {
		if strings.Contains(end, "negative") {
			return true
		}
	}
	return false
}
