package search

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// An Explorer explores batches of one search by [Reverse]. All batches that it leaves, explored
// anywhere and in any order, cover the search without repetition. An uninterrupted search
// visits what Explore visits, followed by what the batch that it leaves leads to.
type Explorer struct{ r *reverse }

// NewExplorer starts p, which no other search may run until Close.
func NewExplorer(p trace.Program) *Explorer {
	e := &Explorer{newReverse(p, nil)}
	e.r.Run.Close()
	return e
}

// Explore explores a batch in order. It ends when the batch is explored, visit returns false,
// or goOn does, which is asked after every execution. It returns the rest of the batch, or nil
// if none is left. It also returns nil if visit has returned false or there is an error. The
// error says that the batch is damaged, or is the error of the search, such as that the batch
// belongs to another program.
func (e *Explorer) Explore(b Batch, visit func(*trace.Execution) bool, goOn func() bool) (left Batch, stats trace.Stats, err error) {
	d, err := b.decode()
	if err != nil {
		return nil, trace.Stats{}, err
	}
	r := e.r
	r.Stats, r.Err = trace.Stats{}, nil
	e.load(d)
	refused := false
	r.visit = func(x *trace.Execution) bool {
		refused = !visit(x)
		return !refused
	}
	r.resume(r.items.pop())
	r.explore(goOn)
	r.Run.Close()
	if !refused && r.Err == nil && !r.items.none() {
		left = e.left()
	}
	return left, r.Stats, r.Err
}

// Digest returns a string that tells the latest execution from others, in any process. It
// covers the goroutine, kind and alternative of every event.
func (e *Explorer) Digest() string {
	h := sha256.New()
	for i := range e.r.Events {
		ev := &e.r.Events[i]
		fmt.Fprintln(h, e.r.names.path(ev.G), ev.Alt, ev.Kind)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Close ends the search.
func (e *Explorer) Close() { e.r.Finish(true) }

// load replaces the items to be explored by those of a batch.
func (e *Explorer) load(d *decodedBatch) {
	r := e.r
	ours := make([]trace.ID, len(d.names))
	for i, path := range d.names {
		ours[i] = r.names.lookup(path)
	}
	r.items.clear()
	for _, it := range slices.Backward(d.items) {
		if it.next >= 0 {
			it.next = ours[it.next]
		}
		r.items.push(it.item, 0)
		for _, s := range it.path {
			s.G = ours[s.G]
			r.items.add(s)
		}
	}
}

// left returns the items that are still to be explored.
func (e *Explorer) left() Batch {
	s := &e.r.items
	var items []batchItem
	for _, it := range slices.Backward(s.all[s.given:]) {
		items = append(items, batchItem{it, slices.Clone(s.stepsOf(it))})
	}
	return encodeBatch(e.r.names.path, items)
}
