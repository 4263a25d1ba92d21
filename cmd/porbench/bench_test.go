package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
	"github.com/gopor/gopor/internal/test/effort"
	"github.com/gopor/gopor/sched/trace"
)

func TestMisuse(t *testing.T) {
	calls.Refused(t, porbenchCommand, command.Misused, [][2]string{
		{"", "no command; allowed: bench, irs, unfold, help"},
		{"frob", `unknown command "frob"; allowed: bench, irs, unfold, help`},
		{"bnech", `unknown command "bnech"; did you mean bench? Allowed: bench, irs`},
		{"help demo", `unknown command "demo"`},
		{"bench", "no program; allowed: readers-writers, ring"},
		{"bench nobody", `unknown program "nobody"; allowed: readers-writers, ring`},
		{"bench ring ssb", "2 programs (ring ssb)"},
		{"bench ring -n 1", "n (N) is 1, but has to be in 2..64"},
		{"bench ring -n 65", "has to be in 2..64"},
		{"bench ring -n x", "invalid value"},
		{"bench ring -m 1", "-m does not apply to program ring"},
		{"bench account -n 1", "-n does not apply to program account"},
		{"bench disp -n 5 -m 0", "m (R) is 0, but has to be in 1..64"},
		{"bench ring -engine nobody", `unknown engine "nobody"; allowed: auto, classic-bpor, de-s-por, dfs, `},
		{"bench ring -k 2", "-k does not apply to engine optimal"},
		{"bench ring -engine optimal -workers 2", "-workers does not apply to engine optimal; allowed with: reverse"},
		{"bench ring -workers 0", "-workers is 0, but has to be at least 1"},
		{"bench -table eager -workers 2", "-table does not go with -workers"},
		{"bench ring -engine source -bound 2", "-bound does not apply to engine source"},
		{"bench ring -bound-kind delay", "-bound-kind needs -bound"},
		{"bench ring -max-executions 0", "has to be at least 1"},
		{"bench ring -timeout 0s", "has to be positive"},
		{"bench ring -timeout 5", "invalid value"},
		{"bench ring -engine random", "give -max-executions or -timeout"},
		{"bench ring -frob", "allowed: -bound "},
		{"bench -list ring", "-list takes no program"},
		{"bench -list -json", "-list does not go with -json"},
		{"bench -table nobody", `unknown table "nobody"; allowed: eager, qpor, bounded, stateful`},
		{"bench -table eager -n 3", "-table does not go with -n; allowed with it: -engine, -timeout, -json"},
		{"bench -table stateful -engine source", "-table stateful does not go with -engine; allowed with it: -pictures, -timeout, -json"},
		{"bench ring -pictures x", "-pictures goes with -table stateful only"},
		{"bench ring -tracked", "-tracked and -exact do not apply to engine optimal; allowed with: de-s-por, dl-s-por, s-por, stateful-dfs"},
		{"bench -table eager ring", "-table takes no program"},
		{"bench ring -egnine dfs", "-egnine; did you mean -engine? Allowed: "},
		{"bench -table eager -engine dfs", "allowed: source, epor-sh, epor"},
	})
}

func TestHelp(t *testing.T) {
	calls.Helped(t, porbenchCommand, [][2]string{
		{"help", "usage: porbench COMMAND"},
		{"-h", "usage: porbench COMMAND"},
		{"help help", "usage: porbench COMMAND"},
		{"help bench", "-max-executions number"},
		{"help irs", "usage: porbench irs"},
		{"help unfold", "-limit number"},
		{"bench -help", "-max-executions number"},
		{"bench -list", "readers-writers"},
	})
}

// object returns the fields of a line of JSON.
func object(t *testing.T, line string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return m
}

// TestBenchWorkers has workers find as many executions, traces and failures as one does.
func TestBenchWorkers(t *testing.T) {
	for _, workers := range []string{"1", "2", "3", "8"} {
		status, out, err := calls.Call(porbenchCommand, "bench", "abba", "-json", "-traces", "-workers", workers)
		if status != command.OK || err != "" {
			t.Fatalf("status %d, error %q, output %q", status, err, out)
		}
		got := object(t, out)
		for name, want := range map[string]any{"engine": "reverse", "executions": got["expected_traces"], "traces": got["expected_traces"], "blocked": 0.0, "failures": 1.0, "exhaustive": true} {
			if v := got[name]; v != want {
				t.Errorf("%s workers: %s is %v, want %v", workers, name, v, want)
			}
		}
	}
	status, out, err := calls.Call(porbenchCommand, "bench", "mpat", "-n", "7", "-json", "-workers", "4", "-max-executions", "1000")
	if got := object(t, out); status != command.OK || err != "" || got["executions"] != 1000.0 || got["exhaustive"] != false {
		t.Errorf("status %d, error %q, output %q", status, err, out)
	}
}

