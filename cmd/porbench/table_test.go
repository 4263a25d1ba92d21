package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/internal/command"
	"github.com/gopor/gopor/internal/test/calls"
	"github.com/gopor/gopor/internal/test/effort"
)

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
