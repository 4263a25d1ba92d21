package por

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/check"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Option changes how [Check], [Explore] or [ExploreProgram] search. An option
// with an invalid value makes the call fail at once, naming the option.
type Option interface{ option() }

// option is an Option that changes the config by a call.
type option func(*explore.Config) error

func (o option) option() {}

// Set implements the interface by which package internal/explore applies options.
func (o option) Set(c *explore.Config) error { return o(c) }

// always returns an option that cannot be refused.
func always(change func(c *explore.Config)) Option {
	return option(func(c *explore.Config) error {
		change(c)
		return nil
	})
}

// unless returns an option that is refused if its value is bad. The refusal is a format.
func unless(bad bool, change func(c *explore.Config), refusal string, args ...any) Option {
	if !bad {
		return always(change)
	}
	err := fmt.Errorf(refusal, args...)
	return option(func(*explore.Config) error { return err })
}

// Engine sets the engine that chooses the schedules. The default is [engine.Auto], which is
// [engine.Optimal] where there is no limit of time, or [engine.Optimal] itself under the option [Exhaustive].
// Any implementation of [trace.Engine] fits; what verdicts say of it, and whether [Seed]
// has a meaning, it tells by a method About: see [trace.About].
func Engine(e trace.Engine) Option {
	return unless(check.IsNil(e), func(c *explore.Config) { c.Engine = e },
		"Engine: the engine is nil; give a value such as engine.Optimal{}, engine.DFS{} or engine.Random{}, or leave the option out")
}

// MaxExecutions stops the search after n executions, n >= 1. There is no such
// limit by default.
func MaxExecutions(n int64) Option {
	return unless(n < 1, func(c *explore.Config) { c.Limits.Executions = n },
		"MaxExecutions(%d): the limit must be at least 1; leave the option out for no limit", n)
}

// Direct says that the closure uses the primitives of package sched only, so that it makes no
// difference that the test binary could not be brought under control. The environment variable
// POR_INSTRUMENT=off keeps a test binary from being built again under control at all, and verdicts
// say that without Direct; a package with tests that use primitives of package sched is left as it
// is without either, and so is every other program. There a closure that performs no operation of
// that package is taken for native code, unless Direct is given. A goroutine that shows to have
// been started by a go statement is named in any case.
func Direct() Option {
	return always(func(c *explore.Config) { c.Direct = true })
}

// MaxTime stops the search after d, in the middle of an execution; 0 means never. The
// default of [Check] is ten seconds, or one under -short; Check also stops in time for the
// test's own deadline, whatever MaxTime says. [Explore] has no limit by default, except
// ten seconds for engines that draw executions at random without end. The first complete
// execution has three seconds at least, with those before it that are given up as redundant. If it
// takes longer than that and than d, nothing was explored, which is an error. To minimise and record all that was found takes no longer than
// three times the limit, or nine seconds if that is more; a replay that was asked for has no limit.
func MaxTime(d time.Duration) Option {
	return unless(d < 0, func(c *explore.Config) { c.Limits.Time, c.Says.Time = d, true },
		"MaxTime(%v): the limit must not be negative; 0 means no limit", d)
}

// MaxMemory stops the search when the heap of the process has grown by n bytes since the
// search began, n >= 0: that is mostly what engines keep of executions, to know what
// remains to be explored. It holds for the executions of a report, and for those of a replay, too.
// The default is 1 GB; 0 means no limit.
func MaxMemory(n int64) Option {
	return unless(n < 0, func(c *explore.Config) { c.Limits.Memory = n },
		"MaxMemory(%d): the limit must not be negative; 0 means no limit", n)
}

// Budget is for programs that are too large to exhaust: it spends the time d, d > 0,
// on looking for failures, first bound by bound and then at random. It is [MaxTime]
// with the engine [engine.Hunt].
func Budget(d time.Duration) Option {
	return unless(d <= 0, func(c *explore.Config) { c.Engine, c.Limits.Time, c.Says.Time = engine.Hunt{}, d, true },
		"Budget(%v): the time must be positive", d)
}

// MaxSteps sets how many operations an execution may perform before it is
// reported, n >= 1: as a livelock, if its later half is a loop in which nothing new
// happens, or as too long to explore. The default is 10,000. An execution that gets
// there because its schedule keeps some goroutine from going on is no failure:
// it counts as pruned, and the search as not exhaustive. A limit below 1,000
// leaves the engines too little room to tell one from the other.
func MaxSteps(n int) Option {
	return unless(n < 1, func(c *explore.Config) { c.Run.MaxSteps = n },
		"MaxSteps(%d): the limit must be at least 1; leave the option out for the default of 10,000", n)
}

