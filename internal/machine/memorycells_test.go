package machine

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched/trace"
)

// compareCells makes random accesses of some words by some goroutines, that are sometimes ordered,
// and compares with the oracle of bytes: what races, and that an access which is called known could
// be left out.
func compareCells(t *testing.T, r *rand.Rand, m *Machine, gs int, buf []byte) (races, known int) {
	m.goroutineOf(trace.ID(gs))
	m.Reset()
	p := &pageProgram{T: t, r: r, m: m, gs: gs, buf: buf, o: newByteOracle(gs+1, len(buf))}
	surveys := 0
	if r.IntN(10) == 0 {
		surveys = 40
	}
	for i := range 400 {
		if surveys > 0 && i%surveys == surveys-1 {
			surveyed(m) // makes no difference, since the buffer is in use
		}
		g := m.Goroutines[r.IntN(gs)]
		if r.IntN(4) == 0 {
			p.snaps = append(p.snaps, p.publish(g))
			continue
		}
		kind, from := accessKind(r.IntN(int(AtomicWrite)+1)), r.IntN(len(buf))
		to := min(len(buf), from+1+r.IntN(8))
		with := p.o.racing(g.ID, from, to, kind)
		at := unsafe.Pointer(&buf[from])
		if m.Memory.Shadow.pages.Epoch == m.Epoch && m.Memory.Shadow.again(g.view.epoch, at, uintptr(to-from), kind) {
			known++
			for i := from; i < to; i++ {
				if !p.o.covered(g.ID, i, kind) {
					t.Fatalf("%v of bytes %d to %d by g%d is called known, and byte %d was not accessed so", kind, from, to, g.ID, i)
				}
			}
		}
		for h := range with { // most races are mended, so that the program goes on
			if r.IntN(200) != 0 {
				p.learn(g, p.publish(m.Goroutines[h]))
			}
		}
		with = p.o.racing(g.ID, from, to, kind)
		a, raced := m.findRace(g, at, uintptr(to-from), kind, 0)
		if raced != (len(with) > 0) || raced && !with[a.g] {
			t.Fatalf("%v of bytes %d to %d by g%d races: %v with g%d; want %v", kind, from, to, g.ID, raced, a.g, with)
		}
		if raced {
			return races + 1, known
		}
		p.o.access(g.ID, from, to, kind)
	}
	return races, known
}

// covered reports whether g has accessed a byte at its present time, in a way that covers an access
// of that kind.
func (o *byteOracle) covered(g trace.ID, at int, kind accessKind) bool {
	for k := range o.used {
		if accessKind(k).Covers(kind) && o.used[k][at][g] == o.clocks[g][g] {
			return true
		}
	}
	return false
}

// TestCells compares the cells of words with what a list of all accesses says: with few goroutines,
// whose accesses have room in cells, with many, and where the numbers of epochs run out.
func TestCells(t *testing.T) {
	effort.Computes(t)
	programs, races, known := effort.Of(2000, 200), 0, 0
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := NewMachine(Config{})
		m.Memory.Races = NewMemoryModel(m)
		if seed%3 == 0 {
			m.Memory.Shadow.limit = 1 + int32(r.IntN(12))
		}
		buf := make([]byte, 40)
		for range 3 { // executions, of which each knows nothing of the ones before
			n, k := compareCells(t, r, m, 2+r.IntN(2)*r.IntN(30), buf)
			races, known = races+n, known+k
		}
	}
	if races < programs/4 || races > 3*programs*9/10 || known < programs {
		t.Errorf("%d of %d executions race, and %d accesses are known, which says little", races, 3*programs, known)
	}
}

// TestCellsOwn: of a word that one goroutine has accessed in one epoch, byte by byte, every byte is
// known with its kinds. A goroutine that accesses one byte after that races as the oracle says.
func TestCellsOwn(t *testing.T) {
	effort.Computes(t)
	buf := make([]byte, 16)
	for seed := range uint64(effort.Of(3000, 300)) {
		r := rand.New(rand.NewPCG(seed, 8))
		m, o := withGoroutines(2), newByteOracle(3, len(buf))
		access := func(id trace.ID, from, to int, kind accessKind) {
			with := o.racing(id, from, to, kind)
			if a, raced := m.findRace(m.Goroutines[id], unsafe.Pointer(&buf[from]), uintptr(to-from), kind, 0); raced != (len(with) > 0) || raced && !with[a.g] {
				t.Fatalf("seed %d: %v of bytes %d to %d by g%d races: %v; want %v", seed, kind, from, to, id, raced, with)
			}
			o.access(id, from, to, kind)
		}
		for range 1 + r.IntN(24) {
			from := r.IntN(len(buf))
			access(0, from, min(len(buf), from+1+r.IntN(3)), accessKind(r.IntN(int(AtomicWrite)+1)))
		}
		at := r.IntN(len(buf))
		access(1, at, at+1, accessKind(r.IntN(int(AtomicWrite)+1)))
	}
}

// withGoroutines returns a machine that looks for races among goroutines 0 to n.
func withGoroutines(n trace.ID) *Machine {
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	m.goroutineOf(n)
	m.Reset()
	return m
}

