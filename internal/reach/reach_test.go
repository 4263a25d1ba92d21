package reach

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

type node struct {
	next *node
	size [3]int
}

var (
	global   = (*node)(fresh(nil))
	outside  node   // it has pointers, and is not in the heap
	noPtrs   [4]int // it has none
	huge     = make([]*node, 1<<16)
	finalize = new(*node)
)

// asked returns which of the waits are leaked, in the memory as it is now.
func asked(t *testing.T, q Question) (leaked []bool) {
	t.Helper()
	if err := Examine(func(m *Memory) { leaked = m.Leaked(q) }); err != nil {
		t.Fatal(err)
	}
	return leaked
}

// waits returns goroutines each of which waits for one thing.
func waits(on ...unsafe.Pointer) (all []Goroutine) {
	for _, p := range on {
		all = append(all, Goroutine{Waits: true, On: []unsafe.Pointer{p}, For: -1})
	}
	return all
}

func is(t *testing.T, got []bool, want string) {
	t.Helper()
	text := ""
	for _, leaked := range got {
		text += map[bool]string{true: "L", false: "-"}[leaked]
	}
	if text != want {
		t.Errorf("leaked are %s, want %s", text, want)
	}
}

// fresh returns a node in the heap, which the stack of the test keeps alive.
//
//go:noinline
func fresh(next *node) unsafe.Pointer { return unsafe.Pointer(&node{next: next}) }

// TestReach asks on a stack that is of a test, and so is no root if Explores says so.
func TestReach(t *testing.T) {
	explores := HasPrefix("testing.tRunner", "github.com/gopor/gopor/internal/reach.")
	ask := func(q Question) []bool {
		t.Helper()
		q.Explores = explores
		return asked(t, q)
	}
	huge[len(huge)-1] = new(node)
	third := fresh(nil)
	second := fresh((*node)(third))
	global.next = (*node)(second)
	lost := fresh(nil)
	is(t, ask(Question{Goroutines: waits(unsafe.Pointer(global), second, third, lost)}), "---L")
	is(t, ask(Question{Goroutines: waits(unsafe.Pointer(huge[len(huge)-1]), unsafe.Pointer(&outside), unsafe.Pointer(&noPtrs[1]))}), "---")
	// Nothing is reached through a wall, and the wall is not either.
	is(t, ask(Question{Goroutines: waits(unsafe.Pointer(global), second, third), Walls: []unsafe.Pointer{second}}), "-LL")
	is(t, ask(Question{Goroutines: waits(lost), Roots: []unsafe.Pointer{lost}}), "-")
	// An edge counts if its beginning is reached: in the heap, or in a variable without pointers.
	edge := func(from unsafe.Pointer) []Edge { return []Edge{{uintptr(from), lost}} }
	is(t, ask(Question{Goroutines: waits(lost), Edges: edge(unsafe.Add(third, 16))}), "-")
	is(t, ask(Question{Goroutines: waits(lost), Edges: edge(unsafe.Pointer(&noPtrs[2]))}), "-")
	other := fresh(nil)
	is(t, ask(Question{Goroutines: waits(lost), Edges: edge(other)}), "L")
	is(t, ask(Question{Goroutines: waits(lost, other), Edges: edge(other), Roots: []unsafe.Pointer{other}}), "--")
	// What an object with a finalizer points to is reached, and the object is not.
	runtime.SetFinalizer(finalize, func(**node) {})
	*finalize = (*node)(lost)
	is(t, ask(Question{Goroutines: waits(lost, other), Finalized: []unsafe.Pointer{unsafe.Pointer(finalize)}}), "-L")
	*finalize = nil
	object := fresh((*node)(lost))
	is(t, ask(Question{Goroutines: waits(lost, object), Finalized: []unsafe.Pointer{object}}), "-L")
	runtime.KeepAlive(object)
	runtime.KeepAlive(lost)
	runtime.KeepAlive(other)
}

// TestGoroutines: who may go on reaches what it holds, and so do others that wait for that.
func TestGoroutines(t *testing.T) {
	explores := HasPrefix("testing.tRunner")
	a, b, c, d := fresh(nil), fresh(nil), fresh(nil), fresh(nil)
	chain := []Goroutine{
		{Waits: true, On: []unsafe.Pointer{unsafe.Pointer(global)}, For: -1, Holds: []unsafe.Pointer{a}},
		{Waits: true, On: []unsafe.Pointer{c, a}, For: -1, Holds: []unsafe.Pointer{b}},
		{Waits: true, On: []unsafe.Pointer{b}, For: -1},
		{Waits: true, For: 2},
		{Waits: true, On: []unsafe.Pointer{c}, For: -1},
		{Waits: true, For: -1},
	}
	is(t, asked(t, Question{Goroutines: chain, Explores: explores}), "-----L")
	chain[0].On = []unsafe.Pointer{d}
	is(t, asked(t, Question{Goroutines: chain, Explores: explores}), "LLLLLL")
	chain[0].Waits = false
	is(t, asked(t, Question{Goroutines: chain, Explores: explores}), "-----L")
	for _, p := range []unsafe.Pointer{a, b, c, d} {
		runtime.KeepAlive(p)
	}
}

