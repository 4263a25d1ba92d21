package native_test

import (
	"log"
	"os"
	"testing"

	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/native"
)

// TestEnding calls functions that would end the process.
func TestEnding(t *testing.T) {
	for name, f := range map[string]func(){
		"fatal error: os.Exit(3) ends the process":           func() { native.Ending(os.Exit, "os.Exit")(3) },
		"fatal error: log.Fatal ends the process: no 1":      func() { native.Ending(log.Fatal, "log.Fatal")("no", 1) },
		"fatal error: log.Logger.Fatalf ends the process: x": func() { native.Ending(log.Default().Fatalf, "log.Logger.Fatalf")("%s", "x") },
	} {
		fails, _ := run(t, sched.Options{}, func() {
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
