//go:build race

package paper

// The race detector makes executions slower by an order of magnitude.
func init() { raceDetector = true }
