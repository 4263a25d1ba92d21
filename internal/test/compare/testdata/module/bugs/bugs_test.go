package bugs

import (
	"os"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

// check runs a program, in the way that the environment names.
func check(t *testing.T, program func() error) {
	t.Helper()
	switch os.Getenv("COMPARE") {
	case "synctest":
		synctest.Test(t, func(t *testing.T) { run(t, program) })
	case "goleak":
		defer goleak.VerifyNone(t)
		run(t, program)
	default:
		run(t, program)
	}
}

func run(t *testing.T, program func() error) {
	t.Helper()
	if err := program(); err != nil {
		t.Error(err)
	}
}

func TestLostUpdate(t *testing.T)    { check(t, LostUpdate) }
func TestDataRace(t *testing.T)      { check(t, DataRace) }
func TestLockOrder(t *testing.T)     { check(t, LockOrder) }
func TestLostWakeup(t *testing.T)    { check(t, LostWakeup) }
func TestLeak(t *testing.T)          { check(t, Leak) }
func TestDoubleStart(t *testing.T)   { check(t, DoubleStart) }
func TestClosedChannel(t *testing.T) { check(t, ClosedChannel) }
func TestLateResult(t *testing.T)    { check(t, LateResult) }
func TestRecursiveRead(t *testing.T) { check(t, RecursiveRead) }
func TestStack(t *testing.T)         { check(t, Stack) }
