// Package checkflags has the flags of por check: their names and the options of por.Check
// that they set. The command passes them to the test program in the environment.
package checkflags

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/spell"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Prefix is the prefix of the names of all these flags.
const Prefix = "check."

// Names of flags that the command reads. Strict and Total are for the command alone: test programs
// do not get them, and the go command takes their results from its cache whatever the values.
const (
	Time   = Prefix + "time"
	Strict = Prefix + "strict"
	Total  = Prefix + "total"
)

// flag is one of these flags.
type flag struct {
	name, arg, usage string
	parse            parser
}

// A parser returns the option that a value stands for, nil for none.
type parser func(value string) (por.Option, error)

var flags = []flag{
	{"time", "D", "stop exploring a test after D (10s; 1s with -short; 0: never)", times(por.MaxTime, "0")},
	{"executions", "N", "stop exploring a test after N executions", numbers(por.MaxExecutions, 1)},
	{"total", "D", "share D among all tests, by the clock: what stops a test in its first share runs again with what others have left (no total)", times(none, "1ms")},
	{"memory", "N", "stop exploring a test when the heap has grown by N bytes, or N MB or GB (1GB; 0: never)", func(s string) (por.Option, error) {
		n, err := size(s)
		return por.MaxMemory(n), atLeast("0", n >= 0, err)
	}},
	{"steps", "N", "an execution of more operations is a livelock, or too long to explore (1,000,000; 10,000 with engines that recognise states)", numbers(por.MaxSteps, 1)},
	{"engine", "NAME", strings.Join(engine.Names(), ", ") + " (" + engine.Auto{}.Name() + ")", func(s string) (por.Option, error) {
		e, ok := engine.Named(s)
		if !ok {
			return nil, &misspelt{"no engine has that name", spell.Mean("", s, engine.Names())}
		}
		return por.Engine(e), nil
	}},
	{"seed", "N", "seed of the engines that draw at random", func(s string) (por.Option, error) {
		n, err := strconv.ParseUint(s, 10, 64)
		return por.Seed(n), err
	}},
	{"races", "MODE", "fail, explore or ignore data races (fail)", modes(por.Races, map[string]sched.RaceMode{"fail": sched.RaceFail, "explore": sched.RaceExplore, "ignore": sched.RaceIgnore})},
	{"clock", "MODE", "discrete, lag: code takes time, or any: timers may fire at any moment (discrete, then lag)", modes(por.Time, map[string]sched.TimeMode{"discrete": sched.TimeDiscrete, "lag": sched.TimeLag, "any": sched.TimeAnyOrder})},
	{"lag", "D", "how long code may take, by lag (100ms)", times(por.Lag, "1ns")},
	{"maxclock", "D", "an execution in which the test has not returned after D of virtual time hangs (that of -timeout: 10m; with -timeout=0: 24h)", times(por.MaxClock, "1ns")},
	{"start", "T", "when the clock begins: a time as in RFC 3339, or a date, of the years 1950 to 2200 (" + exec.DefaultStart().Format(time.RFC3339Nano) + ")", func(s string) (por.Option, error) {
		t, err := environ.ParseStart(s)
		if err != nil {
			return nil, err
		}
		return por.Start(t), nil
	}},
	{"rand", "MODE", "seeded, or explore: a draw from few numbers is a choice (seeded)", modes(por.Rand, map[string]sched.RandMode{"seeded": sched.RandSeeded, "explore": sched.RandExplore})},
	{"model", "MODELS", "usual, fine, or some of unfair,pool,trylock,range,waitgroup,timer,pipe,lock,library,stream: what does all that Go allows (usual)", func(s string) (por.Option, error) {
		var all sched.Model
		for name := range strings.SplitSeq(s, ",") {
			m, err := mode(name, map[string]sched.Model{"usual": 0, "fine": sched.ModelFine, "unfair": sched.ModelUnfair, "pool": sched.ModelPool,
				"trylock": sched.ModelTryLock, "range": sched.ModelRange, "waitgroup": sched.ModelWaitGroup, "timer": sched.ModelTimer, "pipe": sched.ModelPipe, "lock": sched.ModelLock, "library": sched.ModelLibrary, "stream": sched.ModelStream})
			if err != nil {
				return nil, err
			}
			all |= m
		}
		return por.Model(all), nil
	}},
	{"library", "PATTERNS", "packages of modules, with commas between them, path/... for those below: their races with themselves are explored last (none)", func(s string) (por.Option, error) {
		packages := strings.Split(s, ",")
		for _, p := range packages {
			if err := environ.CheckPackages(p); err != nil {
				return nil, fmt.Errorf("%q is %w", p, err)
			}
		}
		return por.Library(packages...), nil
	}},
	{"network", "MODE", "loopback, real: no socket is in memory, or none: no other sockets and no lookups (loopback)", modes(por.Network, map[string]sched.NetworkMode{"loopback": sched.NetworkLoopback, "real": sched.NetworkReal, "none": sched.NetworkNone})},
	{"faults", "KINDS", "all, or some of " + strings.Join(faults.Names(), ",") + ", and :N for at most N in an execution: faults of the network in memory, of nodes and of files (none; N is 1)", parseFaults},
	{"maps", "MODE", "sorted, or explore: the order of keys is a choice (sorted)", modes(por.Maps, map[string]sched.MapMode{"sorted": sched.MapSorted, "explore": sched.MapExplore})},
	{"symmetric", "MODE", "off, on: goroutines that one go statement starts are interchangeable, which is not checked; or find: those that are, which is checked (off)", choices(map[string]por.Option{"off": nil, "on": por.Symmetric(), "find": por.FindSymmetric()})},
	{"leaks", "MODE", "fail, strict, or allow: which goroutines that the test leaves behind are failures: those that nothing reaches, all that wait or poll for ever, or none (fail)", choices(map[string]por.Option{"fail": nil, "strict": por.StrictLeaks(), "allow": por.AllowLeaks()})},
	{"output", "MODE", "failing: only what the failing execution has written is shown, or all (failing)", choices(map[string]por.Option{"failing": nil, "all": por.ShowOutput()})},
	{"save", "MODE", "on: failing schedules are saved below testdata/por, run first the next time, and removed when they pass, or off (on)", choices(map[string]por.Option{"on": nil, "off": por.NoSave()})},
	{"corpus", "FOLDER", "on: searches with faults keep what has reached something rare in a folder of POR_CACHE, and later ones begin with it; another folder; or off (on)", func(s string) (por.Option, error) {
		switch {
		case s == "on":
			return nil, nil
		case s == "off":
			return por.Corpus(""), nil
		case !filepath.IsAbs(s):
			return nil, errors.New("the path is not absolute, and tests run in the folders of their packages")
		}
		return por.Corpus(s), nil
	}},
	{"processes", "N", "explore with N worker processes, each of which runs TestMain, or 0: with none (one for each other processor, in searches of more than a second, where they would not meet)", numbers(por.Processes, 0)},
	{"strict", "MODE", "off, on: tests that a limit has stopped and tests that were not explored make the run fail, or all: so do tests with assumptions (off)", choices(map[string]por.Option{"off": nil, "on": nil, "all": nil})},
	{"keep", "N", "go on after a failure until there are N different ones (1)", numbers(por.KeepGoing, 1)},
}

