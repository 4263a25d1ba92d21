package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// window is the memory that the steps of a memory program use.
const window = 24

// memoryStep is an operation on some bytes of the window.
type memoryStep struct {
	kind     memoryKind
	from, to int
	arg      byte
}

type memoryKind int

const (
	readBytes memoryKind = iota
	writeBytes
	readAll  // of so much memory that it is not looked at word by word
	writeAll // of so much memory that it is not looked at word by word, the window included
	addNumber
	addHalf
	countNumber // an addition with a result that is not looked at,
	countHalf
	maskNumber // and the like
	maskHalf
	setNumber
	setHalf
	swapNumber
	swapHalf
	swapWide // two words at once
	loadHalf
	readSmall  // of a variable that lies elsewhere in every execution,
	writeSmall // sometimes beside another one
	lockMutex
)

var memoryKinds = []memoryKind{
	readBytes, readBytes, readBytes, writeBytes, writeBytes, writeBytes,
	addNumber, addHalf, countNumber, countNumber, countHalf, countHalf, maskNumber, maskHalf, setNumber, setHalf, swapNumber, swapHalf, swapHalf, swapWide, loadHalf,
	readSmall, writeSmall, readSmall, writeSmall, lockMutex,
}

func (s memoryStep) String() string {
	name := [...]string{"read", "write", "read all", "write all", "add 8", "add 4", "count 8", "count 4", "mask 8", "mask 4", "set 8", "set 4", "cas 8", "cas 4", "cas 16", "load 4", "read small", "write small", "lock"}[s.kind]
	return fmt.Sprintf("%s %d:%d %d", name, s.from, s.to, s.arg)
}

// memoryProgram has goroutines that use overlapping memory.
type memoryProgram struct {
	steps   [][]memoryStep // by goroutine
	all     []byte         // the window is at its end
	space   [64]byte       // of the small variables
	small   [2][]byte
	runs    int
	results []string // of the latest execution, by goroutine
	mu      sched.Mutex
}

func drawMemory(r *rand.Rand) *memoryProgram {
	p := &memoryProgram{steps: make([][]memoryStep, 2+r.IntN(3)), all: make([]byte, window)}
	if r.IntN(8) == 0 {
		p.all = make([]byte, 1<<16+window)
	}
	left := 8
	for g := range p.steps {
		for range min(left, 1+r.IntN(4)) {
			s := memoryStep{kind: memoryKinds[r.IntN(len(memoryKinds))], from: r.IntN(window - 8), arg: byte(r.IntN(3))}
			s.to = min(window, s.from+1+r.IntN(10))
			if len(p.all) > window && s.kind <= writeBytes && r.IntN(3) == 0 {
				s.kind += readAll - readBytes
			}
			p.steps[g] = append(p.steps[g], s)
			left--
		}
	}
	p.results = make([]string, len(p.steps))
	return p
}

// run is the closure.
func (p *memoryProgram) run() {
	clear(p.all)
	clear(p.results)
	p.space = [64]byte{}
	p.runs++
	at := p.runs * 5 % 16
	p.small[0] = p.space[at : at+5]
	at += 5 + p.runs*3%8
	p.small[1] = p.space[at : at+5]
	for g := range p.steps[1:] {
		sched.Go(func() { p.goroutine(g + 1) })
	}
	p.goroutine(0)
}

func (p *memoryProgram) goroutine(g int) {
	for _, s := range p.steps[g] {
		p.results[g] += p.do(s) + ";"
	}
}

