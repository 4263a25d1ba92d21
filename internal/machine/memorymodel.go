package machine

import (
	"fmt"
	"github.com/gopor/gopor/sched/trace"
	"strings"
)

// memoryModel finds data races by the happens-before relation of the Go memory
// model, which knows synchronisation only. It is kept apart from the
// happens-before relation by dependence, which engines use: two Lock requests
// depend on each other, but only an Unlock and the Lock that it grants
// synchronise.
//
// Every goroutine has a vector clock. Its own entry counts what it has
// published (events, go statements); an access belongs to the entry's value at
// that moment, and comes before whoever knows a higher one.
type memoryModel struct {
	m     *Machine
	snaps [][]int32         // clock at every event, which it publishes
	at    map[int32][]int32 // clock that an object carries: atomics, Once
	watch watched
}

// watched is the earlier access of a race, of which only the position is known
// when the race is found. When the same schedule is recorded again, the stack is
// taken as well.
type watched struct {
	access
	on    bool
	stack []uintptr
}

// seen takes the stack of g if this is the access that is watched.
func (w *watched) seen(g *Goroutine, time int32, pc uintptr) {
	if w.on && w.g == g.Id && w.time == time && w.pc == pc {
		w.stack = g.M.Ex.Stack(g)
	}
}

func NewMemoryModel(m *Machine) *memoryModel {
	return &memoryModel{m: m, at: make(map[int32][]int32)}
}

func (mm *memoryModel) reset() {
	clear(mm.at)
	mm.watch.stack = nil
}

// clock returns g's clock with room for every goroutine.
func (mm *memoryModel) clock(g *Goroutine) []int32 {
	if n := len(mm.m.Gs) - len(g.mm); n > 0 {
		g.mm = append(g.mm, make([]int32, n)...)
	}
	return g.mm
}

func (mm *memoryModel) tick(g *Goroutine) { mm.clock(g)[g.Id]++ }

// event takes the clock of g at the event that it performs.
func (mm *memoryModel) event(g *Goroutine) {
	ev := int(mm.m.current())
	for len(mm.snaps) <= ev {
		mm.snaps = append(mm.snaps, nil)
	}
	mm.tick(g)
	mm.snaps[ev] = append(mm.snaps[ev][:0], mm.clock(g)...)
}

// observe lets w know all that was known at event ev.
func (mm *memoryModel) observe(w *Goroutine, ev int32) {
	joinClock(mm.clock(w), mm.snaps[ev])
}

// local lets w know all that g knows now.
func (mm *memoryModel) local(w, g *Goroutine) {
	mm.tick(g)
	joinClock(mm.clock(w), mm.clock(g))
}

// publish makes an object carry what g knows now.
func (mm *memoryModel) publish(obj int32, g *Goroutine) {
	mm.tick(g)
	mm.at[obj] = append(mm.at[obj][:0], mm.clock(g)...)
}

// acquire lets g know what an object carries.
func (mm *memoryModel) acquire(obj int32, g *Goroutine) {
	joinClock(mm.clock(g), mm.at[obj])
}

// atomic is an atomic operation of g: it learns from the operation whose effect
// it observes, and publishes if it has an effect.
func (mm *memoryModel) atomic(obj int32, g *Goroutine, reads, writes bool) {
	if reads {
		mm.acquire(obj, g)
	}
	if writes {
		mm.publish(obj, g)
	}
}

func joinClock(to, from []int32) {
	for i, n := range from {
		if i < len(to) && n > to[i] {
			to[i] = n
		}
	}
}

// access is one plain access of a variable.
type access struct {
	g    trace.ID
	time int32
	pc   uintptr
	n    int // events of the execution before it
}

// history is what has to be known of a variable to find the next race on it.
type history struct {
	write access
	reads []access
}

func (h *history) reset() {
	h.write = access{g: -1}
	h.reads = h.reads[:0]
}

// check records an access of g, and fails the execution if it races with an
// earlier one.
func (mm *memoryModel) check(h *history, g *Goroutine, write bool, name string, pc uintptr) {
	clock := mm.clock(g)
	now := access{g: g.Id, time: clock[g.Id], pc: pc, n: mm.m.N}
	mm.watch.seen(g, now.time, pc)
	ordered := func(a access) bool { return a.g == g.Id || clock[a.g] > a.time }
	kind := PlainRead
	if write {
		kind = PlainWrite
	}
	if h.write.g >= 0 && !ordered(h.write) {
		mm.race(name, h.write, PlainWrite, now, kind)
	}
	if !write {
		for i := range h.reads {
			if h.reads[i].g == g.Id {
				h.reads[i] = now
				return
			}
		}
		h.reads = append(h.reads, now)
		return
	}
	for _, r := range h.reads {
		if !ordered(r) {
			mm.race(name, r, PlainRead, now, PlainWrite)
			break
		}
	}
	h.write, h.reads = now, h.reads[:0]
}

// race fails the execution because access b races with the earlier access a.
func (mm *memoryModel) race(name string, a access, aDoes accessKind, b access, bDoes accessKind) {
	m := mm.m
	for _, f := range m.Failures {
		if f.Kind == trace.FailRace {
			return
		}
	}
	text := fmt.Sprintf("%s of %s by %s races with %s by %s",
		bDoes, name, m.NameOf(m.Gs[b.g]), aDoes, m.NameOf(m.Gs[a.g]))
	var stack string
	if a.pc != 0 {
		var early []uintptr
		if w := &mm.watch; w.on && w.g == a.g && w.time == a.time && w.pc == a.pc {
			early = w.stack
		}
		mm.watch = watched{access: a, on: true}
		stack = fmt.Sprintf("%s by %s at %s%s\n%s by %s at %s%s",
			bDoes, m.NameOf(m.Gs[b.g]), position(b.pc), callChain(b.pc, m.Ex.Stack(m.Gs[b.g])),
			aDoes, m.NameOf(m.Gs[a.g]), position(a.pc), callChain(a.pc, early))
	}
	m.Fail(trace.FailRace, m.Gs[b.g], text, stack)
}

// callChain writes the calls that have led to the one at pc, which is the first
// of the stack if that is the right one, a line each.
func callChain(pc uintptr, stack []uintptr) string {
	if len(stack) == 0 || stack[0] != pc {
		return ""
	}
	var b strings.Builder
	for _, pc := range stack[1:] {
		file, line, function := Place(pc)
		fmt.Fprintf(&b, "\n    in a call by %s at %s:%d", function[strings.LastIndex(function, "/")+1:], file, line)
	}
	return b.String()
}
