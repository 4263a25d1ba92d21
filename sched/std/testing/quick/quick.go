package quick

import (
	"math/rand"
	"reflect"
	"testing/quick"

	"github.com/gopor/gopor/sched"
)

// The types are those of the standard library.
type (
	CheckEqualError = quick.CheckEqualError
	CheckError      = quick.CheckError
	Config          = quick.Config
	Generator       = quick.Generator
	SetupError      = quick.SetupError
)

// Check calls f, which returns a bool, with arbitrary values until it returns false.
func Check(f any, config *Config) error { return quick.Check(f, seeded(config)) }

// CheckEqual calls f and g with arbitrary values until they return something else.
func CheckEqual(f, g any, config *Config) error { return quick.CheckEqual(f, g, seeded(config)) }

// Value returns an arbitrary value of the type.
func Value(t reflect.Type, rand *rand.Rand) (value reflect.Value, ok bool) {
	return quick.Value(t, rand)
}

// seeded returns a config with a source of values, which is the same in every
// execution.
func seeded(config *Config) *Config {
	if !sched.Controlled() || !sched.Active() || config != nil && config.Rand != nil {
		return config
	}
	sched.Assume(sched.AssumeRandom, "values of package testing/quick")
	c := Config{}
	if config != nil {
		c = *config
	}
	c.Rand = rand.New(rand.NewSource(int64(sched.Seed())))
	return &c
}
