//go:build !go1.27

package time

// asyncRemoved says that this release of Go has no timers as before Go 1.23, whatever GODEBUG says.
const asyncRemoved = false
