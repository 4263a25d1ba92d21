//go:build unix

package por_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/live"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/por/history"
	"github.com/gopor/gopor/sched"
)

// TestShared holds the tests that are explored by several processes. GOPOR_TEST_SHARED is how many,
// GOPOR_TEST_BESIDE by what engine if these are beside the process of the test without an option that says so,
// and GOPOR_TEST_FOLDER where they note what they have done.
func TestShared(t *testing.T) {
	n := 0
	if _, err := fmt.Sscan(os.Getenv("GOPOR_TEST_SHARED"), &n); err != nil {
		t.Skip("runs in a process of its own")
	}
	if por.LeaveAlone(); os.Getenv("GOPOR_TEST_HELPS") != "" {
		por.HelpOut()
	}
	worker := os.Getenv(environ.Worker) != ""
	none := func([]int) bool { return false }
	runs := 0
	// in calls do before every execution of a worker but the first, until it has done so most times in all.
	in := func(most int, do func()) func() {
		f := tickets(6, none)
		return func() {
			if runs++; worker && runs > 1 && runs%20 == 0 && noted(t, "did") < most {
				note(t, "did")
				do()
			}
			f()
		}
	}
	me, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]func(t *testing.T, opts ...por.Option){
		"none": func(t *testing.T, opts ...por.Option) { por.Check(t, tickets(6, none), opts...) },
		"some": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(6, func(drawn []int) bool { return drawn[0] == 5 && drawn[3] == 2 }), opts...)
		},
		"one": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(6, func(drawn []int) bool { return fmt.Sprint(drawn) == "[3 5 0 1 2 4]" }), opts...)
		},
		"second": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(3, none))
			por.Check(t, tickets(6, none), opts...)
		},
		"killed": func(t *testing.T, opts ...por.Option) {
			por.OneEach()
			por.Check(t, tickets(6, func(drawn []int) bool {
				if what := fmt.Sprint("did", drawn[0]); worker && drawn[0] != 0 && noted(t, what) == 0 {
					note(t, what)
					me.Kill()
					select {}
				}
				return false
			}), opts...)
		},
		"stopped": func(t *testing.T, opts ...por.Option) {
			por.Check(t, in(1, func() { me.Signal(syscall.SIGSTOP) }), opts...)
		},
		"deadly": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(6, func(drawn []int) bool {
				if worker && drawn[0] == 5 && drawn[1] == 2 {
					fmt.Println("my last words")
					os.Exit(7)
				}
				return false
			}), opts...)
		},
		"stuck": func(t *testing.T, opts ...por.Option) {
			never := make(chan bool)
			por.Check(t, tickets(6, func(drawn []int) bool {
				if worker && drawn[0] == 5 && drawn[1] == 2 {
					<-never
				}
				return false
			}), append(opts, por.Watchdog(300*time.Millisecond))...)
		},
		"global": func(t *testing.T, opts ...por.Option) {
			por.Check(t, in(1000, func() { counter++ }), opts...)
		},
		"limit": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(7, none), append(opts, por.MaxExecutions(999))...)
		},
		"late": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(9, none), append(opts, por.MaxTime(time.Second))...)
		},
		"absent": func(t *testing.T, opts ...por.Option) {
			if worker {
				t.Skip("not here")
			}
			por.Check(t, tickets(6, none), opts...)
		},
		"fails": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(6, func(drawn []int) bool {
				if drawn[0] == 5 && drawn[1] == 2 {
					t.Error("failed from within")
				}
				return false
			}), opts...)
		},
		"several": func(t *testing.T, opts ...por.Option) {
			por.OneEach()
			por.Check(t, tickets(6, func(drawn []int) bool {
				if drawn[0] >= 3 && drawn[1] == 2 {
					panic(fmt.Sprint("drawn ", drawn[0], " and ", drawn[4]%2))
				}
				return false
			}), append(opts, por.KeepGoing(4))...)
		},
		"rare": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(6, func(drawn []int) bool { return fmt.Sprint(drawn) == "[3 5 0 1 2 4]" }), append(opts, por.KeepGoing(2))...)
		},
		"linearizable": func(t *testing.T, opts ...por.Option) {
			history.Linearizable(t, counting, func(h *history.History) { count(h, 3, func(n *sched.Int64) int { return int(n.Add(1)) }) }, opts...)
		},
		"not linearizable": func(t *testing.T, opts ...por.Option) {
			history.Linearizable(t, counting, func(h *history.History) { count(h, 3, addInTwoSteps) }, opts...)
		},
		"refines": func(t *testing.T, opts ...por.Option) {
			history.Refines(t, func(h *history.History) { count(h, 4, func(n *sched.Int64) int { return int(n.Add(1)) }) }, opts...)
		},
		"refines not": func(t *testing.T, opts ...por.Option) {
			history.Refines(t, func(h *history.History) { count(h, 3, addInTwoSteps) }, opts...)
		},
		"bad model": func(t *testing.T, opts ...por.Option) {
			history.Linearizable(t, porcupine.Model{Init: counting.Init, Step: func(state, input, output any) (bool, any) {
				if worker && runs > 20 {
					panic("no such state")
				}
				runs++
				return counting.Step(state, input, output)
			}}, func(h *history.History) { count(h, 3, func(n *sched.Int64) int { return int(n.Add(1)) }) }, opts...)
		},
		"felt": func(t *testing.T, opts ...por.Option) {
			por.Check(t, in(1, func() { live.Feel("a shared disaster") }), opts...)
		},
		"felt here": func(t *testing.T, opts ...por.Option) {
			if por.OneEach(); worker {
				note(t, "begun")
			}
			por.Check(t, tickets(6, func(drawn []int) bool {
				if !worker && noted(t, "begun") > 0 {
					live.Changed("shared")
				}
				return false
			}), opts...)
		},
		"felt before": func(t *testing.T, opts ...por.Option) {
			if live.Changed(t.TempDir()); worker {
				note(t, "begun")
			}
			por.Check(t, tickets(6, none), opts...)
		},
		"told late": func(t *testing.T, opts ...por.Option) {
			por.OneEach()
			por.Check(t, tickets(6, func(drawn []int) bool {
				fails := drawn[0] == 5 && drawn[1] < 4
				if fails && worker && noted(t, "did") == 0 {
					note(t, "did")
					time.Sleep(300 * time.Millisecond)
				}
				return fails
			}), opts...)
		},
		"first one late": func(t *testing.T, opts ...por.Option) {
			por.OneEach()
			por.Check(t, tickets(6, func(drawn []int) bool {
				if runs++; worker && runs > 20 && noted(t, "did") == 0 {
					note(t, "did")
					time.Sleep(4 * time.Second)
				}
				return drawn[1] == 0 // which is so late in the order
			}), append(opts, por.MaxTime(2*time.Second))...)
		},
		"only there": func(t *testing.T, opts ...por.Option) {
			por.Check(t, tickets(6, func(drawn []int) bool {
				runs++
				return worker && runs > 3
			}), opts...)
		},
		"lag": func(t *testing.T, opts ...por.Option) {
			por.Check(t, func() {
				f := tickets(5, none)
				sched.Go(f)
				sched.Sleep(time.Second)
			}, opts...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := []por.Option{por.Engine(engine.Reverse{}), por.MaxTime(time.Hour)}
			switch by := os.Getenv("GOPOR_TEST_BESIDE"); {
			case by == "auto":
				opts = opts[1:]
			case by == "exhaustive":
				opts[0] = por.Exhaustive()
			case by == "optimal":
				opts[0] = por.Engine(engine.Optimal{})
			case by == "endless":
				opts = []por.Option{por.MaxTime(0)}
			case by == "" && n > 0:
				opts = append(opts, por.Processes(n))
			}
			if os.Getenv("GOPOR_TEST_BESIDE") != "" && n > 0 {
				por.Beside(n)
			}
			test(t, opts...)
		})
	}
}

