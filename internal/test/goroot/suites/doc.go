// Package suites holds a test that runs the Go distribution's own tests of
// channels, locks, atomics, contexts and timers under control, for a bounded
// number of schedules each: they have to behave as they do without it. So do its tests of servers
// and clients.
//
// The sources are read from GOROOT when the test runs. What is left out, and
// why, is in README.md, which the test keeps true.
package suites
