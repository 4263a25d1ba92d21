package sched

import (
	"github.com/gopor/gopor/internal/machine"
	"github.com/gopor/gopor/sched/trace"
)

// yieldAt lets others move first if g has been at the call pc, of what, before.
func (g *goroutine) yieldAt(pc uintptr, what string) {
	if g.m.Model&machine.ModelUnfair != 0 {
		return
	}
	for _, site := range g.sites {
		if site == pc {
			g.ask(trace.OpYield, nil)
			if g.reply.ok {
				g.usual(machine.ModelUnfair, what)
			}
			return
		}
	}
	g.sites = append(g.sites, pc)
}
