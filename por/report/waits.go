package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/naming"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// waits is what the record of an execution says of the goroutines that wait at its end.
type waits struct {
	entries []exec.Entry
	last    map[string]int   // by goroutine: the entry of the request that waits
	holds   map[string][]int // by goroutine: the entries with which it took the locks that it holds
	ended   map[string]bool
	over    bool // no goroutine can run
}

// waitsOf reads a record.
func waitsOf(entries []exec.Entry) *waits {
	w := &waits{entries: entries, last: make(map[string]int), holds: make(map[string][]int), ended: make(map[string]bool)}
	before := make(map[string]int)
	for i := range entries {
		e := &entries[i]
		if e.Remark == exec.RemarkEnd {
			w.ended[e.Name] = true
		}
		if e.Step >= 0 { // else it is no step, but main may hold a lock by it
			delete(w.last, e.Name)
			if e.Waits {
				w.last[e.Name] = i
				if k, ok := before[e.Name]; ok && e.Kind == trace.OpUnlock && entries[k].Kind == trace.OpCondAdd {
					w.last[e.Name] = k // what waits is that, once the lock is given up
				}
			}
			before[e.Name] = i
		}
		switch e.Kind {
		case trace.OpLock, trace.OpRLock:
			w.holds[e.Name] = append(w.holds[e.Name], i)
		case trace.OpTryLock, trace.OpTryRLock:
			if e.OK {
				w.holds[e.Name] = append(w.holds[e.Name], i)
			}
		case trace.OpUnlock, trace.OpRUnlock:
			w.release(e)
		}
	}
	w.holdOnces()
	for name, i := range w.last {
		if w.ended[name] && isLock(entries[i].Kind) { // it was granted
			delete(w.last, name)
			continue
		}
		if held := w.holds[name]; len(held) > 0 && held[len(held)-1] == i {
			w.holds[name] = held[:len(held)-1] // it waits for that one
		}
	}
	return w
}

// holdOnces counts a Once as held by the goroutine that runs its function, if another goroutine
// waits for it. The first caller of Do runs the function.
func (w *waits) holdOnces() {
	known := make(map[string]bool)
	for _, name := range w.names() {
		e := w.request(name)
		if e.Kind != trace.OpOnce || known[e.Obj] {
			continue
		}
		known[e.Obj] = true
		k := slices.IndexFunc(w.entries, func(b exec.Entry) bool { return b.Kind == trace.OpOnce && b.Obj == e.Obj && b.Step >= 0 })
		by := w.entries[k].Name
		at, _ := slices.BinarySearch(w.holds[by], k)
		w.holds[by] = slices.Insert(w.holds[by], at, k)
	}
}

// release takes the lock of an unlocking entry from its holder, as a rule the goroutine that
// unlocks.
func (w *waits) release(e *exec.Entry) {
	drop := func(name string) bool {
		held := w.holds[name]
		for k := len(held) - 1; k >= 0; k-- {
			if w.entries[held[k]].Obj == e.Obj {
				w.holds[name] = slices.Delete(slices.Clone(held), k, k+1)
				return true
			}
		}
		return false
	}
	if drop(e.Name) {
		return
	}
	for name := range w.holds {
		if drop(name) {
			return
		}
	}
}

// holders returns the goroutines that keep one waiting for a lock: the holders, and, where it waits
// to read, those that have asked to write before.
func (w *waits) holders(name string) (by []string) {
	i, ok := w.last[name]
	if !ok || !isLock(w.entries[i].Kind) && w.entries[i].Kind != trace.OpOnce {
		return nil
	}
	obj := w.entries[i].Obj
	for other, held := range w.holds {
		if slices.ContainsFunc(held, func(k int) bool {
			h := &w.entries[k]
			return h.Obj == obj && (w.entries[i].Kind != trace.OpRLock || h.Kind != trace.OpRLock && h.Kind != trace.OpTryRLock)
		}) {
			by = append(by, other)
		}
	}
	for other, k := range w.last {
		if w.entries[i].Kind == trace.OpRLock && w.entries[k].Kind == trace.OpLock && w.entries[k].Obj == obj && k < i {
			by = append(by, other)
		}
	}
	slices.SortFunc(by, format.MainFirst)
	return by
}

