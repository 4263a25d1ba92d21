package machine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/gopor/gopor/internal/cells"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched/trace"
)

// byteOracle is what TestPages compares with: of every byte it has the latest access of each kind by each
// goroutine, and of every goroutine a clock with an entry for each.
type byteOracle struct {
	clocks [][]int32
	used   [AtomicWrite + 1][][]int32 // by kind, byte and goroutine: a time, -1 if there is none
}

func newByteOracle(gs, bytes int) *byteOracle {
	o := &byteOracle{}
	for range gs {
		o.clocks = append(o.clocks, make([]int32, gs))
	}
	for k := range o.used {
		o.used[k] = make([][]int32, bytes)
		times := make([]int32, gs*bytes)
		for i := range times {
			times[i] = -1
		}
		for i := range o.used[k] {
			o.used[k][i] = times[i*gs : (i+1)*gs]
		}
	}
	return o
}

// racing returns the goroutines whose accesses race with one by g.
func (o *byteOracle) racing(g trace.ID, from, to int, kind accessKind) (with map[trace.ID]bool) {
	with = make(map[trace.ID]bool)
	for k := range o.used {
		if !kind.Conflicts(accessKind(k)) {
			continue
		}
		for _, times := range o.used[k][from:to] {
			for h, time := range times {
				if trace.ID(h) != g && time >= o.clocks[g][h] {
					with[trace.ID(h)] = true
				}
			}
		}
	}
	return with
}

func (o *byteOracle) access(g trace.ID, from, to int, kind accessKind) {
	for _, times := range o.used[kind][from:to] {
		times[g] = o.clocks[g][g]
	}
}

// pageProgram is a random program for TestPages, of accesses to a buffer by goroutines that are
// sometimes ordered.
type pageProgram struct {
	*testing.T
	r     *rand.Rand
	m     *Machine
	gs    int
	buf   []byte
	o     *byteOracle
	snaps []pageSnap
	ends  []int // of accesses
	last  *Goroutine
	kinds int // how many kinds of accesses there are
	log   []string
}

type pageSnap struct {
	s     snapshot
	clock []int32
}

func (p *pageProgram) publish(g *Goroutine) pageSnap {
	s := p.m.Memory.Races.publish(g)
	p.o.clocks[g.ID][g.ID]++
	return pageSnap{s, append([]int32(nil), p.o.clocks[g.ID]...)}
}

func (p *pageProgram) learn(g *Goroutine, s pageSnap) {
	p.m.Memory.Races.learn(g, s.s)
	clock := p.o.clocks[g.ID]
	for h := range clock {
		clock[h] = max(clock[h], s.clock[h])
	}
}

// place returns a byte of the buffer, or its end, which is often near the border of a page, or where an earlier access
// has begun or ended.
func (p *pageProgram) place() int {
	at := p.r.IntN(len(p.buf) + 1)
	switch x := p.r.IntN(8); {
	case x < 3 && len(p.ends) > 0:
		at = p.ends[p.r.IntN(len(p.ends))] - 1 + p.r.IntN(3)
	case x < 7:
		base := int(uintptr(unsafe.Pointer(&p.buf[0])) % pageSize)
		at = (base+at)/pageSize*pageSize - base + []int{0, 0, 0, -1, 1, 8, -8, 63, 64, 100}[p.r.IntN(10)]
	}
	return min(max(at, 0), len(p.buf))
}

// piece returns the bytes of an access.
func (p *pageProgram) piece() (from, to int) {
	for from == to {
		from = p.place()
		switch p.r.IntN(6) {
		case 0, 1:
			to = min(from+1+p.r.IntN(1+p.r.IntN(40)), len(p.buf))
		case 2:
			to = min(from+pageSize-1+p.r.IntN(3), len(p.buf))
		default:
			to = p.place()
		}
	}
	return min(from, to), max(from, to)
}

// step makes one access, or orders goroutines. It reports whether the access has raced.
func (p *pageProgram) step(races int) bool {
	g := p.m.Goroutines[p.r.IntN(p.gs)]
	switch p.r.IntN(5) {
	case 0:
		p.snaps = append(p.snaps, p.publish(g))
		return false
	case 1:
		if len(p.snaps) > 0 {
			p.learn(g, p.snaps[max(0, len(p.snaps)-1-p.r.IntN(10))])
		}
		return false
	}
	from, to := p.piece()
	kind := accessKind(p.r.IntN(p.kinds))
	if p.r.IntN(6) == 0 && len(p.ends) > 0 { // once more, perhaps in another way
		g, from, to = p.last, p.ends[len(p.ends)-2], p.ends[len(p.ends)-1]
	}
	p.last = g
	with := p.o.racing(g.ID, from, to, kind)
	if some := p.r.IntN(races) == 0; len(with) > 0 {
		for h := range p.gs { // g comes after all with whom it would race, or some
			if with[trace.ID(h)] && (!some || p.r.IntN(2) == 0) {
				p.learn(g, p.publish(p.m.Goroutines[h]))
			}
		}
		with = p.o.racing(g.ID, from, to, kind)
	}
	fresh := p.r.IntN(2) == 0
	if fresh {
		p.publish(g) // nobody knows yet of what it does now
	}
	p.ends = append(p.ends, from, to)
	raced := p.access(g, from, to, kind, with)
	for i := 0; i < len(p.buf); {
		n := min(pageSize-int(uintptr(unsafe.Pointer(&p.buf[i]))%pageSize), len(p.buf)-i)
		p.tidy(i, n)
		i += n
	}
	if fresh && !raced && kind == PlainWrite && to-from >= pageSize {
		p.alone(g, unsafe.Pointer(&p.buf[from]), uintptr(to-from))
	}
	return raced
}