// plain returns err with a text that gives an example of a valid value.
func plain(err error, value string) error {
	var number *strconv.NumError
	switch {
	case errors.As(err, &number) && errors.Is(err, strconv.ErrRange):
		return errors.New("the number is too large")
	case errors.As(err, &number) && value != "" && strings.Trim(value, "-0123456789") == "":
		return errors.New("the number must not be negative")
	case errors.As(err, &number):
		return errors.New("this is not a whole number such as 1000")
	case err != nil && strings.HasPrefix(err.Error(), "time: "):
		if _, err := strconv.ParseFloat(value, 64); err == nil {
			return fmt.Errorf("a time has a unit, such as %ss", value)
		}
		return errors.New("this is not a time such as 3s, 500ms or 1m30s")
	}
	return err
}

// misspelt is the error of a value that may be a misspelling of another one.
type misspelt struct{ text, mean string }

func (m *misspelt) Error() string { return m.text }

// meant returns the question whether a similar value was meant, "" if no value is similar.
func meant(err error) string {
	var m *misspelt
	if errors.As(err, &m) {
		return m.mean
	}
	return ""
}

// atLeast returns err, or an error for a value below the minimum if ok is false.
func atLeast(least string, ok bool, err error) error {
	if err == nil && !ok {
		return errors.New("the value must be at least " + least)
	}
	return err
}

