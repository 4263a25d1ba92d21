package bpor_test

import (
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// BenchmarkStep measures what a step of an engine costs, on traces of about a
// hundred events: 3 goroutines that each add 1 to a number 18 times, and one that
// does something else. The bound lets nothing be given up, so that all engines do
// the same, or, with "within", is such that lazy bounding has to look for cheaper
// linearisations all the time.
func BenchmarkStep(b *testing.B) {
	for _, c := range []struct {
		name   string
		engine trace.Engine
	}{
		{"source-DPOR", engine.Source{}},
		{"naive", bpor.Naive{Bound: bpor.Preemptions(1000)}},
		{"nidhugg", bpor.Nidhugg{Bound: bpor.Preemptions(1000)}},
		{"source", bpor.Source{Bound: bpor.Preemptions(1000)}},
		{"lazy", bpor.Lazy{Bound: bpor.Preemptions(1000)}},
		{"lazy within 3", bpor.Lazy{Bound: bpor.Preemptions(3)}},
		{"lazy within 10", bpor.Lazy{Bound: bpor.Preemptions(10)}},
		{"lazy within 3 delays", bpor.Lazy{Bound: bpor.Delays(3)}},
		{"lazy estimate", bpor.Lazy{Bound: bpor.Preemptions(3), Estimate: true}},
		{"optimal", bpor.Optimal{Bound: bpor.Preemptions(1000)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := makeProgram(b, "micro", 3, 17)()
			var steps int64
			for b.Loop() {
				n := 0
				stats, err := c.engine.Explore(p, func(*trace.Execution) bool { n++; return n < 200 })
				if err != nil {
					b.Fatal(err)
				}
				steps += stats.Steps + stats.Replayed
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
			b.ReportMetric(float64(steps)/float64(b.N)/200, "steps/execution")
		})
	}
}

// BenchmarkRate measures complete executions a second, of searches within two
// preemptions, beside source-DPOR without a bound on the same programs.
func BenchmarkRate(b *testing.B) {
	two := bpor.Preemptions(2)
	for _, program := range []struct {
		name string
		n, m int
	}{{"micro", 3, 2}, {"locks", 3, 3}, {"mpat", 4, 0}, {"readers-writers", 8, 0}} {
		for _, engine := range []trace.Engine{engine.Source{}, bpor.Naive{Bound: two}, bpor.Nidhugg{Bound: two}, bpor.Source{Bound: two},
			bpor.Lazy{Bound: two}, bpor.Optimal{Bound: two, Slack: bpor.Enough}} {
			b.Run(program.name+"/"+engine.Name(), func(b *testing.B) {
				p := makeProgram(b, program.name, program.n, program.m)()
				var executions int64
				for b.Loop() {
					stats, err := engine.Explore(p, func(*trace.Execution) bool { return true })
					if err != nil {
						b.Fatal(err)
					}
					executions += stats.Executions
				}
				b.ReportMetric(float64(executions)/b.Elapsed().Seconds(), "executions/s")
			})
		}
	}
}
