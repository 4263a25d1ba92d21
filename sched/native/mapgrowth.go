package native

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// The language allows a loop over a map to visit, or not to visit, an entry that is made
// meanwhile. The entry may have a new key, or a key that was deleted, whether the loop has
// visited the key before or not. A loop looks for such entries before its next iteration. With
// [machine.MapSorted] it visits only the entries that were there when it began, and those that
// were deleted and made again before their turn; that is noted. With [machine.MapExplore] it is
// a choice whether it visits an entry next.

// fewMade is how many entries made since it began a loop visits, and from how many it chooses
// at a time.
const fewMade = 4

// growth has what an execution knows of entries that were made while a loop over their map was
// active. A moment is the number of entries made until then.
type growth struct {
	under   int         // loops that are active, or were left before their end
	moment  int         // the present moment
	made    map[any]int // by key, the moment at which the entry was made
	unknown int         // the latest moment at which an entry with an unknown key was made
}

// under returns the facts of the map at m, or nil if no loop over it is active in the execution
// of the caller.
func under(m unsafe.Pointer) *facts {
	if f, ok := hook.SeenShadow(m).(*facts); ok && f.under > 0 {
		return f
	}
	return nil
}

func (execution) Ranges(m unsafe.Pointer) bool { return under(m) != nil }

func (execution) Makes(m unsafe.Pointer, k any) {
	f := under(m)
	switch {
	case f == nil:
	case k != k: // such a key cannot be looked up
		execution{}.MakesSome(m)
	default:
		hook.Serve(func() {
			if f.made == nil {
				f.made = make(map[any]int)
			}
			f.moment++
			f.made[k] = f.moment
		})
	}
}

func (execution) MakesSome(m unsafe.Pointer) {
	if f := under(m); f != nil {
		f.moment++
		f.unknown = f.moment
	}
}

// passage is the progress of a loop over a map with entries that are made meanwhile.
type passage struct {
	of    *facts      // nil when the loop is over
	began int         // the moment at which the loop began
	seen  int         // the moment of its latest look
	left  bool        // entries that were made may still be visited
	met   map[any]int // by key, the moment at which a made entry was visited
	n     int         // the number of made entries that were visited
	told  int         // the moment of the latest unknown entry that was noted
	noted bool        // it was noted that the loop visits no more made entries
}

// begin begins a loop over the map at m.
func begin(m unsafe.Pointer) *passage {
	f := factsOf(m)
	if f.under++; f.under == 1 {
		hook.Ranged(1)
	}
	return &passage{of: f, began: f.moment, seen: f.moment}
}

// end ends the loop.
func (p *passage) end() {
	if f := p.of; f != nil {
		p.of = nil
		if f.under--; f.under == 0 {
			clear(f.made)
			hook.Ranged(-1)
		}
	}
}

// walking is a loop over a map.
type walking interface {
	has(k any) bool  // reports whether the map has an entry of k
	sort(keys []any) // sorts keys of the map
	skip(k any)      // keeps the loop from visiting k as an entry that was there when it began
	over() string    // returns the type of the map
}

// next is called before every iteration but the first one. It returns the key of an entry made
// since the loop began, if the loop visits one next.
func (p *passage) next(w walking) (key any, ok bool) {
	if p.of == nil || p.of.moment == p.seen && !p.left || p.noted {
		return nil, false
	}
	p.seen, p.left = p.of.moment, false
	var keys []any
	hook.Serve(func() { keys = p.fresh(w) })
	unknown := p.of.unknown > max(p.began, p.told)
	if len(keys) == 0 && !unknown {
		return nil, false
	}
	if !hook.ExploresMaps() {
		p.noted = true
		hook.MapGrows(w.over, "")
		return nil, false
	}
	if unknown {
		p.told = p.of.unknown
		hook.MapGrows(w.over, ", which is not met")
	}
	return p.choose(w, keys)
}

// fresh returns, in order, the keys of entries that were made since the loop began and not
// visited yet.
func (p *passage) fresh(w walking) (keys []any) {
	f := p.of
	for k, at := range f.made {
		switch {
		case !w.has(k):
			delete(f.made, k)
		case at > p.began && at > p.met[k]:
			keys = append(keys, k)
		}
	}
	if len(keys) > 1 {
		w.sort(keys)
	}
	return keys
}

// choose is next where it is a choice which of the keys is visited, if any.
func (p *passage) choose(w walking, keys []any) (key any, ok bool) {
	for _, k := range keys {
		w.skip(k)
	}
	switch {
	case len(keys) == 0:
		return nil, false
	case p.n == fewMade:
		p.noted = true
		hook.MapGrows(w.over, ", after four others that are met")
		return nil, false
	case len(keys) > fewMade:
		hook.MapGrows(w.over, ", of which four at a time are met")
		keys = keys[:fewMade]
	}
	i := hook.MeetMade(len(keys))
	if i == 0 {
		p.left = true
		return nil, false
	}
	if p.met == nil {
		p.met = make(map[any]int)
	}
	key = keys[i-1]
	p.met[key] = p.of.moment
	p.n++
	p.left = true
	return key, true
}
