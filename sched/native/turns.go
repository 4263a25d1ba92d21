package native

import "github.com/gopor/gopor/internal/hook"

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
