package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
)

// What a search takes for granted is in its result, and takes the word away.
func TestResultAssumptions(t *testing.T) {
	dicing := func(n, m int) func() {
		return func() {
			if sched.Choose(3) == 2 {
				sched.Assume(sched.AssumeRandom, "a die")
			}
		}
	}
	unknown := func(n, m int) (int64, bool) { return 0, false }
	s := &search{program: paper.Program{Name: "dice", Make: dicing, Traces: unknown}, engine: engine.Optimal{}}
	res, err := s.run(nil)
	if err != nil || res.Executions != 3 || !res.Covered || res.Exhaustive {
		t.Fatalf("%v, %v", res, err)
	}
	var b bytes.Buffer
	if err := writeJSON(&b, res); err != nil {
		t.Fatal(err)
	}
	met, _ := object(t, b.String())["assumptions"].([]any)
	if len(met) != 1 {
		t.Fatalf("assumptions are %v", met)
	}
	a := met[0].(map[string]any)
	if file, _ := a["file"].(string); a["kind"] != "random numbers" || a["what"] != "a die" || !strings.HasSuffix(file, "result_test.go") || a["line"] == 0.0 {
		t.Errorf("assumption is %v", a)
	}
	if text := res.String(); !strings.Contains(text, "covered=true exhaustive=false") || !strings.Contains(text, `assumptions=["random numbers: a die (result_test.go:`) {
		t.Errorf("result is %s", text)
	}
	s.program.Make = func(n, m int) func() { return func() {} }
	if res, err = s.run(nil); err != nil || !res.Exhaustive || strings.Contains(res.String(), "assumptions") {
		t.Errorf("%v, %v", res, err)
	}
	b.Reset()
	writeJSON(&b, res)
	if met, ok := object(t, b.String())["assumptions"].([]any); !ok || !reflect.DeepEqual(met, []any{}) {
		t.Errorf("assumptions are %v in %s", met, &b)
	}
}
