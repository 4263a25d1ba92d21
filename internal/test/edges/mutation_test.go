package edges

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gopor/gopor/internal/test/effort"
)

const (
	ofSched   = "native code does not come there; tests of package sched do"
	ofOption  = "it belongs to a model that is not the usual one"
	unseenYet = "of the library's own uses none shows who came first"
	quiet     = "sched/std/internal/quiet/sync/sync.go "
)

// unmade are places that no row comes to, with the reason.
var unmade = map[string]string{
	"internal/machine/chanstate.go (*ChanState).close 1":     "a send that waits beside a close is a data race",
	"internal/machine/goroutine.go (*Machine).Conclude 1":    ofSched,
	"internal/machine/slotstate.go (*Slot).perform 1":        ofSched,
	"internal/machine/syncstate.go (*CondState).CondWait 1":  "a Signal between two steps of Wait, which nothing shows",
	"internal/machine/timerstate.go (*ChanState).drained 1":  ofOption,
	"internal/machine/waitgroupfine.go (*WgState).wake 1":    ofOption,
	"internal/machine/timerstate.go (*Machine).startTimer 2": "a timer that is started again while it fires",
	quiet + "(*Mutex).TryLock 1":                             unseenYet,
	quiet + "(*RWMutex).TryLock 1":                           unseenYet,
	quiet + "(*RWMutex).TryRLock 1":                          unseenYet,
	quiet + "(*WaitGroup).Add 1":                             unseenYet,
	quiet + "(*WaitGroup).Wait 1":                            unseenYet,
	quiet + "(*Once).Do 1":                                   unseenYet,
	quiet + "(*Once).close 1":                                unseenYet,
	quiet + "(*Map).Range 1":                                 unseenYet,
}

// doubled are places without which no row fails: others make the edge as well, or nothing shows it.
var doubled = map[string]string{
	"internal/live/hooks.go Consults 2":                          "that a Getenv came before a Setenv is shown by nothing",
	"internal/live/hooks.go Replaces 2":                          "that a Getenv came before a Setenv is shown by nothing",
	"internal/live/hooks.go Replaces 1":                          "that a Setenv came before another one is shown by nothing but a Getenv",
	"sched/native/touch.go touchFile 1":                          "it is no edge: it tells that a file may have two names",
	quiet + "(*Map).changes 1":                                   "that a change came before another one is shown by nothing but a Load",
	"sched/std/internal/quiet/atomic/atomic.go use 1":            "the library looks by a Load, or learns nothing from what it changes",
	"internal/machine/silent_sync.go Touch 1":                    "it is not an edge: it tells a goroutine that has looked from one that has not",
	"internal/machine/cell.go (*cell).perform 1":                 "native atomic operations are operations of memory; those of twins are under locks of theirs",
	"internal/machine/contextstate.go (*ContextState).derive 1":  "who derives waits for the cancelling, which has the edge",
	"internal/machine/contextstate.go (*ContextState).release 1": "those who cancel what is below know what the first one does",
	"internal/machine/socketdoor.go (*DoorState).hasReset 1":     "what resets a connection is no goroutine of the program, and has done nothing else",
	"internal/machine/syncstate.go (*OnceState).perform 1":       "what the Once carries has it",
}

// TestDeleted takes away every edge that is made, one by one: a row notices.
func TestDeleted(t *testing.T) {
	if !effort.Full() {
		t.Skip("builds a program, and explores it for every place where an edge is made")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t, programs(table()))
	out, err := m.command(m.por, "test", "-check", "-c", "-o", "edges.test", "-mod=mod", "-overlay="+overlay(t, m.dir, root), ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	written := filepath.Join(m.dir, "met.txt")
	if out, err := m.deleted("GOPOR_EDGES=" + written); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	met := strings.Fields(string(text))
	for _, s := range sites(t, root) {
		switch meets := slices.Contains(met, s.at); {
		case !meets && unmade[s.name] == "":
			t.Errorf("no row comes to %s (%s)", s.name, s.at)
		case meets && unmade[s.name] != "":
			t.Errorf("a row comes to %s (%s), which is said to be %s", s.name, s.at, unmade[s.name])
		case meets:
			m.delete(t, s)
		}
	}
}

// delete takes an edge away, and expects a row to fail.
func (m *module) delete(t *testing.T, s site) {
	t.Helper()
	out, err := m.deleted("GOPOR_EDGE=" + s.at)
	switch {
	case err == nil && doubled[s.name] == "":
		t.Errorf("without the edge of %s (%s) no row fails", s.name, s.at)
	case err != nil && doubled[s.name] != "":
		t.Errorf("without the edge of %s (%s), which is said to be doubled, a row fails:\n%.2000s", s.name, s.at, out)
	case err != nil && !raceFound.MatchString(out):
		t.Errorf("without the edge of %s (%s) it fails otherwise:\n%.2000s", s.name, s.at, out)
	case err != nil:
		t.Logf("%s: %s", s.name, raceFound.FindString(out))
	}
}

// deleted runs the programs that are in order, up to the first that fails.
func (m *module) deleted(setting string) (string, error) {
	cmd := m.command("./edges.test", "-test.run=^TestOrdered", "-test.failfast")
	cmd.Env = append(cmd.Env, "POR_CHECK_TIME=30s", "POR_CHECK_LEAKS=allow", "POR_CHECK_PROCESSES=0", setting)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
