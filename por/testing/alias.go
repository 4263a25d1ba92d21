package testing

import (
	"testing"

	"github.com/gopor/gopor/internal/hook"
)

// What a test only names is package testing's own.
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

// AllocsPerRun calls f one time more than runs, as ever. Under control it returns
// 0: what could be counted there is what control itself allocates.
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
