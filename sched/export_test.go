package sched

// SetExclusive does what [Exclusive] does, or undoes it. No execution may go on.
func SetExclusive(on bool) {
	turns.everyone.Store(on)
	turns.taken.Store(on)
}
