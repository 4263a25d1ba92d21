package search

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/gopor/gopor/sched/trace"
)

// A Batch has some of the items that a search by [Reverse] has left, in their order. Its bytes
// mean the same in every process that explores the same program. It is
//
//	version  1 byte
//	names    goroutines by path: their number, then per goroutine the length of its path, and it
//	items    their number, then per item
//	         flags: 1: there is a next goroutine, 2: the item is doubtful
//	         next and grown, where the flags say so: a place in names, a number of steps
//	         the number of first steps that it has in common with the item before
//	         the number of other steps, then per step
//	         8 * the place in names + 4 if there is an alternative + 2 if it is a turn
//	         + 1 if it is a first one, and the alternative, if there is one
//	checksum 4 bytes   CRC-32 (IEEE) of all before, big-endian
//
// Numbers are varints, elements of a path zigzag varints. An item of a search has exactly one
// encoding.
type Batch []byte

// batchVersion changes whenever the same bytes would mean something else, or the search visits
// items in another order.
const batchVersion = 0xb1

const (
	batchNext = 1 << iota
	batchDoubtful
)

// maxBatchSteps bounds what a damaged batch can make the decoder allocate.
const maxBatchSteps = 1 << 26

// RootBatch returns the item that a search begins with.
func RootBatch() Batch { return encodeBatch(nil, []batchItem{{item: root}}) }

// batchItem is an item with its steps.
type batchItem struct {
	item
	path []step
}

