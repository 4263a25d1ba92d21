package toy

import (
	"encoding/binary"
	"errors"

	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// NewByHistory returns a runner of p that, for the key of a state, knows of its threads
// what is known of a closure's goroutines: their histories.
func NewByHistory(p *Program) *Runner {
	r := New(p)
	r.byHistory = true
	return r
}

// KeyStates implements [trace.Keyed].
func (r *Runner) KeyStates(k *trace.Keying) (err error) {
	if r.m.Keys = nil; k == nil {
		return nil
	}
	if r.m.Keys, err = machine.NewKeys(r.m, *k); err == nil && !r.byHistory {
		r.m.Keys.Local = r.appendLocal
	}
	return err
}

// Forget says what keys leave out, for tests of their judge.
type Forget struct {
	Object bool // the state of the first object
	Thread bool // what goroutine 2 knows, which is the first that is spawned
}

// ForgetInKeys makes keys useless, until KeyStates is called again.
func (r *Runner) ForgetInKeys(f Forget) {
	if r.m.Keys == nil {
		return
	}
	if f.Object {
		r.m.Keys.OmitObject = 1
	}
	if f.Thread {
		r.m.Keys.OmitGoroutine = 2
	}
}

// AppendKey implements [trace.Keyed].
func (r *Runner) AppendKey(b []byte) ([]byte, error) {
	if r.m.Keys == nil {
		return b, errors.New("toy: AppendKey without KeyStates")
	}
	b, err := r.m.Keys.AppendKey(b, false)
	for i := range r.failures {
		b = append(append(b, byte(r.failures[i].G)), r.failures[i].Msg...)
	}
	return b, err
}

// ObjectName implements [trace.Keyed].
func (r *Runner) ObjectName(obj int32) int32 { return r.m.Keys.ObjectName(obj) }

// SameObject implements [trace.Keyed].
func (r *Runner) SameObject(a, b int32) bool { return r.m.Keys.SameObject(a, b) }

// appendLocal appends all that a thread knows.
func (r *Runner) appendLocal(b []byte, mg *machine.Goroutine) []byte {
	g := &r.gs[mg.ID]
	if g.index < 0 {
		return append(b, '-')
	}
	number := func(n int64) { b = binary.AppendVarint(b, n) }
	for _, n := range [...]int64{int64(g.index), int64(g.pc), int64(g.phase), int64(len(g.log)), int64(len(g.kids)), int64(len(g.onces))} {
		number(n)
	}
	if g.ended {
		number(1)
	}
	for _, n := range g.regs {
		number(n)
	}
	for _, n := range g.log {
		number(n)
	}
	for _, id := range g.kids {
		number(int64(id))
	}
	for _, o := range g.onces {
		number(int64(o.obj))
		number(int64(o.end))
	}
	return b
}
