package unfold

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// explorer is the search of the paper's Algorithm 1.
type explorer struct {
	search.Trail
	*structure  // U
	combs       combs
	alternative finder
	frames      search.Stack[frame]
	c           configuration // C, when grasp has set it
	lines       [][]int32     // the events of C by goroutine
	named       int           // all events below this number have names
	a           []id          // A, in an order in which its events can happen
	next        int           // the number of events of A that are in C
	most        int           // events that may be live, see Tree; 0: no number was given
	full        int           // live events at which garbage is collected
	clock       []int32       // the vector clock of without
	before      []int32       // scratch of extend
	after       [][]int32     // scratch of extend
	gone        []int32       // scratch of extend
	h           configuration // the history named last
	d           []id          // scratch of retreat
	roots       []id          // scratch of collect
	term        uint64        // the latest term given to a frame
	versions    []id          // scratch of extendStateDependent: the extensions of one race
	asking      search.Asking // about C
	single      bool          // each of versions uses one object only
}

// frame belongs to the state of a configuration C and to the event e that is added to it.
type frame struct {
	sleep  search.SleepSet // D, without the events that C is in conflict with
	known  int             // length of sleep when the state was entered
	event  id              // e as an event of U, once it is there
	object int32           // the object of e, or -1
	// conflicts has the events known to be in immediate conflict with e, once each. The frame's
	// term is a unique number for each e, which prevents repetitions.
	conflicts []id
	term      uint64
	// fit has the events of U that are in conflict with an event of D and fit for a clue to D
	// after C: they can happen after C, and need nothing of D. It is computed when the first e
	// has been explored.
	fit    []opponent
	fitted bool
	guided bool    // e is of A
	order  []int32 // e's Order, see trace.Event
	// Objects below this number are known here, see objects.unbind.
	numbers int32
	open    []openRace // races of e, see extendStateDependent
}

// Enter chooses e for a configuration that was not visited before: lines 5 to 9.
func (x *explorer) Enter(k int, ops []*trace.Op) (c trace.Choice, ok bool) {
	f := x.frames.At(k)
	if f.guided = x.next < len(x.a); f.guided {
		c = x.chosen(x.a[x.next])
		x.next++
	} else if c, ok = f.sleep.Pick(ops, x.First(ops, f.sleep), x.Turn()); !ok {
		return c, false
	}
	f.known, f.fitted = len(f.sleep), false
	x.NotePending(k, ops)
	f.numbers = 0
	if k > 0 {
		f.numbers = x.frames.Get(k - 1).numbers
	}
	f.numbers = search.KnownBelow(f.numbers, x.Changed(ops))
	return c, true
}

func (x *explorer) chosen(e id) trace.Choice {
	v := &x.nodes[e]
	return trace.Choice{G: trace.ID(v.g), Alt: v.alt}
}

// Record adds the latest event to C, and to U the events in conflict with C because of it: line
// 4.
func (x *explorer) Record(ev *trace.Event) bool {
	k := len(x.Events)
	f, next := x.frames.At(k), x.frames.At(k+1)
	e := x.Track(ev)
	f.event, f.object = bottom, ev.Obj
	f.order = append(f.order[:0], ev.Order...)
	f.open, f.conflicts = f.open[:0], f.conflicts[:0]
	x.term++
	f.term = x.term
	if int(ev.G) >= x.width {
		x.widen(int(ev.G) + 1)
		x.room()
	}
	x.lines[ev.G] = append(x.lines[ev.G], int32(k))
	if f.guided && !x.confirm(k, x.a[x.next-1]) {
		x.a = x.a[:0] // A is not a configuration, which should not happen; it is a hint only
	}
	for alt := range ev.Alts {
		if alt != ev.Alt {
			x.oppose(k, x.instead(k, alt))
		}
	}
	x.extend(k)
	next.sleep = x.After(f.sleep, next.sleep, e)
	x.Stats.Kept = int64(x.peak)
	return true
}

// Ended adds the conflicting extensions that are known only when C is maximal.
func (x *explorer) Ended() bool {
	return x.End != search.Maximal || x.extendStateDependent()
}

// room makes C as wide as the configurations of U.
func (x *explorer) room() {
	for len(x.c) < x.width {
		x.c, x.lines = append(x.c, bottom), append(x.lines, nil)
	}
}

