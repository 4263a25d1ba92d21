package native

import (
	"time"

	"github.com/gopor/gopor/internal/hook"
)

// Loop is a loop that may await something, each time that it is begun.
type Loop int32

// Turns says that a loop begins that may await something, and [Loop.Turn] that its next turn does. All
// that the turn begins with are the values, which are plain data, and what the loop does not
// change but where it says so by [Acts]; place tells the loop from others in the function. See sched.Options.Awaits.
func Turns(place uintptr, values ...any) Loop {
	if !hook.Controlled() {
		return 0
	}
	return Loop(hook.Turn(place, values, 0))
}

// Turn is as of [Turns].
func (l Loop) Turn(place uintptr, values ...any) {
	if hook.Controlled() {
		hook.Turn(place, values, int32(l))
	}
}

// Acts says that something is done next that a turn may leave behind.
func Acts() {
	if hook.Controlled() {
		hook.Acts()
	}
}

// Timer is make(d), a timer that nobody has any more when the turn of the loop around the call is over. So where states are told
// apart, one timer may be all that this call makes. The place tells the call from others in the
// function.
func Timer[T interface{ Reset(time.Duration) bool }](make func(time.Duration) T, d time.Duration, place uintptr) T {
	if !hook.Controlled() {
		return make(d)
	}
	if t, ok := hook.TurnTimer(place).(T); ok {
		t.Reset(d)
		return t
	}
	t := make(d)
	hook.KeepTimer(place, t)
	return t
}

// Counts says in which turn a loop is that counts them. It is called in every 64th.
func Counts[I ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](turn I) {
	if hook.Controlled() {
		hook.Counts(int(turn))
	}
}
