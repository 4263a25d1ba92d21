package por

import (
	"github.com/gopor/gopor/internal/guard"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/sched/trace"
)

// pathsOf returns what a program calls its goroutines in any process.
func pathsOf(p trace.Program) replay.Paths {
	if g, ok := p.(*guard.Program); ok {
		p = g.Unwrap()
	}
	if n, ok := p.(replay.Paths); ok {
		return n
	}
	return replay.Numbering{}
}
