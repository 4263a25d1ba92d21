package explore

import (
	"flag"
	"path/filepath"
	"strings"

	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/share"
	"github.com/gopor/gopor/por/report"
)

// Place is where a search was asked for.
type Place struct {
	Name string // what a replay string goes by
	Test string // the test's name, "" outside tests
	Pkg  string // import path of the test's package, "." if unknown
	// Command runs tests, and is followed by flags.
	Command string
	// Por calls command por, if that runs the tests, with the folder Dir for its flag -C. Each
	// is "" otherwise.
	Por, Dir  string
	Flags     []string // those that the tests were built or run with, as far as they matter
	Benchmark bool
}

// FlagValue returns the value of a flag of the test program, "" if there is no such flag.
func FlagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// LongReplay is how many characters a replay string may have for the command line. A longer
// one is a file there, if it is saved.
const LongReplay = 400

// ReplayCommand returns what to type to replay the schedule of a report here.
func (p Place) ReplayCommand(rep *report.Failure) string {
	replay := rep.Replay
	if len(replay) > LongReplay && rep.Saved != "" {
		replay = format.Quoted(filepath.ToSlash(rep.Saved))
	}
	if p.Test == "" {
		return "POR_REPLAY=" + replay + " <the same command>"
	}
	words := []string{"POR_REPLAY=" + replay, p.Command}
	for _, f := range p.Flags {
		words = append(words, format.Quoted(f))
	}
	if p.Benchmark {
		words = append(words, "-run '^$' -bench")
	} else {
		words = append(words, "-run")
	}
	return strings.Join(append(words, "'"+strings.ReplaceAll(share.RunPattern(p.Test), "'", `'\''`)+"'", p.Pkg), " ")
}
