package build

import (
	"slices"
	"strings"
)

// valued are the flags of go test that take a value as the next argument. Those of the test
// binary may also have the prefix test.
var valued = set(`C p asmflags buildmode buildvcs compiler covermode coverpkg exec gccgoflags gcflags
	installsuffix ldflags mod modfile o overlay pgo pkgdir tags toolexec vet
	bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz fuzztime
	fuzzminimizetime list memprofile memprofilerate mutexprofile mutexprofilefraction outputdir
	check.time check.executions check.memory check.steps check.engine check.seed check.races check.clock check.maxclock check.lag check.start check.rand check.model check.library check.network check.faults check.maps check.symmetric check.leaks check.keep check.processes check.save check.corpus check.output check.strict check.total
	parallel run shuffle skip timeout trace fuzzcachedir gocoverdir`)

// alone are the flags of go test that take no value.
var alone = set(`a n v x h help i c json race msan asan cover linkshared modcacherw trimpath work
	artifacts benchmem failfast fullpath short check paniconexit0`)

// compiled are the flags on which compiled packages depend.
var compiled = set("race msan asan tags mod modfile overlay pgo trimpath buildmode compiler installsuffix asmflags gccgoflags")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Flag is a flag of a go test command as given.
type Flag struct {
	Name  string // without dashes
	Value string // "" for a boolean flag without a value
	Words []string
	// Lacks says that the flag takes a value and is the last word of the command.
	Lacks bool
}

// SplitFlags splits the arguments of go test into its flags, the packages, and the rest, which
// is for the test binary alone. The rest is everything after -args, and the flags of gopor's
// own (-por.full). It also has flags that the go command does not know and everything after
// them, if they come after the packages.
func SplitFlags(args []string) (flags []Flag, packages, rest []string) {
	foreign := false // a flag came that the go command does not know
	for len(args) > 0 {
		arg := args[0]
		if arg == "-args" || arg == "--args" {
			return flags, packages, append(rest, args...)
		}
		if isWord := !strings.HasPrefix(arg, "-") || arg == "-"; isWord && foreign {
			rest = append(rest, arg)
			args = args[1:]
			continue
		} else if isWord {
			packages = append(packages, arg)
			args = args[1:]
			continue
		}
		f := Flag{Words: args[:1:1]}
		var hasValue bool
		f.Name, f.Value, hasValue = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		args = args[1:]
		own := strings.HasPrefix(f.Name, "por.")
		if takes := valued[strings.TrimPrefix(f.Name, "test.")] || own && f.Name != "por.full"; takes && !hasValue {
			if f.Lacks = len(args) == 0; !f.Lacks {
				f.Value, f.Words = args[0], append(f.Words, args[0])
				args = args[1:]
			}
		}
		switch {
		case own:
			rest = append(rest, f.Words...)
		case len(packages) > 0 && !Known(f.Name):
			rest, foreign = append(rest, f.Words...), true
		default:
			flags = append(flags, f)
		}
	}
	return flags, packages, rest
}

// Known reports whether go test or command por has a flag of this name.
func Known(name string) bool {
	name = strings.TrimPrefix(name, "test.")
	return valued[name] || alone[name] || strings.HasPrefix(name, "check.")
}

// FlagNames returns the names of the flags of go test, sorted.
func FlagNames() (names []string) {
	for name := range valued {
		if !strings.HasPrefix(name, "check.") {
			names = append(names, name)
		}
	}
	for name := range alone {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Compiled reports whether compiled packages depend on a flag.
func Compiled(f Flag) bool { return compiled[f.Name] }

// debugged has the flags of go test that keep the test binary, so that a debugger may be run on
// it.
var debugged = set("c o exec cpuprofile blockprofile memprofile mutexprofile")

// SetFlags takes the flags of a go test command on which compilation depends, and returns the
// others.
func (b *Build) SetFlags(flags []Flag) (others []string) {
	for _, f := range flags {
		switch {
		case f.Name == "gcflags":
			b.Gcflags = append(b.Gcflags, f.Value)
			continue
		case f.Name == "C":
			b.Dir = f.Value
			continue
		case f.Name == "race":
			// Code under control has its own race detector in place of that one.
			continue
		case f.Name == "coverpkg":
			b.Coverpkg = f.Value
		case debugged[strings.TrimPrefix(f.Name, "test.")]:
			b.Debugged = true
		case Compiled(f):
			b.Flags = append(b.Flags, f.Words...)
		}
		others = append(others, f.Words...)
	}
	return others
}
