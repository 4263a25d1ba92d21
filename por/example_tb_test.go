package por_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// t is the testing.TB of the examples. It prints what go test -v would, without what
// differs from run to run.
var t testing.TB = &printer{}

type printer struct {
	testing.TB
	cleanup []func()
}

// Name begins a test, and ends the one before.
func (p *printer) Name() string {
	last := p.cleanup
	p.cleanup = nil
	for _, f := range last {
		f()
	}
	return "TestTransfer"
}

func (p *printer) Cleanup(f func()) { p.cleanup = append(p.cleanup, f) }
func (*printer) Helper()            {}
func (*printer) Failed() bool       { return false }
func (*printer) Skipped() bool      { return false }

var (
	duration   = regexp.MustCompile(`[0-9.]+(µs|ms|s)\b`)
	flags      = regexp.MustCompile(`go test (-\S+ )*-run `) // -race, -short
	statistics = regexp.MustCompile(`^por: .* steps and .* replayed`)
)

func (p *printer) Logf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !statistics.MatchString(text) {
		text = flags.ReplaceAllString(text, "go test -run ")
		fmt.Println(duration.ReplaceAllString(strings.TrimSpace(text), "1ms"))
	}
}

func (p *printer) Errorf(format string, args ...any) { p.Logf(format, args...) }
func (p *printer) Error(args ...any)                 { p.Logf("%s", fmt.Sprint(args...)) }
