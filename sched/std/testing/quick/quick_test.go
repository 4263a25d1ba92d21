package quick_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/std/testing/quick"
	"github.com/gopor/gopor/sched/trace"
)

// The values of an execution are those of every other one, also of functions that
// are compared.
func TestSeeded(t *testing.T) {
	seen := map[string]int{}
	c := exec.New(func() {
		text := ""
		note := func(n int) bool { text += fmt.Sprint(n, " "); return true }
		if err := quick.Check(note, nil); err != nil {
			panic(err)
		}
		if err := quick.CheckEqual(note, note, &quick.Config{MaxCount: 3}); err != nil {
			panic(err)
		}
		sched.Choose(2)
		seen[text]++
	}, exec.Options{})
	defer c.Shutdown()
	if _, err := (engine.DFS{}).Explore(c, func(*trace.Execution) bool { return true }); err != nil {
		t.Fatal(err)
	}
	for text, n := range seen {
		if values := strings.Fields(text); len(seen) != 1 || n != 2 || len(values) != 106 || values[0] == values[1] {
			t.Errorf("%d times: %s", n, text)
		}
	}
	as := c.Assumptions()
	if len(as) != 2 || as[0].Kind != sched.AssumeRandom || !strings.HasSuffix(as[0].File, "quick_test.go") {
		t.Errorf("got %v", as)
	}
}