func TestJSON(t *testing.T) {
	// Flags come before and after the program.
	status, out, err := calls.Call(porbenchCommand, "bench", "-n", "5", "disp", "-json", "-engine", "source", "-m", "2", "-traces")
	if status != command.OK || err != "" || strings.Count(out, "\n") != 1 {
		t.Fatalf("status %d, error %q, output %q", status, err, out)
	}
	got := object(t, out)
	for name, want := range map[string]any{
		"program": "disp", "n": 5.0, "m": 2.0, "engine": "source", "k": nil, "bound": nil,
		"executions": 137.0, "traces": 137.0, "exhaustive": true, "failures": 0.0, "pruned": 0.0,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	for _, name := range []string{
		"blocked", "steps", "races", "dependence_checks", "max_depth", "seconds", "cpu_seconds",
		"executions_per_cpu_second", "peak_heap_bytes",
	} {
		if v, ok := got[name].(float64); !ok || v <= 0 {
			t.Errorf("%s is %v, want a positive number", name, got[name])
		}
	}
}

func TestLine(t *testing.T) {
	status, out, err := calls.Call(porbenchCommand, "bench", "abba")
	if status != command.OK || err != "" {
		t.Fatalf("status %d, error %q", status, err)
	}
	if !strings.HasPrefix(out, "program=abba engine=optimal executions=3 blocked=0 ") || !strings.Contains(out, " failures=1 ") {
		t.Errorf("output %q", out)
	}
}

func TestLimits(t *testing.T) {
	for _, k := range []struct {
		line       string
		executions float64 // at least 1 if 0
	}{
		{"bench ring -n 8 -json -max-executions 10", 10},
		{"bench ring -n 8 -json -engine random -max-executions 7", 7},
		{"bench pi -n 40 -json -timeout 50ms", 0},
	} {
		status, out, err := calls.Call(porbenchCommand, strings.Fields(k.line)...)
		if status != command.OK || err != "" {
			t.Fatalf("porbench %s: status %d, error %q", k.line, status, err)
		}
		got := object(t, out)
		if n := got["executions"].(float64); n != k.executions && k.executions > 0 || n == 0 || got["exhaustive"] != false {
			t.Errorf("porbench %s: %s", k.line, out)
		}
	}
}

// TestRandomTraces checks that traces are counted, not executions.
func TestRandomTraces(t *testing.T) {
	_, out, _ := calls.Call(porbenchCommand, "bench", "ring", "-n", "3", "-json", "-engine", "random", "-max-executions", "500", "-traces")
	if got := object(t, out); got["traces"] != 6.0 || got["executions"] != 500.0 {
		t.Errorf("%s", out)
	}
}

func TestInterrupt(t *testing.T) {
	var out, err bytes.Buffer
	interrupt := make(chan os.Signal, 1)
	time.AfterFunc(50*time.Millisecond, func() { interrupt <- os.Interrupt })
	status := porbenchCommand.Run([]string{"bench", "pi", "-n", "40", "-json"}, command.Env{Out: &out, Err: &err, Interrupt: interrupt, Progress: true})
	if status != command.Interrupted {
		t.Errorf("status %d, error %q", status, err.String())
	}
	if got := object(t, out.String()); got["exhaustive"] != false || got["executions"].(float64) == 0 {
		t.Errorf("%s", out.String())
	}
}

// stuck is an engine that does not look at its visitor's answer, and never ends.
type stuck struct{}

func (stuck) Name() string { return "stuck" }

func (stuck) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	st := trace.Stats{Executions: 3, Exhaustive: true}
	run := p.Start()
	for len(run.Pending()) > 0 {
		run.Step(trace.Choice{G: run.Pending()[0].G})
	}
	visit(&trace.Execution{Run: run, Stats: &st})
	select {}
}

func TestAbandon(t *testing.T) {
	p, _ := paper.Named("account")
	s := &search{program: p, engine: stuck{}, timeout: 10 * time.Millisecond, grace: 10 * time.Millisecond}
	res, err := s.run(nil)
	if err != nil || res.Executions != 3 || res.Exhaustive {
		t.Errorf("%v, %v", res, err)
	}
}

