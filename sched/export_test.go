package sched

import "github.com/gopor/gopor/internal/machine"

// SetExclusive does what [hook.Exclusive] does, or undoes it. No execution may go on.
func SetExclusive(on bool) {
	machine.Turns.Everyone.Store(on)
	machine.Turns.Taken.Store(on)
}

// Objects lists the objects of the execution that goes on: number and kind of each.
func (c *Closure) Objects() (ids []int32, kinds []string) {
	c.m.Store.Walk(func(o machine.Object) {
		ids, kinds = append(ids, o.Head().Id), append(kinds, o.Kind())
	})
	return ids, kinds
}
