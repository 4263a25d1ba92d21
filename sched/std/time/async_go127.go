//go:build go1.27

package time

// asyncRemoved says that this release of Go never has timers as before Go 1.23.
const asyncRemoved = true
