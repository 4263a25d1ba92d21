package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/gopor/gopor/sched"
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
	if err := first.compare(&c.seen, p, q); err != nil {
		return fmt.Errorf("after %v, %v and %v commute, but %w; then %v", prefix, p, q, err, tail)
	}
	return nil
}

type commuter struct {
	t    *tracer
	rand *rand.Rand
	tail sched.Schedule // what to go on with, nil to draw it
	seen sighting
}

// sighting is what was observed of an execution from some state on.
type sighting struct {
	events   map[sched.Choice]pending // the two operations as they were performed
	next     [][]pending              // what could be done, after both of them and at each step then
	fp       uint64
	results  uint64
	text     string
	failures uint64
	race     bool // by the Go memory model: then nothing is promised
}

// find performs a random execution and returns a state of it, and two operations
// pending there that are independent.
func (c *commuter) find() (prefix sched.Schedule, p, q sched.Choice) {
	run := c.t.Start()
	defer run.Close()
	found := 0
	for ops := run.Pending(); len(ops) > 0; ops = run.Pending() {
		for i, a := range ops {
			for _, b := range ops[:i] {
				if sched.Dependent(a, b) {
					continue
				}
				if found++; c.rand.IntN(found) == 0 {
					prefix = append(make(sched.Schedule, 0, c.t.n+1), c.t.schedule()...)
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

func (c *commuter) choice(op *sched.Op) sched.Choice {
	return sched.Choice{G: op.G, Alt: c.rand.Int32N(op.Alts)}
}

// perform performs two operations after a prefix, and goes on to the end.
func (c *commuter) perform(prefix sched.Schedule, p, q sched.Choice) error {
	run := c.t.Start()
	defer run.Close()
	if err := run.Replay(prefix); err != nil {
		return err
	}
	c.seen.events = make(map[sched.Choice]pending)
	for _, choice := range [2]sched.Choice{p, q} {
		ev, err := run.Step(choice)
		if err != nil {
			return err
		}
		c.seen.events[choice] = snapshot(nil, []*sched.Op{&ev.Op})[0]
	}
	for k := 0; ; k++ {
		ops := run.Pending()
		c.seen.next = append(c.seen.next, snapshot(nil, ops))
		if len(ops) == 0 {
			break
		}
		next := sched.Choice{}
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

// compare reports what differs between two sightings.
func (a *sighting) compare(b *sighting, p, q sched.Choice) error {
	if a.race || b.race {
		return nil
	}
	var n numbering
	for _, c := range [2]sched.Choice{p, q} {
		if x, y := a.events[c], b.events[c]; !n.same(x, y) {
			return fmt.Errorf("%v is %v in one order, %v in the other", c, x, y)
		}
	}
	if len(a.next) != len(b.next) {
		return fmt.Errorf("one order has %d steps more", len(a.next)-len(b.next))
	}
	for k := range a.next {
		x, y := a.next[k], b.next[k]
		differ := len(x) != len(y)
		for i := 0; !differ && i < len(x); i++ {
			differ = !n.same(x[i], y[i])
		}
		if differ {
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

// numbering tells which objects of one execution are those of the other, where
// their numbers depend on when they were met first.
type numbering struct{ to, from map[int32]int32 }

// same reports whether two pending operations are the same. Their accesses are
// sets.
func (n *numbering) same(a, b pending) bool {
	if a.g != b.g || a.kind != b.kind || a.alts != b.alts || len(a.accesses) != len(b.accesses) {
		return false
	}
	left := slices.Clone(b.accesses)
	for _, anew := range [2]bool{false, true} {
		for _, x := range a.accesses {
			if n.isNew(x.Obj) != anew {
				continue
			}
			i := slices.IndexFunc(left, func(y sched.Access) bool { return x.Mode == y.Mode && x.Idx == y.Idx && n.equal(x.Obj, y.Obj) })
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
	}
	return len(left) == 0
}

// isNew reports whether it is not known which object of the other execution is a.
func (n *numbering) isNew(a int32) bool {
	_, known := n.to[a]
	return !known && a != sched.Everything && !sched.Lasting(a)
}

// equal reports whether a may be b of the other execution, and then takes it for b.
func (n *numbering) equal(a, b int32) bool {
	if a == sched.Everything || b == sched.Everything || sched.Lasting(a) || sched.Lasting(b) {
		return a == b
	}
	if n.to == nil {
		n.to, n.from = make(map[int32]int32), make(map[int32]int32)
	}
	to, known := n.to[a]
	from, taken := n.from[b]
	if !known && !taken {
		n.to[a], n.from[b] = b, a
		return true
	}
	return known && taken && to == b && from == a
}
