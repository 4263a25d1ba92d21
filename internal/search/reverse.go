package search

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// Reverse visits one execution of every Mazurkiewicz trace of p, and keeps nothing of what it
// has explored. It is reverse search (Avis and Fukuda 1996) in the manner of TruSt
// (Kokologiannakis, Marmanis, Gladstein and Vafeiadis 2022): every state of the search but the
// first is reached from exactly one other, so that no state has to be recognised. TruSt's
// executions are graphs in which a read has one source. Here an event may depend on several
// others that are independent of each other. That takes two additions, marked below.
//
// # Blocks
//
// In every state C the engine gives one goroutine the turn; any rule will do. The traces that
// extend C differ in what precedes the next event of that goroutine: C and a set of other
// events, the block of the turn. If the block is empty, the event can be performed at once. So
// a trace is a sequence of blocks, each ended by its turn, and the traces are the leaves of a
// tree. Going forward, all blocks are empty.
//
// # Revisits
//
// Let e be a turn in state C, with block B, and a be a later event that is in a race with e.
// Then a could come before e, after what a depends on: B and the events before a but not before
// e are a larger block B'. With it the turn is taken anew (a revisit). Two conditions make sure
// that this happens once for every C and B'.
//
// First, the past of a, together with C, B and e, may be found in many traces. Only the trace
// counts in which everything else is as if it had come after a: [reverse.latest]. These are
// TruSt's maximal extensions.
//
// Second, B' may be reached from several B; this is the first addition. If a1 and a2 are
// independent and the turn depends on both, then {a1, a2} is reached from {a1} and {a2}. So the
// events of B' that the turn depends on are moved ahead in a fixed order. The next one is that
// of the lowest goroutine, by name, among those that need no other event before them that the
// turn depends on. B' is made of B if a is the last one in this order: [reverse.inOrder].
//
// # Memory
//
// The remaining work is on a stack of items, each a schedule with its blocks. An execution of n
// events is reached by at most n*n revisits in a row: a block of m events is made by m revisits
// or fewer, each within the subtree of the one before, where the turns are one fewer. Each
// leaves items for the races of one execution. An item needs nothing but itself, so any item
// may be explored by another process.
//
// # Footprints
//
// An event uses the same objects before e as after e if both keep to trace.SteadyFootprint.
// Otherwise the order is not known until the block was performed. It is then checked with what
// the turn would use at each step of the block; this is the second addition. The item is
// dropped if it does not hold: [reverse.intact].
func Reverse(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	r := newReverse(p, visit)
	r.only = r.isOnly
	return r.Finish(r.explore(nil))
}

// reverse is a search by Reverse.
type reverse struct {
	Trail
	names  goroutineNames // the turns that have a block, or another than their first alternative
	roles  []role
	bent   []int32 // the turns that have a block, or not their first alternative
	items  items
	item                  // the item that is being explored
	ahead  []step         // the steps of the item that are still to be made
	route  trace.Schedule // scratch of coast
	block  int            // where the block of a doubtful item begins
	uses   []Uses         // what the turn would use before each event of that block
	spoilt bool           // the block is not the one that the item was made for
	crowd  crowded
	causes []int32 // scratch of revisit
}

// role is the part that an event plays in its block.
type role struct {
	start int32 // where its block begins
	turn  bool  // it is a turn, which ends the block
	first bool  // it takes the alternative that is tried first
}

// step is an event in an item.
type step struct {
	trace.Choice
	turn, first bool
}

func newReverse(p trace.Program, visit func(*trace.Execution) bool) *reverse {
	r := &reverse{Trail: NewTrail(p, visit), names: namesOf(p), item: root}
	r.leaves = true
	r.crowd.line.less = r.names.less
	return r
}

