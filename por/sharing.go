package por

import "github.com/gopor/gopor/internal/explore"

// Workers has n executions of the closure explored at a time, n >= 1, each by a worker of its own.
// The verdict is that of one worker: the executions are as many, and the failure that is reported
// is the first one in the order of one worker. A limit may end the search elsewhere. The default
// engine is [engine.Reverse] then; another one has to know of workers (see [trace.About]).
//
// It is for [Explore], and a promise: that the closure may run several times at once, each
// time on variables of its own, apart from those of package sched. [Check] and [ExploreProgram]
// have one worker, whatever n is, and so has a search for several failures ([KeepGoing]); the
// verdict says so.
func Workers(n int) Option {
	return unless(n < 1, func(c *explore.Config) { c.Workers = n },
		"Workers(%d): the number of workers must be at least 1; leave the option out for one", n)
}

// Processes has a search of [Check] explored by n worker processes once it has taken a tenth of a
// second, or by none beside this one if n is 0: closures may use variables of packages then, which
// one process has once only. The verdict is that of one process: the executions are as many, and
// the failure that is reported is the first one in the order of one process. A limit may end the
// search elsewhere; that of time, of executions and of memory hold for all processes together. The
// default engine is [engine.Reverse] then, and no other one is allowed.
//
// A worker is the same test program, run with -test.run for this test and the flags that are not of
// package testing, in the same folder. TestMain, and all of the test that comes before the Check,
// runs in each of them, so that must bear to be run several times at once; other Checks of the test
// are passed over. What workers print is not shown. Whatever happens to a worker, what it was to
// explore is explored by another one, or by the process of the test; if three have died of it the
// search ends with an error that has the schedule. Workers end with the process of the test,
// however that ends.
//
// Without this option a search that is to take more than a second is explored by as many processes
// as there are processors (GOMAXPROCS), this one among them, if no other process would feel what
// the test does: if this one has changed no file that others know by name, and not used the
// network, run a program, called C code or the system. Files below directories that os.MkdirTemp or
// TempDir have made, and those of os.CreateTemp, belong to the process alone. Nothing is made of
// workers of which it shows later that they would be felt, or if the limit of memory, half of which
// they share besides, does not do for them, or if they die: then this process goes on alone. They
// have a lower priority than this process, on Linux. It is not done under -cover, with the flags of
// go test for profiles and traces, or with the options [Direct], [ShowOutput], [KeepGoing] and
// [MaxExecutions], and only for code that is under control.
//
// In history.Refines every worker finds out by itself what is right, and in history.Linearizable
// every worker judges what it has explored. Benchmarks and [Explore] have one process, whatever n
// is; the verdict says so. So has Windows.
func Processes(n int) Option {
	return unless(n < 0, func(c *explore.Config) { c.Processes, c.Says.Processes = n, true },
		"Processes(%d): the number of worker processes must not be negative; 0 is for none", n)
}
