//go:build !unix

package main

import "time"

var processStart = time.Now()

// cpuTime returns the time since the process was started, for want of the time
// that it has spent on processors.
func cpuTime() time.Duration { return time.Since(processStart) }
