package unfold

// SetLeastFull changes the number of events below which no garbage is collected.
func SetLeastFull(n int) (restore func()) {
	old := leastFull
	leastFull = n
	return func() { leastFull = old }
}
