package goker

import "strings"

// version is a way to read a file.
type version struct {
	text string
	// suffix ends the names that the file declares, so that it goes with another
	// version in one package.
	suffix string
	// lang is the version of the language, "" for that of the module.
	lang string
}

// oldLoops is a version of the language in which the rounds of a loop share its
// variables, as when the kernels were written. A file may go back to it, whatever
// version its module has.
const oldLoops = "go1.21"

const (
	newLoops = "_newloops" // the suffix where rounds have variables of their own
	shipped  = "_shipped"  // the suffix of what cannot fail as it is in the distribution
)

// versionsOf returns the ways to read a file: most in one way, as it is.
func versionsOf(name, text string) []version {
	old := version{text, "", oldLoops}
	switch name {
	case "etcd7902.go", "kubernetes38669.go":
		// In all others neither a function literal nor an address lets anybody see
		// which kind of loop variables there is.
		return []version{old, {text, newLoops, ""}}
	case "moby27782.go":
		// The authors of the distribution gave the logger a mutex, against a data
		// race. A reader holds it for as long as it follows the log, so Close
		// cannot interrupt one any more, as it must for the deadlock to happen.
		// Here the reader holds it for as long as it writes.
		const long, write = "defer l.mu.Unlock()", "l.readers[logWatcher] = struct{}{}"
		before, rest, _ := strings.Cut(text, long+"\n\n\t"+write)
		return []version{{before + "\n\n\t" + write + "; l.mu.Unlock()" + rest, "", oldLoops}, {text, shipped, oldLoops}}
	}
	return []version{old}
}
