package machine

import (
	"math"
	"time"

	"github.com/gopor/gopor/internal/asbytes"
	"github.com/gopor/gopor/sched/trace"
)

// This file has what time is in the key of a state. When deadlines are is a matter of how far away
// they are, so a state is met again at another time. But a time that was told may be kept, and
// compared with a later one. As long as one is kept, in the history of a goroutine or in what it
// has handed on, the key says which time it is. A goroutine that calls Loop forgets it.
//
// So two states that differ by the date alone have one key once a goroutine has called Loop. It
// promises that the program does not look at the date, but only at how long it is from one time to
// another. Then a time is nowhere but in a [time.Time].
//
// A loop of rewritten code promises nothing. It may wait for the end of a minute, and a time may be
// anywhere, as a number. So once a goroutine has been told a time, the key says which time it is.
// Until then no goroutine knows the date, and states that differ by it alone have one key if a
// goroutine goes round such a loop. If a time is told later all the same, it is taken for granted
// that the date makes no difference, which is noted ([ToldDate]). A tick that is dropped when it is
// received tells no time.

// time appends which time it is, if that matters.
func (k *Keys) time(b []byte) []byte {
	if k.OmitTime || !k.dates() {
		return append(b, '~')
	}
	return asbytes.Number(append(b, '@'), k.m.Clock.elapsed)
}

// dates reports whether it matters which time it is.
func (k *Keys) dates() bool {
	m := k.m
	if !k.turning || k.dated || k.rewritten && k.known || m.limitsDates() || m.Clock.elapsed >= longest {
		return true
	}
	for _, g := range m.Goroutines {
		if g.past.timed && g.State != StateUnborn && g.State != StateEnded {
			return true
		}
	}
	return false
}

// longest is a duration that the clock has at least twice.
const longest = math.MaxInt64 / 2

// moment appends when t is. It does not if t is in the past, unless a time that was told at t still
// matters: the next one is later by a look. A time before the clock has begun stands for none.
func (k *Keys) moment(b []byte, t int64) []byte {
	switch {
	case t < 0, t <= k.m.Clock.elapsed-look:
		return append(b, '-')
	case t == math.MaxInt64:
		return append(b, '+')
	}
	return asbytes.Number(append(b, '='), t-k.m.Clock.elapsed)
}

// readings appends how often g, which has called Loop, has asked for this time.
func (k *Keys) readings(b []byte, g *Goroutine) []byte {
	if g.time.readAt != k.m.Clock.elapsed {
		return b
	}
	b = asbytes.Truth(asbytes.Number(append(b, 'r'), int64(g.time.readings)), g.seq == g.time.paced)
	return asbytes.Number(asbytes.Number(b, int64(g.time.pace.times)), g.time.pace.step)
}

// tells notes that g is told the time t.
func (k *Keys) tells(g *Goroutine, t int64) {
	if k.Local != nil {
		return
	}
	b := append(g.past.local.append(make([]byte, 0, 48)), 'T', byte(trace.OpNow))
	g.past.local = k.identify(asbytes.Number(asbytes.Number(b, t), k.m.Clock.elapsed))
	k.knows(g)
}

// ToldDate is what an execution has met in which the date may make a difference to states that are
// taken for one.
const ToldDate = "a time that is told after a loop"

// knows notes that g has come to know a time.
func (k *Keys) knows(g *Goroutine) {
	if k.rewritten && !k.known && !k.m.limitsDates() {
		g.Meet(metDate, AssumeClock, ToldDate)
	}
	g.past.timed, k.known = true, true
}

// begins notes that the clock has begun once more for g.
func (k *Keys) begins(g *Goroutine) {
	k.tells(g, int64(g.shift))
	k.dated = true
}

// hands notes that g hands on v, or with nil whatever it has: that may be a time that it was
// told.
func (k *Keys) hands(g *Goroutine, v any) {
	if len(g.past.rounds) > 0 {
		if _, plain := asbytes.Append(nil, v); v == nil || !plain {
			k.acts(g)
		}
	}
	k.dated = k.dated || g.past.timed && (v == nil || mayHoldTime(v))
}

// mayHoldTime reports whether there may be a time in v.
func mayHoldTime(v any) bool {
	if _, is := v.(time.Time); is {
		return true
	}
	_, plain := asbytes.Append(nil, v)
	return !plain
}

// writes notes that g has written what is in o.
func (k *Keys) writes(g *Goroutine, o Object) {
	switch o := o.(type) {
	case valued:
		k.hands(g, o.value())
	case *Block:
		if g.Req.Mem.form != formNumber {
			k.acts(g)
		}
		k.dated = k.dated || g.past.timed // a part of a time is a number
	}
}

// sends notes what g may send.
func (k *Keys) sends(g *Goroutine) {
	if c, ok := g.Req.Obj.(*ChanState); ok && c.values != nil {
		k.hands(g, c.values.at(int64(g.Req.Arg)))
	}
	if g.Op.Kind != trace.OpSelect {
		return
	}
	for i := range g.Req.Cases {
		if c := &g.Req.Cases[i]; c.Send && c.Ch != nil && c.Ch.values != nil {
			k.hands(g, c.Ch.values.at(c.Val))
		}
	}
}

// lasts notes that something is to last for d.
func (k *Keys) lasts(d int64) {
	k.dated = k.dated || d >= longest && d != math.MaxInt64 // the clock may have no such time left
}

// tick returns the time that msg is, if a timer has sent it.
func (c *ChanState) tick(msg message) (at int64, is bool) {
	if c.timer == nil || c.values == nil {
		return 0, false
	}
	date, is := c.values.at(msg.val).(time.Time)
	return int64(date.Sub(c.timer.g.Beginning())), is
}