// Races sets how accesses of a [sched.Var] are treated. The default is
// [sched.RaceFail].
func Races(m sched.RaceMode) Option {
	return unless(m > sched.RaceIgnore, func(c *explore.Config) { c.Run.Races = m },
		"Races(%d): unknown mode; sched.RaceFail, sched.RaceExplore and sched.RaceIgnore are allowed", m)
}

// RandSeed sets the seed of the random numbers that rewritten code draws from packages
// math/rand, math/rand/v2 and crypto/rand, 0 by default: each has other numbers. By default
// a search with a limit of time also runs some executions, drawn at random, with numbers
// of other seeds, if any were drawn and no failure was found; under this option it does not.
func RandSeed(n uint64) Option {
	return always(func(c *explore.Config) { c.Run.Seed, c.Says.Numbers = n, true })
}

// Time sets how virtual time passes. The default is [sched.TimeDiscrete], followed by
// [sched.TimeLag] where executions have waited for the clock, no failure was found and
// the limits allow it. It is discrete time only if that is granted ([sched.AssumeClock]),
// or under the option [Exhaustive].
func Time(m sched.TimeMode) Option {
	return unless(m > sched.TimeLag, func(c *explore.Config) { c.Run.Time, c.Says.Clock = m, true },
		"Time(%d): unknown mode; sched.TimeDiscrete, sched.TimeLag and sched.TimeAnyOrder are allowed", m)
}

// Lag sets by how much the clock may be ahead in [sched.TimeLag], d > 0: how long code
// may take. The default is [exec.DefaultLag], 100ms.
func Lag(d time.Duration) Option {
	return unless(d <= 0, func(c *explore.Config) { c.Run.Lag = d },
		"Lag(%v): the lag must be positive; for none give Time(sched.TimeDiscrete)", d)
}

// Start sets when the clock begins, in every execution: the moment t, in a year from 1950 to 2200.
// The default is [exec.DefaultStart]. A replay string, and a saved schedule, has the moment in it.
func Start(t time.Time) Option {
	y := t.UTC().Year()
	return unless(y < 1950 || y > 2200, func(c *explore.Config) { c.Run.Start = t },
		"Start(%v): the year must be one from 1950 to 2200; leave the option out for %v", t, exec.DefaultStart())
}

// MaxClock sets a limit of virtual time, d > 0: an execution in which the closure has not returned
// by then fails, as a deadlock that says so. The default of [Check] is the value of go test's flag
// -timeout, which is ten minutes if that is not given: a test that takes longer fails natively.
// With -timeout=0 it is a day. The default does not hold in bubbles of package testing/synctest,
// where time costs nothing natively, nor in [sched.TimeAnyOrder]. With engines that recognise
// states it is a limit of each single wait.
// [Explore] has no limit by default.
func MaxClock(d time.Duration) Option {
	return unless(d <= 0, func(c *explore.Config) { c.Run.MaxClock = d },
		"MaxClock(%v): the limit must be positive, such as %v; leave the option out for that of go test -timeout", d, explore.DefaultMaxClock)
}

// Rand sets where the numbers come from that native code draws with the functions
// of packages math/rand and math/rand/v2. The default is [sched.RandSeeded].
func Rand(m sched.RandMode) Option {
	return unless(m > sched.RandExplore, func(c *explore.Config) { c.Run.Rand = m },
		"Rand(%d): unknown mode; sched.RandSeeded and sched.RandExplore are allowed", m)
}

// Maps sets in which order native code ranges over maps, by way of packages maps and
// reflect, too. The default is [sched.MapSorted].
func Maps(m sched.MapMode) Option {
	return unless(m > sched.MapExplore, func(c *explore.Config) { c.Run.Maps = m },
		"Maps(%d): unknown mode; sched.MapSorted and sched.MapExplore are allowed", m)
}

// Network sets which sockets native code has. The default is [sched.NetworkLoopback]: those of the
// loopback interface are in memory, and others are real.
func Network(m sched.NetworkMode) Option {
	return unless(m > sched.NetworkNone, func(c *explore.Config) { c.Run.Network = m },
		"Network(%d): unknown mode; sched.NetworkLoopback, sched.NetworkReal and sched.NetworkNone are allowed", m)
}

