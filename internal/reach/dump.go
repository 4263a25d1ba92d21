// Package reach determines what the memory of this process reaches: which goroutines wait for
// an object that only waiting goroutines reach. It reads a heap dump by [debug.WriteHeapDump].
package reach

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// MostHeap is the maximal size in bytes of the objects of a heap that is dumped.
const MostHeap = 256 << 20

// ErrHeap says that the heap is too large to be dumped.
var ErrHeap = errors.New("the heap is too large to be examined")

// Examine calls look with the current memory, which is valid during the call only. The world is
// stopped while the memory is dumped.
func Examine(look func(*Memory)) error {
	spare.mu.Lock()
	defer spare.mu.Unlock()
	m, err := take()
	if err != nil {
		return err
	}
	look(m)
	return nil
}

// spare has the buffers of the latest call, since garbage would be a part of the next dump.
var spare struct {
	mu sync.Mutex
	m  Memory
	in [1 << 16]byte
	at [1 << 16]byte
}

// mostSpare is the maximal number of pointers in kept buffers.
const mostSpare = 4 << 20

func take() (*Memory, error) {
	if heap, live := metric(heapObjects), metric("/gc/heap/live:bytes"); heap > 2*live+16<<20 {
		runtime.GC()
	}
	if metric(heapObjects) > MostHeap {
		return nil, ErrHeap
	}
	f, err := os.CreateTemp("", "por-heap-")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	os.Remove(f.Name()) // where an open file can be removed
	defer os.Remove(f.Name())
	awaitCalls()
	debug.WriteHeapDump(f.Fd())
	return read(f)
}

// heapObjects is the metric of the size of the objects of the heap.
const heapObjects = "/memory/classes/heap/objects:bytes"

// metric returns a metric of the runtime, 0 if it does not exist.
func metric(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}

