// Package edges has a test only: a table of what orders two goroutines, by the documentation of Go or as its race
// detector sees it, and of what looks as if it did and does not. Every row is a small program that two judges are asked
// about, por check and go test -race, and each edge is taken away once, to see that a row notices.
package edges