// Faults lets the network in memory, nodes and files fail in up to most places of an execution, in
// the ways of kinds, such as [sched.FaultReset]. By default they do not fail. A fault comes right
// before a use of a socket or of a file, or at a stop of a node. Where that is in the schedule is
// explored, as for any operation. The search begins without faults. Then comes every place for one
// fault that an execution had, then for two, and so on. If that takes too long, some executions
// are drawn for each place. Where several faults are allowed, and there is no time to draw for each
// place, executions with up to most faults at random places are drawn first, each with a mix of
// kinds of its own. The verdict says what was covered, and reports begin with the faults. The
// options Workers and Processes do not go with this one.
func Faults(most int, kinds sched.Faults) Option {
	if most < 1 || most > faults.Most {
		return unless(true, nil, "Faults(%d, %v): an execution may have from 1 to %d faults; leave the option out for none", most, kinds, faults.Most)
	}
	return unless(kinds == 0 || kinds&^sched.FaultsAll != 0, func(c *explore.Config) { c.Run.Faults, c.MostFaults = kinds, most },
		"Faults(%d, %d): unknown kinds; sched.FaultReset and the like, and sched.FaultsAll, are allowed", most, uint16(kinds))
}

// Model sets which primitives do all that Go allows, at the price of more traces:
// [sched.ModelFine], or some of what that consists of. By default they have their
// usual models, and the verdict says where one that leaves something out was met.
func Model(m sched.Model) Option {
	return unless(m&^sched.ModelFine != 0, func(c *explore.Config) { c.Run.Model = m },
		"Model(%d): unknown model; sched.ModelFine and what it consists of are allowed", m)
}

// Seed sets the seed of an engine that draws random numbers. Engines that draw
// none refuse it.
func Seed(n uint64) Option {
	return always(func(c *explore.Config) { c.Seed, c.Says.Seed = n, true })
}

// AllowLeaks says that goroutines which wait for ever after the closure has
// returned are no failure. For ever is, until virtual time has moved on a
// hundred times: a goroutine that serves a ticker waits for ever.
//
// By default those are a failure that are leaked. A goroutine is leaked if it waits for channels,
// locks, conditions or WaitGroups that nothing but waiting goroutines can reach. Package-level
// variables can reach them, and so can goroutines that sleep or run, and timers that may fire. What
// the closure captures does not count.
func AllowLeaks() Option {
	return always(func(c *explore.Config) { c.Run.AllowLeaks, c.StrictLeaks = true, false })
}

// StrictLeaks makes it a failure if goroutines wait for ever after the closure has returned, also
// if something still reaches what they wait for: see [AllowLeaks]. Of the two options the later one
// holds.
func StrictLeaks() Option {
	return always(func(c *explore.Config) { c.Run.AllowLeaks, c.StrictLeaks = false, true })
}

// KeepGoing continues the search after a failure until n distinct failures
// were found, n >= 1. Failures are distinct if their kind or message differs.
func KeepGoing(n int) Option {
	return unless(n < 1, func(c *explore.Config) { c.Limits.Failures = n },
		"KeepGoing(%d): the number of failures to collect must be at least 1", n)
}

// Symmetric promises that goroutines started by the same go statement, by the same goroutine,
// are interchangeable: they run the same code on data that are no different, as workers do
// that take what comes. What exchanging some of them makes of an execution need not be explored
// then: of n goroutines that increment a counter under a lock, one trace is left of n!. See
// [exec.Options] for what is checked of the promise. The verdict says that executions were
// counted up to exchange.
//
// It is the idea of Kokologiannakis, Marmanis and Vafeiadis, "SPORE: Combining Symmetry and
// Partial Order Reduction" (PLDI 2024). They compare all that two threads have done so far.
// Here only the first operations are ordered, which goes with every engine: if those of the
// goroutines depend on each other, as Lock requests do, exactly one trace is explored of those
// that differ by an exchange; else at least one, and never more than without the option.
func Symmetric() Option {
	return always(func(c *explore.Config) { c.Run.Symmetric = true })
}

// FindSymmetric has the search find goroutines that are interchangeable, and check that they are:
// workers that one goroutine starts by one go statement, on the same captured values, without
// learning anything meanwhile. What exchanging some of them makes of an execution is not explored
// then, as with [Symmetric], and the verdict says of which goroutines that holds: "up to renaming
// of 8 goroutines (pool.go:31)". Where an execution tells such goroutines apart, by random numbers
// or by the stack of a goroutine, say, the search begins anew without the option. It does nothing
// unless data races are failures, in a search with faults, where states are told apart, and with
// [Workers] and [Processes]. It keeps goroutines from beginning late, so an execution takes longer,
// and no worker processes are started by themselves.
//
// The design page "Symmetric goroutines" has the proof that no other execution is left out.
func FindSymmetric() Option {
	return always(func(c *explore.Config) { c.Run.Alike = true })
}

