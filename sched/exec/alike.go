package exec

import "github.com/gopor/gopor/internal/format"

// Alike is a call that has started goroutines which are interchangeable, see [Options].
type Alike struct {
	N    int // how many of one kind, in one execution
	File string
	Line int
}

// Alike returns where the executions so far have started goroutines that are interchangeable.
func (c *Closure) Alike() (all []Alike) {
	for _, p := range c.m.Memory.Lines.Places {
		file, line, _ := format.Place(p.PC)
		all = append(all, Alike{p.Most, file, line})
	}
	return all
}

// ToldApart reports whether some execution so far has told goroutines apart that were taken for
// interchangeable. What is explored then need not be everything.
func (c *Closure) ToldApart() bool { return c.m.Memory.Lines.Apart }
