package explore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/tuning"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Config is what the options of one call add up to.
type Config struct {
	Engine      trace.Engine
	Usual       bool // the engine is the one that there is without an option
	Seed        uint64
	Limits      Limits
	Run         exec.Options
	Says        says
	MostFaults  int // faults of an execution, of the kinds of Run.Faults
	Progress    io.Writer
	ShowOutput  bool   // of all executions
	NoSave      bool   // failing schedules
	Corpus      string // the folder of what searches with faults keep, "" for none
	Name        string
	Replay      string
	Lenient     bool
	Exhaustive  bool // a search that is not exhaustive is an error
	Granted     []sched.AssumptionKind
	Full        bool // reports show everything
	StrictLeaks bool // what is left behind is a failure, whether or not it is leaked
	Direct      bool // the closure uses package sched itself
	Workers     int  // executions at a time, 0 for one
	Processes   int  // that explore for this one, 0 for none
}

// Limits end a search.
type Limits struct {
	Executions int64           // 0: no limit
	Time       time.Duration   // 0: no limit
	Memory     int64           // bytes, 0: no limit
	Failures   int             // to be collected before the search stops, at least 1
	Watchdog   time.Duration   // without an operation
	Ctx        context.Context // ends the search, may be nil
}

// says has what an option has said, and not only a default.
type says struct {
	Seed      bool
	Time      bool // the limit of it
	Clock     bool // how time passes
	Numbers   bool // which random numbers are drawn
	Processes bool
	Corpus    bool
}

// The limits that hold where no option says otherwise.
const (
	DefaultCheckTime = 10 * time.Second // of one Check
	DefaultShortTime = time.Second      // of one Check under -short
	defaultWatchdog  = 10 * time.Second
	defaultMemory    = 1 << 30 // bytes, of every search

	DefaultMaxClock  = 10 * time.Minute // as of go test -timeout
	timelessMaxClock = 24 * time.Hour   // with -timeout=0
)

// prelude is how many operations of main are steps before it starts a goroutine: more than a report
// shows of what precedes the first go statement.
const prelude = 1000

// DefaultClock sets the limit of virtual time where no option does.
func (c *Config) DefaultClock() {
	if c.Run.MaxClock > 0 {
		return
	}
	c.Run.MaxClock, c.Run.Natively = DefaultMaxClock, true
	if Assigned != nil { // a worker has no -timeout of its own
		if d := Assigned.MaxClock; d > 0 {
			c.Run.MaxClock = d
		}
		return
	}
	switch d, err := time.ParseDuration(FlagValue("test.timeout")); {
	case err != nil:
	case d > 0:
		c.Run.MaxClock = d
	default:
		c.Run.MaxClock = timelessMaxClock
	}
}

// DefaultTime sets the limit of time where no option does.
func (c *Config) DefaultTime(d time.Duration) {
	if !c.Says.Time {
		c.Limits.Time = d
	}
}

// exploresAllOrders reports whether e is a search that would explore every trace, if there is no
// limit, and does not tell states apart. So a goroutine that has looked too early in one of its
// executions has looked later in another one.
func exploresAllOrders(e trace.Engine) bool {
	about := trace.Describe(e)
	return !about.Random && !about.Endless && about.WithBound == nil && about.WithKeying == nil
}

// Setter is an option: it changes a config.
type Setter interface{ Set(*Config) error }

