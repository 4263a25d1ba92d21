package bpor_test

import (
	"errors"
	"os"
	"sort"
	"testing"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/internal/enginetest"
	"github.com/gopor/gopor/internal/oracle"
	"github.com/gopor/gopor/internal/toy"
	"github.com/gopor/gopor/internal/toy/toytest"
	"github.com/gopor/gopor/sched"
)

func TestZZ(t *testing.T) {
	bad := map[string]int{}
	total := map[string]int{}
	example := map[string]*toy.Program{}
	lim := oracle.Limits{Executions: 1000, Depth: 14}
	for _, p := range toytest.Programs(t, 1500) {
		want, err := oracle.Enumerate(toy.New(p), lim)
		if errors.Is(err, oracle.ErrTooBig) {
			continue
		}
		for n := range 3 {
			for kind, b := range map[string]bpor.Bound{"pre": bpor.Preemptions(n), "del": bpor.Delays(n)} {
				cov := enginetest.WithinPreemptions(n)
				if kind == "del" {
					cov = enginetest.WithinDelays(n)
				}
				for name, e := range map[string]sched.Engine{"classic": bpor.Classic{b}, "naive": bpor.Naive{b}, "nidhugg": bpor.Nidhugg{b, false}, "nidhuggC": bpor.Nidhugg{b, true}, "sourceC": bpor.Source{b, true}, "source": bpor.Source{b, false}, "iter": bpor.Iterative{UpTo: b}, "opt": bpor.Optimal{Bound: b}, "optE": bpor.Optimal{Bound: b, Slack: bpor.Enough}, "lazy": bpor.Lazy{Bound: b}, "lazy1": bpor.Lazy{Bound: b, Slack: bpor.Enough}, "lazyE": bpor.Lazy{Bound: b, Slack: bpor.Enough, Estimate: true}} {
					key := name + " " + kind
					total[key]++
					once := name[0] == 'l' || name[0] == 'i' || name[0] == 'o'
					if err := enginetest.Verify(e, enginetest.Promise{Covers: cov, Once: once, Unblocked: name[0] == 'o'}, p, want); err != nil {
						bad[key]++
						if example[key] == nil || len(p.String()) < len(example[key].String()) {
							example[key] = p
						}
						if os.Getenv("V") == key {
							t.Log(n, err)
						}
					}
				}
			}
		}
	}
	var keys []string
	for k := range total {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		t.Log(k, bad[k], total[k])
	}
	for _, k := range keys {
		if example[k] != nil {
			t.Logf("%s\n%v", k, example[k])
		}
	}
}
