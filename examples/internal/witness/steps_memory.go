package witness

import "io"

// memory is plain memory that threads share.
type memory struct {
	buf  []byte
	hand chan []byte
	at   *struct{ array [3]int }
	ref  **[3]int
}

func newMemory() memory {
	array := new([3]int)
	return memory{buf: make([]byte, 1), hand: make(chan []byte), at: new(struct{ array [3]int }), ref: &array}
}

// lateIO waits before it uses what it is given.
type lateIO struct{ ready chan int }

func (l lateIO) Write(p []byte) (int, error) {
	<-l.ready
	return int(p[0]), nil
}

func (l lateIO) Read(p []byte) (int, error) {
	<-l.ready
	p[0]++
	return int(p[0]), nil
}

// lenWriter uses nothing of what it is given.
type lenWriter struct{}

func (lenWriter) Write(p []byte) (int, error) { return len(p), nil }

// handReader lets another goroutine read.
type handReader struct{ hand chan []byte }

func (h handReader) Read(p []byte) (int, error) {
	h.hand <- p
	<-h.hand
	return 1, nil
}

func write(w io.Writer, p []byte) string {
	n, err := w.Write(p)
	return seen(n, err)
}

func read(r io.Reader, p []byte) string {
	n, err := r.Read(p)
	return seen(n, err)
}

var memorySteps = []*Step{
	{Name: "buf[0] = 1", traits: plain, do: void(func(t *thread) { t.buf[0] = 1 })},
	{Name: "late.Write(buf)", traits: plain | unread, do: func(t *thread) string { return write(lateIO{t.c}, t.buf) }},
	{Name: "late.Read(buf)", traits: plain | unread, do: func(t *thread) string { return read(lateIO{t.c}, t.buf) }},
	{Name: "len.Write(buf)", traits: plain | unread, do: func(t *thread) string { return write(lenWriter{}, t.buf) }},
	{Name: "hand.Read(buf)", traits: plain, do: func(t *thread) string { return read(handReader{t.hand}, t.buf) + seen(t.buf[0]) }},
	{Name: "(<-hand)[0] = 1", traits: plain, do: void(func(t *thread) {
		p := <-t.hand
		p[0] = 1
		t.hand <- nil
	})},
	{Name: "at = new", traits: plain, do: void(func(t *thread) { t.at = new(struct{ array [3]int }) })},
	{Name: "range at.array", traits: plain, do: func(t *thread) string {
		n := 0
		for i := range t.at.array { // at is not read
			n += i
		}
		return seen(n)
	}},
	{Name: "range [1]int{x}", traits: plain, do: void(func(t *thread) {
		for range [1]int{t.x} { // x is not read
			t.n.Add(1)
		}
	})},
	{Name: "*ref = nil", traits: plain, do: void(func(t *thread) { *t.ref = nil })},
	{Name: "len(**ref)", traits: plain, do: func(t *thread) string { return seen(len(**t.ref)) }},
	{Name: "range *ref", traits: plain, do: func(t *thread) string {
		n := 0
		for i := range *t.ref {
			n += i
		}
		return seen(n)
	}},
	{Name: "mu { buf[0]++ }", traits: plain, do: func(t *thread) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.buf[0]++
		return seen(t.buf[0])
	}},
}
