package cluster

import (
	"bytes"
	"compress/flate"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"

	items "github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/sched/trace"
)

var ours = Fingerprint{"1", "go1.26", "linux/amd64", "v1.2.3", "TestX", "none", "abc"}

const someID = "0123456789abcdef0123456789abcdef"

// body returns the body of a message.
func body(t testing.TB, m *share.Message) []byte {
	t.Helper()
	b, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b[4:]
}

// sealed returns a body with the signature of s.
func sealed(t testing.TB, s *seal, kind byte, id string, body []byte) []byte {
	t.Helper()
	b, err := s.sign(kind, id, body, 0)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSeal has messages be taken that are signed for a search, and all others refused, for what they are.
func TestSeal(t *testing.T) {
	s := newSeal(ours, []byte("sixteen bytes or so"))
	text := []byte(strings.Repeat("text ", 1000))
	good := sealed(t, s, jobKind, someID, text)
	if len(good) > 200 {
		t.Errorf("a message of %d bytes", len(good))
	}
	if b, err := s.open(jobKind, someID, good); err != nil || !bytes.Equal(b, text) {
		t.Errorf("%q, %v", b, err)
	}
	older := bytes.Clone(good)
	older[len(magic)]--
	for _, x := range []struct {
		b    []byte
		want string
	}{
		{nil, "it is not a message of por-cluster"},
		{good[:headSize-1], "it is not a message of por-cluster"},
		{[]byte(strings.Repeat(`{"Job":{}}`, 20)), "it is not a message of por-cluster"},
		{older, "it has version 1 of messages, and not 2"},
		{sealed(t, s, resultKind, someID, text), "it is a message of another kind"},
		{sealed(t, newSeal(ours, nil), jobKind, someID, text), "it is signed with another secret"},
		{sealed(t, newSeal(ours, []byte("another secret, as long")), jobKind, someID, text), "it is signed with another secret"},
		{sealed(t, s, jobKind, "f"+someID[1:], text), "it is damaged, or signed for another job"},
		{good[:len(good)-1], "it is damaged, or signed for another job"},
		{append(bytes.Clone(good), 0), "it is damaged, or signed for another job"},
	} {
		if b, err := s.open(jobKind, someID, x.b); err == nil || err.Error() != x.want || b != nil {
			t.Errorf("%q, %v, want %s", b, err, x.want)
		}
	}
	for i := range ours.fields() {
		other := ours
		*other.fields()[i].value += "x"
		if _, err := s.open(jobKind, someID, sealed(t, newSeal(other, s.key), jobKind, someID, text)); err == nil || err.Error() != "it is of another program, or one with other options" {
			t.Error(err)
		}
	}
	// What is damaged anywhere is refused: each bit counts.
	for i := range good {
		for bit := range 8 {
			b := bytes.Clone(good)
			b[i] ^= 1 << bit
			if _, err := s.open(jobKind, someID, b); err == nil {
				t.Errorf("bit %d of byte %d makes no difference", bit, i)
			}
		}
	}
}

// TestSealSize has messages be refused that are too large, or become too large.
func TestSealSize(t *testing.T) {
	s := newSeal(ours, nil)
	large := new(tooLarge)
	if _, err := s.sign(jobKind, someID, make([]byte, mostBody+1), 0); !errors.As(err, &large) {
		t.Error(err)
	}
	most := sealed(t, s, jobKind, someID, make([]byte, mostBody))
	if b, err := s.open(jobKind, someID, most); err != nil || len(b) != mostBody {
		t.Error(len(b), err)
	}
	if _, err := s.sign(jobKind, someID, make([]byte, mostBody), int64(len(most)-1)); !errors.As(err, &large) || !strings.Contains(err.Error(), "raise its max_payload") {
		t.Error(err)
	}
	// A program with the signature, and a body that grows to a gigabyte.
	var z bytes.Buffer
	z.Write(most[:headSize])
	w, _ := flate.NewWriter(&z, flate.BestSpeed)
	for range 16 {
		w.Write(make([]byte, mostBody))
	}
	w.Close()
	b := z.Bytes()
	copy(b[headSize-32:], s.sum(b[:headSize-32], []byte(someID), b[headSize:]))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := s.open(jobKind, someID, b); err == nil || err.Error() != "it has more than 67108864 bytes" {
		t.Error(err)
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 8*mostBody {
		t.Errorf("%d bytes were allocated", after.TotalAlloc-before.TotalAlloc)
	}
}

// TestOpenJob has jobs and results be refused that are signed, and make no sense.
func TestOpenJob(t *testing.T) {
	s := newSeal(ours, nil)
	job := func() *share.Job {
		return &share.Job{ID: someID, Batch: items.Batch("batch"), For: new(share.Assignment)}
	}
	changed := func(change func(j *share.Job)) []byte {
		j := job()
		change(j)
		return body(t, &share.Message{Job: j})
	}
	if j, err := s.openJob(someID, sealed(t, s, jobKind, someID, changed(func(*share.Job) {}))); err != nil || j.ID != someID {
		t.Error(j, err)
	}
	for _, x := range []struct {
		body []byte
		want string
	}{
		{[]byte("{"), "it cannot be decoded"},
		{[]byte(strings.Repeat("[", 100_000)), "it cannot be decoded"},
		{body(t, &share.Message{Done: true}), "there is no job in it"},
		{changed(func(j *share.Job) { j.For = nil }), "there is no job in it"},
		{changed(func(j *share.Job) { j.ID = "x" }), "it is another job"},
		{changed(func(j *share.Job) { j.Time = -1 }), "it asks for what no job can ask for"},
		{changed(func(j *share.Job) { j.Executions = -1 }), "it asks for what no job can ask for"},
		{changed(func(j *share.Job) { j.Parts = -1 }), "it asks for what no job can ask for"},
		{changed(func(j *share.Job) { j.Keep = -1 }), "it asks for what no job can ask for"},
		{changed(func(j *share.Job) { j.For.Serve = true }), "it asks for what no job can ask for"},
	} {
		if j, err := s.openJob(someID, sealed(t, s, jobKind, someID, x.body)); err == nil || err.Error() != x.want || j != nil {
			t.Errorf("%.100q: %v, want %s", x.body, err, x.want)
		}
	}
	result := body(t, &share.Message{Result: &share.Result{ID: someID, Ran: 3}})
	if b, err := s.openResult(someID, sealed(t, s, resultKind, someID, result)); err != nil || !bytes.Equal(b, result) {
		t.Errorf("%q, %v", b, err)
	}
	for _, x := range []struct {
		body []byte
		want string
	}{
		{[]byte("{"), "it cannot be decoded"},
		{body(t, &share.Message{Done: true}), "there is no result in it"},
		{body(t, &share.Message{Result: &share.Result{ID: "x"}}), "it is of another job"},
		{body(t, &share.Message{Result: &share.Result{ID: someID, Ran: -1}}), "it has a negative count"},
	} {
		if b, err := s.openResult(someID, sealed(t, s, resultKind, someID, x.body)); err == nil || err.Error() != x.want || b != nil {
			t.Errorf("%q: %v, want %s", x.body, err, x.want)
		}
	}
	for id, want := range map[string]bool{someID: true, "": false, someID[1:]: false, someID + "0": false, "F" + someID[1:]: false, "." + someID[1:]: false} {
		if isID(id) != want {
			t.Errorf("isID(%q) is %v", id, !want)
		}
	}
}

// FuzzOpen opens what anyone may have published. Only what the seal has signed is taken.
func FuzzOpen(f *testing.F) {
	s := newSeal(ours, []byte("sixteen bytes or so"))
	good := sealed(f, s, resultKind, someID, []byte(`{"Done":true}`))
	f.Add(good)
	f.Add(good[:headSize])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := s.open(resultKind, someID, b)
		if err == nil && !bytes.Equal(b, good) {
			t.Errorf("%q is taken, as %q", b, got)
		}
	})
}