// do performs a step and returns what it has observed.
func (p *memoryProgram) do(s memoryStep) string {
	all := p.all
	mem := all[len(all)-window:]
	part := mem[s.from:s.to]
	word, half := &mem[s.from&^7], &mem[s.from&^3]
	switch s.kind {
	case readSmall, writeSmall:
		part = p.small[s.from&1]
		part = part[s.from%4 : s.from%4+1+s.to%2]
		if s.kind == writeSmall {
			hook.WriteMemory(unsafe.Pointer(&part[0]), uintptr(len(part)))
		} else {
			hook.ReadMemory(unsafe.Pointer(&part[0]), uintptr(len(part)))
		}
	case writeAll, readAll:
		part = mem
		if s.kind == writeAll {
			hook.WriteMemory(unsafe.Pointer(&all[0]), uintptr(len(all)))
		} else {
			hook.ReadMemory(unsafe.Pointer(&all[0]), uintptr(len(all)))
		}
	case readBytes:
		hook.ReadMemory(unsafe.Pointer(&part[0]), uintptr(len(part)))
	case writeBytes:
		hook.WriteMemory(unsafe.Pointer(&part[0]), uintptr(len(part)))
	}
	switch s.kind {
	case readAll, readBytes, readSmall:
		return fmt.Sprint(part)
	case writeAll, writeBytes, writeSmall:
		for i := range part {
			part[i] = 2*part[i] + s.arg
		}
	case addNumber:
		return fmt.Sprint(hook.Add((*uint64)(unsafe.Pointer(word)), uint64(s.arg)))
	case addHalf:
		return fmt.Sprint(hook.Add((*uint32)(unsafe.Pointer(half)), uint32(s.arg)))
	case countNumber:
		hook.Unused()
		hook.Add((*uint64)(unsafe.Pointer(word)), uint64(s.arg)<<31)
	case countHalf:
		hook.Unused()
		hook.Add((*uint32)(unsafe.Pointer(half)), uint32(s.arg)<<31)
	case maskNumber:
		hook.Unused()
		hook.And((*uint64)(unsafe.Pointer(word)), ^uint64(s.arg))
	case maskHalf:
		hook.Unused()
		hook.And((*uint32)(unsafe.Pointer(half)), ^uint32(s.arg))
	case setNumber:
		hook.Unused()
		hook.Or((*uint64)(unsafe.Pointer(word)), uint64(s.arg))
	case setHalf:
		hook.Unused()
		hook.Or((*uint32)(unsafe.Pointer(half)), uint32(s.arg))
	case swapNumber:
		return fmt.Sprint(hook.CompareAndSwap((*uint64)(unsafe.Pointer(word)), 0, uint64(s.arg)))
	case swapHalf:
		return fmt.Sprint(hook.CompareAndSwap((*uint32)(unsafe.Pointer(half)), 0, uint32(s.arg)))
	case swapWide:
		wide := (*[2]uint64)(unsafe.Pointer(&mem[s.from&8]))
		return fmt.Sprint(hook.AtomicCAS(unsafe.Pointer(wide), 16,
			func() bool { return wide[0] == 0 },
			func() any { *wide = [2]uint64{uint64(s.arg), 1}; return nil }))
	case loadHalf:
		return fmt.Sprint(hook.Load((*uint32)(unsafe.Pointer(half))))
	case lockMutex:
		p.mu.Lock()
		p.mu.Unlock()
	}
	return ""
}

// outcome tells all that can be observed of the latest execution.
func (p *memoryProgram) outcome() string {
	return fmt.Sprint(p.results, p.all[len(p.all)-window:], p.small)
}

// memoryRun shows an oracle the outcome.
type memoryRun struct {
	trace.Driver
	p *memoryProgram
}

func (r memoryRun) AppendState(b []byte) []byte { return append(b, r.p.outcome()...) }

type memoryStarts struct {
	c *exec.Closure
	p *memoryProgram
}

func (s memoryStarts) Start() trace.Run { return memoryRun{s.c.Start().(trace.Driver), s.p} }

// memoryEngines are those that visit every trace.
var memoryEngines = []Subject{
	{Engine: engine.DPOR{}, Promise: SleepSets}, {Engine: engine.Source{}, Promise: SleepSets}, {Engine: engine.Optimal{}, Promise: Optimal}, {Engine: engine.Reverse{}, Promise: Optimal},
	{Engine: engine.Eager{}, Promise: SleepSets}, {Engine: engine.EagerShort{}, Promise: SleepSets}, {Engine: engine.EagerAdaptive{}, Promise: SleepSets},
	{Engine: bpor.Optimal{Slack: bpor.Enough}, Promise: Optimal}, {Engine: bpor.Source{Complete: true}, Promise: Complete},
	{Engine: unfold.QPOR{K: 1}, Promise: SleepSets}, {Engine: unfold.QPOR{K: 2}, Promise: SleepSets},
	{Engine: unfold.Optimal{}, Promise: Optimal}, {Engine: unfold.Optimal{Comb: true}, Promise: Optimal},
}

// TestMemory has goroutines use overlapping memory, as a whole and in parts. The
// engines have to agree with brute force: with the outcomes, and with the traces,
// each of which they visit once.
func TestMemory(t *testing.T) {
	n, source := toytest.Seeds(t, 1000)
	checked := int64(0)
	for i := range n {
		p := drawMemory(source(i))
		err := verifyMemory(p)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		if checked++; err != nil {
			t.Fatalf("program %d: %v\n%v", i, err, p.steps)
		}
	}
	if t.Logf("%d of %d programs are small enough", checked, n); 2*checked < n {
		t.Error("too few programs are left")
	}
}

// verifyMemory compares the engines with brute force on one program.
func verifyMemory(p *memoryProgram) error {
	c := exec.New(p.run, exec.Options{Races: sched.RaceExplore})
	defer c.Shutdown()
	want, err := oracle.Enumerate(memoryStarts{c, p}, oracle.Limits{Executions: 1000})
	if err != nil {
		return err
	}
	if err := want.Check(); err != nil {
		return err
	}
	second := &memoryProgram{steps: p.steps, all: make([]byte, len(p.all)), results: make([]string, len(p.results))}
	names := exec.New(second.run, exec.Options{Races: sched.RaceExplore})
	defer names.Shutdown()
	for _, e := range memoryEngines {
		if err := Verify(e.Engine, e.Promise, memoryStarts{c, p}, names, want); err != nil {
			return fmt.Errorf("engine %s: %w", e.Engine.Name(), err)
		}
	}
	return nil
}
