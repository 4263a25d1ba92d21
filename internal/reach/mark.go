package reach

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"
)

// Question asks which goroutines are leaked.
type Question struct {
	// Goroutines are the goroutines in question.
	Goroutines []Goroutine
	// Roots are reachable, in addition to what package-level variables reach.
	Roots []unsafe.Pointer
	// Edges are additional pointers: if From is reachable, then so is To.
	Edges []Edge
	// Walls are objects of this module that reach everything. Nothing counts as reachable
	// through them.
	Walls []unsafe.Pointer
	// Ours are the descriptors of the runtime's goroutines that are not roots.
	Ours []uintptr
	// Finalized are objects with finalizers: the targets of their pointers are reachable, but
	// they themselves are not.
	Finalized []unsafe.Pointer
	// Explores reports whether a function on a stack means that no frame of the stack belongs
	// to the program, and IsOurs whether a single frame does not.
	Explores, IsOurs func(function string) bool
	// Begins reports whether a function is the one that a goroutine in question begins with. What
	// is further out on its stack is of goroutines that the stack has served before; nil says that
	// there are none.
	Begins func(function string) bool
}

// Edge says that To is reachable if From is.
type Edge struct {
	From uintptr
	To   unsafe.Pointer
}

// Goroutine is a goroutine that was left behind.
type Goroutine struct {
	// Stack is the descriptor of the runtime's goroutine that runs it, 0 if there is none.
	Stack uintptr
	Waits bool             // it waits for a primitive
	On    []unsafe.Pointer // the primitives that it waits for; without any it waits for ever
	// The wait ends once nothing reaches Peer, waiting goroutines included, unless it is nil.
	Peer  unsafe.Pointer
	For   int              // index of the goroutine that it waits for to end, -1 for none
	Holds []unsafe.Pointer // what it reaches in addition to its stack
}

// marker marks reachable objects.
type marker struct {
	m      *Memory
	q      *Question
	edges  []edge
	walls  []bool // by object
	marked []bool // by object
	todo   []int  // marked objects with contents that are not marked yet
	stacks map[uint64]*stack
}

type edge struct{ from, to uint64 }

// Leaked returns which of the goroutines wait for objects that only such waiting goroutines
// reach.
func (m *Memory) Leaked(q Question) []bool {
	k := &marker{m: m, q: &q, walls: make([]bool, len(m.objects)), stacks: make(map[uint64]*stack)}
	k.prepare()
	alive := k.dropped()
	k.begin()
	for i := range alive {
		if alive[i] {
			k.goroutine(&q.Goroutines[i])
		}
	}
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

// dropped returns which of the goroutines wait for the other end of something that nothing reaches,
// the goroutines in question included.
func (k *marker) dropped() (is []bool) {
	is = make([]bool, len(k.q.Goroutines))
	if !slices.ContainsFunc(k.q.Goroutines, func(g Goroutine) bool { return g.Waits && g.Peer != nil }) {
		return is
	}
	k.begin()
	for i := range k.q.Goroutines {
		k.goroutine(&k.q.Goroutines[i])
	}
	k.drain()
	for i := range is {
		g := &k.q.Goroutines[i]
		at := k.m.find(address(g.Peer))
		is[i] = g.Waits && g.Peer != nil && at >= 0 && !k.marked[at]
	}
	return is
}

// prepare sorts the edges and finds the walls and the stacks.
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

// begin forgets what is marked, and marks the roots.
func (k *marker) begin() {
	m := k.m
	k.marked, k.todo = make([]bool, len(m.objects)), nil
	for _, p := range m.roots {
		k.mark(p)
	}
	for _, e := range k.edges {
		// From is a package-level variable, which may have no pointers. An address in the arena
		// outside of all objects was freed: the program has used a primitive and dropped it.
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

// isRoot reports whether a goroutine of the runtime belongs to the program and is not in
// question.
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

// mayGoOn reports whether a reachable object may let a goroutine continue.
func (k *marker) mayGoOn(g *Goroutine, alive []bool) bool {
	if !g.Waits {
		return true
	}
	if g.For >= 0 {
		return alive[g.For]
	}
	for _, p := range g.On {
		if i := k.m.find(address(p)); i < 0 || k.marked[i] {
			return true // objects outside of the heap are at package level
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

// stack marks what a stack reaches. All words of a frame that a pointer refers to count as
// pointers, since the dump does not say which words are.
func (k *marker) stack(s *stack, outside bool) {
	k.mark(s.context)
	for _, fn := range s.defers {
		k.mark(fn)
	}
	frames := s.frames
	if !outside && k.q.Begins != nil {
		if n := slices.IndexFunc(frames, func(f frame) bool { return k.q.Begins(f.function) }); n >= 0 {
			frames = frames[:n+1]
		}
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
		for i := range frames {
			f := &frames[i]
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

// span returns the addresses of a frame.
func (f *frame) span() span {
	const word = uint64(unsafe.Sizeof(uintptr(0)))
	return span{f.sp, f.sp + word*uint64(f.words.last-f.words.first)}
}

// frameOf returns the index of the frame that contains p, -1 for none.
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

// mark marks the object that p points to.
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

// contents marks the objects that an object points to.
func (k *marker) contents(i int) {
	o := &k.m.objects[i]
	for _, p := range k.m.pointers[o.first:o.last] {
		k.mark(p)
	}
	k.standIns(span{o.at, o.at + o.size})
}

// standIns marks the targets of the edges from a range of addresses.
func (k *marker) standIns(s span) {
	i, _ := slices.BinarySearchFunc(k.edges, s.from, func(e edge, at uint64) int { return cmp.Compare(e.from, at) })
	for ; i < len(k.edges) && k.edges[i].from < s.to; i++ {
		k.mark(k.edges[i].to)
	}
}

// sort sorts the objects for find.
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
