package exec

import (
	"github.com/gopor/gopor/internal/faults"
)

// Sites returns where faults of the kinds of [Options.Faults] may come in the execution that runs,
// or ran last, in the order in which they would come. The result all says that these are all: of
// a long execution only some are kept.
func (c *Closure) Sites() (list []faults.Site, all bool) {
	noted, all := c.m.Sites()
	for _, s := range noted {
		list = append(list, faults.Site{Path: c.Path(s.G), N: s.N, Kinds: s.Kinds})
	}
	return list, all
}

// planOf returns the plan of a text that was checked before.
func planOf(text string) faults.Plan {
	p, err := faults.Parse(text)
	if err != nil {
		panic("sched: New: the plan of faults is wrong: " + err.Error())
	}
	return p
}
