package native

import (
	"unsafe"

	"github.com/gopor/gopor/internal/hook"
)

// An entry that is made while its map is ranged over may be met by the loop or not, as the language has it. It may be
// one of a new key, or of a key that was deleted, whether the loop has met the key before or not. A loop learns of
// such an entry before its next turn. By [machine.MapSorted] it meets only what was there when it began, and what was
// deleted and made again before its turn; that is noted. By [machine.MapExplore] whether it meets an entry next is a choice.

// fewMade is how many entries a loop meets at most that were made since it began, and how many it chooses from at a time.
const fewMade = 4

// growth is what an execution knows of entries that were made while a loop over their map was under way. A moment is the
// number of entries that were made until then.
type growth struct {
	under   int         // loops that are under way, or were left before their end
	moment  int         // now
	made    map[any]int // when entries were made, by key
	unknown int         // when an entry was made last that cannot be told by its key
}

// under returns what is known of the map at m, nil if no loop over it is under way in the execution of the caller.
func under(m unsafe.Pointer) *facts {
	if f, ok := hook.SeenShadow(m).(*facts); ok && f.under > 0 {
		return f
	}
	return nil
}

// ranges reports whether a loop over the map at m is under way.
func ranges(m unsafe.Pointer) bool { return under(m) != nil }

// makes knows that the entry of k is about to be made in the map at m.
func makes(m unsafe.Pointer, k any) {
	f := under(m)
	switch {
	case f == nil:
	case k != k: // nothing can look it up
		makesSome(m)
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

// makesSome knows that an entry may be about to be made of which the key is not known.
func makesSome(m unsafe.Pointer) {
	if f := under(m); f != nil {
		f.moment++
		f.unknown = f.moment
	}
}

// passage is how far a loop over a map is with what is made meanwhile.
type passage struct {
	of    *facts      // nil when the loop is over
	began int         // the moment at which the loop began
	seen  int         // the moment at which the loop has looked last
	left  bool        // entries that were made may still be met
	met   map[any]int // by key of an entry that was made and met: the moment at which it was met
	n     int         // how many of these were met
	told  int         // the moment of the last unknown one that was noted
	noted bool        // it is noted that no more are met
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
	has(k any) bool  // whether the map has an entry of k
	sort(keys []any) // puts keys of the map in order
	skip(k any)      // lets the loop not meet k as one that was there when it began
	over() string    // the type of the map
}

// next is called before every turn but the first one. It returns the key of an entry that was made since the loop began,
// and that the loop meets next, if there is one.
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

// fresh returns the keys of entries that were made since the loop began, and that it has not met, in order.
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

// choose is next where it is a choice which of the keys is met, if any.
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