// Exhaustive makes it an error if the search ends, without a failure, before
// everything was covered, or if it takes something for granted that [Grant] does not
// allow.
func Exhaustive() Option {
	return always(func(c *explore.Config) { c.Exhaustive = true })
}

// Grant allows a search to take for granted what assumptions of those kinds say, and
// to call itself exhaustive all the same. The verdict names what was met of them:
//
//	all 6 traces explored, none fails (exhaustive, granted: timers fire in the order of their deadlines; optimal DPOR, 1ms)
//
// What is granted but was not met is not named. Given several times, the option adds
// up.
func Grant(kinds ...sched.AssumptionKind) Option {
	return option(func(c *explore.Config) error {
		if len(kinds) == 0 {
			return errors.New("Grant: no kind of assumption is given; give some, such as sched.AssumeClock, or leave the option out")
		}
		for _, k := range kinds {
			if advice.Rank(exec.Assumption{Kind: k}) < 0 {
				return fmt.Errorf("Grant(%d): unknown kind of assumption; the constants sched.AssumeClock to sched.AssumeCount are allowed", k)
			}
			if !slices.Contains(c.Granted, k) {
				c.Granted = append(c.Granted, k)
			}
		}
		return nil
	})
}

// Context stops the search when ctx is done, as a limit does: in the middle of an
// execution, and even of the first. The verdict then says so, and that is no error.
func Context(ctx context.Context) Option {
	return unless(check.IsNil(ctx), func(c *explore.Config) { c.Limits.Ctx = ctx },
		"Context: the context is nil; leave the option out for none")
}

// Watchdog sets how long an execution may go without performing an operation before it counts as
// stuck outside control, d > 0. The default is ten seconds, or [MaxTime] if that is less, but three
// seconds at least.
func Watchdog(d time.Duration) Option {
	return unless(d <= 0, func(c *explore.Config) { c.Limits.Watchdog = d },
		"Watchdog(%v): the time must be positive; to wait longer for slow code give a larger one", d)
}

// Progress prints one line a second to w while the search runs. The lines are
// written by one goroutine at a time.
func Progress(w io.Writer) Option {
	return unless(check.IsNil(w), func(c *explore.Config) { c.Progress = w },
		"Progress: the writer is nil; leave the option out for silence")
}

// NoSave keeps [Check] from saving failing schedules, and from running those that were saved
// before its search. The environment variable POR_SAVE=off does so for all.
func NoSave() Option {
	return always(func(c *explore.Config) { c.NoSave = true })
}

// Corpus sets the folder in which searches with [Faults] keep what later ones begin with. That is
// how to run executions again that have reached something rare, see [Reached], and how many
// searches there were, so that each draws other executions. An empty name is for no folder. The
// default of [Check] is a folder of POR_CACHE, that of [Explore] is none. A search with a [Seed]
// goes without: it is the same each time.
func Corpus(folder string) Option {
	return unless(folder != "" && !filepath.IsAbs(folder), func(c *explore.Config) { c.Corpus, c.Says.Corpus = folder, true },
		"Corpus(%q): the path is not absolute, and tests run in the folders of their packages; give one that is, or \"\" for none", folder)
}

// Full makes reports show all steps of an execution and the stacks of all goroutines,
// however long that gets. In a test the flag -por.full does so, and so does the environment variable
// POR_FULL=1. By default a report is at most some forty lines long.
func Full() Option {
	return always(func(c *explore.Config) { c.Full = true })
}

// ShowOutput lets every execution write to the standard files and to the log of the test.
// By default only what the failing execution has written is shown, in its report; see
// [report.Failure].
func ShowOutput() Option {
	return always(func(c *explore.Config) { c.ShowOutput = true })
}

// Name sets the name by which a replay string knows its program. [Check] goes by
// the test's name, [Explore] by the name of the function that calls it.
func Name(name string) Option {
	return unless(name == "", func(c *explore.Config) { c.Name = name },
		"Name: the name is empty; leave the option out for the default")
}

// Replay runs the one schedule of a replay string in place of a search, as the
// environment variable POR_REPLAY does. In place of the string it may be the path of a
// saved schedule, from the folder in which the process was started.
func Replay(s string) Option {
	return unless(s == "", func(c *explore.Config) { c.Replay = s },
		"Replay: the replay string is empty; give one that a failure report has printed")
}

// Lenient lets a replay go on past the point where the program no longer does
// what the schedule calls for: what does not fit is skipped, and the end of the
// schedule is followed by default choices. The environment variable
// POR_REPLAY_LENIENT=1 does the same.
func Lenient() Option {
	return always(func(c *explore.Config) { c.Lenient = true })
}
