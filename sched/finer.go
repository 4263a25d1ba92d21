package sched

// Model says which primitives do all that the language allows them to, at the
// price of more traces. In its zero value each of them has the model that is
// usual, and an execution in which that could matter notes [AssumeModel]. The
// values can be combined with |.
type Model uint8

const (
	// ModelUnfair lets Gosched and a Sleep of no duration promise nothing: a loop
	// may poll again and again before anybody else has moved, and so may a ticker of
	// [TimeAnyOrder] tick. Loops that wait for others run into the step limit
	// then, so it is for programs that poll a few times and give up. Usually they
	// let every other goroutine that is ready move first.
	ModelUnfair Model = 1 << iota
	// ModelPool lets Get of a Pool return any of the things in it, or none of them.
	// Usually it returns what was put last.
	ModelPool
	// ModelTryLock lets TryLock of an RWMutex fail even if nobody holds the lock, as
	// it may while another goroutine is about to lock or unlock it or tries to.
	// Usually it succeeds.
	ModelTryLock
	// ModelRange lets Range of a Map visit keys in any order, and those stored while
	// it goes on or not. Usually it visits the keys that were there when it began,
	// in the order in which they were stored.
	ModelRange
	// ModelWaitGroup lets the end of a Wait, and the Done that ends it, take two
	// steps each, so that a group that is used again too early panics as it may in
	// package sync. Usually such a use is no more than a data race.
	ModelWaitGroup

	// ModelFine is all of them.
	ModelFine = ModelUnfair | ModelPool | ModelTryLock | ModelRange | ModelWaitGroup
)

// By these bits Machine.met remembers the use of the clock, and the order of a Map.
const (
	metClock Model = 1 << 7
	metOrder Model = 1 << 6
)

// usual notes, once in an execution, that it met the usual model of a primitive in a
// way that could matter.
func (g *goroutine) usual(m Model, what string) { g.meet(m, AssumeModel, what) }

// usesClock notes that g depends on how time passes.
func (g *goroutine) usesClock(what string) {
	if g.c.m.time == TimeDiscrete {
		g.meet(metClock, AssumeClock, what)
	}
}

func (g *goroutine) meet(m Model, k AssumptionKind, what string) {
	if met := &g.c.m.met; *met&m == 0 {
		*met |= m
		g.assume(k, what)
	}
}