// cycle returns goroutines each of which waits for a lock because of the next one, and
// the last because of the first. It returns nil if there are none.
func (w *waits) cycle() []string {
	var way []string
	done := make(map[string]bool)
	var visit func(name string) []string
	visit = func(name string) []string {
		if k := slices.Index(way, name); k >= 0 {
			return slices.Clone(way[k:])
		}
		if done[name] {
			return nil
		}
		done[name] = true
		way = append(way, name)
		for _, next := range w.holders(name) {
			if found := visit(next); found != nil {
				return found
			}
		}
		way = way[:len(way)-1]
		return nil
	}
	for _, name := range w.names() {
		if found := visit(name); found != nil {
			slices.SortFunc(found, format.MainFirst)
			return found
		}
	}
	return nil
}

// names returns the goroutines that wait.
func (w *waits) names() []string { return slices.SortedFunc(maps.Keys(w.last), format.MainFirst) }

// How deadlocks come about, as what follows that word.
const (
	byItself     = " with itself"
	byLockOrder  = " by lock order"
	byForgotten  = " by a forgotten unlock"
	byOnce       = " by a Once that needs a lock of its caller"
	byHeldLock   = " by waiting with a lock"
	byHeldRead   = " by waiting with a read lock"
	byLostWakeup = " by a lost wakeup"
	byReading    = " by a recursive read lock"
	bySignal     = " by a signal to one of several"
)

// kind says in words what kind of deadlock this is, and of which goroutines; "" if the kind has no
// name.
func (w *waits) kind() (bug, about string, who []string) {
	switch c := w.cycle(); {
	case len(c) == 1 && w.request(c[0]).Kind == trace.OpOnce:
		return byItself, fmt.Sprintf("%s waits for the function of %s, which it runs itself", c[0], naming.Object(w.request(c[0]))), c
	case len(c) == 1:
		return byItself, fmt.Sprintf("%s waits for %s, which it holds itself", c[0], naming.Object(w.request(c[0]))), c
	case len(c) > 1 && w.again(c) != "":
		again := w.again(c)
		others := slices.DeleteFunc(slices.Clone(c), func(name string) bool { return name == again })
		return byReading, fmt.Sprintf("%s asks to read %s once more, behind %s, which waits to write", again, naming.Object(w.request(again)), format.Together(others)), c
	case len(c) == 2 && w.locksOf(c) != "":
		caller := w.locksOf(c)
		return byOnce, w.ofOnce(caller, c[1-slices.Index(c, caller)]), c
	case len(c) == 2:
		return byLockOrder, fmt.Sprintf("%s and %s wait for each other", c[0], c[1]), c
	case len(c) > 2:
		return byLockOrder, fmt.Sprintf("%s wait for one another", format.Together(c)), c
	}
	for _, name := range w.names() {
		if !isLock(w.request(name).Kind) {
			continue
		}
		for _, by := range w.holders(name) {
			lock := w.held(by, w.request(name).Obj)
			switch waits := w.last[by]; {
			case lock == nil:
			case w.gone(by):
				return byForgotten, fmt.Sprintf("%s waits for %s, which %s has locked%s and not unlocked before its end", name, naming.Object(lock), by, at(lock)), []string{name}
			case w.waiting(by) && !isLock(w.entries[waits].Kind) && isReadLock(lock.Kind):
				return byHeldRead, fmt.Sprintf("%s waits to write %s, read-locked by %s, which waits in %s", name, naming.Object(lock), by, operation(&w.entries[waits])), []string{by, name}
			case w.waiting(by) && !isLock(w.entries[waits].Kind):
				return byHeldLock, fmt.Sprintf("%s waits for %s, held by %s, which waits in %s", name, naming.Object(lock), by, operation(&w.entries[waits])), []string{by, name}
			}
		}
	}
	for _, name := range w.names() {
		if e := w.lost(name); e != nil {
			return byLostWakeup, fmt.Sprintf("%s waits for %s, which %s had woken up before%s", name, naming.Object(e), e.Name, at(e)), []string{name}
		}
	}
	for _, name := range w.names() {
		if e, woken := w.passedOver(name); e != nil {
			return bySignal, fmt.Sprintf("%s waits for %s; the signal by %s (%s) has woken %s", name, naming.Object(e), e.Name, position(e), woken), []string{name}
		}
	}
	return "", "", nil
}