// FuzzSigned opens as jobs and results what a program with the secret may have published.
func FuzzSigned(f *testing.F) {
	s := newSeal(ours, nil)
	f.Add(body(f, &share.Message{Job: &share.Job{ID: someID, Batch: items.Batch("batch"), For: new(share.Assignment)}}))
	f.Add(body(f, &share.Message{Result: &share.Result{ID: someID, Failed: &share.Failed{Schedule: trace.Schedule{{G: 7}}}}}))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if j, err := s.openJob(someID, sealed(t, s, jobKind, someID, text)); err == nil && (j.ID != someID || j.For == nil || j.For.Serve || j.Time < 0) {
			t.Errorf("%q is taken as %+v", text, j)
		}
		if b, err := s.openResult(someID, sealed(t, s, resultKind, someID, text)); err == nil && !bytes.Equal(b, text) {
			t.Errorf("%q is taken as %q", text, b)
		}
	})
}

// FuzzDeflated inflates what a program with the secret may have published.
func FuzzDeflated(f *testing.F) {
	s := newSeal(ours, nil)
	f.Add(sealed(f, s, jobKind, someID, []byte(strings.Repeat("{}", 1000)))[headSize:])
	f.Add([]byte{0})
	bomb, _ := hex.DecodeString("ecc10101000000802090feaf6e48")
	f.Add(bomb)
	f.Fuzz(func(t *testing.T, z []byte) {
		b := sealed(t, s, jobKind, someID, nil)
		b = append(b[:headSize:headSize], z...)
		copy(b[headSize-32:], s.sum(b[:headSize-32], []byte(someID), b[headSize:]))
		got, err := s.open(jobKind, someID, b)
		if err == nil && len(got) > mostBody || err != nil && got != nil {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})
}

// FuzzAlive reads what anyone may say of a worker.
func FuzzAlive(f *testing.F) {
	for _, text := range []string{"me 3", "me 0", "me", " 1", "me -1", "me 10001", "me 99999999999999999999", strings.Repeat("x", 65) + " 1"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		who, n, ok := readAlive(b)
		if ok && (len(who) > 64 || n < 0 || n > mostProcesses) {
			t.Errorf("%q: %q, %d", b, who, n)
		}
	})
}

// TestAlive has signs of life be read, and others passed over.
func TestAlive(t *testing.T) {
	if who, n, ok := readAlive([]byte("me 3")); who != "me" || n != 3 || !ok {
		t.Error(who, n, ok)
	}
	for _, text := range []string{"", "me", "me x", "me -1", "me 10001", "me 99999999999999999999", strings.Repeat("x", 65) + " 1"} {
		if who, n, ok := readAlive([]byte(text)); ok {
			t.Errorf("%q: %q, %d", text, who, n)
		}
	}
}