// explore explores the present item, and then one item after the other. It returns false if the
// search is to stop. Between two executions it calls goOn unless that is nil, and stops if goOn
// returns false.
func (r *reverse) explore(goOn func() bool) bool {
	decide, tell := r.decide, r.tell
	for {
		before := len(r.items.all)
		if r.coaster == nil || r.doubtful || len(r.Schedule)+len(r.ahead) >= patience {
			r.drive(decide)
		} else if r.coast(tell); r.Err == nil && !r.spoilt && len(r.Schedule) >= patience {
			r.Err = r.coaster.Drive(nil, decide)
		}
		r.items.sort(before)
		if r.Err != nil || !r.spoilt && !r.Report(false) || goOn != nil && !goOn() {
			return false
		}
		if r.items.none() {
			return true
		}
		r.resume(r.items.pop())
	}
}

// resume turns to an item. It skips the steps that the item shares with the latest execution.
func (r *reverse) resume(it item, steps []step) {
	r.item, r.spoilt = it, false
	r.crowd.clear()
	limit := len(steps) - 1
	if it.doubtful {
		r.uses = r.uses[:0]
		for r.block = limit; r.block > 0 && !steps[r.block-1].turn; {
			r.block--
		}
		limit = r.block
	}
	k := 0
	for k < limit && k < len(r.Schedule) && steps[k].Choice == r.Schedule[k] {
		k++
	}
	r.Cut(k)
	r.stale = true
	r.roles, r.bent = r.roles[:0], r.bent[:0]
	for _, s := range steps[:k] {
		r.assign(s.turn, s.first)
	}
	r.ahead = steps[k:]
}

// assign sets the role of the next event.
func (r *reverse) assign(turn, first bool) {
	k := int32(len(r.roles))
	start := k
	if k > 0 && !r.roles[k-1].turn {
		start = r.roles[k-1].start
	}
	r.roles = append(r.roles, role{start, turn, first})
	if turn && (start < k || !first) {
		r.bent = append(r.bent, k)
	}
}

// decide handles the latest event and returns the next choice. It returns false if the
// execution goes no further.
func (r *reverse) decide(ev *trace.Event) (trace.Choice, bool) {
	if ev != nil {
		r.note(r.choice)
		r.Track(ev)
		if !r.look(ev) {
			return trace.Choice{}, false
		}
	}
	ops := r.Run.Pending()
	if len(ops) == 0 {
		return trace.Choice{}, false
	}
	if len(r.ahead) > 0 {
		s := r.ahead[0]
		r.assign(s.turn, s.first)
		if r.doubtful && len(r.Schedule) >= r.block {
			r.noteUses(ops)
		}
		r.choice = s.Choice
		return s.Choice, true
	}
	next := r.next
	op := r.turn(ops)
	if op == nil { // an error of the program
		r.choice = trace.Choice{G: next}
		return r.choice, true
	}
	alt := int32(r.Turn()) % op.Alts
	r.assign(true, true)
	r.leaveOthers(len(r.Schedule), op.Alts, step{trace.Choice{G: op.G, Alt: alt}, true, true})
	r.choice = trace.Choice{G: op.G, Alt: alt}
	return r.choice, true
}

// coast follows the item and goes on as turn does, while no goroutine has waited for long. The
// pending operations need not be known for that.
func (r *reverse) coast(tell func(*trace.Event) bool) {
	route := append(r.route[:0], r.Schedule...)
	for _, s := range r.ahead {
		route = append(route, s.Choice)
	}
	if r.next >= 0 {
		route = append(route, trace.Choice{G: r.next})
	}
	r.route = route
	from, ahead, next, stats := len(r.Schedule), r.ahead, r.next, r.Stats
	left := r.items.mark()
	for {
		r.anew()
		err := r.coaster.Coast(route, from, patience, tell)
		if err != trace.ErrTold {
			if err != nil {
				r.Err = err
			}
			return
		}
		r.Cut(from)
		r.stale = true
		r.roles, r.ahead, r.next, r.spoilt, r.Stats = r.roles[:from], ahead, next, false, stats
		for len(r.bent) > 0 && int(r.bent[len(r.bent)-1]) >= from {
			r.bent = r.bent[:len(r.bent)-1]
		}
		r.items.backTo(left)
	}
}

