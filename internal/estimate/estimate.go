// Package estimate estimates the number of executions before they are explored.
package estimate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gopor/gopor/sched/trace"
)

// A Program is what an estimator runs, and shuts down when it is closed.
type Program interface {
	trace.Program
	Shutdown()
}

// Estimator estimates the number of executions before they are explored, by Knuth's method
// ("Estimating the efficiency of backtrack programs", 1975): go down a tree at random, and
// divide 1 by the probability of the path. The mean over many probes is the number of leaves.
//
// The tree of all schedules has a leaf for every interleaving. With sleep sets it has a leaf
// for every trace, whatever the order of branches, and dead ends where all enabled goroutines
// are in the sleep set. Dead ends do not count as leaves. So the estimate of the number of
// traces is unbiased, and independent of the engine that explores them. The tree of an engine
// itself is no alternative, since its branches depend on races found earlier.
//
// If all branches were equally likely, most paths would lead to dead ends, since a goroutine in
// the sleep set is often never woken: no other goroutine performs a dependent operation. The
// frequency with which each operation was woken in earlier probes determines the probability of
// putting it to sleep. The estimate remains unbiased, since each probe is weighted with the
// probability of its path.
type Estimator struct {
	c         Program
	traces    bool // count traces, not interleavings
	rand      *rand.Rand
	n         float64 // probes
	ends      float64 // probes that did not end in a dead end
	sum, sum2 float64

	seq      []int32 // number of operations of each goroutine in this probe
	past     map[place]*luck
	awake    []candidate
	sleep    []sleeper
	stillOff []sleeper
}

// place identifies an operation across executions: the goroutine, and the number of operations
// that it has performed before.
type place struct {
	g   trace.ID
	seq int32
}

// luck counts how often an operation was put to sleep, and how often it was woken then.
type luck struct{ slept, woken float64 }

// candidate is an enabled choice, with the probability that it is woken if it is put to sleep.
type candidate struct {
	trace.Choice
	wakes float64
}

type sleeper struct {
	trace.Choice
	luck *luck
}

// The probability that an operation without history is woken, with and without another pending
// operation that depends on it, and the limits of the probability.
const (
	wakesDisputed  = 0.8
	wakesFree      = 0.1
	wakesLeast     = 0.01
	wakesMost      = 0.98
	wakesPrejudice = 4 // number of probes that outweigh the above
)

// New returns an estimator of the number of traces of c, or of all interleavings. Only the
// estimator may run c. The seed determines its random choices.
func New(c Program, traces bool, seed uint64) *Estimator {
	return &Estimator{c: c, traces: traces, rand: rand.New(rand.NewPCG(seed, seed)), past: make(map[place]*luck)}
}

// Probe goes down the tree once. That takes as long as an execution.
func (e *Estimator) Probe() error {
	run := e.c.Start()
	defer run.Close()
	weight := 1.0
	clear(e.seq)
	e.sleep = e.sleep[:0]
	for {
		ops := run.Pending()
		if len(ops) == 0 {
			e.ends++
			break
		}
		e.note(ops)
		if len(e.awake) == 0 {
			weight = 0
			break
		}
		taken, p := e.draw()
		weight /= p
		e.wake(ops, taken)
		if _, err := run.Step(taken); err != nil {
			return err
		}
		e.seq[taken.G]++
	}
	for _, z := range e.sleep {
		z.luck.slept++
	}
	e.n++
	e.sum += weight
	e.sum2 += weight * weight
	return nil
}

// note collects the enabled choices that are not in the sleep set.
func (e *Estimator) note(ops []*trace.Op) {
	e.awake = e.awake[:0]
	for _, op := range ops {
		for int(op.G) >= len(e.seq) {
			e.seq = append(e.seq, 0)
		}
		wakes := 0.0
		for alt := range op.Alts {
			c := trace.Choice{G: op.G, Alt: alt}
			if e.sleeps(c) {
				continue
			}
			if wakes == 0 && e.traces {
				wakes = e.wakes(op, ops)
			}
			e.awake = append(e.awake, candidate{c, wakes})
		}
	}
}

func (e *Estimator) sleeps(c trace.Choice) bool {
	return slices.ContainsFunc(e.sleep, func(z sleeper) bool { return z.Choice == c })
}

