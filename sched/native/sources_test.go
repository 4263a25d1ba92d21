package native_test

import (
	"hash/maphash"
	"log"
	"os"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/native"
)

// TestEnding calls functions that would end the process.
func TestEnding(t *testing.T) {
	for name, f := range map[string]func(){
		"fatal error: os.Exit(3) ends the process":           func() { native.Ending(os.Exit, "os.Exit")(3) },
		"fatal error: log.Fatal ends the process: no 1":      func() { native.Ending(log.Fatal, "log.Fatal")("no", 1) },
		"fatal error: log.Logger.Fatalf ends the process: x": func() { native.Ending(log.Default().Fatalf, "log.Logger.Fatalf")("%s", "x") },
	} {
		fails, _ := run(t, exec.Options{}, func() {
			sched.Go(func() { f(); panic("goes on") })
		})
		if len(fails) != 1 || fails[0].String() != name {
			t.Errorf("%v, want %s", fails, name)
		}
	}
	if native.Ending(os.Exit, "os.Exit") == nil {
		t.Error("nothing outside")
	}
}

// TestSeeds lets goroutines make seeds of hashes: those of one execution differ, and are
// those of all others.
func TestSeeds(t *testing.T) {
	type made [4]maphash.Seed
	executions := make(map[made]bool)
	for range 3 {
		var m made
		fails, _ := run(t, exec.Options{}, func() {
			for i := range 2 {
				sched.Go(func() {
					m[i] = native.Source(maphash.MakeSeed, "hash/maphash.MakeSeed")()
					m[i+2] = native.Source(maphash.MakeSeed, "hash/maphash.MakeSeed")()
				})
			}
		})
		if len(fails) > 0 {
			t.Fatal(fails)
		}
		executions[m] = true
		distinct := make(map[uint64]bool)
		for _, seed := range m {
			distinct[maphash.String(seed, "x")] = true
		}
		if len(distinct) != len(m) {
			t.Error("seeds are the same")
		}
	}
	if len(executions) != 1 {
		t.Error("executions have different seeds")
	}
}
