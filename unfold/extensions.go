package unfold

import (
	"slices"

	"github.com/gopor/gopor/internal/search"
	"github.com/gopor/gopor/sched/trace"
)

// event returns event k as an event of U.
func (x *explorer) event(k int) id {
	f := x.frames.Get(k)
	if f.event != bottom {
		return f.event
	}
	for ; x.named < k && x.frames.Get(x.named).event != bottom; x.named++ {
	}
	for i := x.named; i <= k; i++ {
		if f, e := x.frames.Get(i), &x.Events[i]; f.event == bottom && (i == k || x.HB.Before(i, k)) {
			x.name(x.HB.Clock(i), int32(e.G))
			f.event = x.act(i, e.Alt, e.Uses.List())
		}
	}
	return f.event
}

// confirm reports whether event k is e, an event of U. It is a faster event(k) == e.
func (x *explorer) confirm(k int, e id) bool {
	ev := &x.Events[k]
	x.name(x.HB.Clock(k), int32(ev.G))
	if !x.is(e, int32(ev.G), ev.Alt, x.h) {
		return x.event(k) == e
	}
	x.frames.Get(k).event = e
	x.objects.bindAll(x.events[e].uses.list(), x.objects.byteByByte(ev.Uses.List()))
	return true
}

// instead returns the event of U that is event k with another alternative.
func (x *explorer) instead(k int, alt int32) id {
	e := &x.Events[k]
	x.event(k)
	x.name(x.HB.Clock(k), int32(e.G))
	return x.act(k, alt, e.Uses.List())
}

// name sets h to the events of C that a vector clock counts, without the latest event of
// goroutine g. All of them must have names.
func (x *explorer) name(clock []int32, g int32) {
	h := x.h[:0]
	for i := range x.width {
		p := bottom
		if i < len(clock) {
			n := clock[i]
			if int32(i) == g {
				n--
			}
			if n > 0 {
				p = x.frames.Get(int(x.lines[i][n-1])).event
			}
		}
		h = append(h, p)
	}
	x.h = h
}

// act returns the event of the action of event k with the history named last. The accesses as
// are those of the event.
func (x *explorer) act(k int, alt int32, as []trace.Access) id {
	g := int32(x.Events[k].G)
	e, fresh := x.find(g, alt, x.h)
	as = x.objects.byteByByte(as)
	if !fresh {
		x.objects.bindAll(x.events[e].uses.list(), as)
		return e
	}
	switch {
	case len(as) > 0 && trace.Dependence.Masked(as[0].Mode):
		x.touch(e, x.recall(k, as).usesOf(&x.objects, as))
		return e
	// Objects that are known before the first event have the same number in every execution. If
	// an operation has several objects, those that it is not performed on may differ in other
	// histories.
	case len(as) > 0 && as[0].Obj == x.frames.Get(k).object && as[0].Obj >= x.frames.Get(0).numbers && !trace.Lasting(as[0].Obj):
		x.recall(k, as[:1])
	}
	x.touch(e, x.objects.usesOf(as))
	return e
}

// recall gives the lazily numbered objects of event k the identities that they have in other
// histories of the same action.
func (x *explorer) recall(k int, as []trace.Access) *acted {
	f := x.frames.Get(k)
	g := x.Events[k].G
	a := action{g: int32(g), parent: x.h[g]}
	for _, j := range f.order {
		h := uint64(x.event(int(j))) * 0x9e3779b97f4a7c15
		a.order += h ^ h>>31
	}
	if done, ok := x.actions[a]; ok {
		for i, o := range done.objects {
			x.objects.bind(as[i], o)
		}
		return done
	}
	done := &acted{order: make([]id, len(f.order))}
	for i, j := range f.order {
		done.order[i] = x.event(int(j))
	}
	for _, a := range as {
		done.objects = append(done.objects, x.objects.identity(a))
	}
	x.actions[a] = done
	return done
}

// usesOf returns the uses of byte-by-byte accesses of memory.
func (a *acted) usesOf(t *objects, as []trace.Access) uses {
	for _, u := range a.uses {
		if u.list()[0].mode == as[0].Mode {
			return u
		}
	}
	u := t.usesOf(as)
	a.uses = append(a.uses, u)
	return u
}