// Next looks for an alternative to the events explored in frame k: lines 11 and 12.
func (x *explorer) Next(k int) (c trace.Choice, ok bool) {
	if x.combs.ended {
		return c, false
	}
	x.takeBack(k)
	x.disable(k)
	if len(x.frames.At(k).fit) == 0 || !x.branch(k) {
		return c, false
	}
	return x.chosen(x.a[0]), x.tidy()
}

// takeBack removes event k, the latest, from C.
func (x *explorer) takeBack(k int) {
	line := &x.lines[x.Events[k].G]
	*line = (*line)[:len(*line)-1]
	x.named = min(x.named, k)
}

// grasp sets c to C.
func (x *explorer) grasp() {
	for g, line := range x.lines {
		x.c[g] = bottom
		if n := len(line); n > 0 {
			x.c[g] = x.event(int(line[n-1]))
		}
	}
}

// branch looks for an alternative to D in frame k, and turns to it.
func (x *explorer) branch(k int) bool {
	f := x.frames.At(k)
	x.d = x.d[:0]
	for i := range f.sleep {
		x.d = append(x.d, f.sleep[i].Event)
	}
	x.grasp()
	j, ok := x.alternative(x.c, x.d, f.fit)
	if !ok {
		return false
	}
	x.follow(j)
	f.guided, x.next = true, 1
	x.Cut(k)
	x.forgetRaces(k)
	x.objects.unbind(f.numbers)
	return true
}

// disable adds e to D in frame k, and the events in conflict with e to the fit events.
func (x *explorer) disable(k int) {
	f := x.frames.At(k)
	x.fit(k)
	if len(f.fit) == 0 && len(f.conflicts) == 0 {
		return
	}
	e := x.event(k)
	kept := f.fit[:0]
	for _, u := range f.fit {
		if !x.includes(x.at(u.event), e) {
			kept = append(kept, u)
		}
	}
	f.fit = kept
	z := x.Sleeper(k)
	z.Event = e
	f.sleep = append(f.sleep, z)
	for _, u := range f.conflicts {
		if !x.holds(u, f.sleep) {
			f.fit = append(f.fit, opponent{u, e})
		}
	}
}

// fit computes the fit events of frame k, if that was not done yet. These are the fit events of
// the frame before that are not in conflict with its event, if the event that they are in
// conflict with still sleeps.
func (x *explorer) fit(k int) {
	f := x.frames.At(k)
	if f.fitted {
		return
	}
	f.fitted = true
	f.fit = f.fit[:0]
	if f.known == 0 {
		return
	}
	x.fit(k - 1)
	before, c := x.frames.At(k-1), bottom
	if len(before.fit) > 0 {
		c = x.event(k - 1)
	}
	to, sleeps := bottom, false // events in conflict with the same event are adjacent
	for _, u := range before.fit {
		if u.to != to {
			to, sleeps = u.to, asleep(f.sleep, u.to)
		}
		if sleeps && !x.clash(u.event, c) {
			f.fit = append(f.fit, u)
		}
	}
}

func asleep(sleep search.SleepSet, e id) bool {
	for i := range sleep {
		if sleep[i].Event == e {
			return true
		}
	}
	return false
}

// forgetRaces drops the races of events from k on.
func (x *explorer) forgetRaces(k int) {
	for i := range k {
		f := x.frames.Get(i)
		n := len(f.open)
		for n > 0 && int(f.open[n-1].Second) >= k {
			n--
		}
		f.open = f.open[:n]
		for i := range f.open {
			r := &f.open[i]
			if r.seen = min(r.seen, int32(k)); r.last >= int32(k) {
				r.seen = 0
			}
		}
	}
}

// follow sets A to the events of j that are not in C, in an order in which they can happen: by
// the size of local configurations.
func (x *explorer) follow(j configuration) {
	x.a, x.next = x.a[:0], 0
	for g, e := range j {
		for ; e != x.c[g]; e = x.nodes[e].parent {
			x.a = append(x.a, e)
		}
	}
	slices.SortFunc(x.a, func(e, f id) int { return int(x.events[e].size - x.events[f].size) })
}
