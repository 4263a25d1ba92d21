package suites

// omission is a reason to leave out tests of a suite.
type omission struct {
	suite  string
	tests  string // names
	why    why
	reason string
}

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
	{"chan", "Test_perm", outside, "is a test of the compiler's messages"},
	{"chan", "Test_select2", long, "measures the memory that 100,000 rounds of select take"},

	{"sync", "TestSemaphore", outside, "is a test of the runtime's semaphores"},
	{"sync", "TestPool TestPoolNew TestPoolGC TestPoolRelease", outside, "pins goroutines to processors, or waits for the garbage collector"},
	{"sync", "TestPoolDequeue TestPoolChain", outside, "is a test of types inside package sync"},
	{"sync", "TestMapMatchesHashTrieMap", outside, "is a test of a type inside the standard library"},
	{"sync", "TestOnceXGC", outside, "waits for the garbage collector"},
	{"sync", "TestIssue40999", never, "polls until the garbage collector has freed something, and memory that an execution uses stays as long as the execution"},

	{"sync/atomic", "TestHammerStoreLoad TestValueSwapConcurrent", long, "makes a million atomic operations or more"},

	{"sync/atomic", "TestValueCompareAndSwapConcurrent", long, "has 100 goroutines that poll and yield in turn: every event has a clock in which most is new, a gigabyte for one execution"},

	{"sync/atomic", "TestUnaligned64", skips, "is for 32-bit systems only"},

	{"context", "TestParentFinishesChild TestChildFinishesFirst TestCancelRemoves TestCustomContextGoroutines", outside, "looks at the fields of contexts"},

	{"runtime", "TestPseudoRandomSend", fails, "expects select to choose at random; under control all its choices are explored, and always the same one is one of them"},

	{"time", "TestOverflowPeriodRuntimeTimer TestSleep", outside, "needs a function of the runtime's timers"},
	{"time", "TestTimerGC", outside, "waits for the garbage collector"},
	{"time", "TestChan", fails, "wants timers as they were before Go 1.23 too, by GODEBUG=asynctimerchan=1"},
	{"time", "TestAfterFuncStarvation", long, "keeps running until a second of real time has passed; virtual time stands still while somebody runs"},
	{"time", "TestStopResult TestResetResult", long, "makes 600,000 timers"},
	{"time", "TestTickerConcurrentStress", long, "collects garbage in a loop that sleeps a nanosecond, beside a ticker that is faster than any code and drops ticks"},
	{"time", "TestZeroTimer", long, "makes 1,000,000 timers"},
	{"time", "TestLongAdjustTimers TestMultiWakeupTicker", long, "makes 200,000 timers or more"},
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
