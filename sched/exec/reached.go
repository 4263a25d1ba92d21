package exec

import "slices"

// properties is what an execution says of the properties that it should have, see
// [sched.Reached].
type properties struct{ names, declared []string }

func (r *properties) reset() { r.names, r.declared = r.names[:0], r.declared[:0] }

func (r *properties) note(name string, declared bool) {
	to := &r.names
	if declared {
		to = &r.declared
	}
	if !slices.Contains(*to, name) {
		*to = append(*to, name)
	}
}

// Reached returns the names that the execution which runs, or ran last, has reached, and those
// that it has declared: see [sched.Sometimes]. They are valid until the next execution begins.
func (c *Closure) Reached() (names, declared []string) {
	return c.life.reached.names, c.life.reached.declared
}

// Reach implements [machine.Executor].
func (x *execution) Reach(name string, declared bool) {
	(*Closure)(x).life.reached.note(name, declared)
}
