package quick

import (
	"math/rand"
	"testing/quick"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// Check calls f, which returns a bool, with arbitrary values until it returns false.
func Check(f any, config *Config) error { return quick.Check(f, seeded(config)) }

// CheckEqual calls f and g with arbitrary values until their results differ.
func CheckEqual(f, g any, config *Config) error { return quick.CheckEqual(f, g, seeded(config)) }

// seeded returns a config with a source of values that is the same in every execution.
func seeded(config *Config) *Config {
	if !hook.Active() || config != nil && config.Rand != nil {
		return config
	}
	sched.Assume(sched.AssumeRandom, "values of package testing/quick")
	c := Config{}
	if config != nil {
		c = *config
	}
	c.Rand = rand.New(rand.NewSource(int64(hook.Seed())))
	return &c
}
