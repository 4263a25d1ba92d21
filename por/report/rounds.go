package report

import (
	"slices"

	"github.com/gopor/gopor/internal/format"
)

// This file leaves out rounds of a loop. A goroutine that has done the same a thousand times before
// it fails has a thousand times as many rows as are worth reading.

// round is the same few steps in a row, again and again, but for their values.
type round struct {
	rows  int // of one round
	times int // how many rounds are left out
}

// longestRound is how many rows a round has at most. A loop with more fills the screen, and its
// rows are left out like others.
const longestRound = 12

func (r round) String() string {
	if r.rows == 1 {
		return "... " + format.Counted(int64(r.times), "row") + " like the next one left out ..."
	}
	return "... " + format.Grouped(int64(r.times)) + " rounds like the next " + format.Grouped(int64(r.rows)) + " rows left out ..."
}

// foldRounds leaves only the last of equal rounds. The steps are in order. What the failure is
// about and preemptions are no part of a round.
func (d *Diagnosis) foldRounds(shown []ranked) []ranked {
	kept := shown[:0:0]
	for i := 0; i < len(shown); {
		r := d.roundsAt(shown[i:])
		i += r.rows * r.times
		first := shown[i]
		first.round = r
		kept = append(kept, first)
		i++
		for range r.rows - 1 {
			kept = append(kept, shown[i])
			i++
		}
	}
	return kept
}

// roundsAt returns with what round the steps begin, and how often it comes before the last time. It
// returns none if there are too few.
func (d *Diagnosis) roundsAt(shown []ranked) round {
	for rows := 1; rows <= longestRound && rows*leastRounds <= len(shown); rows++ {
		same := 0 // how many steps are alike those a round later
		for same+rows < len(shown) && d.alike(shown[same], shown[same+rows]) {
			same++
		}
		if times := same / rows; times+1 >= leastRounds {
			return round{rows, times}
		}
	}
	return round{}
}

// alike reports whether two steps are the same but for the value, and for their place in the
// schedule.
func (d *Diagnosis) alike(a, b ranked) bool {
	s, o := &d.Steps[a.index], &d.Steps[b.index]
	return a.rank > 1 && b.rank > 1 && s.Goroutine == o.Goroutine && s.kind == o.kind && s.Object == o.Object && s.Case == o.Case &&
		s.Waits == o.Waits && s.For == o.For && s.Number >= 0 == (o.Number >= 0) && slices.EqualFunc(s.Stack, o.Stack, Frame.sameLine)
}
