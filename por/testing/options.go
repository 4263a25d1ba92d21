package testing

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// maxSteps is how long an execution of a whole test may be. Tests of plain
// sequential code do many thousand operations.
const maxSteps = 1_000_000

// setting is an environment variable that por test -check sets from a flag, and
// what it asks of por.Check.
type setting struct {
	env   string
	parse func(string) (por.Option, error)
}

var settings = []setting{
	{"POR_CHECK_TIME", func(s string) (por.Option, error) {
		d, err := time.ParseDuration(s)
		return por.MaxTime(d), err
	}},
	{"POR_CHECK_EXECUTIONS", func(s string) (por.Option, error) {
		n, err := strconv.ParseInt(s, 10, 64)
		return por.MaxExecutions(n), err
	}},
	{"POR_CHECK_STEPS", func(s string) (por.Option, error) {
		n, err := strconv.Atoi(s)
		return por.MaxSteps(n), err
	}},
	{"POR_CHECK_SEED", func(s string) (por.Option, error) {
		n, err := strconv.ParseUint(s, 10, 64)
		return por.Seed(n), err
	}},
	{"POR_CHECK_ENGINE", func(s string) (por.Option, error) {
		e, ok := por.EngineNamed(s)
		if !ok {
			return nil, fmt.Errorf("no engine has that name; there are %v", por.EngineNames())
		}
		return por.Engine(e), nil
	}},
	{"POR_CHECK_RACES", func(s string) (por.Option, error) {
		modes := map[string]sched.RaceMode{"fail": sched.RaceFail, "explore": sched.RaceExplore, "ignore": sched.RaceIgnore}
		m, ok := modes[s]
		if !ok {
			return nil, fmt.Errorf("fail, explore and ignore are allowed")
		}
		return por.Races(m), nil
	}},
	{"POR_CHECK_CLOCK", func(s string) (por.Option, error) {
		modes := map[string]sched.TimeMode{"discrete": sched.TimeDiscrete, "any": sched.TimeAnyOrder}
		m, ok := modes[s]
		if !ok {
			return nil, fmt.Errorf("discrete and any are allowed")
		}
		return por.Time(m), nil
	}},
	{"POR_CHECK_RAND", func(s string) (por.Option, error) {
		modes := map[string]sched.RandMode{"seeded": sched.RandSeeded, "explore": sched.RandExplore}
		m, ok := modes[s]
		if !ok {
			return nil, fmt.Errorf("seeded and explore are allowed")
		}
		return por.Rand(m), nil
	}},
	{"POR_CHECK_LEAKS", func(s string) (por.Option, error) {
		if s != "allow" {
			return nil, fmt.Errorf("only allow is allowed")
		}
		return por.AllowLeaks(), nil
	}},
}

// options returns what the command line asks of every Check.
func options() ([]por.Option, error) {
	opts := []por.Option{por.MaxSteps(maxSteps)}
	for _, s := range settings {
		text, ok := os.LookupEnv(s.env)
		if !ok {
			continue
		}
		o, err := s.parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s=%q: %v", s.env, text, err)
		}
		opts = append(opts, o)
	}
	return opts, nil
}
