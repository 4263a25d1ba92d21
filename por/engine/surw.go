package engine

import (
	"slices"

	"github.com/gopor/gopor/sched/trace"
)

// SURW is selectively uniform random walk: Zhao, Wolff, Mathur and Roychoudhury,
// "Selectively uniform concurrency testing", ASPLOS 2025, Algorithm 2. For each execution
// some events are declared interesting, and of the orders in which goroutines can perform
// these each is as likely as any other, as far as is known how many each goroutine still has
// to perform: the goroutine of the next interesting event is drawn by these numbers, and the
// interesting events of others wait for it. All else is as in [Random].
//
// Here the interesting events are those on one object, drawn from all that several
// goroutines have used in executions before; every fourth time they are all events on
// such objects. How many a goroutine performs is taken from the latest execution in which
// the same was interesting. Where there is none, it is as in Random.
type SURW struct {
	Seed       uint64 // the same seed gives the same executions
	Executions int64  // how many; 0 means until visit returns false
}

// Name returns "surw".
func (SURW) Name() string { return "surw" }

// About implements [trace.About].
func (e SURW) About() trace.About {
	return trace.About{
		Random:   true,
		Endless:  e.Executions == 0,
		WithSeed: func(seed uint64) trace.Engine { e.Seed = seed; return e },
	}
}

// Explore visits executions of p drawn at random. They may repeat each other.
func (e SURW) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	s := surw{sampler: newSampler(p, visit, e.Seed, e.Executions), users: make(map[int32]user), counts: make(map[int32][]int32), target: allShared}
	for s.next() {
		s.begin()
		for ops := s.Pending(); len(ops) > 0; ops = s.Pending() {
			s.greet(ops)
			op := s.choose(ops)
			s.meet(op)
			if s.take(op) == nil {
				break
			}
		}
	}
	return s.Finish(false)
}

// allShared stands for all objects that several goroutines have used, in the place of one.
const allShared = -1

// surw is a SURW under way. Counts of events are by goroutine.
type surw struct {
	*sampler
	users    map[int32]user
	shared   []int32           // objects that several goroutines have used, in the order of that
	target   int32             // the object of which events are interesting, or allShared
	counts   map[int32][]int32 // by target: interesting events in the latest such execution
	left     []int32           // interesting events still to be performed, as far as is known
	done     []int32           // interesting events that were performed
	parents  []trace.ID        // the goroutine that has started it
	born     trace.ID          // this goroutine and later ones were not seen in this execution
	intended trace.ID          // the goroutine of the next interesting event, -1 if none is drawn
	weights  []int32
	free     []*trace.Op
}

// user is the one goroutine that has used an object; several that others have, too.
type user struct {
	g       trace.ID
	several bool
}

// begin declares what is interesting in the next execution. How many events that are is
// known if the same was interesting in another one.
func (s *surw) begin() {
	target := int32(allShared)
	if n := len(s.shared); n > 0 && s.draw(4) > 0 {
		target = s.shared[s.draw(n)]
	}
	s.counts[s.target] = append(s.counts[s.target][:0], s.done...)
	s.left = append(s.left[:0], s.counts[target]...)
	s.target, s.done, s.born, s.intended = target, s.done[:0], 0, -1
}

// greet notes which goroutine has started those that are pending for the first time: the one that
// has made the latest step.
func (s *surw) greet(ops []*trace.Op) {
	for _, op := range ops {
		for ; s.born <= op.G; s.born++ {
			if int(s.born) == len(s.parents) {
				s.parents = append(s.parents, 0)
			}
			s.parents[s.born] = max(s.Mover(), 0)
		}
	}
}

// choose returns the operation to perform next.
func (s *surw) choose(ops []*trace.Op) *trace.Op {
	if s.intended < 0 || !slices.ContainsFunc(ops, func(op *trace.Op) bool { return op.G == s.intended }) {
		s.intend(ops)
	}
	s.free = s.free[:0]
	for _, op := range ops {
		if op.G == s.intended || !s.interesting(op) {
			s.free = append(s.free, op)
		}
	}
	return s.free[s.draw(len(s.free))]
}

// intend draws the goroutine that is to perform the next interesting event. A goroutine stands for
// those that it is still to start, too. Where nothing is known it counts as if it had one event
// left.
func (s *surw) intend(ops []*trace.Op) {
	s.weights = append(s.weights[:0], s.left...)
	for len(s.weights) < int(s.born) {
		s.weights = append(s.weights, 0)
	}
	for h := len(s.weights) - 1; h >= int(s.born); h-- {
		if h < len(s.parents) && int(s.parents[h]) < h {
			s.weights[s.parents[h]] += s.weights[h]
		}
	}
	sum := 0
	for _, op := range ops {
		sum += max(int(s.weights[op.G]), 1)
	}
	at := s.draw(sum)
	for _, op := range ops {
		if at -= max(int(s.weights[op.G]), 1); at < 0 {
			s.intended = op.G
			return
		}
	}
}

// interesting reports whether the order of an operation matters.
func (s *surw) interesting(op *trace.Op) bool {
	for _, a := range op.Accesses() {
		if a.Obj == s.target || s.target == allShared && s.users[a.Obj].several {
			return true
		}
	}
	return false
}

// meet notes that an operation is about to be performed.
func (s *surw) meet(op *trace.Op) {
	for int(op.G) >= len(s.done) {
		s.done = append(s.done, 0)
	}
	if s.interesting(op) {
		s.done[op.G]++
		if int(op.G) < len(s.left) && s.left[op.G] > 0 {
			s.left[op.G]--
		}
		s.intended = -1
	}
	for _, a := range op.Accesses() {
		u, seen := s.users[a.Obj]
		switch {
		case !seen:
			s.users[a.Obj] = user{g: op.G}
		case u.g != op.G && !u.several:
			s.users[a.Obj] = user{op.G, true}
			s.shared = append(s.shared, a.Obj)
		}
	}
}