// wakeup is a signal or broadcast of a Cond, and the goroutines that it has woken up.
type wakeup struct {
	at    int // the entry
	woken []string
}

// wakeups returns the wakeups of a Cond. The goroutines that wait longest are woken up first.
func (w *waits) wakeups(cond string) (all []wakeup) {
	var queue []string
	for k := range w.entries {
		e := &w.entries[k]
		n := 0
		switch {
		case e.Obj != cond:
			continue
		case e.Kind == trace.OpCondAdd:
			queue = append(queue, e.Name)
			continue
		case e.Kind == trace.OpBroadcast:
			n = len(queue)
		case e.Kind == trace.OpSignal:
			n = min(1, len(queue))
		default:
			continue
		}
		all, queue = append(all, wakeup{k, queue[:n:n]}), queue[n:]
	}
	return all
}

// lost returns the latest wakeup of a Cond by another goroutine that came before name waits for it,
// and has not woken name: a signal that has woken none, or a broadcast. It returns nil if there is
// none.
func (w *waits) lost(name string) (latest *exec.Entry) {
	i := w.last[name]
	if w.entries[i].Kind != trace.OpCondAdd {
		return nil
	}
	for _, u := range w.wakeups(w.entries[i].Obj) {
		e := &w.entries[u.at]
		missed := len(u.woken) == 0 || e.Kind == trace.OpBroadcast && !slices.Contains(u.woken, name)
		if u.at < i && e.Name != name && missed {
			latest = e
		}
	}
	return latest
}

// passedOver returns the latest signal to a Cond that name waited for already, and the goroutine
// that it has woken up in its place; nil if there is none.
func (w *waits) passedOver(name string) (signal *exec.Entry, woken string) {
	i := w.last[name]
	if w.entries[i].Kind != trace.OpCondAdd {
		return nil, ""
	}
	for _, u := range w.wakeups(w.entries[i].Obj) {
		if u.at > i && len(u.woken) > 0 && w.entries[u.at].Kind == trace.OpSignal {
			signal, woken = &w.entries[u.at], u.woken[0]
		}
	}
	return signal, woken
}

// again returns which of some waiting goroutines asks for a read lock that it holds already, "" if
// none does.
func (w *waits) again(who []string) string {
	for _, name := range who {
		if e := w.request(name); e.Kind == trace.OpRLock && w.held(name, e.Obj) != nil {
			return name
		}
	}
	return ""
}

// locksOf returns which of two goroutines that wait for each other waits for a Once, the function
// of which needs a lock that it holds itself; "" if neither does. Had it come first with that
// function, it would wait for itself.
func (w *waits) locksOf(two []string) string {
	for i, name := range two {
		other := w.request(two[1-i])
		if w.request(name).Kind == trace.OpOnce && isLock(other.Kind) && w.held(name, other.Obj) != nil {
			return name
		}
	}
	return ""
}

// ofOnce says of a caller of Do what keeps it from returning: the function, which another one runs.
func (w *waits) ofOnce(caller, runs string) string {
	return fmt.Sprintf("%s waits for the function of %s, which %s runs, and which waits for %s, which %s holds itself",
		caller, naming.Object(w.request(caller)), runs, naming.Object(w.request(runs)), caller)
}

// operation says what an entry does, and with what.
func operation(e *exec.Entry) string {
	if o := naming.Object(e); o != "" {
		return e.Op() + " of " + o
	}
	return e.Op()
}

// gone reports whether a goroutine has ended. Where no goroutine can run, that is so of every
// goroutine that does not wait, even if the record does not say it.
func (w *waits) gone(name string) bool { return w.ended[name] || w.over && !w.waiting(name) }

func (w *waits) waiting(name string) bool { _, ok := w.last[name]; return ok }

// request returns the entry with which a goroutine waits.
func (w *waits) request(name string) *exec.Entry { return &w.entries[w.last[name]] }

// held returns the entry with which a goroutine has taken a lock that it holds, nil if it
// does not hold it.
func (w *waits) held(name, lock string) *exec.Entry {
	for _, k := range w.holds[name] {
		if w.entries[k].Obj == lock {
			return &w.entries[k]
		}
	}
	return nil
}
