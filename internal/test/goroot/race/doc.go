// Package race has a test only. It runs the suite of Go's own race detector, which
// lies in GOROOT/src/runtime/race/testdata, under por check: every function
// of the suite that has a data race is to fail with one in some schedule, and none
// that has no race in any. README.md says what came of it.
package race
