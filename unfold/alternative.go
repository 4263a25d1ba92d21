package unfold

import "github.com/gopor/gopor/internal/search"

// A finder returns a clue to D after C in U (paper, definitions 2 to 5): a configuration j that
// has C, but nothing of D. Nothing of D is in conflict with C. The fit events are those of U
// that can be part of such a clue, and are in conflict with an event of D. The result is valid
// until the next call.
type finder func(c configuration, d []id, fit []opponent) (j configuration, ok bool)

// opponent is an event in immediate conflict with another one.
type opponent struct {
	event, to id
}

// combs finds alternatives.
type combs struct {
	*structure
	// The comb: for each event of D, the events that may be chosen in conflict with it.
	spikes [][]id
	js     []configuration // C and the events chosen so far
	over   func() bool     // asked now and then whether the search has to end
	tried  int             // the number of events that were tried
	ended  bool            // over has returned true
}

// often is the number of tried events after which over is asked.
const often = 1 << 12

// try reports whether one more event may be tried.
func (t *combs) try() bool {
	if t.tried++; t.tried%often == 0 && t.over() {
		t.ended = true
	}
	return !t.ended
}

// partial returns the finder of k-partial alternatives: clues in conflict with the last k
// events of D, which remember the resolution of the last k races. It is the paper's procedure
// (section 5, steps 1 to 5).
func (t *combs) partial(k int) finder {
	return func(c configuration, d []id, fit []opponent) (configuration, bool) {
		return t.comb(c, d[max(0, len(d)-k):], fit)
	}
}

// comb returns a clue in conflict with all of d. It first builds the comb, and then looks for a
// combination. For the whole of D that is an alternative (definition 4).
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

// combine chooses one event of each spike from number i on that is not in conflict with those
// chosen before.
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

// lazy is the finder of alternatives that builds no comb. It looks for an event in conflict
// with an event of D when it comes to that one, and only if no chosen event is in conflict with
// it. The paper expects such a finder to do better where combs are large and have many
// solutions (section 6.1).
func (t *combs) lazy(c configuration, d []id, fit []opponent) (configuration, bool) {
	return t.choose(t.copy(0, c), 0, d, fit)
}

// choose makes choice number i, for the last event of d that is in conflict with no earlier
// choice.
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

// holds reports whether x is a sleeper or happens after one.
func (s *structure) holds(x id, sleep search.SleepSet) bool {
	local := s.at(x)
	for i := range sleep {
		if s.includes(local, sleep[i].Event) {
			return true
		}
	}
	return false
}
