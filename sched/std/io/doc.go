// Package io takes the place of package io in rewritten code. A pipe that a controlled
// goroutine has made is under control.
package io
