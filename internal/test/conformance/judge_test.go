package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// twisted is an engine that shows a sound one's executions in a way of its own.
type twisted struct {
	trace.Engine
	show func(n int64, x *trace.Execution, visit func(*trace.Execution) bool) bool
	end  func(*trace.Stats)
}

func (e twisted) Explore(p trace.Program, visit func(*trace.Execution) bool) (trace.Stats, error) {
	n := int64(0)
	stats, err := e.Engine.Explore(p, func(x *trace.Execution) bool {
		n++
		if e.show == nil {
			return visit(x)
		}
		return e.show(n, x, visit)
	})
	if e.end != nil {
		e.end(&stats)
	}
	return stats, err
}

// TestJudge shows that the judge notices what is wrong with an engine.
func TestJudge(t *testing.T) {
	p := MustParse("atomic n 0\nmutex m\nfunc\n go 1\n go 2\n add n 1\nfunc\n add n 2\nfunc\n lock m\n cas n 1 2\n unlock m\n")
	if err := (&Judge{Candidates: candidates}).Verify(p); err != nil {
		t.Fatal(err)
	}
	fewer := func(s *trace.Stats) { s.Executions-- }
	for want, c := range map[string]Candidate{
		"traces are missed": {Engine: twisted{Engine: engine.Source{}, end: fewer,
			show: func(n int64, x *trace.Execution, visit func(*trace.Execution) bool) bool { return n == 2 || visit(x) }}},
		"visited twice": {Engine: engine.DFS{}, Promise: Once},
		"interleavings is visited": {Engine: twisted{Engine: engine.DFS{},
			show: func(n int64, x *trace.Execution, visit func(*trace.Execution) bool) bool { return visit(x) && visit(x) }}},
		"but has visited": {Engine: twisted{Engine: engine.Optimal{}, end: fewer}},
		"not exhaustive":  {Engine: twisted{Engine: engine.Optimal{}, end: func(s *trace.Stats) { s.Exhaustive = false }}},
		"1 blocked executions": {Promise: Unblocked, Engine: twisted{Engine: engine.Optimal{}, end: func(s *trace.Stats) { s.Executions--; s.Blocked++ },
			show: func(n int64, x *trace.Execution, visit func(*trace.Execution) bool) bool {
				x.Blocked = n == 1
				return visit(x)
			}}},
		"it shows the schedule": {Engine: twisted{Engine: engine.Source{},
			show: func(n int64, x *trace.Execution, visit func(*trace.Execution) bool) bool {
				x.Schedule = x.Schedule[:len(x.Schedule)-1]
				return visit(x)
			}}},
	} {
		err := (&Judge{Candidates: []Candidate{c}}).Verify(p)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := (&Judge{Most: 3}).Verify(p); !errors.Is(err, ErrTooBig) {
		t.Errorf("%v of a program with many interleavings", err)
	}
}

// TestShrink makes a program smaller that fails because of two steps.
func TestShrink(t *testing.T) {
	p := MustParse(`time any
global map m
timeoutctx t 3
cancelctx c t 1
after a 2 2
func
	go 1
	defer cancel c 2
	try clear m
func
	repeat 3 2
	select recv c, recv t, default
func
	mapcas m 2 1 3
	err c
`)
	has := func(q *Program, text string) bool { return strings.Contains(q.String(), text) }
	q := Shrink(p, func(q *Program) bool { return has(q, "mapcas") && has(q, "clear") })
	want := "time discrete\nraces fail\nmap m\nfunc\n\tclear m\nfunc\n\tmapcas m 1 0 0\n"
	if q.String() != want {
		t.Errorf("%v\nwant\n%v", q, want)
	}
	if !has(p, "recv t") {
		t.Error("the program itself has changed")
	}
}