// TestCellsSpill: a word with many accesses knows those of late, and finds races with all.
func TestCellsSpill(t *testing.T) {
	const gs = 40
	m, x := withGoroutines(gs), new(int64)
	for id := range trace.ID(gs) {
		g := m.Goroutines[id]
		for range 2 {
			if _, raced := m.findRace(g, unsafe.Pointer(x), 8, PlainRead, 0); raced {
				t.Fatalf("the read by g%d races", id)
			}
			if !m.Memory.Shadow.again(g.view.epoch, unsafe.Pointer(x), 8, PlainRead) {
				t.Errorf("the read by g%d is not known", id)
			}
		}
		if m.Memory.Shadow.again(g.view.epoch, unsafe.Pointer(x), 8, PlainWrite) {
			t.Errorf("a write by g%d, which has read, is called known", id)
		}
	}
	for id := range trace.ID(gs - 1) {
		m.Memory.Races.learn(m.Goroutines[gs], m.Memory.Races.publish(m.Goroutines[id]))
	}
	if a, raced := m.findRace(m.Goroutines[gs], unsafe.Pointer(x), 8, PlainWrite, 0); !raced || a.g != gs-1 {
		t.Errorf("a write that comes after all reads but that of g%d races: %v with g%d", gs-1, raced, a.g)
	}
}

// TestManyAtomics: what an access costs does not grow with the number of goroutines that have
// made such an access before, if such accesses do not race.
func TestManyAtomics(t *testing.T) {
	const gs = 3000
	m, x := withGoroutines(gs), new(int64)
	for id := range trace.ID(gs) {
		m.findRace(m.Goroutines[id], unsafe.Pointer(x), 8, AtomicWrite, 0)
	}
	w := m.Memory.Shadow.wordAt(m.Memory.Shadow.pages.find(unsafe.Pointer(x)), unsafe.Pointer(x))
	if len(w.atomics) != gs || len(w.writes)+len(w.reads) != 0 {
		t.Errorf("%d atomic writes are kept as %d reads, %d writes, %d atomic accesses", gs, len(w.reads), len(w.writes), len(w.atomics))
	}
}

// TestCellsKeepAlive: small objects that were accessed are not used for something else in the
// execution, and are given up with the next one.
func TestCellsKeepAlive(t *testing.T) {
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	for _, size := range []int{8, 16, 24, 48, 1000, 40_000} {
		liveForOne(t, m, size, useObjects)
	}
}

// TestCellsMemory: what is known of memory that was accessed word by word takes no more than what
// the race detector would take, twice the memory, and a little for the pages.
func TestCellsMemory(t *testing.T) {
	effort.Computes(t)
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	m.Reset()
	buf := make([]int64, 1<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range buf {
		m.findRace(m.Goroutines[MainID], unsafe.Pointer(&buf[i]), 8, PlainWrite, 0)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	bytes := float64(len(buf) * 8)
	if grown := float64(after.HeapAlloc) - float64(before.HeapAlloc); grown > 2.2*bytes {
		t.Errorf("the heap has grown by %.1f bytes for each byte that was accessed", grown/bytes)
	}
	runtime.KeepAlive(m)
	runtime.KeepAlive(buf)
}

// useObjects accesses every second word of some objects that nothing else keeps.
func useObjects(m *Machine, size int) (all []weak.Pointer[byte]) {
	for range 50 {
		object := make([]byte, size)
		for i := 0; i < size; i += 16 {
			m.findRace(m.Goroutines[MainID], unsafe.Pointer(&object[i]), 1, PlainWrite, 0)
		}
		all = append(all, weak.Make(&object[0]))
	}
	return all
}

// TestCellsNear: pages that the cache has in one place are told apart, and so are those of an
// earlier execution.
func TestCellsNear(t *testing.T) {
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	buf := make([]byte, 3*nearPages*pageSize)
	at := func(page int) unsafe.Pointer { return unsafe.Pointer(&buf[page*pageSize]) }
	known := func(page int) bool {
		return m.Memory.Shadow.again(m.Goroutines[MainID].view.epoch, at(page), 8, PlainWrite)
	}
	m.Reset()
	for _, page := range []int{0, 1, nearPages} {
		m.findRace(m.Goroutines[MainID], at(page), 8, PlainWrite, 0)
		if !known(page) || known(page+nearPages) {
			t.Errorf("page %d is known: %v; page %d, which was not accessed: %v", page, known(page), page+nearPages, known(page+nearPages))
		}
	}
	m.Reset()
	for _, page := range []int{3, 4, 5} {
		m.findRace(m.Goroutines[MainID], at(page), 8, PlainWrite, 0)
	}
	for _, page := range []int{0, 1, nearPages} {
		if known(page) {
			t.Errorf("page %d, which an earlier execution has accessed, is known", page)
		}
	}
}

// TestCellsUsed: memory was used, and written, by accesses of each kind.
func TestCellsUsed(t *testing.T) {
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	for kind := PlainRead; kind <= AtomicWrite; kind++ {
		m.Reset()
		x := new([2]int64)
		m.findRace(m.Goroutines[MainID], unsafe.Pointer(x), 8, kind, 0)
		writes := kind == PlainWrite || kind == AtomicWrite
		if used, written := m.Used(unsafe.Pointer(x), false), m.Used(unsafe.Pointer(x), true); !used || written != writes {
			t.Errorf("after a %v memory was used: %v, written: %v", kind, used, written)
		}
		if m.Used(unsafe.Pointer(&x[1]), false) {
			t.Errorf("after a %v the next word was used", kind)
		}
	}
}