// size parses a number of bytes, which may end in KB, MB or GB.
func size(s string) (int64, error) {
	unit := int64(1)
	for i, suffix := range []string{"KB", "MB", "GB"} {
		if number, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = strings.TrimSpace(number), 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n > math.MaxInt64/unit {
		err = strconv.ErrRange
	}
	return n * unit, err
}

// times parses a time that is not less than another one.
func times(option func(time.Duration) por.Option, least string) parser {
	return func(s string) (por.Option, error) {
		d, err := time.ParseDuration(s)
		lowest, _ := time.ParseDuration(least)
		return option(d), atLeast(least, d >= lowest, err)
	}
}

// none is for flags that the command reads.
func none(time.Duration) por.Option { return nil }

// numbers parses a number that is not less than another one.
func numbers[N int | int64](option func(N) por.Option, least N) parser {
	return func(s string) (por.Option, error) {
		n, err := strconv.ParseInt(s, 10, reflect.TypeFor[N]().Bits())
		return option(N(n)), atLeast(fmt.Sprint(least), N(n) >= least, err)
	}
}

// modes parses a mode.
func modes[M any](option func(M) por.Option, values map[string]M) parser {
	return func(s string) (por.Option, error) {
		m, err := mode(s, values)
		return option(m), err
	}
}

// parseFaults parses kinds of faults, and how many of them an execution may have.
func parseFaults(s string) (por.Option, error) {
	s, number, limited := strings.Cut(s, ":")
	most := 1
	if limited {
		n, err := strconv.Atoi(number)
		if err = atLeast("1", n >= 1, err); err == nil && n > faults.Most {
			err = fmt.Errorf("the value must be at most %d", faults.Most)
		}
		if err != nil {
			return nil, err
		}
		most = n
	}
	kinds := map[string]sched.Faults{"all": sched.FaultsAll}
	for _, name := range faults.Names() {
		kinds[name] = sched.Faults(faults.Named(name))
	}
	var all sched.Faults
	for name := range strings.SplitSeq(s, ",") {
		k, err := mode(name, kinds)
		if err != nil {
			return nil, err
		}
		all |= k
	}
	return por.Faults(most, all), nil
}

// choices parses the name of an option.
func choices(values map[string]por.Option) parser {
	return func(s string) (por.Option, error) { return mode(s, values) }
}

func mode[M any](s string, modes map[string]M) (M, error) {
	m, ok := modes[s]
	if !ok {
		return m, &misspelt{"there is no such mode", spell.Mean("", s, slices.Sorted(maps.Keys(modes)))}
	}
	return m, nil
}

// Usage describes the flags. Each has a line that begins with its name, and its text below that.
func Usage() string {
	const indent = "        "
	var b strings.Builder
	for _, f := range flags {
		fmt.Fprintf(&b, "  -%s%s %s\n%s\n", Prefix, f.name, f.arg, format.Wrap(indent, indent, f.usage, 80))
	}
	return b.String()
}

// Env returns the environment variable, with its value, that passes a flag to test programs.
// The error is one line that describes the mistake in the flag.
func Env(name, value string) (string, error) {
	var names []string
	for _, f := range flags {
		if Prefix+f.name != name {
			names = append(names, "-"+Prefix+f.name)
			continue
		}
		if _, err := f.parse(value); err != nil {
			return "", fmt.Errorf("-%s=%s: %w%s", name, value, plain(err, value), f.advice(meant(err)))
		}
		return f.env() + "=" + value, nil
	}
	return "", fmt.Errorf("unknown flag -%s%s", name, spell.Unknown(Mean(name), strings.Join(names, " ")))
}

// Has reports whether there is a flag of a name without its prefix.
func Has(name string) bool {
	return slices.ContainsFunc(flags, func(f flag) bool { return f.name == name })
}

// Mean returns the question whether another flag was meant by an unknown name, such as "; did
// you mean -check.time?". It returns "" if no flag has a similar name.
func Mean(name string) string {
	before, after, dotted := strings.Cut(name, ".")
	switch prefix := strings.TrimSuffix(Prefix, "."); {
	case spell.Word(before, []string{prefix}) == "":
		return ""
	case dotted:
		var names []string
		for _, f := range flags {
			names = append(names, f.name)
		}
		return spell.Mean("-"+Prefix, after, names)
	default:
		return spell.Mean("-", before, []string{prefix})
	}
}

// advice describes the values that the flag accepts, and the one that may have been meant.
func (f *flag) advice(meant string) string {
	if f.arg == "N" || f.arg == "D" {
		return "; the flag means: " + f.usage
	}
	return spell.Unknown(meant, f.usage)
}

func (f *flag) env() string { return environ.CheckPrefix + strings.ToUpper(f.name) }

// Steps returns the default limit of steps for an execution of a whole test. Tests of plain
// sequential code perform many thousand operations. Engines that recognise states get a lower
// limit, since they show a livelock by repeating its cycle up to the limit.
func Steps() int {
	e, _ := engine.Named(os.Getenv((&flag{name: "engine"}).env()))
	if e != nil && trace.Describe(e).WithKeying != nil {
		return 10_000
	}
	return 1_000_000
}

// Options returns the options that the environment sets for every Check.
func Options() ([]por.Option, error) {
	var opts []por.Option
	for _, f := range flags {
		text, ok := os.LookupEnv(f.env())
		if !ok {
			continue
		}
		o, err := f.parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s=%q: %v", f.env(), text, err)
		}
		if o != nil {
			opts = append(opts, o)
		}
	}
	return opts, nil
}
