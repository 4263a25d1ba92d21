package wal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/sched"
)

// survives appends records on a node, and compacts the log. What was acknowledged has to be there
// whenever the node starts, and at the end.
func survives(dir string, bug Bug) {
	var acknowledged []string
	check := func(l *Log) {
		for _, r := range acknowledged {
			por.Always("what was acknowledged is there", slices.Contains(l.Records(), r))
		}
	}
	node := por.NewNode("a", func() {
		for {
			l, err := Open(dir, bug)
			if err != nil {
				continue // there is no room, or a Sync has failed: try again
			}
			check(l)
			for err == nil && len(acknowledged) < 3 {
				r := fmt.Sprint("record ", len(acknowledged))
				if err = l.Append(r); err == nil {
					acknowledged = append(acknowledged, r)
				}
				if err == nil && len(acknowledged) == 2 {
					err = l.Compact(func(string) bool { return true })
				}
			}
			l.Close()
			if err == nil {
				return
			}
		}
	})
	node.Start()
	time.Sleep(5 * time.Minute)
	node.Stop()
	l, err := Open(dir, bug)
	if err == nil {
		check(l)
		l.Close()
	}
}

const kinds = sched.FaultSync | sched.FaultFull | sched.FaultTorn

// TestWithoutFaults finds none of the mistakes.
func TestWithoutFaults(t *testing.T) {
	for bug := None; bug <= NoRename; bug++ {
		por.Check(t, func() { survives(t.TempDir(), bug) })
	}
}

// TestRight finds nothing wrong, with one fault.
func TestRight(t *testing.T) {
	por.Check(t, func() { survives(t.TempDir(), None) }, por.Faults(1, kinds))
}

// TestMistakes finds each mistake with one fault.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		bug   Bug
		fault string
	}{
		{"no sync", NoSync, "node a loses power"},
		{"deaf", Deaf, "sync of wal."},
		{"no rename", NoRename, "node a loses power"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := por.Explore(func() { survives(t.TempDir(), tt.bug) }, por.Faults(1, kinds), por.MaxTime(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Failures) != 1 || !strings.Contains(res.Failures[0].Report, "fault: "+tt.fault) {
				t.Fatal(res.Verdict)
			}
			t.Logf("%s\n%s", res.Verdict, res.Failures[0].Report)
		})
	}
}
