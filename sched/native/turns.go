package native

import (
	"time"

	"github.com/gopor/gopor/internal/hook"
)

// Loop is a loop that may await something, from one start of it to its end.
type Loop int32

// Turns announces the start of a loop that may await something, and [Loop.Turn] each further
// iteration. An iteration depends only on the values, which are plain data, and on state that
// the loop changes only after a call of [Acts]. The place identifies the loop in its function.
// See exec.Options.Awaits.
func Turns(place uintptr, values ...any) Loop {
	if !hook.Controlled() {
		return 0
	}
	return Loop(hook.Turn(place, values, 0))
}

// Turn announces an iteration: see [Turns].
func (l Loop) Turn(place uintptr, values ...any) {
	if hook.Controlled() {
		hook.Turn(place, values, int32(l))
	}
}

// Acts announces a lasting effect of the present iteration.
func Acts() {
	if hook.Controlled() {
		hook.Acts()
	}
}

// Timer is make(d), a timer that is not used after the iteration of the loop around the call.
// So where states are distinguished, this call can always return the same timer. The place
// identifies the call in its function.
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

// Counts announces the number of an iteration, in a loop that counts them. It is called in
// every 64th iteration.
func Counts[I ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](turn I) {
	if hook.Controlled() {
		hook.Counts(int(turn))
	}
}
