package sched

import "github.com/gopor/gopor/sched/trace"

// ask makes a request of the given kind to o, nil if it is made to no object, and waits
// until it is granted. The reply is valid until the next request of g.
func (g *goroutine) ask(kind trace.Kind, o object) *reply {
	g.op.Kind, g.req.obj = kind, o
	g.c.submit(g)
	return &g.reply
}

// askNumbers is ask with arguments.
func (g *goroutine) askNumbers(kind trace.Kind, o object, arg, arg2 uint64) *reply {
	g.req.arg, g.req.arg2 = arg, arg2
	return g.ask(kind, o)
}

// askValues is ask with arguments that are no numbers. It returns the value of the
// reply.
func (g *goroutine) askValues(kind trace.Kind, o object, arg uint64, x, y any) any {
	g.req.arg, g.req.x, g.req.y = arg, x, y
	g.ask(kind, o)
	v := g.reply.v
	g.req.x, g.req.y, g.reply.v = nil, nil, nil
	return v
}
