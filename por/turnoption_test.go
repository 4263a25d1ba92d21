package por_test

import (
	"testing"

	"github.com/gopor/gopor/por"
	"github.com/gopor/gopor/por/engine"
	"github.com/gopor/gopor/sched/trace"
)

// TestTurnsAsEngineTracks: an engine that recognises tracked states has iterations of loops told
// apart, and no other engine has.
func TestTurnsAsEngineTracks(t *testing.T) {
	tracked := engine.Stateful{Keying: trace.Keying{Tracked: true}}
	for _, x := range []struct {
		engine trace.Engine
		want   bool
	}{
		{tracked, true}, {engine.SPOR{Stateful: tracked}, true}, {engine.DESPOR{Stateful: tracked}, true}, {engine.DLSPOR{Stateful: tracked}, true},
		{engine.Stateful{}, false}, {engine.Optimal{}, false},
	} {
		res, err := por.Explore(func() {}, por.Engine(x.engine))
		if err != nil || res.Verdict.Options.Turns != x.want {
			t.Errorf("%s %+v: %v, %v", x.engine.Name(), x.engine, res, err)
		}
	}
}
