package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/examples/datastructures/controlled"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// TestStatefulTable does a slice of the evaluation: clients of every structure, of two
// goroutines, to the end, and hasty ones of every class.
func TestStatefulTable(t *testing.T) {
	var out, errs bytes.Buffer
	pictures := t.TempDir()
	w := &evaluation{statefulOptions: statefulOptions{right: 6, buggy: 12, threads: 2, limit: 5 * time.Minute, pictures: pictures}, Env: command.Env{Out: &out, Err: &errs}}
	if err := w.all(); err != nil {
		t.Fatal(err)
	}
	xs := contestants()
	dfs, s, de, dl, source, optimal := place(xs, "DFS (JPF)"), place(xs, "S-POR"), place(xs, "DE-S-POR"), place(xs, "DL-S-POR"), place(xs, "source"), place(xs, "optimal")
	for _, runs := range w.runs {
		for _, r := range runs {
			if !r.Finished || r.Wrong {
				t.Errorf("%+v", r)
			}
		}
		if runs[dfs].States < runs[s].States || runs[s].States < runs[de].States || runs[s].States < runs[dl].States || runs[source].Executions != runs[optimal].Executions {
			t.Errorf("%+v", runs)
		}
		for _, k := range []int{s, de, dl} { // all know the same final states
			if runs[k].States > 0 && runs[k].Executions != runs[dfs].Executions {
				t.Errorf("%+v", runs)
			}
		}
	}
	list, err := w.drawBuggies()
	if err == nil {
		err = w.bugs(list)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"all   calls hasty: DL-S-POR   finds 4 of 4", "half  calls hasty: S-POR      finds 4 of 4", "one   calls hasty: DE-S-POR   finds 4 of 4",
		"one   calls hasty: source     finds 4 of 4", "half  calls hasty: optimal    finds 4 of 4", "none  calls hasty: DFS (JPF)  finds 0 of 3",
		"none  calls hasty: DL, again  finds 0 of 3", "DL, again  finds 12 of 12, ", "S-POR      finds 12 of 12, "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if err := w.draw(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"time.svg", "time-every.svg", "states.svg", "memory.svg", "memory-every.svg"} {
		text, err := os.ReadFile(filepath.Join(pictures, f))
		if err != nil || !strings.Contains(string(text), "DL-S-POR (") || strings.Count(string(text), ">6</text>") != 1 || !strings.Contains(string(text), ">finished within 5m0s</text>") || strings.Contains(string(text), "%!") {
			t.Errorf("%s: %v\n%s", f, err, text)
		}
	}
}

// TestFarAhead: a failure for which a goroutine has to get far ahead of the others, more than once,
// is found by all engines that begin again. Depth first it comes late, and where the order is drawn
// in every state it is rare.
func TestFarAhead(t *testing.T) {
	k, _ := controlled.KindNamed("optimistic-list")
	add := func(key int) controlled.Call { return controlled.Call{Op: controlled.Add, Key: key} }
	remove := func(key int) controlled.Call { return controlled.Call{Op: controlled.Remove, Key: key} }
	c := controlled.Client{Kind: k, Hasty: controlled.Always, Calls: [][]controlled.Call{
		{remove(2), remove(2), add(2)},
		{remove(2), remove(2), remove(1)},
		{remove(2), remove(1), remove(1), add(1)},
	}}
	right := c.Outcomes()
	for seed := range uint64(2) {
		again := engine.Stateful{Keying: trace.Keying{Tracked: true}, Restarts: true, Seed: seed}
		for _, e := range []trace.Engine{again, engine.SPOR{Stateful: again}, engine.DESPOR{Stateful: again}, engine.DLSPOR{Stateful: again}} {
			r, err := exploreSome(c, contestant{e.Name(), e}, right, time.Hour, true, 5000)
			if err != nil || !r.Wrong {
				t.Errorf("seed %d, %s: %+v, %v", seed, e.Name(), r, err)
			}
		}
	}
}
