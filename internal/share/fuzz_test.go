package share

import (
	"bytes"
	"encoding/binary"
	"io"
	"reflect"
	"runtime"
	"testing"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// FuzzDecode decodes what another process may have sent. A message that can be decoded is encoded as it was decoded.
func FuzzDecode(f *testing.F) {
	for _, m := range []*Message{
		{Hello: &Hello{}}, {Workers: 3}, {Lost: "a worker has died"}, {Stop: true}, {Done: true},
		{Job: &Job{ID: "x", Batch: search.Batch("batch")}},
		{Result: &Result{Found: []Found{{}}, Ran: 3, Reason: "short"}},
	} {
		b, err := m.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[4:])
	}
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := Decode(body)
		if err != nil {
			return
		}
		b, err := m.Encode()
		if err != nil {
			t.Fatalf("%s is decoded, and not encoded: %v", body, err)
		}
		again, err := Decode(b[4:])
		if err != nil {
			t.Fatalf("%s is encoded as %s, which is not decoded: %v", body, b[4:], err)
		}
		twice, err := again.Encode()
		if err != nil || !bytes.Equal(twice, b) {
			t.Errorf("%s is encoded as %s, then as %s: %v", body, b[4:], twice[4:], err)
		}
		if m.Result != nil && m.Result.Failed != nil {
			m.Result.Failed.With(func([]int32) trace.ID { return 0 })
		}
	})
}

// FuzzRead reads messages from a pipe in which anything may be. That takes no memory for what does not come.
func FuzzRead(f *testing.F) {
	f.Add(Frame([]byte(`{"Done":true}`)))
	f.Add(append(Frame([]byte("{}")), Alive...))
	f.Add(binary.BigEndian.AppendUint32(nil, maxMessage))
	f.Add(binary.BigEndian.AppendUint32(nil, maxMessage+1))
	f.Fuzz(func(t *testing.T, stream []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		l := NewLink(bytes.NewReader(stream), nil)
		read := 0
		for {
			body, err := l.Read()
			if err != nil {
				if err == io.EOF && read > len(stream) {
					t.Error("more was read than there is")
				}
				break
			}
			if !bytes.Equal(Frame(body), stream[read:read+len(body)+4]) {
				t.Fatalf("%q is read at %d of %q", body, read, stream)
			}
			read += len(body) + 4
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20+64*uint64(len(stream)) {
			t.Errorf("%d bytes are allocated for a stream of %d", n, len(stream))
		}
	})
}

// FuzzAssigned reads what the environment says a process is for.
func FuzzAssigned(f *testing.F) {
	f.Add(`{"Name":"x","Time":1,"Slice":5}`)
	f.Add(`{"Name":1}`)
	f.Add("x")
	f.Fuzz(func(t *testing.T, text string) {
		if bytes.IndexByte([]byte(text), 0) >= 0 {
			return // no value of a variable
		}
		t.Setenv(environ.Worker, text)
		a, err := Assigned()
		if a != nil && err != nil || text == "" && (a != nil || err != nil) {
			t.Errorf("%q: %+v, %v", text, a, err)
		}
		if a != nil && reflect.DeepEqual(*a, Assignment{}) && text == "x" {
			t.Errorf("%q is an assignment", text)
		}
	})
}
