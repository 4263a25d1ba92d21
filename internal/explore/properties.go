package explore

import (
	"slices"

	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched/exec"
)

// properties are what executions of a search have reached, and what some should reach.
type properties struct {
	count map[string]int64 // of executions that have reached the name
	fresh bool             // the latest phase has reached a name first
}

// note adds what the latest execution of a program says.
func (p *properties) note(program any) {
	c, ok := program.(*exec.Closure)
	if !ok {
		return
	}
	names, declared := c.Reached()
	if len(names)+len(declared) == 0 {
		return
	}
	if p.count == nil {
		p.count = make(map[string]int64)
	}
	for _, name := range declared {
		p.count[name] += 0
	}
	for _, name := range names {
		p.fresh = p.fresh || p.count[name] == 0
		p.count[name]++
	}
}

// list returns the properties, those that were not reached first.
func (p *properties) list() (all []report.Property) {
	for name, n := range p.count {
		all = append(all, report.Property{Name: name, Executions: n})
	}
	slices.SortFunc(all, report.Property.Compare)
	return all
}