// encodeBatch encodes items. The function path returns the path of a goroutine.
func encodeBatch(path func(trace.ID) []int32, items []batchItem) Batch {
	var names, body []byte
	places := make(map[trace.ID]uint64)
	place := func(g trace.ID) uint64 {
		n, ok := places[g]
		if !ok {
			n = uint64(len(places))
			places[g] = n
			p := path(g)
			names = binary.AppendUvarint(names, uint64(len(p)))
			for _, x := range p {
				names = binary.AppendVarint(names, int64(x))
			}
		}
		return n
	}
	var before []step
	for _, it := range items {
		flags := byte(0)
		if it.next >= 0 {
			flags |= batchNext
		}
		if it.doubtful {
			flags |= batchDoubtful
		}
		body = append(body, flags)
		if it.next >= 0 {
			body = binary.AppendUvarint(body, place(it.next))
		}
		if it.doubtful {
			body = binary.AppendUvarint(body, uint64(it.grown))
		}
		common := 0
		for common < len(before) && common < len(it.path) && before[common] == it.path[common] {
			common++
		}
		body = binary.AppendUvarint(body, uint64(common))
		body = binary.AppendUvarint(body, uint64(len(it.path)-common))
		for _, s := range it.path[common:] {
			body = appendStep(body, s, place(s.G))
		}
		before = it.path
	}
	b := binary.AppendUvarint([]byte{batchVersion}, uint64(len(places)))
	b = append(b, names...)
	b = binary.AppendUvarint(b, uint64(len(items)))
	b = append(b, body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func appendStep(b []byte, s step, place uint64) []byte {
	x := place << 3
	if s.Alt != 0 {
		x |= 4
	}
	if s.turn {
		x |= 2
	}
	if s.first {
		x |= 1
	}
	b = binary.AppendUvarint(b, x)
	if s.Alt != 0 {
		b = binary.AppendUvarint(b, uint64(s.Alt))
	}
	return b
}

// decodedBatch is a batch with goroutines that are indices of names.
type decodedBatch struct {
	names [][]int32
	items []batchItem
}

func (d *decodedBatch) path(g trace.ID) []int32 { return d.names[g] }

// decode reads a batch. The error says how it is damaged.
func (b Batch) decode() (*decodedBatch, error) {
	switch {
	case len(b) < 7:
		return nil, damagedBatch(fmt.Errorf("only %d bytes are left of it", len(b)))
	case b[0] != batchVersion:
		return nil, damagedBatch(fmt.Errorf("its version is %#x, not %#x: it is not one, or is of another version of gopor", b[0], batchVersion))
	}
	body, sum := b[:len(b)-4], binary.BigEndian.Uint32(b[len(b)-4:])
	if got := crc32.ChecksumIEEE(body); got != sum {
		return nil, damagedBatch(fmt.Errorf("checksum %08x, want %08x", got, sum))
	}
	r := batchReader{rest: body[1:]}
	d := r.batch()
	if r.err == nil && len(r.rest) > 0 {
		r.err = fmt.Errorf("%d bytes are left over", len(r.rest))
	}
	if r.err != nil {
		return nil, damagedBatch(r.err)
	}
	return d, nil
}

func damagedBatch(err error) error {
	return fmt.Errorf("damaged part of a search: %w", err)
}

// batchReader reads the body of a batch. After an error it reads zeros.
type batchReader struct {
	rest []byte
	all  int // steps so far
	err  error
}

var (
	errBatchTruncated = errors.New("it ends too early")
	errBatchLarge     = errors.New("a number in it is too large")
)

func (r *batchReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

// number reads a number up to most.
func (r *batchReader) number(most int) int {
	x, n := binary.Uvarint(r.rest)
	switch {
	case n <= 0:
		r.fail(errBatchTruncated)
		return 0
	case most < 0 || x > uint64(most):
		r.fail(errBatchLarge)
		return 0
	}
	r.rest = r.rest[n:]
	return int(x)
}

// element reads an element of a path.
func (r *batchReader) element() int32 {
	x, n := binary.Varint(r.rest)
	switch {
	case n <= 0:
		r.fail(errBatchTruncated)
		return 0
	case x < math.MinInt32 || x > maxBatchSteps: // no goroutine starts so many
		r.fail(errBatchLarge)
		return 0
	}
	r.rest = r.rest[n:]
	return int32(x)
}

func (r *batchReader) batch() *decodedBatch {
	d := new(decodedBatch)
	for n := r.number(len(r.rest)); n > 0 && r.err == nil; n-- {
		path := make([]int32, r.number(len(r.rest)))
		for j := range path {
			path[j] = r.element()
		}
		d.names = append(d.names, path)
	}
	var before []step
	for n := r.number(len(r.rest)); n > 0 && r.err == nil; n-- {
		it := r.item(len(d.names), before)
		before = it.path
		d.items = append(d.items, it)
	}
	if r.err == nil && len(d.items) == 0 {
		r.fail(errors.New("there is nothing in it"))
	}
	return d
}

// item reads an item that follows an item with the steps of before.
func (r *batchReader) item(names int, before []step) batchItem {
	it := batchItem{item: root}
	flags := r.number(batchNext | batchDoubtful)
	if flags&batchNext != 0 {
		it.next = trace.ID(r.number(names - 1))
	}
	if flags&batchDoubtful != 0 {
		it.doubtful = true
		it.grown = r.number(maxBatchSteps)
	}
	common, others := r.number(len(before)), r.number(len(r.rest))
	if r.all += common + others; r.all > maxBatchSteps {
		r.fail(fmt.Errorf("it has more than %d steps", maxBatchSteps))
		return it
	}
	it.path = append(make([]step, 0, common+others), before[:common]...)
	for ; others > 0 && r.err == nil; others-- {
		x := r.number(names<<3 - 1)
		s := step{trace.Choice{G: trace.ID(x >> 3)}, x&2 != 0, x&1 != 0}
		if x&4 != 0 {
			s.Alt = int32(r.number(1<<31 - 1))
		}
		it.path = append(it.path, s)
	}
	if it.doubtful && it.grown >= len(it.path) && r.err == nil {
		r.fail(errors.New("what was added to a block lies beyond its steps"))
	}
	return it
}

// Check returns an error if the batch is damaged.
func (b Batch) Check() error {
	_, err := b.decode()
	return err
}

// Split divides a batch into n consecutive batches, or into as many as it has items if these
// are fewer. Each of the last items is a batch of its own, since most of the work is likely to
// come of them: they leave the executions explored first near the beginning.
func (b Batch) Split(n int) ([]Batch, error) {
	d, err := b.decode()
	if err != nil {
		return nil, err
	}
	n = min(max(n, 1), len(d.items))
	first := len(d.items) - n + 1
	parts := []Batch{encodeBatch(d.path, d.items[:first])}
	for i := first; i < len(d.items); i++ {
		parts = append(parts, encodeBatch(d.path, d.items[i:i+1]))
	}
	return parts, nil
}

// Prefix returns the schedule that the first item begins with, as paths of goroutines and their
// alternatives. It shows people where a search is.
func (b Batch) Prefix() (paths [][]int32, alts []int32, err error) {
	d, err := b.decode()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range d.items[0].path {
		paths, alts = append(paths, d.names[s.G]), append(alts, s.Alt)
	}
	return paths, alts, nil
}
