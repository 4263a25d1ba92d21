//go:build !race

package native

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Package machine has these.
//
//go:linkname raceread runtime.raceread
func raceread(p unsafe.Pointer)

//go:linkname racewrite runtime.racewrite
func racewrite(p unsafe.Pointer)

// announce is a way to announce an access of one byte.
type announce struct{ read, write func(unsafe.Pointer) }

var (
	byCompiler = announce{raceread, racewrite}
	inFull     = announce{func(p unsafe.Pointer) { hook.ReadMemory(p, 1) }, func(p unsafe.Pointer) { hook.WriteMemory(p, 1) }}
)

// accesses returns a random program of accesses to memory and of operations that order them, which
// announces the accesses in the way given. Some accesses are made before there is a second
// goroutine, and many twice. Main goes last.
func accesses(r *rand.Rand, a announce, memory *[64]byte) func() {
	type step struct{ what, at, times int }
	draw := func() (steps []step) {
		for range 1 + r.IntN(12) {
			steps = append(steps, step{r.IntN(8), r.IntN(12) * 3, 1 + r.IntN(3)})
		}
		return steps
	}
	scripts := [][]step{draw(), draw(), draw(), draw()}
	return func() {
		var mu sched.Mutex
		word := new(uint32)
		perform := func(steps []step) {
			for _, s := range steps {
				p := unsafe.Pointer(&memory[s.at])
				for range s.times {
					switch s.what {
					case 0, 1, 2:
						a.read(p)
					case 3:
						a.write(p)
					case 4, 5:
						mu.Lock()
						a.write(p)
						a.read(p)
						mu.Unlock()
					case 6:
						hook.Add(word, 1)
					case 7:
						hook.WriteMemory(p, 16)
					}
				}
			}
		}
		for _, s := range scripts[0] {
			if p := unsafe.Pointer(&memory[s.at]); s.what < 4 {
				a.read(p)
			} else {
				a.write(p)
			}
		}
		for _, script := range scripts[1:] {
			sched.Go(func() { perform(script) })
		}
		perform(scripts[0])
	}
}

// outcomes returns what comes of some executions, one after the other, along choices at random.
func outcomes(t *testing.T, seed uint64, f func(), o exec.Options) string {
	t.Helper()
	var text strings.Builder
	c := exec.New(f, o)
	defer c.Shutdown()
	r := rand.New(rand.NewPCG(seed, 2))
	for range 6 {
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			if _, err := run.Step(trace.Choice{G: p[r.IntN(len(p))].G}); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range run.Outcome() {
			fmt.Fprintf(&text, "%v %s; ", f.Kind, f.Msg)
		}
		text.WriteString("\n")
		c.Close()
	}
	return text.String()
}

// TestCompilerAgrees announces the accesses of random programs as the compiler does, which looks at
// little, and in full: the same races are found, in all modes.
func TestCompilerAgrees(t *testing.T) {
	races, none := 0, 0
	memory := new([64]byte)
	for seed := range uint64(600) {
		for _, o := range []exec.Options{{}, {Record: true}, {Races: sched.RaceIgnore}, {Races: sched.RaceExplore}} {
			got := outcomes(t, seed, accesses(rand.New(rand.NewPCG(seed, 1)), byCompiler, memory), o)
			want := outcomes(t, seed, accesses(rand.New(rand.NewPCG(seed, 1)), inFull, memory), o)
			if o.Record { // the positions are those of the functions above
				got, want = strings.ReplaceAll(got, "\n", ""), strings.ReplaceAll(want, "\n", "")
				got, want = fmt.Sprint(strings.Count(got, ";")), fmt.Sprint(strings.Count(want, ";"))
			}
			if got != want {
				t.Fatalf("seed %d, %+v: announced by the compiler\n%s\nannounced in full\n%s", seed, o, got, want)
			}
			if strings.Contains(want, ";") {
				races++
			} else {
				none++
			}
		}
	}
	if t.Logf("%d with races, %d without", races, none); races < 300 || none < 300 {
		t.Errorf("%d programs with races, %d without", races, none)
	}
}

// TestCompilerIsInterrupted ends executions in endless loops of accesses that are known, by a
// goroutine that is alone and by one that is not, and in the second execution as in the first.
func TestCompilerIsInterrupted(t *testing.T) {
	for _, alone := range []bool{true, false} {
		for name, access := range map[string]func(unsafe.Pointer){"reads": raceread, "writes": racewrite} {
			x, begun := unsafe.Pointer(new(int)), make(chan struct{}, 1)
			c := exec.New(func() {
				if !alone {
					sched.Go(func() {})
				}
				for i := 0; ; i++ {
					if access(x); i == 1000 {
						begun <- struct{}{}
					}
				}
			}, exec.Options{})
			for range 2 {
				go func() {
					<-begun
					before := c.Progress()
					for c.Progress() == before {
						time.Sleep(time.Millisecond)
					}
					c.Interrupt(true)
				}()
				run := c.Start()
				for len(run.Pending()) > 0 {
					if _, err := run.Step(trace.Choice{G: run.Pending()[0].G}); err != nil && err != trace.ErrInterrupted {
						t.Fatal(err)
					}
				}
				if !c.Interrupted() {
					t.Errorf("%s, alone %v: not interrupted", name, alone)
				}
				c.Interrupt(false)
				c.Close()
			}
			c.Shutdown()
		}
	}
}

