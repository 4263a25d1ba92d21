package por

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/explore"
	"github.com/gopor/gopor/internal/record"
	"github.com/gopor/gopor/internal/saved"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/internal/test/muted"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// What por test is told, and the file of the schedule, have the headline of the report.
func TestHeadlineTold(t *testing.T) {
	dir := t.TempDir()
	res, _ := savedCheck(t, dir, func(testing.TB) { buggyTransfer() })
	const want = "deadlock by lock order: g1 and g2 wait for each other"
	f := &res.Failures[0]
	if got := explore.ToRecord(f).Headline; got != want || !strings.HasPrefix(f.Report, want+"\n") {
		t.Errorf("told is %q, and the report is\n%s", got, f.Report)
	}
	kept := saved.Load(dir, "TestX")
	if len(kept) != 1 || kept[0].Headline != want || f.Diagnosis.Saved != kept[0].Name {
		t.Errorf("saved is %+v, and the diagnosis has %q", kept, f.Diagnosis.Saved)
	}
}

// TestOrder looks for the two places whose order matters.
func TestOrder(t *testing.T) {
	t.Setenv(environ.CheckRecord, "none")
	const lock, unlock, load, store = trace.OpLock, trace.OpUnlock, trace.OpLoad, trace.OpStore
	modes := map[trace.Kind]trace.Mode{lock: trace.ModeAcquire, unlock: trace.ModeRelease, load: trace.ModeRead, store: trace.ModeWrite}
	type step struct {
		g    trace.ID
		op   trace.Kind
		line int // 0: not in the program's source
	}
	for _, test := range []struct {
		name      string
		steps     []step
		preempted []int
		want      string
		shows     int // the steps up to where the failure shows, 0 for all
	}{
		{"locks", []step{{1, lock, 10}, {1, unlock, 11}, {2, lock, 12}, {2, unlock, 13}, {1, lock, 20}}, []int{2}, "20: lock, 12: lock", 0},
		{"after the failure", []step{{1, load, 10}, {2, store, 11}, {1, store, 12}, {2, store, 13}}, []int{3}, "12: store, 11: store", 3},
		{"only after the failure", []step{{1, load, 10}, {2, store, 11}, {1, store, 12}}, []int{1}, "11: store, 10: load", 2},
		{"two reads", []step{{1, load, 10}, {2, load, 11}, {1, load, 12}}, []int{1}, "", 0},
		{"a read and a write", []step{{1, load, 10}, {2, store, 11}, {1, load, 12}}, []int{1}, "12: load, 11: store", 0},
		{"not the next operation", []step{{1, load, 10}, {2, load, 11}, {2, store, 12}, {1, lock, 13}, {1, load, 14}}, []int{1}, "14: load, 12: store", 0},
		{"not the latest preemption", []step{{1, load, 10}, {2, store, 11}, {1, store, 12}, {2, lock, 13}, {1, unlock, 14}}, []int{1, 3}, "12: store, 11: store", 0},
		{"without a preemption", []step{{1, store, 10}, {2, load, 11}, {1, load, 12}}, nil, "11: load, 10: store", 0},
		{"of one goroutine", []step{{1, lock, 10}, {1, unlock, 11}}, nil, "", 0},
		{"before the preemption", []step{{2, store, 9}, {1, load, 10}, {2, load, 11}, {1, load, 12}}, []int{2}, "10: load, 9: store", 0},
		{"not in the source", []step{{1, load, 10}, {2, store, 0}, {1, load, 12}}, []int{1}, "", 0},
	} {
		var entries []exec.Entry
		conflicts := trial.NewConflicts(len(test.steps))
		for i, s := range test.steps {
			obj := int32(1)
			if s.op == load || s.op == store {
				obj = 3
			}
			ev := &trace.Event{Op: trace.Op{G: s.g}}
			ev.Touch(obj, modes[s.op])
			conflicts.Add(ev)
			e := exec.Entry{Step: i, G: s.g, Kind: s.op, Line: s.line}
			if s.line > 0 {
				e.File = "a.go"
			}
			entries = append(entries, e)
		}
		if got := strings.ReplaceAll(strings.Join(explore.Order(entries, cmp.Or(test.shows, len(test.steps)), test.preempted, conflicts), ", "), "a.go:", ""); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if c := trial.NewConflicts(trial.LongConflicts + 1); c != nil {
		t.Error("the conflicts of a long execution are kept")
	}
}

// TestOrderConflicts holds the orders that are told of known bugs to the rule that they are of operations that
// conflict: two that only look at something have no order.
func TestOrderConflicts(t *testing.T) {
	effort.Computes(t)
	told := filepath.Join(t.TempDir(), "told")
	if err := os.WriteFile(told, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv(environ.CheckRecord, told)
	for _, x := range scenarios {
		if x.name != "long" && x.name != "ticker" {
			Check(&muted.TB{TB: t}, x.f, append([]Option{Direct()}, x.opts...)...)
		}
	}
	numbered := regexp.MustCompile(`(?m)(Mutex|RWMutex|Var|Int64|WaitGroup|Cond) \d+`)
	looks := regexp.MustCompile(`^\S+: (load|read|rlock|len|sleep|wait)\b`)
	some, named := 0, 0
	for _, e := range record.Read(told) {
		if e.Failure == nil || len(e.Failure.Order) == 0 {
			continue
		}
		some++
		if !numbered.MatchString(strings.Join(e.Failure.Order, "\n")) {
			named++
		}
		if o := e.Failure.Order; looks.MatchString(o[0]) && looks.MatchString(o[1]) {
			t.Errorf("%s: the order of %s and of %s is told to matter", e.Failure.Headline, o[0], o[1])
		}
	}
	if some < 10 || named < some {
		t.Errorf("of %d bugs an order is told, of %d by the names of the program", some, named)
	}
}

// TestNoPlace has a timer call a method of a primitive, in no place of the program's.
func TestNoPlace(t *testing.T) {
	res, err := Explore(func() {
		var mu sched.Mutex
		rung := sched.NewCond(&mu)
		sched.AfterFunc(time.Millisecond, rung.Broadcast)
		sched.Sleep(time.Millisecond)
		mu.Lock()
		rung.Wait()
	})
	if err != nil || len(res.Failures) == 0 {
		t.Fatal(res, err)
	}
	const want = "deadlock by a lost wakeup: main waits for rung, which g1.1 had woken up before"
	if got := res.Failures[0].Diagnosis.Headline; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
