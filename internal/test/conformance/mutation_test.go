package conformance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/toy/toytest"
	"github.com/gopor/gopor/sched/trace"
)

// A flaw is something wrong with what a primitive says of its operations.
type flaw struct {
	what string // what is done to the operations of that kind
	kind trace.Kind
	mode trace.Mode
}

const (
	dropped   = "an access left out"
	weakened  = "a write called a read"
	unordered = "grants forgotten" // what orders the event after one of that kind
	blind     = "everything called nothing"
)

func (f flaw) String() string { return fmt.Sprintf("%s: %v, mode %d", f.what, f.kind, f.mode) }

// flawsOf returns the flaws that an event of this kind could have, into a set. The
// goroutine's event before was of kind before.
func flawsOf(set map[flaw]bool, ev *trace.Event, before trace.Kind) {
	for _, a := range ev.Accesses() {
		switch {
		case a.Obj == trace.Everything:
			set[flaw{blind, ev.Kind, 0}] = true
			continue
		case a.Mode == trace.ModeWrite:
			set[flaw{weakened, ev.Kind, a.Mode}] = true
		}
		set[flaw{dropped, ev.Kind, a.Mode}] = true
	}
	if len(ev.Order) > 0 {
		set[flaw{unordered, before, 0}] = true
	}
}

// flawed is a program that shows events with a flaw, or, without one, that notes
// which flaws they could have.
type flawed struct {
	Subject
	flaw  flaw
	could map[flaw]bool
	run   trace.Run
	last  map[trace.ID]trace.Kind
	ops   []trace.Op
	list  []*trace.Op
	event trace.Event
}

func (p *flawed) Start() trace.Run {
	p.run, p.last = p.Subject.Start(), make(map[trace.ID]trace.Kind)
	return p
}

func (p *flawed) Pending() []*trace.Op {
	ops := p.run.Pending()
	p.ops, p.list = slices.Grow(p.ops[:0], len(ops)), p.list[:0]
	for i, op := range ops {
		p.ops = append(p.ops, *op)
		p.spoil(&p.ops[i])
		p.list = append(p.list, &p.ops[i])
	}
	return p.list
}

// spoil gives an operation the flaw.
func (p *flawed) spoil(op *trace.Op) {
	if op.Kind != p.flaw.kind || p.flaw.what == unordered {
		return
	}
	var as []trace.Access
	for _, a := range op.Accesses() {
		switch {
		case a.Obj == trace.Everything:
			if p.flaw.what == blind {
				continue
			}
		case p.flaw.what == dropped && a.Mode == p.flaw.mode:
			continue
		case p.flaw.what == weakened && a.Mode == trace.ModeWrite:
			a.Mode = trace.ModeRead
		}
		as = append(as, a)
	}
	op.SetAccesses(as...)
}

func (p *flawed) Step(c trace.Choice) (*trace.Event, error) {
	ev, err := p.run.Step(c)
	if err != nil {
		return nil, err
	}
	before, begun := p.last[c.G]
	if !begun {
		before = trace.OpNone // it is the first: the go statement has come before
	}
	p.last[c.G] = ev.Kind
	if p.could != nil {
		flawsOf(p.could, ev, before)
		return ev, nil
	}
	p.event = *ev
	p.spoil(&p.event.Op)
	if p.flaw.what == unordered && p.flaw.kind == before {
		p.event.Order = nil
	}
	return &p.event, nil
}

func (p *flawed) Replay(s trace.Schedule) error {
	for _, c := range s {
		if _, err := p.Step(c); err != nil {
			return err
		}
	}
	return nil
}

func (p *flawed) Len() int                 { return p.run.Len() }
func (p *flawed) Outcome() []trace.Failure { return p.run.Outcome() }
func (p *flawed) Close()                   { p.run.Close() }

// equivalent are the mutants by which no engine is led astray, and why.
var equivalent = map[flaw]string{
	{unordered, trace.OpTryLock, 0}:                 "a TryLock depends on the Unlock that lets it succeed",
	{unordered, trace.OpTryRLock, 0}:                "as TryLock",
	{unordered, trace.OpShut, 0}:                    "it fails by an event that it depends on",
	{unordered, trace.OpDeadline, 0}:                "as CloseWrite",
	{unordered, trace.OpSendTo, 0}:                  "as CloseWrite",
	{dropped, trace.OpDeadline, trace.ModeDeadSend}: "to set a deadline touches what Reads wait for to keep the law of footprints, to which TestFootprints holds it",
	{dropped, trace.OpDeadline, trace.ModeAll}:      "as ModeDeadSend, of a listener",
	{blind, trace.OpSend, 0}:                        "to complete a select that waits for a ticker touches everything to keep the law of footprints, to which TestFootprints holds it",
	{blind, trace.OpClose, 0}:                       "as Send",
	{blind, trace.OpTimer, 0}:                       "to stop a ticker touches everything to keep the law of footprints, to which TestFootprints holds it",
}

// TestPrimitiveMutants shows that the judge notices what is wrong with a primitive:
// for every kind of operation and every mode in which it is seen to touch something,
// programs are judged in which it says less.
func TestPrimitiveMutants(t *testing.T) {
	if !effort.Full() {
		t.Skip("it takes thousands of programs")
	}
	seen, caught := make(map[flaw]bool), make(map[flaw]bool)
	try := func(p *Program) {
		could := make(map[flaw]bool)
		sound := Judge{Most: 200, Wrap: func(s Subject) Subject { return &flawed{Subject: s, could: could} }}
		if sound.Verify(p) != nil {
			return
		}
		for f := range could {
			seen[f] = true
			if !caught[f] {
				j := Judge{Most: 200, Wrap: func(s Subject) Subject { return &flawed{Subject: s, flaw: f} }}
				err := j.Verify(p)
				caught[f] = err != nil && !errors.Is(err, ErrTooBig)
			}
		}
	}
	for _, p := range corpus(t) {
		try(p)
	}
	list := families(t)
	for i := range toytest.Number(t, "GOPOR_PROGRAMS", 24000) {
		try(Generate(list[i%int64(len(list))], rand.New(rand.NewPCG(1, uint64(i)))))
	}
	var left []string
	for f := range seen {
		if !caught[f] && equivalent[f] == "" {
			left = append(left, f.String())
		}
	}
	sort.Strings(left)
	if t.Logf("%d mutants, %d of them equivalent", len(seen), len(equivalent)); len(left) > 0 || len(seen) < 90 {
		t.Errorf("not caught:\n%s", strings.Join(left, "\n"))
	}
}