func TestProgress(t *testing.T) {
	p, _ := paper.Named("pi")
	var out bytes.Buffer
	engine, err := setting{name: "optimal"}.engine()
	if err != nil {
		t.Fatal(err)
	}
	s := &search{program: p, n: 20, engine: engine, timeout: 200 * time.Millisecond}
	s.watch = newProgress(s, &out)
	s.watch.interval = 50 * time.Millisecond
	for range 1000 { // enough for an estimate, however slow the machine
		if err := s.watch.estimator.Probe(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.run(nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" executions, ", "/s; about ", " in all; ", " years left"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %q", want, out.String())
		}
	}
}

func TestTables(t *testing.T) {
	for name, rows := range tables {
		for _, w := range rows() {
			p, ok := paper.Named(w.program)
			if !ok {
				t.Errorf("%s: no program %q", name, w.program)
				continue
			}
			if err := p.Check(w.n, w.m); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			// What is printed of an exact engine is what is known, unless it is of
			// another program.
			known, ok := p.Traces(w.n, w.m)
			if exact := w.setting.name == "source" || w.setting.name == "unfold-optimal"; exact && ok && w.printed.text != "" && w.note == "" && !w.printed.holds(known) {
				t.Errorf("%s: %s(%d,%d) has %d traces, but %s is printed", name, w.program, w.n, w.m, known, w.printed.text)
			}
		}
	}
}

func TestTable(t *testing.T) {
	if !effort.Full() {
		t.Skip("takes seconds")
	}
	status, out, err := calls.Call(porbenchCommand, "bench", "-table", "bounded", "-json")
	if status != command.OK || err != "" {
		t.Fatalf("status %d, error %q", status, err)
	}
	counts, notes := make(map[string]float64), make(map[string]string)
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		got := object(t, line)
		verdict, note := got["verdict"], got["note"]
		if verdict != verdictEqual && verdict != verdictNoFigure && (verdict != verdictDifferent || note == nil) {
			t.Errorf("%s", line)
		}
		counts[fmt.Sprint(got["program"], got["n"], got["m"], " ", got["engine"], got["bound"])] = got["executions"].(float64)
		notes[fmt.Sprint(got["program"], " ", got["engine"], " ", got["bound"])], _ = note.(string)
	}
	shape(t, counts)
	reasons(t, counts, notes)
}

// reasons holds the reasons beside counts that differ to the counts themselves.
func reasons(t *testing.T, counts map[string]float64, notes map[string]string) {
	start, later := "equal with "+atStart, "equal with "+oneLater
	both := start + " and " + oneLater
	want := map[string]string{
		"account naive-bpor": both, "lazy naive-bpor": both, "indexer-mod naive-bpor": both, "micro naive-bpor": both,
		"indexer naive-bpor": later, "indexer nidhugg-bpor": start, "indexer source-bpor": start,
	}
	for _, w := range boundedRows {
		for engine, printed := range map[string][3]int64{"naive-bpor": w.naive, "nidhugg-bpor": w.nidhugg, "source-bpor": w.nidhugg, "lazy-bpor-estimate": w.lazy} {
			reason := want[w.program+" "+engine]
			for b := range printed {
				own := fmt.Sprint(w.program, " ", engine, " ", b)
				if reason == "" && strings.HasPrefix(notes[own], "equal") || reason != "" && notes[own] != "" && !strings.HasPrefix(notes[own]+";", reason+";") {
					t.Errorf("%s: the reason is %q, want %q", own, notes[own], reason)
				}
				program, at := w.program, b
				if reason == start || reason == both {
					program = w.variant
				}
				if reason == later || reason == both {
					at--
				}
				if n := counts[fmt.Sprint(program, w.n, w.m, " ", engine, at)]; reason != "" && at >= 0 && int64(n) != printed[b] {
					t.Errorf("%s: %s(%d,%d) makes %v executions with bound %d, but %d are printed", own, program, w.n, w.m, n, at, printed[b])
				}
			}
		}
	}
	for _, program := range []string{"account", "indexer-mod", "lastzero"} {
		if note := notes[program+" dpor <nil>"]; !strings.HasPrefix(note, notExplained) {
			t.Errorf("%s: the reason is %q", program, note)
		}
	}
}

// shape looks for what the slides say of their tables: branches where blocks begin
// make more and more executions as the bound grows, and with lazy bounding there
// are never more than without a bound.
func shape(t *testing.T, counts map[string]float64) {
	for _, w := range boundedRows {
		program := fmt.Sprint(w.program, w.n, w.m)
		all := counts[program+" source<nil>"]
		if w.program == "writer-n-readers" {
			all = float64(int(1) << w.n)
		}
		for _, engine := range []string{"lazy-bpor", "lazy-bpor-estimate", "optimal-bpor"} {
			for b := range 3 {
				if n := counts[fmt.Sprint(program, " ", engine, b)]; n == 0 || n > all {
					t.Errorf("%s, %s with bound %d: %v executions, and %v without a bound", program, engine, b, n, all)
				}
			}
		}
		last := 0.0
		for b := range 3 {
			n := counts[fmt.Sprint(program, " classic-bpor", b)]
			if n <= last {
				t.Errorf("%s, classic-bpor: %v executions after %v", program, n, last)
			}
			last = n
		}
		if w.program == "writer-n-readers" && last < 10*all {
			t.Errorf("%s, classic-bpor: only %v executions of %v traces", program, last, all)
		}
	}
}
