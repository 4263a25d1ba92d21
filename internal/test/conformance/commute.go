package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// Commute performs two pending operations of s that are called independent, in a
// random state, in both orders, and goes on in the same way at random. All that can
// be observed has to be the same: the events, what can be done next at every step,
// what happens before what, results and failures. It does nothing if it comes to no
// such state.
func Commute(s Subject, r *rand.Rand) error {
	c := commuter{t: &tracer{Subject: s}, rand: r}
	prefix, p, q := c.find()
	if prefix == nil {
		return nil
	}
	if err := c.perform(prefix, p, q); err != nil {
		return err
	}
	first, tail := c.seen, c.t.schedule()[len(prefix)+2:]
	c.seen = sighting{}
	c.tail = tail
	if err := c.perform(prefix, q, p); err != nil {
		return fmt.Errorf("after %v, %v then %v, %v: the other way round: %w", prefix, p, q, tail, err)
	}
	if err := first.compare(&c.seen); err != nil {
		return fmt.Errorf("after %v, %v and %v commute, but %w; then %v", prefix, p, q, err, tail)
	}
	return nil
}

type commuter struct {
	t    *tracer
	rand *rand.Rand
	tail trace.Schedule // what to go on with, nil to draw it
	seen sighting
}

// offer is a pending operation, as far as it can be compared with that of another
// execution, where its objects may have other numbers.
type offer struct {
	g      trace.ID
	kind   trace.Kind
	alts   int32
	events uint64 // those before that it depends on
	others uint64 // those pending beside it that it depends on
}

// sighting is what was observed of an execution from some state on.
type sighting struct {
	next     [][]offer // what could be done, after both operations and at each step then
	fp       uint64
	results  uint64
	text     string
	failures uint64
	race     bool // by the Go memory model: then nothing is promised
}

// find performs a random execution and returns a state of it, and two operations
// pending there that are independent.
func (c *commuter) find() (prefix trace.Schedule, p, q trace.Choice) {
	run := c.t.Start()
	defer run.Close()
	found := 0
	for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
		for i, a := range ops {
			for _, b := range ops[:i] {
				if trace.Dependent(a, b) {
					continue
				}
				if found++; c.rand.IntN(found) == 0 {
					prefix = append(make(trace.Schedule, 0, c.t.n+1), c.t.schedule()...)
					p, q = c.choice(a), c.choice(b)
				}
			}
		}
		if c.t.n >= mostSteps-2 {
			return nil, p, q
		}
		if _, err := run.Step(c.choice(ops[c.rand.IntN(len(ops))])); err != nil {
			return nil, p, q
		}
	}
	return prefix, p, q
}

func (c *commuter) choice(op *trace.Op) trace.Choice {
	return trace.Choice{G: op.G, Alt: c.rand.Int32N(op.Alts)}
}

// perform performs two operations after a prefix, and goes on to the end.
func (c *commuter) perform(prefix trace.Schedule, p, q trace.Choice) error {
	run := c.t.Start()
	defer run.Close()
	if err := run.Replay(prefix); err != nil {
		return err
	}
	for _, choice := range [2]trace.Choice{p, q} {
		if _, err := run.Step(choice); err != nil {
			return err
		}
	}
	for k := 0; ; k++ {
		ops := run.Pending()
		c.seen.next = append(c.seen.next, c.offers(ops, len(prefix), c.tail != nil))
		if len(ops) == 0 {
			break
		}
		next := trace.Choice{}
		switch {
		case c.tail == nil:
			next = c.choice(ops[c.rand.IntN(len(ops))])
		case k < len(c.tail):
			next = c.tail[k]
		default:
			return fmt.Errorf("it goes on at its end")
		}
		if _, err := run.Step(next); err != nil {
			return err
		}
	}
	c.seen.fp, c.seen.results, c.seen.text = c.t.fingerprint(), c.t.Results(), c.t.ResultsText()
	c.seen.failures, c.seen.race = judged(c.t, run.Outcome())
	return nil
}

// offers returns what can be done next. The two events from number n on have been
// performed the other way round if swapped is set, and are told as if they had not.
func (c *commuter) offers(ops []*trace.Op, n int, swapped bool) []offer {
	list := make([]offer, len(ops))
	for i, op := range ops {
		o := offer{g: op.G, kind: op.Kind, alts: op.Alts}
		for k, e := range c.t.events[:c.t.n] {
			if swapped && (k == n || k == n+1) {
				k = 2*n + 1 - k
			}
			if e.G == op.G || trace.Dependence.Dependent(e.accesses, op.Accesses()) {
				o.events |= 1 << k
			}
		}
		for k, other := range ops {
			if trace.Dependent(op, other) {
				o.others |= 1 << k
			}
		}
		list[i] = o
	}
	return list
}

// compare reports what differs between two sightings.
func (a *sighting) compare(b *sighting) error {
	if a.race || b.race {
		return nil
	}
	if len(a.next) != len(b.next) {
		return fmt.Errorf("one order has %d steps more", len(a.next)-len(b.next))
	}
	for k := range a.next {
		if x, y := a.next[k], b.next[k]; !slices.Equal(x, y) {
			return fmt.Errorf("%d steps later %v can be done in one order, %v in the other", k, x, y)
		}
	}
	switch {
	case a.results != b.results:
		return fmt.Errorf("the results are %s in one order, %s in the other", a.text, b.text)
	case a.failures != b.failures:
		return fmt.Errorf("they fail in different ways")
	case a.fp != b.fp:
		return fmt.Errorf("they are of different traces")
	}
	return nil
}
