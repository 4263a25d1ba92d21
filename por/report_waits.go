package por

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// waits is what the record of an execution says of those who wait at its end.
type waits struct {
	entries []sched.Entry
	last    map[string]int   // by goroutine: the entry of the request that waits
	holds   map[string][]int // by goroutine: the entries with which it took the locks that it holds
}

// waitsOf reads a record.
func waitsOf(entries []sched.Entry) *waits {
	w := &waits{entries: entries, last: make(map[string]int), holds: make(map[string][]int)}
	for i, e := range entries {
		if e.Step < 0 {
			continue
		}
		delete(w.last, e.Name)
		if e.Waits {
			w.last[e.Name] = i
		}
		switch e.Op {
		case "lock", "rlock":
			w.holds[e.Name] = append(w.holds[e.Name], i)
		case "trylock", "tryrlock":
			if e.Value == "true" {
				w.holds[e.Name] = append(w.holds[e.Name], i)
			}
		case "unlock", "runlock":
			w.release(e)
		}
	}
	for name, i := range w.last {
		if held := w.holds[name]; len(held) > 0 && held[len(held)-1] == i {
			w.holds[name] = held[:len(held)-1] // it waits for that one
		}
	}
	return w
}

// release takes the lock of an unlocking entry from who holds it, as a rule the one who
// unlocks.
func (w *waits) release(e sched.Entry) {
	drop := func(name string) bool {
		held := w.holds[name]
		for k := len(held) - 1; k >= 0; k-- {
			if w.entries[held[k]].Obj == e.Obj {
				w.holds[name] = slices.Delete(slices.Clone(held), k, k+1)
				return true
			}
		}
		return false
	}
	if drop(e.Name) {
		return
	}
	for name := range w.holds {
		if drop(name) {
			return
		}
	}
}

// holders returns those who keep a goroutine that waits for a lock waiting: who holds
// it, and where it waits to read, who has asked to write before.
func (w *waits) holders(name string) (by []string) {
	i, ok := w.last[name]
	if !ok || w.entries[i].Op != "lock" && w.entries[i].Op != "rlock" {
		return nil
	}
	obj := w.entries[i].Obj
	for other, held := range w.holds {
		if slices.ContainsFunc(held, func(k int) bool { return w.entries[k].Obj == obj }) {
			by = append(by, other)
		}
	}
	for other, k := range w.last {
		if w.entries[i].Op == "rlock" && w.entries[k].Op == "lock" && w.entries[k].Obj == obj && k < i {
			by = append(by, other)
		}
	}
	slices.SortFunc(by, mainFirst)
	return by
}

// cycle returns goroutines each of which waits for a lock because of the next one, and
// the last because of the first. It returns nil if there are none.
func (w *waits) cycle() []string {
	var way []string
	done := make(map[string]bool)
	var visit func(name string) []string
	visit = func(name string) []string {
		if k := slices.Index(way, name); k >= 0 {
			return slices.Clone(way[k:])
		}
		if done[name] {
			return nil
		}
		done[name] = true
		way = append(way, name)
		for _, next := range w.holders(name) {
			if found := visit(next); found != nil {
				return found
			}
		}
		way = way[:len(way)-1]
		return nil
	}
	for _, name := range w.names() {
		if found := visit(name); found != nil {
			slices.SortFunc(found, mainFirst)
			return found
		}
	}
	return nil
}

// names returns who waits.
func (w *waits) names() []string { return slices.SortedFunc(maps.Keys(w.last), mainFirst) }

// mainFirst compares names of goroutines: main comes first, then g1, g2, ..., g10.
func mainFirst(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == "main":
		return -1
	case b == "main":
		return 1
	}
	return cmp.Or(len(a)-len(b), cmp.Compare(a, b))
}

// kind says in words what kind of deadlock this is, as what follows that word, "" if it
// is no kind that has a name.
func (w *waits) kind() string {
	switch c := w.cycle(); {
	case len(c) == 1:
		e := w.entries[w.last[c[0]]]
		return fmt.Sprintf(": %s waits for %s, which it holds itself", c[0], object(&e))
	case len(c) == 2:
		return fmt.Sprintf(" by lock order: %s and %s wait for each other", c[0], c[1])
	case len(c) > 2:
		return fmt.Sprintf(" by lock order: %s and %s wait for one another", strings.Join(c[:len(c)-1], ", "), c[len(c)-1])
	}
	for _, name := range w.names() {
		i := w.last[name]
		if w.entries[i].Op != "cond.wait" {
			continue
		}
		for _, e := range slices.Backward(w.entries[:i]) {
			if (e.Op == "cond.signal" || e.Op == "cond.broadcast") && e.Obj == w.entries[i].Obj {
				return fmt.Sprintf(" by a lost wakeup: %s waits for %s, which %s had woken up before (%s)", name, object(&e), e.Name, position(e))
			}
		}
	}
	return ""
}

func position(e sched.Entry) string { return fmt.Sprintf("%s:%d", filepath.Base(e.File), e.Line) }

// explain adds to the lines that say who waits how they came there, and which locks
// they hold since when.
func (w *waits) explain(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(line + "\n")
		name, rest, _ := strings.Cut(line, " waits ")
		if rest == "" {
			if name, rest, _ = strings.Cut(line, " sleeps"); !strings.Contains(line, " sleeps") {
				continue
			}
		}
		if i, ok := w.last[name]; ok {
			if calls := callers(w.entries[i].Stack); calls != "" {
				fmt.Fprintf(&b, "    %s\n", calls)
			}
		}
		for _, i := range w.holds[name] {
			e := w.entries[i]
			line := fmt.Sprintf("    holds %s since %s", object(&e), position(e))
			if calls := callers(e.Stack); calls != "" {
				line += ", " + calls
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// callers says who has called the innermost function of a stack, "" if nobody has.
func callers(stack []sched.Call) string {
	if len(stack) < 2 {
		return ""
	}
	var calls []string
	for _, c := range stack[1:] {
		calls = append(calls, fmt.Sprintf("%s %s:%d", c.Func[strings.LastIndex(c.Func, "/")+1:], filepath.Base(c.File), c.Line))
	}
	return "called by " + strings.Join(calls, ", ")
}

// told returns a failure as the report tells it, with what the record knows of it.
func told(f trace.Failure, entries []sched.Entry) (headline, stack string) {
	headline, stack = f.String(), f.Stack
	if f.Kind != trace.FailDeadlock && f.Kind != trace.FailLeak {
		return headline, stack
	}
	w := waitsOf(entries)
	if f.Kind == trace.FailDeadlock {
		if kind := w.kind(); kind != "" {
			headline, _, _ = strings.Cut(headline, ":")
			headline += kind
		}
	}
	return headline, w.explain(stack)
}
