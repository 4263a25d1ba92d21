package sched

// SetExclusive does what [Exclusive] does, or undoes it. No execution may go on.
func SetExclusive(on bool) {
	turns.everyone.Store(on)
	turns.taken.Store(on)
}

// Objects lists the objects of the execution that goes on: number and kind of each.
func (c *Closure) Objects() (ids []int32, kinds []string) {
	c.m.store.walk(func(o object) {
		ids, kinds = append(ids, o.head().id), append(kinds, o.kind())
	})
	return ids, kinds
}