// wakes returns the probability that op is woken if it is put to sleep.
func (e *Estimator) wakes(op *trace.Op, ops []*trace.Op) float64 {
	p := wakesFree
	if op.Alts > 1 || slices.ContainsFunc(ops, func(o *trace.Op) bool { return o.G != op.G && reversed(o, op) }) {
		p = wakesDisputed
	}
	l := e.luckOf(op.G)
	p = (p*wakesPrejudice + l.woken) / (wakesPrejudice + l.slept)
	return min(max(p, wakesLeast), wakesMost)
}

// reversed reports whether both orders of two operations are explored.
func reversed(a, b *trace.Op) bool {
	return trace.Dependent(a, b) && !(a.Within != 0 && b.Within != 0)
}

func (e *Estimator) luckOf(g trace.ID) *luck {
	at := place{g, e.seq[g]}
	l := e.past[at]
	if l == nil {
		l = new(luck)
		e.past[at] = l
	}
	return l
}

// draw takes one of the choices and returns the probability of its decisions. With traces it
// visits the choices, the least likely to be woken first, and takes each or puts it to sleep.
// Choices that are sure to be woken are equally likely to be taken.
func (e *Estimator) draw() (taken trace.Choice, p float64) {
	if !e.traces {
		return e.awake[e.rand.IntN(len(e.awake))].Choice, 1 / float64(len(e.awake))
	}
	e.rand.Shuffle(len(e.awake), func(i, j int) { e.awake[i], e.awake[j] = e.awake[j], e.awake[i] })
	slices.SortStableFunc(e.awake, func(a, b candidate) int { return cmp.Compare(a.wakes, b.wakes) })
	rest := 0.0
	for _, c := range e.awake {
		rest += c.wakes
	}
	p = 1
	last := len(e.awake) - 1
	for _, c := range e.awake[:last] {
		rest -= c.wakes
		skip := c.wakes * rest / (rest + c.wakes)
		if e.rand.Float64() >= skip {
			return c.Choice, p * (1 - skip)
		}
		p *= skip
		e.sleep = append(e.sleep, sleeper{c.Choice, e.luckOf(c.G)})
	}
	return e.awake[last].Choice, p
}

// wake leaves in the sleep set only what is independent of the choice taken, or races with it
// inside a library. A race of that kind may have ended what sleeps, as a Stop ends a timer: that
// sleeps no more, and says nothing of what wakes it.
func (e *Estimator) wake(ops []*trace.Op, taken trace.Choice) {
	op := opOf(ops, taken.G)
	e.stillOff = e.stillOff[:0]
	for _, z := range e.sleep {
		asleep := opOf(ops, z.G)
		if asleep == nil {
			continue
		}
		if !reversed(asleep, op) {
			e.stillOff = append(e.stillOff, z)
			continue
		}
		z.luck.slept++
		z.luck.woken++
	}
	e.sleep, e.stillOff = e.stillOff, e.sleep
}

// opOf returns the pending operation of g, nil if it has none.
func opOf(ops []*trace.Op, g trace.ID) *trace.Op {
	for _, op := range ops {
		if op.G == g {
			return op
		}
	}
	return nil
}

// Mean returns the estimate and its standard error. The error means little until several probes
// have reached an end.
func (e *Estimator) Mean() (count, deviation float64) {
	if e.ends < 2 {
		return 0, math.Inf(1)
	}
	count = e.sum / e.n
	variance := (e.sum2 - e.sum*e.sum/e.n) / (e.n - 1)
	return count, math.Sqrt(max(variance, 0) / e.n)
}

// Close ends the program.
func (e *Estimator) Close() { e.c.Shutdown() }

// Text formats an estimate with its standard error. atMost says that a bound may reduce the
// number.
func Text(count, deviation float64, atMost bool) string {
	about := "about"
	if atMost {
		about = "at most about"
	}
	if math.IsInf(deviation, 0) || count == 0 {
		return "no estimate of the whole yet"
	}
	return fmt.Sprintf("%s %.3g ± %.0f%% in all", about, count, 100*deviation/count)
}

// Left formats the remaining time.
func Left(seconds float64) string {
	const year = 365 * 24 * 3600
	if seconds > year {
		return fmt.Sprintf("%.1g years left", seconds/year)
	}
	return fmt.Sprintf("%v left", time.Duration(seconds*float64(time.Second)).Round(time.Second))
}