// oppose notes that event u of U is in immediate conflict with event k.
func (x *explorer) oppose(k int, u id) {
	f, v := x.frames.Get(k), &x.events[u]
	if v.noted[0] == f.term || v.noted[1] == f.term || v.noted[1] != 0 && slices.Contains(f.conflicts, u) {
		return
	}
	v.noted[0], v.noted[1] = f.term, v.noted[0]
	f.conflicts = append(f.conflicts, u)
}

// extend adds the conflicting extensions of C from the races of event k, the latest. Each is
// the operation of k, performed without the other event. See the package documentation.
func (x *explorer) extend(k int) {
	races, ev := x.HB.Races(k), &x.Events[k]
	if len(races) == 0 {
		return
	}
	x.Stats.Races += int64(len(races))
	if ev.Footprint < trace.SteadyFootprint {
		for _, e := range races {
			x.frames.Get(int(e)).open = append(x.frames.Get(int(e)).open, openRace{Question: search.Question{First: e, Second: int32(k)}})
		}
		return
	}
	// The events before the other races happen before the extension, too.
	for len(x.after) <= len(races) {
		x.after = append(x.after, nil)
	}
	after := x.after[:len(races)+1]
	after[len(races)] = after[len(races)][:0]
	for i := len(races) - 1; i >= 0; i-- {
		after[i] = join(append(after[i][:0], after[i+1]...), x.HB.Clock(int(races[i])))
	}
	x.before = x.causes(x.before[:0], k)
	for i, e := range races {
		x.clock = join(append(x.clock[:0], x.before...), after[i+1])
		x.gone = append(x.gone[:0], e)
		x.oppose(int(e), x.without(x.gone, k, &ev.Uses, k-1))
		x.before = join(x.before, x.HB.Clock(int(e)))
	}
}

// causes appends to an empty clock the events that happen before event k for other reasons than
// dependence.
func (x *explorer) causes(clock []int32, k int) []int32 {
	if parent := x.HB.Prev(k); parent >= 0 {
		clock = append(clock, x.HB.Clock(parent)...)
	}
	for len(clock) < x.width {
		clock = append(clock, 0)
	}
	for _, o := range x.frames.Get(k).order {
		clock = join(clock, x.HB.Clock(int(o)))
	}
	return clock
}

// without returns the event of the operation of event k after those events of C, up to event
// last, that do not happen after any of gone. The operation uses u there. None of gone may
// happen before k for other reasons than dependence. The vector clock x.clock has causes of the
// event already; without adds the others.
func (x *explorer) without(gone []int32, k int, u *search.Uses, last int) id {
	g, clock := x.HB.G(k), x.clock
	for j := last; j >= 0; j-- {
		if clock[x.HB.G(j)] < x.HB.Seq(j) && x.Dependent(u, &x.Events[j].Uses) && !x.follows(j, gone) {
			clock = join(clock, x.HB.Clock(j))
		}
	}
	clock[g] = x.HB.Seq(k)
	x.clock = clock
	for i, n := range clock {
		if int32(i) == g {
			n--
		}
		if n > 0 {
			x.event(int(x.lines[i][n-1]))
		}
	}
	x.name(clock, g)
	return x.act(k, 0, u.List())
}

func join(clock, other []int32) []int32 {
	for len(clock) < len(other) {
		clock = append(clock, 0)
	}
	for g, n := range other {
		clock[g] = max(clock[g], n)
	}
	return clock
}

// follows reports whether event j is one of es, or happens after one.
func (x *explorer) follows(j int, es []int32) bool {
	for _, e := range es {
		if int(e) == j || int(e) < j && x.HB.Before(int(e), j) {
			return true
		}
	}
	return false
}

// openRace is the race of an event with the event second, when the operation of second may use
// its object in another way without the first event.
type openRace struct {
	search.Question
	seen int32 // extensions of the events before this number were added; 0: none
	last int32 // the latest of these events that uses the object
}