// access makes an access, and checks that it races with one of some goroutines.
func (p *pageProgram) access(g *Goroutine, from, to int, kind accessKind, with map[trace.ID]bool) bool {
	p.o.access(g.ID, from, to, kind)
	p.log = append(p.log, fmt.Sprintf("g%d at %d: %v of %d to %d", g.ID, g.view.time, kind, from, to))
	a, raced := p.m.findRace(g, unsafe.Pointer(&p.buf[from]), uintptr(to-from), kind, 0)
	if raced != (len(with) > 0) || raced && !with[a.g] {
		p.fail("raced %v with g%d, but should with %v", raced, a.g, with)
	}
	return raced
}

// probe has another goroutine, which knows of some accesses, use single bytes on both sides of where accesses have begun and ended.
func (p *pageProgram) probe() {
	g := p.m.Goroutines[p.gs]
	for range p.r.IntN(3) {
		if len(p.snaps) > 0 {
			p.learn(g, p.snaps[p.r.IntN(len(p.snaps))])
		}
	}
	for _, kind := range []accessKind{PlainRead, PlainWrite} {
		for _, end := range p.ends {
			for _, at := range []int{end - 1, end} {
				if at >= 0 && at < len(p.buf) {
					p.publish(g) // what it does twice at one time is looked at once
					p.access(g, at, at+1, kind, p.o.racing(g.ID, at, at+1, kind))
				}
			}
		}
	}
}

// tidy checks what there is of the page that begins, or is entered, at byte i of the buffer.
func (p *pageProgram) tidy(i, n int) {
	pg := p.m.Memory.Shadow.pages.find(unsafe.Pointer(&p.buf[i]))
	lines := uint64(0)
	for end := i + n; i < end; {
		at := unsafe.Pointer(&p.buf[i])
		i += 8 - int(uintptr(at)%8)
		if pg == nil {
			continue
		}
		if w := p.m.Memory.Shadow.wordAt(pg, at); !w.empty() {
			lines |= lineOf(uintptr(at))
		}
	}
	if pg == nil {
		if lines != 0 {
			p.fail("no page, but words in lines %x", lines)
		}
		return
	}
	if lines&^pg.lines != 0 {
		p.fail("words in lines %x, but the page says %x", lines, pg.lines)
	}
	for _, list := range [][]span{pg.writes, pg.reads[:min(len(pg.reads), shortWord)]} {
		for i, a := range list {
			for _, b := range list[i+1:] {
				if a.g == b.g && b.kind.Covers(a.kind) && a.bytes().Overlaps(b.bytes()) {
					p.fail("both of %v and %v are kept", a, b)
				}
			}
		}
	}
}

// alone checks that what g has just written has taken the place of all else in pages that it has written as a whole.
func (p *pageProgram) alone(g *Goroutine, at unsafe.Pointer, size uintptr) {
	r := cells.At(at, size)
	for page := (r.From + pageSize - 1) / pageSize * pageSize; page+pageSize <= r.To; page += pageSize {
		pg := p.m.Memory.Shadow.pages.find(unsafe.Add(at, page-r.From))
		if len(pg.reads) > 0 || len(pg.writes) != 1 || pg.writes[0].g != g.ID || pg.writes[0].size != pageSize || pg.lines != 0 {
			p.fail("after a write of a whole page it has %v, %v, lines %x", pg.reads, pg.writes, pg.lines)
		}
	}
}

func (p *pageProgram) fail(format string, args ...any) {
	p.Helper()
	p.Fatalf("%s\n%v", fmt.Sprintf(format, args...), p.log)
}

