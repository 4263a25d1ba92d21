package exec

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// TestTape compares a tape with one that keeps everything.
func TestTape(t *testing.T) {
	for _, n := range []int{0, 1, firstLines, firstLines + 1, firstLines + lastLines,
		firstLines + lastLines + 1, firstLines + 2*lastLines, firstLines + 3*lastLines + 77} {
		var tp tape
		for i := range n {
			e := Entry{Step: i}
			if i%5000 == 17 {
				e.Kind = trace.OpFault
			}
			tp.add(line{Entry: e})
		}
		for i := range n + 1 {
			l := tp.at(i)
			if i%5000 == 17 && i < n {
				if l == nil || l.Step != i {
					t.Fatalf("%d lines: line %d, of a fault, is %v", n, i, l)
				}
				continue
			}
			keep := i < n && (i < firstLines || i >= n-lastLines)
			if (l != nil) != keep || keep && l.Step != i {
				t.Fatalf("%d lines: line %d is %v", n, i, l)
			}
		}
		if len(tp.lines) > firstLines+lastLines {
			t.Errorf("%d lines take %d places", n, len(tp.lines))
		}
	}
}

// recordOf runs f, main as long as it can, and returns what was recorded.
func recordOf(t *testing.T, f func(c *Closure)) []Entry {
	t.Helper()
	var c *Closure
	c = New(func() { f(c) }, Options{Record: true, MaxSteps: 1 << 20})
	defer c.Shutdown()
	r := c.Start()
	for ops := r.Pending(); len(ops) > 0; ops = r.Pending() {
		if _, err := r.Step(trace.Choice{G: ops[0].G}); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	return c.Record()
}

// TestRecordOfLongExecution checks that what is left out is counted, and that it
// is far from the beginning, the end and the failure.
func TestRecordOfLongExecution(t *testing.T) {
	effort.Computes(t)
	const loop = 20_000 // lines with two steps each
	for _, test := range []struct {
		name  string
		fail  func(c *Closure)
		lines int // besides those of steps: go, end
	}{
		{"panic", func(*Closure) { sched.Go(func() { panic("oh") }) }, 3},
		{"harness", (*Closure).Failing, 1},
	} {
		entries := recordOf(t, func(c *Closure) {
			var m sched.Mutex
			for i := range 2 * loop {
				m.Lock()
				m.Unlock()
				if i == loop-1 {
					test.fail(c)
				}
			}
		})
		kept := make(map[int]bool)
		lines, last := 0, -1
		for _, e := range entries {
			lines += 1 + e.Omitted
			if e.Step < 0 {
				continue
			}
			if want := last + 1 + e.Omitted; e.Step != want {
				t.Fatalf("%s: step %d stands where %d should", test.name, e.Step, want)
			}
			kept[e.Step], last = true, e.Step
			if e.Name != "main" || filepath.Base(e.File) != "record_test.go" || e.Obj != "Mutex 1" {
				t.Fatalf("%s: %+v", test.name, e)
			}
		}
		if want := 4*loop + test.lines; lines != want {
			t.Errorf("%s: entries for %d lines, want %d", test.name, lines, want)
		}
		if most := 2 * (firstLines + lastLines); len(entries) != most {
			t.Errorf("%s: %d entries, want %d", test.name, len(entries), most)
		}
		for _, step := range []int{0, 1000, 2*loop - 1000, 2*loop - 1, 2 * loop, 2*loop + 1000, 4*loop - 1000, 4*loop - 1} {
			if !kept[step] {
				t.Errorf("%s: step %d was left out", test.name, step)
			}
		}
	}
}

// TestRecordValues checks that a value which comes late is noted with its own
// operation, or not at all.
func TestRecordValues(t *testing.T) {
	var m sched.Mutex
	loop := func(n int) {
		for range n {
			m.Lock()
			m.Unlock()
		}
	}
	for between, want := range map[int]string{100: "send 7, recv 7", lastLines: "recv 7"} {
		entries := recordOf(t, func(*Closure) {
			c := sched.NewChan[int](0)
			loop(firstLines)
			sched.Go(func() {
				loop(between)
				c.Recv()
			})
			c.Send(7) // waits meanwhile
		})
		var got []string
		for _, e := range entries {
			if e.Step >= 0 && (e.Value != "" || e.Op() == "send") {
				got = append(got, e.Op()+" "+e.Value)
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%d steps between: got %s, want %s", 2*between, text, want)
		}
	}
}