// awaitCalls waits a short time for goroutines to return from system calls. The runtime of Go
// 1.26 ends the process if a goroutine returns at the moment at which the dump reads it. Short
// calls have returned by then, and a long one is unlikely to return at that moment.
func awaitCalls() {
	for range 20 {
		if metric("/sched/goroutines/not-in-go:goroutines") == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Memory is the content of a dump.
type Memory struct {
	objects    []object // by address
	pointers   []uint64 // pointers in the objects, in the order of objects
	roots      []uint64 // pointers in package-level variables
	arena      span     // addresses of the heap and of stacks, not of package-level variables
	finalizers []finalizer
	stacks     []stack
	threads    []uint64
	words      []uint64 // of frames
	live       []uint32 // indexes of the words of frames that are live pointers
}

// clear empties m. It keeps the buffers unless they are large.
func (m *Memory) clear() {
	if cap(m.pointers) > mostSpare {
		*m = Memory{}
	}
	*m = Memory{objects: m.objects[:0], pointers: m.pointers[:0], roots: m.roots[:0], finalizers: m.finalizers[:0],
		stacks: m.stacks[:0], threads: m.threads[:0], words: m.words[:0], live: m.live[:0]}
}

// object is a block of memory.
type object struct {
	at, size    uint64
	first, last uint32 // range of its pointers
}

// part is a part of a slice.
type part struct{ first, last int }

// span is a range of addresses.
type span struct{ from, to uint64 }

type finalizer struct{ object, function uint64 }

// stack is the stack of a goroutine of the runtime.
type stack struct {
	gp      uint64 // address of the goroutine's descriptor
	system  bool
	context uint64
	frames  []frame
	defers  []uint64 // deferred functions
}

// frame is a frame of a stack.
type frame struct {
	sp       uint64
	function string
	words    part // all its words
	live     part // the words that are live pointers
}

// The tags of the format, see golang.org/s/go15heapdump.
const (
	tagEOF = iota
	tagObject
	tagOtherRoot
	tagType
	tagGoroutine
	tagFrame
	tagParams
	tagFinalizer
	tagItab
	tagThread
	tagMemStats
	tagQueuedFinalizer
	tagData
	tagBSS
	tagDefer
	tagPanic
	tagMemProf
	tagAllocSample
)

// mostBytes is the maximal size of a block that is read at once: a frame or a name.
const mostBytes = 64 << 20

const header = "go1.7 heap dump\n"

// memStats is how many numbers the statistics have.
const memStats = 24 + 256 + 1

// reader reads a dump.
type reader struct {
	from   io.ReaderAt
	offset int64  // end of what was read
	in     []byte // bytes that were read but not yet consumed
	err    error
	buf    []byte
	big    bool // the most significant byte of a pointer comes first
	word   int  // size of a pointer
	m      *Memory
	names  map[string]string // of functions
}

func read(in io.ReaderAt) (*Memory, error) {
	spare.m.clear()
	r := &reader{from: in, m: &spare.m, word: 8, names: make(map[string]string)}
	head := make([]byte, len(header))
	if r.full(head); string(head) != header {
		return nil, fmt.Errorf("the dump of the heap begins with %q", head)
	}
	for {
		tag := r.number()
		if r.err == nil && tag == tagEOF {
			r.m.sort()
			return r.m, nil
		}
		if r.err == nil {
			r.record(tag)
		}
		if r.err != nil {
			return nil, fmt.Errorf("the dump of the heap cannot be read: %w", r.err)
		}
	}
}

// record reads the record after a tag.
func (r *reader) record(tag uint64) {
	m := r.m
	switch tag {
	case tagObject:
		o := object{at: r.number(), first: uint32(len(m.pointers))}
		m.pointers, o.size = r.block(m.pointers)
		o.last = uint32(len(m.pointers))
		m.objects = append(m.objects, o)
	case tagData, tagBSS:
		r.skip(1)
		m.roots, _ = r.block(m.roots)
	case tagGoroutine:
		r.goroutine()
	case tagFrame:
		r.frame()
	case tagFinalizer, tagQueuedFinalizer:
		m.finalizers = append(m.finalizers, finalizer{r.number(), r.number()})
		r.skip(3)
	case tagOtherRoot:
		r.bytes()
		m.roots = append(m.roots, r.number())
	case tagThread:
		m.threads = append(m.threads, r.number())
		r.skip(2)
	case tagDefer:
		r.deferred()
	default:
		r.rest(tag)
	}
}

// rest reads records without pointers.
func (r *reader) rest(tag uint64) {
	switch tag {
	case tagType:
		r.skip(2)
		r.bytes()
		r.skip(1)
	case tagParams:
		r.big = r.number() != 0
		r.word = int(r.number())
		r.m.arena = span{r.number(), r.number()}
		r.bytes()
		r.bytes()
		r.skip(1)
	case tagItab, tagAllocSample:
		r.skip(2)
	case tagMemStats:
		r.skip(memStats)
	case tagPanic:
		r.skip(6)
	case tagMemProf:
		r.skip(2)
		for range r.number() {
			r.bytes()
			r.bytes()
			r.skip(1)
		}
		r.skip(2)
	default:
		r.fail(fmt.Errorf("tag %d is unknown", tag))
	}
}

func (r *reader) goroutine() {
	s := stack{gp: r.number()}
	r.skip(4)
	s.system = r.number() != 0
	r.skip(2)
	r.bytes()
	s.context = r.number()
	r.skip(3)
	r.m.stacks = append(r.m.stacks, s)
}

func (r *reader) frame() {
	m := r.m
	f := frame{sp: r.number(), words: part{first: len(m.words)}, live: part{first: len(m.live)}}
	r.skip(2)
	data := r.bytes()
	for at := 0; at+r.word <= len(data); at += r.word {
		m.words = append(m.words, r.pointer(data, at))
	}
	f.words.last = len(m.words)
	r.skip(3)
	f.function = r.name()
	for at := range r.offsets {
		if n := f.words.first + at/r.word; n < f.words.last {
			m.live = append(m.live, uint32(n))
		}
	}
	f.live.last = len(m.live)
	if n := len(m.stacks); n > 0 {
		s := &m.stacks[n-1]
		s.frames = append(s.frames, f)
	}
}

// name reads the name of a function.
func (r *reader) name() string {
	text := r.bytes()
	name, ok := r.names[string(text)]
	if !ok {
		name = string(text)
		r.names[name] = name
	}
	return name
}

// deferred reads a deferred function of the latest goroutine.
func (r *reader) deferred() {
	r.skip(4)
	fn := r.number()
	r.skip(2)
	if n := len(r.m.stacks); n > 0 {
		s := &r.m.stacks[n-1]
		s.defers = append(s.defers, fn)
	}
}

// block reads a block of memory and appends its pointers to all. It returns the size as well. A
// large block is read again at the places of its pointers, since a large buffer would be a part
// of later dumps.
func (r *reader) block(all []uint64) ([]uint64, uint64) {
	n := r.number()
	var data []byte
	begin := r.offset - int64(len(r.in))
	large := n > uint64(len(spare.at))
	if large {
		r.leap(int64(n))
	} else {
		data = spare.at[:n]
		r.full(data)
	}
	have := part{} // the part of a large block in data
	for at := range r.offsets {
		if at+r.word > int(n) {
			r.fail(fmt.Errorf("a pointer is at %d of a block of %d bytes", at, n))
			break
		}
		if large && (at < have.first || at+r.word > have.last) {
			have = part{at, min(at+len(spare.at), int(n))}
			data = spare.at[:have.last-have.first]
			if _, err := r.from.ReadAt(data, begin+int64(at)); err != nil {
				r.fail(err)
				break
			}
		}
		if p := r.pointer(data, at-have.first); p != 0 {
			all = append(all, p)
		}
	}
	return all, n
}

// leap skips n bytes.
func (r *reader) leap(n int64) {
	if n <= int64(len(r.in)) {
		r.in = r.in[n:]
		return
	}
	r.offset += n - int64(len(r.in))
	r.in = nil
}

// offsets yields the offsets of the pointers of a block.
func (r *reader) offsets(yield func(int) bool) {
	for r.err == nil {
		kind := r.number()
		if r.err != nil || kind == 0 {
			return
		}
		if at := r.number(); r.err == nil && !yield(int(at)) {
			return
		}
	}
}

// pointer returns the pointer at an offset. It does not use package encoding/binary, which
// announces what it reads in programs under control: a dump has a million pointers.
func (r *reader) pointer(data []byte, at int) (p uint64) {
	for i := range r.word {
		from := at + i
		if !r.big {
			from = at + r.word - 1 - i
		}
		p = p<<8 | uint64(data[from])
	}
	return p
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// number reads a number.
func (r *reader) number() (n uint64) {
	for shift := 0; r.err == nil; shift += 7 {
		if len(r.in) == 0 && !r.more() {
			break
		}
		b := r.in[0]
		r.in = r.in[1:]
		n |= uint64(b&0x7f) << (shift & 63)
		if b < 0x80 {
			return n
		}
	}
	return 0
}

// more reads the next bytes, and reports whether there are any.
func (r *reader) more() bool {
	n, err := r.from.ReadAt(spare.in[:], r.offset)
	if n == 0 {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		r.fail(err)
		return false
	}
	r.in = spare.in[:n]
	r.offset += int64(n)
	return true
}

// full fills b.
func (r *reader) full(b []byte) {
	for r.err == nil && len(b) > 0 {
		if len(r.in) == 0 && !r.more() {
			return
		}
		n := copy(b, r.in)
		b, r.in = b[n:], r.in[n:]
	}
}

func (r *reader) skip(n int) {
	for range n {
		r.number()
	}
}

// bytes reads bytes. They are valid until the next call.
func (r *reader) bytes() []byte {
	n := r.number()
	if r.err != nil || n > mostBytes {
		r.fail(fmt.Errorf("a block of %d bytes", n))
		return nil
	}
	if uint64(cap(r.buf)) < n {
		r.buf = make([]byte, n)
	}
	r.buf = r.buf[:n]
	r.full(r.buf)
	return r.buf
}
