// Package racy has a test only. It writes small native programs, of goroutines that share
// values of the language and of the standard library, with and without something that
// orders them, and asks two judges whether there is a data race: por check, which
// runs every schedule, and go test -race, which runs some. README.md says what came of it.
package racy
