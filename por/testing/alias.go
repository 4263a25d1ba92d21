package testing

import (
	"testing"

	"github.com/gopor/gopor/internal/hook"
)

// Types that need no twin are those of package testing.
type (
	B                 = testing.B
	BenchmarkResult   = testing.BenchmarkResult
	Cover             = testing.Cover
	CoverBlock        = testing.CoverBlock
	InternalBenchmark = testing.InternalBenchmark
	InternalExample   = testing.InternalExample
	M                 = testing.M
	PB                = testing.PB
	TB                = testing.TB
)

func Benchmark(f func(b *B)) BenchmarkResult { return testing.Benchmark(f) }
func CoverMode() string                      { return testing.CoverMode() }
func Coverage() float64                      { return testing.Coverage() }
func Init()                                  { testing.Init() }
func RegisterCover(c Cover)                  { testing.RegisterCover(c) }
func Short() bool                            { return testing.Short() }
func Testing() bool                          { return testing.Testing() }
func Verbose() bool                          { return testing.Verbose() }

// AllocsPerRun calls f runs+1 times, like the original. Under control it returns 0, since only
// the allocations of control itself could be counted.
func AllocsPerRun(runs int, f func()) (avg float64) {
	if !hook.Active() {
		return testing.AllocsPerRun(runs, f)
	}
	for range runs + 1 {
		f()
	}
	return 0
}

func RunBenchmarks(match func(pat, str string) (bool, error), benchmarks []InternalBenchmark) {
	testing.RunBenchmarks(match, benchmarks)
}

func RunExamples(match func(pat, str string) (bool, error), examples []InternalExample) (ok bool) {
	return testing.RunExamples(match, examples)
}
