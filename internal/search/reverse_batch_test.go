package search

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// someBatch returns what is left of a search after some executions.
func someBatch(t testing.TB, executions int) Batch {
	t.Helper()
	p, _ := paper.Named("mpat")
	c := exec.New(p.Make(3, 0), p.Options)
	defer c.Shutdown()
	e := NewExplorer(c)
	defer e.Close()
	b, stats, err := e.Explore(RootBatch(), func(*trace.Execution) bool { return true }, func() bool {
		executions--
		return executions > 0
	})
	if err != nil || b == nil {
		t.Fatalf("%d executions, %d bytes left: %v", stats.Executions, len(b), err)
	}
	return b
}

// TestBatchSplit divides a batch, and has the parts have its items, in order.
func TestBatchSplit(t *testing.T) {
	b := someBatch(t, 5)
	all, err := b.decode()
	if err != nil || len(all.items) < 3 {
		t.Fatalf("%d items: %v", len(all.items), err)
	}
	for n := range len(all.items) + 3 {
		parts, err := b.Split(n)
		if want := min(max(n, 1), len(all.items)); err != nil || len(parts) != want {
			t.Fatalf("%d parts, want %d (%v)", len(parts), want, err)
		}
		var items []string
		for _, part := range parts {
			d, err := part.decode()
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range d.items {
				items = append(items, string(encodeBatch(d.path, []batchItem{it})))
			}
		}
		for i, it := range all.items {
			if items[i] != string(encodeBatch(all.path, []batchItem{it})) {
				t.Errorf("%d parts: item %d is another one", n, i)
			}
		}
	}
}

// TestBatchDamaged changes a batch in every byte, and cuts it off everywhere.
func TestBatchDamaged(t *testing.T) {
	b := someBatch(t, 5)
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	for i := range b {
		bad := slices.Clone(b)
		bad[i] ^= 0x10
		for _, bad := range []Batch{bad, b[:i]} {
			if err := bad.Check(); err == nil || !strings.HasPrefix(err.Error(), "damaged part of a search: ") {
				t.Errorf("byte %d of %d: %v", i, len(b), err)
			}
		}
	}
	body := slices.Clone(b[:len(b)-4])
	for i := range body {
		if err := sealed(body[:i]).Check(); err == nil {
			t.Errorf("%d bytes of %d pass for a batch", i, len(body))
		}
	}
	if err := sealed(append(body, 0)).Check(); err == nil {
		t.Error("a byte too many")
	}
}

// sealed adds the right checksum.
func sealed(body []byte) Batch {
	return binary.BigEndian.AppendUint32(slices.Clone(body), crc32.ChecksumIEEE(body))
}

// FuzzBatch reads anything. What can be read is written as it can be read again.
func FuzzBatch(f *testing.F) {
	for _, b := range []Batch{RootBatch(), someBatch(f, 1), someBatch(f, 20)} {
		f.Add([]byte(b[:len(b)-4]))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := sealed(body).decode()
		if err != nil {
			return
		}
		again := encodeBatch(d.path, d.items)
		e, err := again.decode()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encodeBatch(e.path, e.items), again) {
			t.Error("written otherwise the second time")
		}
		for i, it := range d.items {
			x := e.items[i]
			if it.doubtful != x.doubtful || it.grown != x.grown || (it.next < 0) != (x.next < 0) || len(it.path) != len(x.path) {
				t.Errorf("item %d is %v, and then %v", i, it.item, x.item)
			}
		}
	})
}
