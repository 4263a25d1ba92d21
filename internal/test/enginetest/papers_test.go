package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
)

// paper is a program of the papers at a small size, and its number of traces.
type paper struct {
	name   string
	text   string
	traces int
}

// text builds a program: declarations, and threads that main starts and that
// are written with semicolons between instructions.
func text(declarations string, threads ...string) string {
	b := strings.ReplaceAll(declarations, "; ", "\n") + "\nthread\n"
	for i := range threads {
		b += fmt.Sprintf("spawn %d\n", i+1)
	}
	for _, th := range threads {
		b += "thread\n" + strings.ReplaceAll(th, "; ", "\n") + "\n"
	}
	return b
}

// times repeats s, which may contain %d for the number of the repetition.
func times(n int, s string) (list []string) {
	for i := range n {
		list = append(list, strings.ReplaceAll(s, "%d", fmt.Sprint(i)))
	}
	return list
}

func repeat(n int, s string) string { return strings.Join(times(n, s), "; ") }

func papers() []paper {
	const mutex = "mutex m; cell x 0"
	locked := "lock m; add x 1; unlock m"
	micro := "r0 = read x; unless r0 == 0 skip 1; write x 1; unless r0 == 1 skip 1; write x 2; " +
		"unless r0 == 2 skip 1; write x 3; unless r0 == 3 skip 1; write x 4"
	return []paper{
		{"readers-writers(4)", text("cell x 0", append(times(3, "read x"), "write x 1")...), 8},
		{"branching(2)", text("cell x0 0; cell x1 0",
			repeat(2, "r0 = read x0; unless r0 == 0 skip 1; write x1 1"),
			repeat(2, "r0 = read x1; unless r0 == 0 skip 1; write x0 1")), 11},
		{"lastzero(3)", text("cell a0 0; cell a1 0; cell a2 0",
			"r0 = read a0; unless r0 == 0 skip 1; write a1 1; if r0 == 0 skip 1; write a1 2",
			"r0 = read a1; unless r0 == 0 skip 1; write a2 1; unless r0 == 1 skip 1; write a2 2",
			"r0 = read a0; unless r0 == 0 skip 4; r0 = read a1; unless r0 == 0 skip 2; r0 = read a2; if r0 == 9 skip 1; choose 1"), 6},
		{"ssb(2)", text("cell c 0; cell x0 0; cell x1 0", "write x0 7", "write x1 7", "add c 1",
			"r0 = read c; unless r0 == 0 skip 1; write x0 0; unless r0 == 1 skip 1; write x1 0"), 4},
		{"indexer-mod(3)", text("cell h0 0; cell h1 0; cell h2 0",
			times(3, "r0 = cas h0 0 1; if r0 == 1 skip 3; r0 = cas h1 0 1; if r0 == 1 skip 1; r0 = cas h2 0 1")...), 6},
		{"mpat(2)", text("mutex m0; mutex m1; mutex mi",
			append(times(2, "lock m%d; unlock m%d"), times(2, "lock mi; lock m%d; unlock m%d; unlock mi")...)...), 8},
		{"micro(2,1)", text("cell x 0", micro, micro), 4},
		{"micro(2,2)", text("cell x 0", repeat(2, micro), repeat(2, micro)), 34},
		{"micro(3,1)", text("cell x 0", micro, micro, micro), 36},
		{"writer-n-readers(3)", text("cell x 0; cell y0 0; cell y1 0; cell y2 0", append(times(3, "read y%d; read x"), "write x 1")...), 8},
		{"lazy", text(mutex, "lock m; r0 = read x; write x 1; unlock m", "lock m; r0 = read x; write x 2; unlock m", "lock m; r0 = read x; unlock m"), 6},
		{"locks(2,2)", text(mutex, repeat(2, locked), repeat(2, locked)), 6},
		{"locks(3,1)", text(mutex, locked, locked, locked), 6},
		{"abba", text("mutex a; mutex b", "lock a; lock b; unlock b; unlock a", "lock b; lock a; unlock a; unlock b"), 3},
		{"pipeline(2,2)", text("chan c 0; chan d 0",
			"send c 1; send c 2; close c",
			"r0 = recv c; if r0 == -1 skip 5; send d r0; r0 = recv c; if r0 == -1 skip 2; send d r0; r0 = recv c; close d",
			"recv d; recv d; recv d"), 1},
		{"fan-in(2,2)", text("chan c 0", "send c 1; send c 2", "send c 3; send c 4", "recv c; recv c; recv c; recv c"), 6},
		{"fan-in(2,2), buffered", text("chan c 2", "send c 1; send c 2", "send c 3; send c 4", "recv c; recv c; recv c; recv c"), 6},
		{"meet(2,2,1)", text("chan c 0", "send c 1", "send c 2", "recv c", "recv c"), 4},
		{"meet(2,2,2)", text("chan c 1", "send c 1; send c 2", "send c 3; send c 4", "recv c; recv c", "recv c; recv c"), 36},
		{"waitgroup(3)", "waitgroup g\ncell x0 0\ncell x1 0\ncell x2 0\nthread\nwgadd g 3\nspawn 1\nspawn 2\nspawn 3\nwgwait g\n" +
			strings.Join(times(3, "thread\nadd x%d 1\ndone g\n"), ""), 1},
		{"readers(3)", text("rwmutex w; cell x 0", times(3, "rlock w; read x; runlock w")...), 1},
		{"select-two", text("chan c 0; chan d 0", "send c 1", "send d 2", "select recv c, recv d"), 6},
	}
}

// TestPapers holds the engines to the papers' counts, and the oracle as well.
func TestPapers(t *testing.T) {
	engines := subjects(t)
	for _, p := range papers() {
		t.Run(p.name, func(t *testing.T) {
			program, err := toy.Parse(p.text)
			if err != nil {
				t.Fatal(err)
			}
			want, err := oracle.Enumerate(toy.New(program), oracle.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if err := want.Check(); err != nil {
				t.Error(err)
			}
			if len(want.Classes) != p.traces {
				t.Errorf("%d traces, want %d", len(want.Classes), p.traces)
			}
			for _, s := range engines {
				if err := Verify(s.Engine, s.Promise, program, want); err != nil {
					t.Errorf("%s: %v", s.name(), err)
				}
			}
		})
	}
}

// TestBounds checks the least preemptions of the classes of micro(2,2)
// against the figures of the bounded-POR paper.
func TestBounds(t *testing.T) {
	for name, want := range map[string][]int{"micro(2,2)": {2, 8, 22, 32, 34}} {
		for _, p := range papers() {
			if p.name != name {
				continue
			}
			r, err := oracle.Enumerate(toy.New(toy.MustParse(p.text)), oracle.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			for bound, n := range want {
				got, within := 0, WithinPreemptions(bound)
				for _, c := range r.Classes {
					if within(c) {
						got++
					}
				}
				if got != n {
					t.Errorf("%s: %d traces with at most %d preemptions, want %d", name, got, bound, n)
				}
			}
		}
	}
}
