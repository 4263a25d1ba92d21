package racy

import "regexp"

// reason is one for which the judges say different things about a program that has
// something in its text, or in what por says of it.
type reason struct {
	name         string
	found, shown answer
	text         *regexp.Regexp
	why          string
}

// reasons are all that there are. An answer in part is one of which the verdict itself
// says what it takes for granted.
var reasons = []reason{
	{"clear", race, none, regexp.MustCompile(`\bclear\((v|s|a|g|\(\*ptr)\d`),
		"clear writes all elements of a slice; the compiler has the runtime do that, which does not tell the race detector"},
	{"zero", race, none, regexp.MustCompile(`reflect\.Zero|\.SetZero\(`),
		"reflect sets a variable to zero as clear does"},
	{"clone", race, none, regexp.MustCompile(`maps\.Clone`),
		"maps.Clone reads the map; that is a function of the runtime's which does not tell the race detector"},
	{"assembly", race, none, regexp.MustCompile(`return bytealg\.`),
		"what searches and comparisons of package bytes read is read by assembly, which does not tell the race detector"},
	{"assembly", race, none, regexp.MustCompile(`\b(crc32|crc64|adler32)\.(Checksum|Update)|\b(sha\d+|md5)\.Sum`),
		"sums are made by assembly, and read all"},
	{"pool", race, none, regexp.MustCompile(`\.New = func`),
		"package sync reads Pool.New, and does not tell the race detector of accesses of its own"},
	{"pool", part, race, regexp.MustCompile(`pool\.Get|p\d\.Get\(`),
		"a Pool that drops what is put into it orders less; the verdict says that this is not explored (por.Model(sched.ModelFine) does)"},
	{"library lock", part, race, regexp.MustCompile(`\blg\.Print|\.l\.(Print|Set|Info|With|Error)|\.Handler\(|token\.FileSet`),
		"a mutex of the standard library orders the accesses in the schedule that was run; schedules that differ only in who comes first to such a mutex are not run, which the verdict says (docs/limits/library.md)"},
	{"environment", part, race, regexp.MustCompile(`os\.(Get|Set|Unset)env|os\.Environ|os\.ExpandEnv`),
		"whether the accesses happen depends on the environment, which the verdict names as a value from outside, and its lock orders them (docs/limits/library.md)"},
	{"environment", unexplored, none, regexp.MustCompile(`os\.(Set|Unset)env`),
		"the environment outlives executions, which por says of the program: it is not deterministic"},
}

// explain returns the reason why answers differ, if there is one. The text is that of the program, and of what por says of it.
func explain(text string, found, shown answer) *reason {
	for i, r := range reasons {
		if r.found == found && r.shown == shown && r.text.MatchString(text) {
			return &reasons[i]
		}
	}
	return nil
}