// NewConfig applies the options, which are Setters, and looks at the environment. All mistakes are
// reported, as one error.
func NewConfig[O any](opts []O) (Config, error) {
	c := Config{Limits: Limits{Failures: 1, Memory: defaultMemory}, Full: wantsFull()}
	var errs []error
	if err := environ.Check(); err != nil {
		errs = append(errs, err)
	}
	for i, o := range opts {
		set, ok := any(o).(Setter)
		if !ok {
			errs = append(errs, fmt.Errorf("option %d is nil; leave it out", i+1))
			continue
		}
		if err := set.Set(&c); err != nil {
			errs = append(errs, err)
		}
	}
	if Assigned != nil && Assigned.Serve {
		c.Processes, c.Limits.Time, c.Says.Time = max(c.Processes, 1), Assigned.Limit, true
	}
	for _, check := range []func() error{c.checkFaults, c.checkWorkers, c.checkProcesses} {
		if err := check(); err != nil {
			errs = append(errs, err)
		}
	}
	if c.Engine == nil {
		c.Usual = true
		c.Engine = engine.Auto{}
		if c.Exhaustive {
			c.Engine = engine.Optimal{}
		}
	}
	if c.Says.Seed {
		if with := trace.Describe(c.Engine).WithSeed; with != nil {
			c.Engine = with(c.Seed)
		} else {
			errs = append(errs, fmt.Errorf("Seed(%d): the engine %q draws no random numbers; leave the option out or choose Random, PCT or POS", c.Seed, c.Engine.Name()))
		}
	}
	if e, ok := c.Engine.(interface{ Tracked() bool }); ok {
		c.Run.Turns = e.Tracked()
	}
	c.Run.Prelude = prelude
	c.Run.Awaits = exploresAllOrders(c.Engine)
	c.Run.Needless = c.Run.Awaits
	c.Run.OwnPools = c.ownPools()
	c.Run.Alike = c.Run.Alike && c.Workers < 2 && c.Processes == 0
	if c.Limits.Watchdog == 0 {
		if c.Limits.Watchdog = defaultWatchdog; c.Limits.Time > 0 {
			c.Limits.Watchdog = min(defaultWatchdog, max(tuning.FirstTime, c.Limits.Time))
		}
	}
	if c.Run.Lag == 0 {
		c.Run.Lag = exec.DefaultLag
	}
	if len(errs) > 0 {
		return c, fmt.Errorf("por: %w", errors.Join(errs...))
	}
	return c, nil
}

// checkWorkers sets the engine that workers need, or says that it knows of none.
func (c *Config) checkWorkers() error {
	switch {
	case c.Workers < 2:
	case c.Engine == nil:
		c.Engine = engine.Reverse{}
	case trace.Describe(c.Engine).WithWorkers == nil:
		return fmt.Errorf("Workers(%d): the engine %q runs one execution at a time; leave the option out or choose Reverse", c.Workers, c.Engine.Name())
	}
	return nil
}

// checkFaults refuses what notes no sites of faults.
func (c *Config) checkFaults() error {
	switch {
	case c.MostFaults == 0:
	case c.Workers > 1:
		return fmt.Errorf("Workers(%d): a search with faults runs one execution at a time; leave out one of the options", c.Workers)
	case c.Processes > 0:
		return fmt.Errorf("Processes(%d): a search with faults is made by one process; leave out one of the options", c.Processes)
	}
	return nil
}

// checkProcesses sets the engine that worker processes need, or says that they do not know it.
func (c *Config) checkProcesses() error {
	if c.Processes == 0 {
		return nil
	}
	if c.Engine == nil {
		c.Engine = engine.Reverse{}
	}
	switch _, ok := c.Engine.(engine.Reverse); {
	case !ok:
		return fmt.Errorf("Processes(%d): what the engine %q leaves to be explored cannot be given to other processes; leave the option out or choose Reverse", c.Processes, c.Engine.Name())
	case c.Workers > 1:
		return fmt.Errorf("Processes(%d): there are %d workers within the process already; leave out one of the options", c.Processes, c.Workers)
	}
	return nil
}

// The flags of test binaries, which do as the environment variables of their names do.
var fullFlag, jsonFlag, htmlFlag = func() (full *bool, json, html *string) {
	if !testing.Testing() || flag.Lookup("por.full") != nil {
		return new(bool), new(string), new(string)
	}
	return flag.Bool("por.full", false, "show all of the executions that fail"),
		flag.String("por.json", "", "write every failure as data to `file`, which ends in .json, or to a folder"),
		flag.String("por.html", "", "write every failure as a page to `file`, which ends in .html, or to a folder")
}()

// wantsFull reports whether everything is to be shown, whatever the options say.
func wantsFull() bool { return *fullFlag || os.Getenv(environ.Full) == "1" }
