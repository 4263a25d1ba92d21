// Package io is what rewritten code gets when it imports package io. A pipe that
// a controlled goroutine has made is one of controlled goroutines.
package io
