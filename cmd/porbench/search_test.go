package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gopor/gopor/examples/paper"
	"github.com/gopor/gopor/sched/trace"
)

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
