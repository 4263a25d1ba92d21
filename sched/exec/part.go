package exec

// Parts returns the names of the parts of the program, such as subtests, that its
// executions so far have met. The first one, "", is what belongs to no other.
func (c *Closure) Parts() []string { return c.m.Parts() }

// Focus lets the executions to come be explored in one part of the program only, in all
// of them if part is negative. What happens in the others is seen to happen in one order,
// which is that of the execution. That holds for engines which find out from events what
// could have come in another order, as [engine.Optimal] does, not for those which try every
// order of goroutines. It is for the time between executions.
//
// [engine.Optimal]: https://pkg.go.dev/github.com/gopor/gopor/por/engine#Optimal
func (c *Closure) Focus(part int) { c.m.Focus(part) }
