package reach

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"
)

// Question asks which of some goroutines are leaked.
type Question struct {
	// Goroutines are those that are asked for.
	Goroutines []Goroutine
	// Roots are reached besides what package-level variables reach.
	Roots []unsafe.Pointer
	// Edges say what stands for what: where From is reached, so is To.
	Edges []Edge
	// Walls are what nothing is reached through: they are of this module, and reach everything.
	Walls []unsafe.Pointer
	// Ours are the descriptors of the runtime's goroutines that are no roots by themselves.
	Ours []uintptr
	// Finalized are objects with finalizers: what they point to is reached, but they are not.
	Finalized []unsafe.Pointer
	// Explores reports whether a function on a stack says that nothing of that stack is of the program, and
	// IsOurs whether one frame is not.
	Explores, IsOurs func(function string) bool
}

// Edge says that what is at To stands for what is at From.
type Edge struct {
	From uintptr
	To   unsafe.Pointer
}

// Goroutine is one that was left behind.
type Goroutine struct {
	Stack uintptr          // the descriptor of the runtime's goroutine that runs it, 0 if there is none
	Waits bool             // it waits for a primitive
	On    []unsafe.Pointer // the primitives that it waits for; if there are none it waits for ever
	For   int              // the goroutine whose end it waits for, by index, -1 for none
	Holds []unsafe.Pointer // what it reaches besides its stack
}

// marker marks what is reached.
type marker struct {
	m      *Memory
	q      *Question
	edges  []edge
	walls  []bool // by object
	marked []bool // by object
	todo   []int  // objects that are marked, and that were not looked at
	stacks map[uint64]*stack
}

type edge struct{ from, to uint64 }

// Leaked returns which of the goroutines wait for what nothing but goroutines that wait so can reach.
func (m *Memory) Leaked(q Question) []bool {
	k := &marker{m: m, q: &q, walls: make([]bool, len(m.objects)), marked: make([]bool, len(m.objects)), stacks: make(map[uint64]*stack)}
	k.prepare()
	k.begin()
	alive := make([]bool, len(q.Goroutines))
	for more := true; more; {
		k.drain()
		more = false
		for i := range q.Goroutines {
			if !alive[i] && k.mayGoOn(&q.Goroutines[i], alive) {
				alive[i], more = true, true
				k.goroutine(&q.Goroutines[i])
			}
		}
	}
	for i := range alive {
		alive[i] = !alive[i]
	}
	return alive
}

// prepare puts the question in order.
func (k *marker) prepare() {
	for _, e := range k.q.Edges {
		k.edges = append(k.edges, edge{uint64(e.From), address(e.To)})
	}
	slices.SortFunc(k.edges, func(a, b edge) int { return cmp.Compare(a.from, b.from) })
	wall := func(p uint64) {
		if i := k.m.find(p); i >= 0 {
			k.walls[i] = true
		}
	}
	for _, p := range k.q.Walls {
		wall(address(p))
	}
	for i := range k.m.stacks {
		s := &k.m.stacks[i]
		k.stacks[s.gp] = s
		wall(s.gp)
	}
	for _, t := range k.m.threads {
		wall(t)
	}
}

// begin marks the roots.
func (k *marker) begin() {
	m := k.m
	for _, p := range m.roots {
		k.mark(p)
	}
	for _, e := range k.edges {
		// It stands for a package-level variable, which may have no pointers. What is in the arena and in no object
		// was freed: the program may use a primitive and forget it, and no variable is there.
		if e.from < m.arena.from || e.from >= m.arena.to {
			k.mark(e.to)
		}
	}
	for _, f := range m.finalizers {
		k.mark(f.function)
		if i := m.find(f.object); i >= 0 {
			k.contents(i) // but not the object itself
		}
	}
	for _, p := range k.q.Finalized {
		if i := m.find(address(p)); i >= 0 {
			k.contents(i)
		}
	}
	for _, p := range k.q.Roots {
		k.mark(address(p))
	}
	for i := range m.stacks {
		if s := &m.stacks[i]; k.isRoot(s) {
			k.stack(s, true)
		}
	}
}

