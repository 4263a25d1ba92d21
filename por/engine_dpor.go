package por

import "github.com/gopor/gopor/sched"

// DPOR is dynamic partial order reduction: Flanagan and Godefroid, "Dynamic
// partial-order reduction for model checking software", POPL 2005, figure 3,
// with the sleep sets of its section 5. It explores one maximal execution of
// every Mazurkiewicz trace, and besides executions that it has to give up as
// redundant ("blocked").
type DPOR struct{}

// Name returns "dpor".
func (DPOR) Name() string { return "dpor" }

// Explore visits every Mazurkiewicz trace of p once.
func (DPOR) Explore(p sched.Program, visit func(*sched.Execution) bool) (sched.Stats, error) {
	d := dpor{trail: newTrail(p, visit)}
	return d.finish(d.explore(0))
}

type dpor struct {
	trail
	frames stack[dporFrame]
	firsts []int32 // scratch of reverse: the first event of each goroutine in its set
	seen   idSet   // scratch of reverse: their goroutines
}

// dporFrame belongs to the state in which event k is to be performed.
type dporFrame struct {
	sleep     sleepSet
	backtrack idSet
	forks     forks
}

// explore is Explore(S), where S is the current execution, of length k.
//
// The paper looks for races of every pending transition; here an event is
// looked at when it has been performed. All that is pending and awake will be
// performed, and what sleeps was looked at when it was performed elsewhere,
// since which only independent events have passed.
func (d *dpor) explore(k int) bool {
	ops := d.pending()
	if len(ops) == 0 {
		return d.report(false)
	}
	f := d.frames.at(k)
	p, ok := f.sleep.pick(ops, d.mover())
	if !ok {
		return d.report(true)
	}
	f.forks.note(ops)
	f.backtrack.clear()
	f.backtrack.add(p.G)
	for i := 0; i < len(f.backtrack.ids); i++ { // the set grows meanwhile
		g := f.backtrack.ids[i]
		for alt := range f.forks.alts(g) {
			if c := (sched.Choice{G: g, Alt: alt}); !f.sleep.has(c) && !d.exploreChoice(k, c) {
				return false
			}
		}
	}
	return true
}

// exploreChoice explores what begins with S.c, and puts c to sleep then.
func (d *dpor) exploreChoice(k int, c sched.Choice) bool {
	ev := d.step(k, c)
	if ev == nil {
		return false
	}
	for _, e := range d.hb.Races(k) {
		d.stats.Races++
		d.reverse(int(e), k)
	}
	f, next := d.frames.at(k), d.frames.at(k+1)
	next.sleep = d.after(f.sleep, next.sleep, ev)
	if !d.explore(k + 1) {
		return false
	}
	f.sleep = append(f.sleep, sleeper{c, d.events[k].uses})
	return true
}

// reverse adds to backtrack(pre(e)) what the race of event e with the latest
// event n calls for, lines 5 to 9 of figure 3: a goroutine of
//
//	{q enabled | q = proc(n), or an event of q after e happens before n},
//
// unless one is there already. Any will do for the paper, but not together with
// sleep sets: one whose event has to wait for others of the set may sleep, and
// what it was added for be given up with it. So it is one that can come first,
// of which there always is one; if that sleeps, the race was explored in the
// other order before.
//
// For the same reason all races of an event are looked at, and not the last one
// only: the execution that would show the others may be given up first.
func (d *dpor) reverse(e, n int) {
	f := d.frames.at(e)
	d.seen.clear()
	firsts := d.firsts[:0]
	add := sched.ID(-1)
	for j := e + 1; j <= n; j++ {
		ev := &d.events[j]
		if d.seen.has(ev.G) || j < n && !d.hb.Before(j, n) {
			continue
		}
		if d.isInitial(j, firsts) {
			if f.backtrack.has(ev.G) || f.sleep.covers(ev, j == n, f.forks) {
				return
			}
			add = ev.G
		}
		d.seen.add(ev.G)
		firsts = append(firsts, int32(j))
	}
	d.firsts = firsts
	f.backtrack.add(add)
}
