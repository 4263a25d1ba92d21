package network_test

import (
	"fmt"
	"testing"

	"github.com/gopor/gopor/internal/faults"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

func pick(family, name string) action {
	for i := range 2 {
		for _, a := range actions(family, i) {
			if a.text == name {
				return a
			}
		}
	}
	panic(name)
}

func TestDbg(t *testing.T) {
	p := program{family: "joined", time: sched.TimeDiscrete, threads: [][]action{{pick("joined", "write1"), pick("joined", "write1")}, {pick("joined", "read0"), pick("joined", "closewrite0")}}}
	p.threads[0][0] = actions("joined", 1)[6]
	p.threads[0][1] = actions("joined", 1)[6]
	p.threads[1][0] = actions("joined", 0)[2]
	p.plan, _ = faults.Parse("delay:0:0:100ms")
	run, final := p.closure()
	c := exec.New(run, exec.Options{AllowLeaks: true, Model: sched.ModelStream, Faulty: exec.Faulty{Plan: p.plan.String()}})
	n := 0
	_, err := engine.DFS{}.Explore(trace.CheckLaws(c), func(x *trace.Execution) bool {
		n++
		if n < 200 && final() == "1ok;1ok; | cc;ok;" {
			fmt.Println(x.Schedule, final())
		}
		return true
	})
	fmt.Println(err, n)
}