// TestPages compares the races that are found with those by bytes and clocks, in random programs of large and
// small accesses; a machine executes several, of which the later ones know nothing of the earlier ones.
func TestPages(t *testing.T) {
	effort.Computes(t)
	programs, races := effort.Of(400, 30), 0
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := NewMachine(Config{})
		m.Memory.Races = NewMemoryModel(m)
		buf := make([]byte, 6*pageSize)
		buf = buf[r.IntN(pageSize):][:pageSize+r.IntN(4*pageSize)]
		for range 4 {
			gs := 2 + r.IntN(4)
			if r.IntN(8) == 0 {
				gs = 2 * shortWord
			}
			m.goroutineOf(trace.ID(gs))
			m.Reset()
			p := &pageProgram{T: t, r: r, m: m, gs: gs, buf: buf, o: newByteOracle(gs+1, len(buf)), kinds: 2}
			if r.IntN(3) == 0 {
				p.kinds = len(p.o.used)
			}
			rare := 1 + r.IntN(30)
			for i := range 80 {
				if rare%5 == 0 && i%20 == 19 {
					surveyed(m) // makes no difference, since the buffer is in use
				}
				if p.step(rare) {
					races++
					break
				}
			}
			p.probe()
		}
	}
	if races < programs || races > 4*programs*9/10 {
		t.Errorf("%d of %d programs race, which says little", races, 4*programs)
	}
}

// TestPagesKeepAlive: memory that was accessed is not used for something else in the execution, and is given up when the next
// one begins.
func TestPagesKeepAlive(t *testing.T) {
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	for _, size := range []int{pageSize, pageSize + 900, 3*pageSize - 1, 1 << 20} {
		liveForOne(t, m, size, usePages)
		all := usePages(m, size)
		m.Forget()
		if n := alive(all); n > 1 {
			t.Errorf("size %d: %d of %d buffers are alive when all is forgotten", size, n, len(all))
		}
	}
}

// liveForOne fails unless the memory that use has accessed is kept in its execution, and given up
// when the next one has begun.
func liveForOne(t *testing.T, m *Machine, size int, use func(m *Machine, size int) []weak.Pointer[byte]) {
	t.Helper()
	m.Reset()
	all := use(m, size)
	if n := alive(all); n != len(all) {
		t.Errorf("size %d: %d of %d are alive in their execution", size, n, len(all))
	}
	m.Reset()
	m.findRace(m.Goroutines[MainID], unsafe.Pointer(new(int)), 8, PlainRead, 0)
	if n := alive(all); n > 1 { // one may be found on the stack
		t.Errorf("size %d: %d of %d are alive in the next execution", size, n, len(all))
	}
}

// usePages makes large accesses of some buffers that nobody else keeps.
func usePages(m *Machine, size int) (all []weak.Pointer[byte]) {
	for range 10 {
		buf := make([]byte, size+100)
		for _, r := range [][2]int{{37, size}, {50, size}, {0, size + 100}} {
			m.findRace(m.Goroutines[MainID], unsafe.Pointer(&buf[r[0]]), uintptr(r[1]), PlainWrite, 0)
			m.Memory.Races.publish(m.Goroutines[MainID])
		}
		all = append(all, weak.Make(&buf[0]))
	}
	return all
}

// alive returns how many buffers are.
func alive(all []weak.Pointer[byte]) (n int) {
	runtime.GC()
	for _, p := range all {
		if p.Value() != nil {
			n++
		}
	}
	return n
}

// TestSameRace: of the accesses that race with a large one the same is named, wherever they are.
func TestSameRace(t *testing.T) {
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	m.goroutineOf(3)
	for _, swap := range []bool{false, true} {
		for _, small := range []bool{false, true} {
			m.Reset()
			buf := make([]byte, 4*pageSize)
			at, size := [...]uintptr{1: 0, 2: 2 * pageSize}, uintptr(pageSize)
			if swap {
				at[1], at[2] = at[2], at[1]
			}
			if small {
				size = 1
			}
			for g := range trace.ID(3) {
				if g > 0 {
					m.findRace(m.Goroutines[g], unsafe.Pointer(&buf[at[g]]), size, PlainWrite, 0)
				}
			}
			if a, raced := m.findRace(m.Goroutines[3], unsafe.Pointer(&buf[0]), uintptr(len(buf)), PlainRead, 0); !raced || a.g != 1 {
				t.Errorf("swapped: %v, small: %v: raced: %v, with g%d", swap, small, raced, a.g)
			}
		}
	}
}

// TestUsed: what was accessed has been used, be it by a large access, by a small one, or by one of another execution.
func TestUsed(t *testing.T) {
	m := NewMachine(Config{})
	m.Memory.Races = NewMemoryModel(m)
	buf := make([]byte, 4*pageSize)
	for _, size := range []uintptr{1, pageSize - 1, pageSize, 2*pageSize + 1} {
		for _, kind := range []accessKind{PlainRead, PlainWrite} {
			m.Reset()
			last := unsafe.Pointer(&buf[size])
			if m.Used(last, false) {
				t.Errorf("used by an earlier execution")
			}
			m.findRace(m.Goroutines[MainID], unsafe.Pointer(&buf[1]), size, kind, 0)
			if !m.Used(last, false) || m.Used(last, true) != (kind == PlainWrite) || m.Used(unsafe.Pointer(&buf[size+8]), false) {
				t.Errorf("%v of %d bytes: used %v, written %v, beyond that %v", kind, size, m.Used(last, false), m.Used(last, true), m.Used(unsafe.Pointer(&buf[size+8]), false))
			}
		}
	}
}
