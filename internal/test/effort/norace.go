//go:build !race

package effort

// Race says that the test was built with the race detector, which makes everything ten
// times slower.
const Race = false