var counter int

// counting is the model of a counter: a call returns the new count.
var counting = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) { return output == state.(int)+1, state.(int) + 1 },
}

// count has n goroutines make one call each, of by.
func count(h *history.History, n int, by func(*sched.Int64) int) {
	var c sched.Int64
	var wg sched.WaitGroup
	for range n {
		wg.Go(func() { history.Call(h, "count", func() int { return by(&c) }) })
	}
	wg.Wait()
}

// note notes that something was done by one of the processes, and noted how often.
func note(t *testing.T, what string) {
	f, err := os.CreateTemp(os.Getenv("GOPOR_TEST_FOLDER"), what)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func noted(t *testing.T, what string) int {
	all, err := filepath.Glob(filepath.Join(os.Getenv("GOPOR_TEST_FOLDER"), what+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// shared runs one of the tests of TestShared with n worker processes, and returns what it prints.
func shared(t *testing.T, name string, n int) string {
	t.Helper()
	t.Setenv("GOPOR_TEST_FOLDER", t.TempDir())
	return child(t, []string{fmt.Sprint("GOPOR_TEST_SHARED=", n)}, "-test.v", "-test.run=^TestShared$/^"+name+"$")
}

var (
	tookText  = regexp.MustCompile(`\d+(\.\d+)?(µs|ms|s|m\d+(\.\d+)?s)\b`)
	tellsText = regexp.MustCompile(`(?m)^.*(explored|found in execution [\d,]+|--- |panic: ).*$`)
	foundText = regexp.MustCompile(`found in execution [\d,]+`)
)

// TestProcesses has several processes come to what one comes to.
func TestProcesses(t *testing.T) {
	names := []string{"none", "some", "one", "second", "global", "lag", "fails", "several", "rare", "linearizable", "not linearizable", "refines", "refines not"}
	if effort.Race {
		names = []string{"some", "fails", "several"}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			want := shared(t, name, 0)
			for n := 1; n <= 3; n += 2 {
				got := shared(t, name, n)
				if plain(got) != plain(want) {
					t.Errorf("%d processes:\n%s\none:\n%s", n, got, want)
				}
			}
		})
	}
}

// plain returns the verdict, the number of the execution that fails and the failure, without how long
// that took: what a report says of the schedule depends on the time for minimising.
func plain(out string) string {
	var b strings.Builder
	for _, line := range tellsText.FindAllString(out, -1) {
		if found := foundText.FindString(line); found != "" {
			line = found
		}
		b.WriteString(tookText.ReplaceAllString(line, "<time>") + "\n")
	}
	return b.String()
}

// TestProcessesKilled has workers be killed, and stopped, in the middle of an execution.
func TestProcessesKilled(t *testing.T) {
	for _, name := range []string{"killed", "stopped"} {
		out := shared(t, name, 2)
		wantText(t, out, "all 720 traces explored, none fails (exhaustive; optimal DPOR by reverse search, ")
		if name == "killed" && noted(t, "did") != 5 {
			t.Errorf("%d workers were killed", noted(t, "did"))
		}
	}
}

// TestProcessesWrong has workers that cannot do what they are to do.
func TestProcessesWrong(t *testing.T) {
	wantText(t, shared(t, "deadly", 2), "--- FAIL", "3 worker processes have ended within executions that begin with POR_REPLAY_LENIENT=1 POR_REPLAY=p1", "exit status 7", "my last words")
	wantText(t, shared(t, "stuck", 2), "--- FAIL", "an execution has performed no operation for ")
	wantText(t, shared(t, "bad model", 2), "--- FAIL", "Linearizable: the model panics: no such state")
	wantText(t, shared(t, "absent", 2), "all 720 traces explored, none fails", "; fewer worker processes: one has ended before it came to this Check: exit status 0; it has printed at last: ")
}

// TestProcessesLimits ends searches early.
func TestProcessesLimits(t *testing.T) {
	wantText(t, shared(t, "limit", 3), "999 executions explored", "none fails; NOT exhaustive (execution limit; ")
	wantText(t, shared(t, "late", 2), "none fails; NOT exhaustive (time limit; ")
}

// TestProcessesRefused names what does not go with worker processes.
func TestProcessesRefused(t *testing.T) {
	f := tickets(3, func([]int) bool { return false })
	for _, x := range []struct {
		opts []por.Option
		want string
	}{
		{[]por.Option{por.Processes(-1)}, "Processes(-1): the number of worker processes must not be negative"},
		{[]por.Option{por.Processes(2), por.Engine(engine.Optimal{})}, `Processes(2): what the engine "optimal" leaves to be explored cannot be given to other processes`},
		{[]por.Option{por.Processes(2), por.Workers(2)}, "Processes(2): there are 2 workers within the process already"},
	} {
		if _, err := por.Explore(f, x.opts...); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, want %s", err, x.want)
		}
	}
	if v := explored(t, f, por.Processes(2)).Verdict.String(); !strings.HasSuffix(v, "; one process: only Check can be run again by others") {
		t.Error(v)
	}
}

// addInTwoSteps adds one: the first time at once, later by a load and a store.
func addInTwoSteps(n *sched.Int64) int {
	if n.CompareAndSwap(0, 1) {
		return 1
	}
	next := n.Load() + 1
	n.Store(next)
	return int(next)
}
