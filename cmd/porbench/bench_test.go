package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
)

func TestMisuse(t *testing.T) {
	calls.Refused(t, porbenchCommand, command.Misused, [][2]string{
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