// extendStateDependent is extend for such operations, once C is maximal. If the footprint of an
// operation is lawful, the extension of its race does not depend on what follows in C. Otherwise
// the use of an object by an operation depends on the other operations on it. So a race needs no
// work while these stay the same. That does not hold if the operation may use other objects as
// well. The result is false if the search is to stop.
func (x *explorer) extendStateDependent() bool {
	x.asking.Begin()
	for e := range x.Events {
		f := x.frames.Get(int(e))
		for i := range f.open {
			r := &f.open[i]
			if x.Err != nil || x.Over() {
				return false
			}
			if x.Events[r.Second].Lawful() {
				if r.seen == 0 {
					x.extendLawful(r)
				}
				continue
			}
			obj, one := x.onlyObject(r)
			if last := x.latestUse(r.seen, obj); one && last >= 0 {
				r.last = last
			} else if one && r.seen > 0 {
				r.seen = int32(len(x.Events))
				continue
			}
			x.versions, x.single = x.versions[:0], one
			x.extendWithout([]int32{int32(e)}, int(r.Second))
			r.seen = 0
			if x.single {
				r.seen = int32(len(x.Events))
			}
		}
	}
	return x.Err == nil
}

// extendLawful adds the extension of a race with a lawful second event. No event depends on it that
// follows the second event, and does not happen after the first one.
func (x *explorer) extendLawful(r *openRace) {
	e, k := int(r.First), int(r.Second)
	u := &x.Events[k].Uses
	if !x.SameBefore(e, k) {
		if !r.Known {
			x.Answer(&x.asking, &r.Question)
		}
		u = &r.Uses
	}
	if x.Err != nil {
		return
	}
	r.seen = r.Second + 1
	x.gone = append(x.gone[:0], r.First)
	x.clock = x.causes(x.clock[:0], k)
	x.oppose(e, x.without(x.gone, k, u, k-1))
}

// questions returns what is not known of the races that have to be extended.
func (x *explorer) questions() (qs []*search.Question) {
	for e := range x.Events {
		for i := range x.frames.Get(int(e)).open {
			r := &x.frames.Get(int(e)).open[i]
			if r.seen == 0 && !r.Known && x.Events[r.Second].Lawful() && !x.SameBefore(e, int(r.Second)) {
				qs = append(qs, &r.Question)
			}
		}
	}
	return qs
}

// onlyObject returns the object of the second event of a race. It returns false if that has
// several.
func (x *explorer) onlyObject(r *openRace) (obj int32, one bool) {
	u := &x.Events[r.Second].Uses
	if len(u.List()) != 1 {
		return 0, false
	}
	obj = u.Access(0).Obj
	return obj, obj >= 0
}

// latestUse returns the latest event, from number from on, that uses an object, or -1.
func (x *explorer) latestUse(from, obj int32) int32 {
	for j := int32(len(x.Events)) - 1; j >= from; j-- {
		for _, a := range x.Events[j].Uses.List() {
			if a.Obj == obj || a.Obj < 0 {
				return j
			}
		}
	}
	return -1
}

// extendWithout adds the event of the operation of event k after the events of C that do not
// happen after any of gone. The first event of gone is e. It also adds the events after fewer
// of them, if the event differs then: it does not depend on all that it depended on before.
func (x *explorer) extendWithout(gone []int32, k int) {
	e := int(gone[0])
	kept := []int32{}
	for j := e + 1; j < len(x.Events); j++ {
		if !x.follows(j, gone) {
			kept = append(kept, int32(j))
		}
	}
	u := x.UsesAfter(e, kept, k)
	if x.Err != nil {
		return
	}
	x.single = x.single && len(u.List()) == 1
	x.clock = x.causes(x.clock[:0], k)
	v := x.without(gone, k, &u, len(x.Events)-1)
	if slices.Contains(x.versions, v) {
		return
	}
	x.versions = append(x.versions, v)
	x.oppose(e, v)
	for _, j := range kept {
		if !(int(j) < k && x.HB.Before(int(j), k)) && x.Dependent(&u, &x.Events[j].Uses) {
			x.extendWithout(append(slices.Clone(gone), j), k)
		}
	}
}