// TestPeer: a goroutine goes on that waits for the other end of what nothing reaches. What a waiting
// goroutine holds is reached in that sense.
func TestPeer(t *testing.T) {
	explores := HasPrefix("testing.tRunner")
	a, b, c, d := fresh(nil), fresh(nil), fresh(nil), fresh(nil)
	list := []Goroutine{
		{Waits: true, On: []unsafe.Pointer{a}, Peer: b, For: -1, Holds: []unsafe.Pointer{c}},
		{Waits: true, On: []unsafe.Pointer{c}, For: -1},
		{Waits: true, On: []unsafe.Pointer{d}, For: -1},
	}
	is(t, asked(t, Question{Goroutines: list, Explores: explores}), "--L")
	list[2].Holds = []unsafe.Pointer{b}
	is(t, asked(t, Question{Goroutines: list, Explores: explores}), "LLL")
	list[2].Waits = false
	is(t, asked(t, Question{Goroutines: list, Explores: explores}), "LL-")
	for _, p := range []unsafe.Pointer{a, b, c, d} {
		runtime.KeepAlive(p)
	}
}

// TestStacks: what is on the stack of a goroutine that nobody asks for is reached, whether a pointer leads to it or
// a variable on the stack that is pointed to.
func TestStacks(t *testing.T) {
	ready, end := make(chan uintptr), make(chan bool)
	at := func(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
	explores := HasPrefix("testing.tRunner")
	go func() {
		n := fresh(nil)
		ready <- uintptr(n)
		<-end
		runtime.KeepAlive(n)
	}()
	go func() {
		var held [4]*node
		held[2] = (*node)(fresh(nil))
		ready <- uintptr(unsafe.Pointer(held[2]))
		holds(&held, end)
	}()
	x, y := <-ready, <-ready
	is(t, asked(t, Question{Goroutines: waits(at(x), at(y)), Explores: explores}), "--")
	mine := HasPrefix("testing.tRunner", "github.com/gopor/gopor/internal/reach.")
	is(t, asked(t, Question{Goroutines: waits(at(x), at(y)), Explores: mine}), "LL")
	is(t, asked(t, Question{Goroutines: waits(at(x), at(y)), Explores: explores, IsOurs: mine}), "LL")
	close(end)
}

//go:noinline
func holds(held *[4]*node, end chan bool) {
	<-end
	runtime.KeepAlive(held)
}

// TestAgain: what is read is no part of what is read the next time, however often that is.
func TestAgain(t *testing.T) {
	var before int
	for i := range 12 {
		if err := Examine(func(m *Memory) {
			if i == 3 {
				before = len(m.pointers)
			}
			if n := len(m.pointers); i > 3 && n > before+before/2+5000 {
				t.Errorf("%d pointers, %d before", n, before)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBroken: a dump that cannot be read is an error.
func TestBroken(t *testing.T) {
	number := func(n uint64) string { return string(binary.AppendUvarint(nil, n)) }
	object := number(tagObject) + number(4096) + number(16) + strings.Repeat("\x00", 16)
	for _, test := range []struct{ text, want string }{
		{"", "begins with"},
		{"go1.3 heap dump\n", "begins with"},
		{header, "unexpected EOF"},
		{header + number(99), "tag 99 is unknown"},
		{header + object + number(1) + number(12) + number(0) + number(tagEOF), "a pointer is at 12 of a block of 16 bytes"},
		{header + object, "unexpected EOF"},
		{header + number(tagFrame) + number(1) + number(0) + number(0) + number(1<<40), "a block of 1099511627776 bytes"},
		{header + object + number(1) + number(8) + number(0) + number(tagEOF), ""},
	} {
		spare.mu.Lock()
		_, err := read(bytes.NewReader([]byte(test.text)))
		spare.mu.Unlock()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

func TestPointer(t *testing.T) {
	data := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8}
	for _, test := range []struct {
		word int
		big  bool
		want uint64
	}{{8, false, 0x0807060504030201}, {8, true, 0x0102030405060708}, {4, false, 0x04030201}, {4, true, 0x01020304}} {
		r := &reader{word: test.word, big: test.big}
		if got := r.pointer(data, 1); got != test.want {
			t.Errorf("of %d bytes, the most significant first %t: %x, want %x", test.word, test.big, got, test.want)
		}
	}
}
