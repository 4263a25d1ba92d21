package suites

import (
	"go/version"
	"strings"
)

// omission is a reason to leave out tests of a suite.
type omission struct {
	suite  string
	tests  string // names
	why    why
	reason string
	span
}

// span is the releases of Go for which a line of a table holds: from since on, and before the release
// before; "" for all.
type span struct{ since, before string }

// holds reports whether a line is one of a release of Go.
func (o *span) holds(release string) bool {
	return (o.since == "" || version.Compare(release, o.since) >= 0) && (o.before == "" || version.Compare(release, o.before) < 0)
}

// releases says for which releases a line holds, in brackets after a space, "" for all.
func (o *span) releases() string {
	switch {
	case o.since != "":
		return " (since " + goName(o.since) + ")"
	case o.before != "":
		return " (before " + goName(o.before) + ")"
	}
	return ""
}

// goName returns what people call a release.
func goName(release string) string { return strings.Replace(release, "go", "Go ", 1) }

// why says how it shows that a test has to be left out.
type why int

const (
	outside why = iota // it cannot be built outside the standard library
	fails              // it fails under control
	long               // an execution is longer than can be
	never              // it does not end under control, and is not even tried
	skips              // it skips itself, as without control
)

// leftOut is the table of what is left out. README.md shows it.
var leftOut = []omission{
	{suite: "chan", tests: "Test_perm", why: outside, reason: "is a test of the compiler's messages"},
	{suite: "chan", tests: "Test_select2", why: long, reason: "measures the memory that 100,000 rounds of select take"},

	{suite: "sync", tests: "TestSemaphore", why: outside, reason: "is a test of the runtime's semaphores"},
	{suite: "sync", tests: "TestPool TestPoolNew TestPoolGC TestPoolRelease", why: outside, reason: "pins goroutines to processors, or waits for the garbage collector"},
	{suite: "sync", tests: "TestPoolDequeue TestPoolChain", why: outside, reason: "is a test of types inside package sync"},
	{suite: "sync", tests: "TestMapMatchesHashTrieMap", why: outside, reason: "is a test of a type inside the standard library"},
	{suite: "sync", tests: "TestOnceXGC", why: outside, reason: "waits for the garbage collector"},
	{suite: "sync", tests: "TestIssue40999", why: never, reason: "polls until the garbage collector has freed something, and memory that an execution uses stays as long as the execution"},

	{suite: "sync/atomic", tests: "TestHammerStoreLoad TestValueSwapConcurrent", why: long, reason: "makes a million atomic operations or more"},

	{suite: "sync/atomic", tests: "TestValueCompareAndSwapConcurrent", why: long, reason: "has 100 goroutines that poll and yield in turn: every event has a clock in which most is new, a gigabyte for one execution"},

	{suite: "sync/atomic", tests: "TestUnaligned64", why: skips, reason: "is for 32-bit systems only"},

	{suite: "context", tests: "TestParentFinishesChild TestChildFinishesFirst TestCancelRemoves TestCustomContextGoroutines", why: outside, reason: "looks at the fields of contexts"},

	{suite: "runtime", tests: "TestPseudoRandomSend", why: fails, reason: "expects select to choose at random; under control all its choices are explored, and always the same one is one of them"},

	{suite: "time", tests: "TestOverflowPeriodRuntimeTimer TestSleep", why: outside, reason: "needs a function of the runtime's timers"},
	{suite: "time", tests: "TestTimerGC", why: outside, reason: "waits for the garbage collector", span: span{before: "go1.27"}},
	{suite: "time", tests: "TestTimerGC", why: fails, reason: "waits for the garbage collector, and memory that an execution uses stays as long as the execution", span: span{since: "go1.27"}},
	{suite: "time", tests: "TestChan", why: fails, reason: "wants timers as they were before Go 1.23 too, by GODEBUG=asynctimerchan=1", span: span{before: "go1.27"}},
	{suite: "time", tests: "TestAfterFuncStarvation", why: long, reason: "keeps running until a second of real time has passed; virtual time stands still while somebody runs"},
	{suite: "time", tests: "TestStopResult TestResetResult", why: long, reason: "makes 600,000 timers"},
	{suite: "time", tests: "TestTickerConcurrentStress", why: long, reason: "collects garbage in a loop that sleeps a nanosecond, beside a ticker that is faster than any code and drops ticks"},
	{suite: "time", tests: "TestZeroTimer", why: long, reason: "makes 1,000,000 timers"},
	{suite: "time", tests: "TestLongAdjustTimers TestMultiWakeupTicker", why: long, reason: "makes 200,000 timers or more"},
}

// racesAllowed are the tests that have data races, which are ignored: go test -race
// finds them too.
var racesAllowed = map[string][]string{
	"chan": {"Test_powser1", "Test_powser2"},
}

// heavy are the tests of tens of thousands of operations, which are run by an
// engine that draws schedules at random: to look for other traces takes too long.
var heavy = map[string][]string{
	"sync":        {"TestCondBroadcast", "TestCondSignalStealing", "TestConcurrentRange", "TestMutex", "TestPoolStress", "TestRWMutex", "TestWaitGroupRace"},
	"sync/atomic": {"TestHammer32", "TestHammer64", "TestValueConcurrent"},
	"context":     {"TestCustomContextCause"},
	"runtime":     {"TestChan", "TestSelectFairness", "TestSelectStress", "TestMultiConsumer", "TestNoShrinkStackWhileParking", "TestNonblockSelectRace", "TestNonblockSelectRace2"},
	"time":        {"TestTimerModifiedEarlier"},
}

// skippedInShort are the tests that skip themselves under -short, with which all
// others are run.
var skippedInShort = map[string][]string{
	"time": {"TestMultiWakeupTimer"},
}
