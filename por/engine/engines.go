package engine

import (
	"reflect"
	"slices"
	"sort"

	"github.com/gopor/gopor/bpor"
	"github.com/gopor/gopor/sched/trace"
	"github.com/gopor/gopor/unfold"
)

// engines holds the engines of this package and of packages bpor and unfold with their
// defaults. Those of bpor have no bound.
var engines = []trace.Engine{
	Auto{}, DFS{}, DPOR{}, Source{}, Optimal{}, Reverse{}, Stateful{}, SPOR{}, DESPOR{}, DLSPOR{}, Eager{}, EagerShort{}, EagerAdaptive{}, Random{}, PCT{}, POS{}, SURW{},
	bpor.Naive{}, bpor.Classic{}, bpor.Nidhugg{}, bpor.Nidhugg{Complete: true}, bpor.Source{}, bpor.Source{Complete: true},
	bpor.Lazy{}, bpor.Lazy{Slack: bpor.Enough}, bpor.Lazy{Estimate: true},
	bpor.Optimal{Slack: bpor.Enough}, bpor.Iterative{}, Hunt{},
	unfold.QPOR{K: 2}, unfold.Optimal{}, unfold.Optimal{Comb: true},
}

// IsKnown reports whether e is of the type of one of these engines.
func IsKnown(e trace.Engine) bool {
	return slices.ContainsFunc(engines, func(o trace.Engine) bool { return reflect.TypeOf(o) == reflect.TypeOf(e) })
}

// Named returns the engine of that name, with its defaults.
func Named(name string) (trace.Engine, bool) {
	for _, e := range engines {
		if e.Name() == name {
			return e, true
		}
	}
	return nil, false
}

// Names returns the names that [Named] knows, in alphabetical order.
func Names() []string {
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.Name()
	}
	sort.Strings(names)
	return names
}