// isRoot reports whether a goroutine of the runtime is of the program, and not one that was asked for.
func (k *marker) isRoot(s *stack) bool {
	if s.system || slices.Contains(k.q.Ours, uintptr(s.gp)) {
		return false
	}
	for i := range s.frames {
		if k.q.Explores != nil && k.q.Explores(s.frames[i].function) {
			return false
		}
	}
	return true
}

// mayGoOn reports whether something that is reached may let a goroutine go on.
func (k *marker) mayGoOn(g *Goroutine, alive []bool) bool {
	if !g.Waits {
		return true
	}
	if g.For >= 0 {
		return alive[g.For]
	}
	for _, p := range g.On {
		if i := k.m.find(address(p)); i < 0 || k.marked[i] {
			return true // what is not in the heap is at package level
		}
	}
	return false
}

// goroutine marks what a goroutine reaches.
func (k *marker) goroutine(g *Goroutine) {
	for _, p := range g.On {
		k.mark(address(p))
	}
	for _, p := range g.Holds {
		k.mark(address(p))
	}
	if s := k.stacks[uint64(g.Stack)]; s != nil && g.Stack != 0 {
		k.stack(s, false)
	}
}

// stack marks what a stack reaches. What is on the stack and was pointed to is taken for pointers altogether: the
// dump does not say which parts are.
func (k *marker) stack(s *stack, outside bool) {
	k.mark(s.context)
	for _, fn := range s.defers {
		k.mark(fn)
	}
	pointed := make([]bool, len(s.frames))
	for again := true; again; {
		again = false
		look := func(p uint64) {
			k.mark(p)
			if i := s.frameOf(p); i >= 0 && !pointed[i] {
				pointed[i], again = true, true
			}
		}
		for i := range s.frames {
			f := &s.frames[i]
			if outside && k.q.IsOurs != nil && k.q.IsOurs(f.function) {
				continue
			}
			k.standIns(f.span())
			if pointed[i] {
				for _, p := range k.m.words[f.words.first:f.words.last] {
					look(p)
				}
				continue
			}
			for _, at := range k.m.live[f.live.first:f.live.last] {
				look(k.m.words[at])
			}
		}
	}
}

// span returns where a frame is.
func (f *frame) span() span {
	const word = uint64(unsafe.Sizeof(uintptr(0)))
	return span{f.sp, f.sp + word*uint64(f.words.last-f.words.first)}
}

// frameOf returns in which frame p is, -1 for none.
func (s *stack) frameOf(p uint64) int {
	if len(s.frames) == 0 || p < s.frames[0].sp {
		return -1
	}
	for i := range s.frames {
		if f := s.frames[i].span(); p >= f.from && p < f.to {
			return i
		}
	}
	return -1
}

// mark marks what p points to.
func (k *marker) mark(p uint64) {
	i := k.m.find(p)
	if i < 0 || k.marked[i] || k.walls[i] {
		return
	}
	k.marked[i] = true
	k.todo = append(k.todo, i)
}

func (k *marker) drain() {
	for len(k.todo) > 0 {
		i := k.todo[len(k.todo)-1]
		k.todo = k.todo[:len(k.todo)-1]
		k.contents(i)
	}
}

// contents marks what an object points to.
func (k *marker) contents(i int) {
	o := &k.m.objects[i]
	for _, p := range k.m.pointers[o.first:o.last] {
		k.mark(p)
	}
	k.standIns(span{o.at, o.at + o.size})
}

// standIns marks what stands for something in a range of addresses.
func (k *marker) standIns(s span) {
	i, _ := slices.BinarySearchFunc(k.edges, s.from, func(e edge, at uint64) int { return cmp.Compare(e.from, at) })
	for ; i < len(k.edges) && k.edges[i].from < s.to; i++ {
		k.mark(k.edges[i].to)
	}
}

// sort makes objects findable.
func (m *Memory) sort() {
	slices.SortFunc(m.objects, func(a, b object) int { return cmp.Compare(a.at, b.at) })
}

// find returns the object that p points into, -1 if there is none.
func (m *Memory) find(p uint64) int {
	low, high := 0, len(m.objects)
	for low < high {
		if mid := int(uint(low+high) >> 1); m.objects[mid].at <= p {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low--; low >= 0 && p < m.objects[low].at+m.objects[low].size {
		return low
	}
	return -1
}

func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// HasPrefix returns a function that reports whether a name begins with one of the prefixes.
func HasPrefix(prefixes ...string) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
}