// TestCompilerServed makes accesses in code that serves a goroutine, in goroutines that are not
// controlled, and of nothing: none of these belongs to the execution.
func TestCompilerServed(t *testing.T) {
	x := unsafe.Pointer(new(int))
	outcome := outcomes(t, 1, func() {
		sched.Go(func() {
			racewrite(x)
			racewrite(x)
			raceread(nil)
			racewrite(nil)
		})
		raceread(unsafe.Pointer(new(int)))
		hook.Serve(func() { racewrite(x); raceread(x) })
		done := make(chan struct{})
		go func() {
			machine.Aside(func() { racewrite(x) })
			close(done)
		}()
		<-done
	}, exec.Options{})
	if strings.Contains(outcome, ";") {
		t.Error(outcome)
	}
}

// step performs three executions of f, always by the first goroutine that can go on. The third is
// the first one of which all accesses are not watched.
func step(t *testing.T, f func(third bool), o exec.Options) *exec.Closure {
	t.Helper()
	n := 0
	c := exec.New(func() { n++; f(n == 3) }, o)
	t.Cleanup(c.Shutdown)
	for range 3 {
		c.Close()
		run := c.Start()
		for p := run.Pending(); len(p) > 0; p = run.Pending() {
			if _, err := run.Step(trace.Choice{G: p[0].G}); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Close()
	return c
}

// TestCompilerMeetsOutsiders has a goroutine that is not controlled write what main uses while it is
// alone: the search is told.
func TestCompilerMeetsOutsiders(t *testing.T) {
	for name, access := range map[string]func(unsafe.Pointer){"reads": raceread, "writes": racewrite} {
		for _, met := range []bool{true, false} {
			x, y := unsafe.Pointer(new(int)), unsafe.Pointer(new(int))
			c := step(t, func(third bool) {
				access(y)
				access(y)
				done := make(chan struct{})
				go func() {
					if third {
						racewrite(x)
					}
					close(done)
				}()
				<-done
				if access(y); met {
					access(x)
				}
			}, exec.Options{})
			told := slices.ContainsFunc(c.Assumptions(), func(a exec.Assumption) bool {
				return strings.Contains(a.What, "a goroutine that is not under control, which uses what")
			})
			if told != met {
				t.Errorf("%s, which are met: %v: %v", name, met, c.Assumptions())
			}
		}
	}
}

// TestCompilerTellsApart has as many goroutines that are not controlled write as have the places of
// the latest callers. None is taken for main, which has made the same accesses.
func TestCompilerTellsApart(t *testing.T) {
	const others = 600
	uses := int32(0)
	step(t, func(bool) {
		memory := new([others]int)
		at := func(i int) unsafe.Pointer { return unsafe.Pointer(&memory[i]) }
		sched.Go(func() {})
		for i := range memory {
			racewrite(at(i))
		}
		var all sync.WaitGroup
		begin := make(chan struct{})
		for i := range memory {
			all.Go(func() {
				<-begin
				racewrite(at(i))
			})
		}
		racewrite(at(0))
		close(begin)
		all.Wait()
		uses = machine.Outsiders.Uses.Load() + machine.Outsiders.Lost.Load()
	}, exec.Options{})
	if uses < others {
		t.Errorf("%d of %d uses are known as those of others", uses, others)
	}
}

// TestCompilerRecords counts the accesses in the record of an execution, in which those are that
// were known.
func TestCompilerRecords(t *testing.T) {
	x := unsafe.Pointer(new(int))
	c := step(t, func(bool) {
		raceread(x)
		racewrite(x)
		racewrite(x)
		sched.Go(func() {
			raceread(x)
			raceread(x)
		})
	}, exec.Options{Record: true})
	var kinds []trace.Kind
	for _, e := range c.Record() {
		if e.Kind == trace.OpRead || e.Kind == trace.OpWrite {
			kinds = append(kinds, e.Kind)
		}
	}
	if want := []trace.Kind{trace.OpRead, trace.OpWrite, trace.OpWrite, trace.OpRead, trace.OpRead}; !slices.Equal(kinds, want) {
		t.Errorf("recorded: %v, want %v", kinds, want)
	}
}
