package machine

import "github.com/gopor/gopor/sched/trace"

// YieldAt lets others move first if g has been at the call pc, of what, before. In a turn of a
// loop that may await something it does nothing: the others need not be let go first there.
func (g *Goroutine) YieldAt(pc uintptr, what string) {
	if g.M.Model&ModelUnfair != 0 || len(g.loop.turns.heads) > 0 || g.loop.round {
		return
	}
	for _, site := range g.Waits.sites {
		if site == pc {
			g.Ask(trace.OpYield, nil)
			if g.Reply.Ok {
				g.Usual(ModelUnfair, what)
			}
			return
		}
	}
	g.Waits.sites = append(g.Waits.sites, pc)
}
