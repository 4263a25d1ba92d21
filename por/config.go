package por

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

// config is what the options of one call add up to.
type config struct {
	engine      trace.Engine
	usual       bool // the engine is the one that there is without an option
	seed        uint64
	limits      limits
	run         exec.Options
	says        says
	progress    io.Writer
	showOutput  bool // of all executions
	noSave      bool // failing schedules
	name        string
	replay      string
	lenient     bool
	exhaustive  bool // a search that is not exhaustive is an error
	granted     []sched.AssumptionKind
	full        bool // reports show everything
	strictLeaks bool // what is left behind is a failure, whether or not it is leaked
	direct      bool // the closure uses package sched itself
	workers     int  // executions at a time, 0 for one
	processes   int  // that explore for this one, 0 for none
}

// limits end a search.
type limits struct {
	executions int64           // 0: no limit
	time       time.Duration   // 0: no limit
	memory     int64           // bytes, 0: no limit
	failures   int             // to be collected before the search stops, at least 1
	watchdog   time.Duration   // without an operation
	ctx        context.Context // ends the search, may be nil
}

// says has what an option has said, and not only a default.
type says struct {
	seed      bool
	time      bool // the limit of it
	clock     bool // how time passes
	numbers   bool // which random numbers are drawn
	processes bool
}

// The limits that hold where no option says otherwise.
const (
	defaultCheckTime = 10 * time.Second // of one Check
	defaultShortTime = time.Second      // of one Check under -short
	defaultWatchdog  = 10 * time.Second
	defaultMemory    = 1 << 30 // bytes, of every search

	defaultMaxClock  = 10 * time.Minute // as of go test -timeout
	timelessMaxClock = 24 * time.Hour   // with -timeout=0
)

// defaultClock sets the limit of virtual time where no option does.
func (c *config) defaultClock() {
	if c.run.MaxClock > 0 {
		return
	}
	c.run.MaxClock, c.run.Natively = defaultMaxClock, true
	if Assigned != nil { // a worker has no -timeout of its own
		if d := Assigned.MaxClock; d > 0 {
			c.run.MaxClock = d
		}
		return
	}
	switch d, err := time.ParseDuration(flagValue("test.timeout")); {
	case err != nil:
	case d > 0:
		c.run.MaxClock = d
	default:
		c.run.MaxClock = timelessMaxClock
	}
}

// defaultTime sets the limit of time where no option does.
func (c *config) defaultTime(d time.Duration) {
	if !c.says.time {
		c.limits.time = d
	}
}

// exploresAllOrders reports whether e is a search that would explore every trace, if there is no
// limit, and does not tell states apart: a goroutine that has looked too early in one of its
// executions has looked later in another one.
func exploresAllOrders(e trace.Engine) bool {
	about := trace.Describe(e)
	return !about.Random && !about.Endless && about.WithBound == nil && about.WithKeying == nil
}

// Setter is an option: it changes a config.
type Setter interface{ Set(*config) error }

// newConfig applies the options, which are Setters, and looks at the environment. All mistakes are
// reported, as one error.
func newConfig[O any](opts []O) (config, error) {
	c := config{limits: limits{failures: 1, memory: defaultMemory}, full: wantsFull()}
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
		c.processes, c.limits.time, c.says.time = max(c.processes, 1), Assigned.Limit, true
	}
	for _, check := range []func() error{c.checkWorkers, c.checkProcesses} {
		if err := check(); err != nil {
			errs = append(errs, err)
		}
	}
	if c.engine == nil {
		c.usual = true
		c.engine = engine.Auto{}
		if c.exhaustive {
			c.engine = engine.Optimal{}
		}
	}
	if c.says.seed {
		if with := trace.Describe(c.engine).WithSeed; with != nil {
			c.engine = with(c.seed)
		} else {
			errs = append(errs, fmt.Errorf("Seed(%d): the engine %q draws no random numbers; leave the option out or choose Random, PCT or POS", c.seed, c.engine.Name()))
		}
	}
	if e, ok := c.engine.(interface{ tracked() bool }); ok {
		c.run.Turns = e.tracked()
	}
	c.run.Awaits = exploresAllOrders(c.engine)
	if c.limits.watchdog == 0 {
		if c.limits.watchdog = defaultWatchdog; c.limits.time > 0 {
			c.limits.watchdog = min(defaultWatchdog, max(tuning.FirstTime, c.limits.time))
		}
	}
	if c.run.Lag == 0 {
		c.run.Lag = exec.DefaultLag
	}
	if len(errs) > 0 {
		return c, fmt.Errorf("por: %w", errors.Join(errs...))
	}
	return c, nil
}

// checkWorkers sets the engine that workers need, or says that it knows of none.
func (c *config) checkWorkers() error {
	switch {
	case c.workers < 2:
	case c.engine == nil:
		c.engine = engine.Reverse{}
	case trace.Describe(c.engine).WithWorkers == nil:
		return fmt.Errorf("Workers(%d): the engine %q runs one execution at a time; leave the option out or choose Reverse", c.workers, c.engine.Name())
	}
	return nil
}

// checkProcesses sets the engine that worker processes need, or says that they do not know it.
func (c *config) checkProcesses() error {
	if c.processes == 0 {
		return nil
	}
	if c.engine == nil {
		c.engine = engine.Reverse{}
	}
	switch _, ok := c.engine.(engine.Reverse); {
	case !ok:
		return fmt.Errorf("Processes(%d): what the engine %q leaves to be explored cannot be given to other processes; leave the option out or choose Reverse", c.processes, c.engine.Name())
	case c.workers > 1:
		return fmt.Errorf("Processes(%d): there are %d workers within the process already; leave out one of the options", c.processes, c.workers)
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