// tell does the work of decide for a choice that was not made here.
func (r *reverse) tell(ev *trace.Event) bool {
	c := ev.Choice()
	if len(r.ahead) > 0 {
		r.assign(r.ahead[0].turn, r.ahead[0].first)
	} else {
		r.next = -1
		r.assign(true, true)
		r.leaveOthers(len(r.Schedule), ev.Alts, step{c, true, true})
	}
	r.note(c)
	r.Track(ev)
	return r.look(ev)
}

// look makes the revisits of the latest event. It returns false if the event shows that the
// item does not hold.
func (r *reverse) look(ev *trace.Event) bool {
	if len(r.ahead) == 0 {
		r.revisits(ev)
		return true
	}
	r.ahead = r.ahead[1:]
	if len(r.ahead) > 0 {
		return true
	}
	k := len(r.Schedule) - 1
	if r.doubtful && !r.intact(k) {
		r.spoilt = true
		return false
	}
	if r.roles[k].first {
		if !r.roles[k].turn {
			r.leaveOthers(k, ev.Alts, step{ev.Choice(), false, true})
		}
		r.revisits(ev)
	}
	return true
}

// turn returns the operation of the goroutine that has the turn. That is the goroutine that a
// revisit has put off, or nil if it is not enabled. Without one, it is the goroutine that moved
// last, so that the latest events change, unless another one has waited for long (see
// [Walk.First]).
func (r *reverse) turn(ops []*trace.Op) *trace.Op {
	if g := r.next; g >= 0 {
		r.next = -1
		return opOf(g, ops)
	}
	crowded := len(ops) > crowd
	if crowded {
		r.crowd.look(r, ops)
	} else {
		r.crowd.clear()
	}
	if len(r.Schedule) >= patience {
		op := (*trace.Op)(nil)
		if crowded {
			op = r.crowd.line.first(ops, len(r.Schedule), r.since, func(*trace.Op) bool { return true })
		} else {
			op = r.longestWaiting(ops)
		}
		if op != nil {
			return op
		}
	}
	if op := opOf(r.Mover(), ops); op != nil {
		return op
	}
	if crowded {
		return r.crowd.first(r, ops)
	}
	first := ops[0]
	for _, op := range ops[1:] {
		if r.sooner(op.G, first.G) {
			first = op
		}
	}
	return first
}

// longestWaiting returns the operation of the enabled goroutine that was not chosen for the
// most steps, if these are patience or more. It returns nil if there is none.
func (r *reverse) longestWaiting(ops []*trace.Op) (longest *trace.Op) {
	least := len(r.Schedule) - patience // the step since which it must have waited
	for _, op := range ops {
		since := int(r.HB.Last(int32(op.G))) + 1
		if since < least || since == least && (longest == nil || r.names.less(op.G, longest.G)) {
			longest, least = op, since
		}
	}
	return longest
}

// noteUses notes what the turn would use before the next event of its block.
func (r *reverse) noteUses(ops []*trace.Op) {
	var u Uses
	u.Set(nil)
	if op := opOf(r.next, ops); op != nil {
		u.Set(slices.Clone(op.Accesses()))
	}
	r.uses = append(r.uses, u)
}

// leaveOthers leaves items that begin like this execution up to event k, and continue with
// another alternative of s.
func (r *reverse) leaveOthers(k int, alts int32, s step) {
	for alt := range alts {
		if alt != s.Alt {
			r.leave(item{next: r.next}, k)
			r.items.add(step{trace.Choice{G: s.G, Alt: alt}, s.turn, false})
		}
	}
}

// leave leaves an item that begins with the first k events.
func (r *reverse) leave(it item, k int) {
	for j := len(r.items.path); j < k; j++ {
		r.items.goOn(step{r.Schedule[j], r.roles[j].turn, r.roles[j].first})
	}
	r.items.push(it, k)
}
