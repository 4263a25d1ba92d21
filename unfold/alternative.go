package unfold

import "github.com/gopor/gopor/internal/search"

// A finder returns a clue to D after C in U (paper, definitions 2 to 5): a
// configuration j that holds C, but nothing of D. Nothing of D is in conflict with
// C. The events that are fit are those of U that can be part of such a clue, and are
// in conflict with something of D. The result is valid until the next call.
type finder func(c configuration, d []id, fit []opponent) (j configuration, ok bool)

// opponent is an event in immediate conflict with another one.
type opponent struct {
	event, to id
}

// combs finds alternatives.
type combs struct {
	*structure
	spikes [][]id          // the comb: what may be chosen to be in conflict with each event of D
	js     []configuration // C and what was chosen so far
	over   func() bool     // the search has to end; it is asked now and then
	tried  int             // how many events were tried
	ended  bool            // over has returned true
}

// often is after how many events over is asked.
const often = 1 << 12

// try reports whether one more event may be tried.
func (t *combs) try() bool {
	if t.tried++; t.tried%often == 0 && t.over() {
		t.ended = true
	}
	return !t.ended
}

// partial returns the finder of k-partial alternatives: clues in conflict with the
// last k events of D, which remember how the last k races were resolved. It is the
// paper's procedure (section 5, steps 1 to 5).
func (t *combs) partial(k int) finder {
	return func(c configuration, d []id, fit []opponent) (configuration, bool) {
		return t.comb(c, d[max(0, len(d)-k):], fit)
	}
}

// comb returns a clue in conflict with all of d. It builds the comb first, and looks
// for a combination then. For the whole of D that is an alternative (definition 4).
func (t *combs) comb(c configuration, d []id, fit []opponent) (configuration, bool) {
	for len(t.spikes) < len(d) {
		t.spikes = append(t.spikes, nil)
	}
	for i := len(d) - 1; i >= 0; i-- {
		spike := t.spikes[i][:0]
		for n := len(fit) - 1; n >= 0; n-- {
			if u := fit[n]; u.to == d[i] || t.conflict(t.at(u.event), t.at(d[i])) {
				spike = append(spike, u.event)
			}
		}
		if t.spikes[i] = spike; len(spike) == 0 {
			return nil, false
		}
	}
	return t.combine(t.copy(0, c), 0, len(d))
}

// combine chooses one event of each spike from number i on that is not in conflict
// with those chosen before.
func (t *combs) combine(j configuration, i, n int) (configuration, bool) {
	if i == n {
		return j, true
	}
	for _, x := range t.spikes[i] {
		if !t.try() {
			break
		}
		if !t.conflict(t.at(x), j) {
			if all, ok := t.combine(t.with(j, i, x), i+1, n); ok {
				return all, true
			}
		}
	}
	return nil, false
}

// lazy is the finder of alternatives that builds no comb: it looks for what is in
// conflict with an event of D when it comes to that event, and only if nothing is
// that was chosen already. The paper expects such a one to do better where combs
// are large and have many solutions (section 6.1).
func (t *combs) lazy(c configuration, d []id, fit []opponent) (configuration, bool) {
	return t.choose(t.copy(0, c), 0, d, fit)
}

// choose makes choice number i, for the last of d, unless something in conflict with
// that was chosen before.
func (t *combs) choose(j configuration, i int, d []id, fit []opponent) (configuration, bool) {
	for len(d) > 0 && i > 0 && t.conflict(t.at(d[len(d)-1]), j) {
		d = d[:len(d)-1]
	}
	if len(d) == 0 {
		return j, true
	}
	e := d[len(d)-1]
	for n := len(fit) - 1; n >= 0; n-- {
		if !t.try() {
			break
		}
		u := fit[n]
		if (u.to == e || t.conflict(t.at(u.event), t.at(e))) && (i == 0 || !t.conflict(t.at(u.event), j)) {
			if all, ok := t.choose(t.with(j, i, u.event), i+1, d[:len(d)-1], fit); ok {
				return all, true
			}
		}
	}
	return nil, false
}

// with returns j with the local configuration of x. It is choice number i.
func (t *combs) with(j configuration, i int, x id) configuration {
	j = t.copy(i+1, j)
	t.join(j, x)
	return j
}

func (t *combs) copy(i int, j configuration) configuration {
	for i >= len(t.js) {
		t.js = append(t.js, nil)
	}
	t.js[i] = append(t.js[i][:0], j...)
	return t.js[i]
}

// holds reports whether one of the events that sleep is x or happens before x.
func (s *structure) holds(x id, sleep search.SleepSet) bool {
	local := s.at(x)
	for i := range sleep {
		if s.includes(local, sleep[i].Event) {
			return true
		}
	}
	return false
}
