package native

import (
	"time"

	"github.com/gopor/gopor/internal/hook"
)

// Turns says that a loop begins that may await something, and Turn that its next turn does. All
// that the turn begins with are the values, which are plain data, and what the loop does not
// change; place tells the loop from others in the function. See sched.Options.Awaits.
func Turns(place uintptr, values ...any) {
	if hook.Controlled() {
		hook.Turn(place, values, true)
	}
}

// Turn is as of [Turns].
func Turn(place uintptr, values ...any) {
	if hook.Controlled() {
		hook.Turn(place, values, false)
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
