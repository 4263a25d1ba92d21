package enginetest

import (
	"math/rand/v2"
	"testing"

	"github.com/gopor/gopor/internal/test/oracle"
	"github.com/gopor/gopor/internal/test/toy"
)

// TestMutants shows that the suite notices what is wrong with an engine: each of
// a number of broken engines fails on a random program, and a program that is
// left after shrinking still tells it from the sound one.
func TestMutants(t *testing.T) {
	for name, f := range map[string]flaw{
		"some races missed":                  missesRaces,
		"the latest race of an event only":   firstRaceOnly,
		"races of Lock requests ignored":     lockRacesIgnored,
		"sleeping goroutines never woken":    neverWakes,
		"nothing ever put to sleep":          sleepForgotten,
		"dependent operations sleep on":      sleepsDependent,
		"wrong initial":                      wrongInitial,
		"anything taken for an initial":      notInitial,
		"alternatives ignored":               alternativesIgnored,
		"notdep takes everything":            wrongNotdep,
		"backtracking in the wrong state":    staleBacktrack,
		"reads sleep through writes":         readsCommuteWithWrites,
		"completion edges ignored":           orderIgnored,
		"only one channel of a select known": selectIsOneChannel,
		"executions miscounted":              countsWrong,
	} {
		t.Run(name, func(t *testing.T) { catch(t, f) })
	}
}

// catch looks for a program on which the engine with flaw f fails.
func catch(t *testing.T, f flaw) {
	fails := func(p *toy.Program) bool {
		want, err := oracle.Enumerate(toy.New(p), Small)
		if err != nil {
			return false
		}
		return Verify(source{flaw: f}, SleepSets, toy.New(p), toy.New(p), want) != nil && Verify(source{}, SleepSets, toy.New(p), toy.New(p), want) == nil
	}
	for i := range 3000 {
		p := toy.Generate(rand.New(rand.NewPCG(1, uint64(i))).IntN)
		if fails(p) {
			q := toy.Shrink(p, fails)
			t.Logf("caught by program %d, which shrinks to\n%v", i, q)
			return
		}
	}
	t.Error("not caught")
}

// TestSound holds the engine that the mutants are made of to its promises.
func TestSound(t *testing.T) {
	Random(t, []Subject{{Engine: source{}, Promise: SleepSets}}, 1000)
}
