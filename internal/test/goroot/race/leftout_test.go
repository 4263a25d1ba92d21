package race

import (
	"go/version"
	"slices"
)

// Why a function of the suite is left out.
const (
	finalizers = "the race is with a finalizer or a cleanup, which the runtime runs whenever the garbage collector has come by"
	network    = "it waits for the network, which is not under control: the watchdog says so"
	collector  = "every one of its 4,095 goroutines runs the garbage collector, which takes minutes on a busy machine; with `-long` it passes"
	skips      = "it skips itself; without that it panics in some schedules, since two goroutines call the body of one loop at a time"
	internals  = "its file imports an internal package of the standard library"
	raceBuilds = "it calls a function of package runtime that only builds with -race have"
)

// leftOut are the functions of the suite that are left out. What is not compiled
// or skips itself is found out, and is listed here all the same.
var leftOut = map[string]string{
	"TestRaceFin":                 finalizers,
	"TestRaceBetweenCleanups":     finalizers,
	"TestNoRaceIOHttp":            network,
	"TestNoRaceDeferAtomicStore":  collector,
	"TestRaceRangeFuncIterator":   skips,
	"TestNoRaceRangeFuncIterator": skips,
	"TestNoRaceIssue60934":        raceBuilds,

	"TestNoRaceCgoSync": internals,
}

// listedFor are the releases of Go whose suite has all of them, and the figures of README.md. Another one
// may lack some.
var listedFor = []string{"go1.26", "go1.27"}

// isListed reports whether version, as the go command has it, is one of these releases.
func isListed(release string) bool { return slices.Contains(listedFor, version.Lang(release)) }

// long are those that are left out because they take too long. They run with the
// flag -long.
func long(reason string) bool { return reason == network || reason == collector }

// passes reports whether those that are left out for a reason are right if they
// run.
func passes(reason string) bool { return reason == collector }
