package witness

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/test/shrink"
)

// Program is a program: the steps of each of its threads, of which the first is main.
type Program struct {
	Threads [][]*Step
}

// Step is something that a thread does.
type Step struct {
	// Name is the text of the step, much as it would be in Go.
	Name string
	// needs are the parts of the world that the step uses and that have to be made.
	needs part
	// traits are what the step has in common with others, for families of programs.
	traits trait
	// do performs the step and returns what it has observed.
	do func(t *thread) string
}

// Steps returns all steps, in the order of the tables.
func Steps() []*Step { return slices.Concat(groups...) }

var stepNamed = func() map[string]*Step {
	named := make(map[string]*Step)
	for _, s := range Steps() {
		if named[s.Name] != nil || strings.ContainsAny(s.Name, ";\n") {
			panic("witness: not a name for a step: " + s.Name)
		}
		named[s.Name] = s
	}
	return named
}()

// Parse reads a program from its text.
func Parse(text string) (*Program, error) {
	p := new(Program)
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head := "go:"
		if len(p.Threads) == 0 {
			head = "main:"
		}
		rest, ok := strings.CutPrefix(line, head)
		if !ok {
			return nil, fmt.Errorf("witness: line %d: %q should begin with %q", i+1, line, head)
		}
		var steps []*Step
		for name := range strings.SplitSeq(rest, ";") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			s := stepNamed[name]
			if s == nil {
				return nil, fmt.Errorf("witness: line %d: there is no step %q", i+1, name)
			}
			steps = append(steps, s)
		}
		p.Threads = append(p.Threads, steps)
	}
	if len(p.Threads) == 0 {
		return nil, fmt.Errorf("witness: a program needs a line that begins with \"main:\"")
	}
	return p, nil
}

// String returns the text of p.
func (p *Program) String() string {
	var b strings.Builder
	for i, steps := range p.Threads {
		head := "go:"
		if i == 0 {
			head = "main:"
		}
		b.WriteString(head)
		for j, s := range steps {
			if j > 0 {
				b.WriteByte(';')
			}
			b.WriteString(" " + s.Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// needs returns the parts of the world that p uses.
func (p *Program) needs() (all part) {
	for _, steps := range p.Threads {
		for _, s := range steps {
			all |= s.needs
		}
	}
	return all
}

// traits returns the traits of all steps of p.
func (p *Program) traits() (all trait) {
	for _, steps := range p.Threads {
		for _, s := range steps {
			all |= s.traits
		}
	}
	return all
}

// Timed reports whether time has an effect on p.
func (p *Program) Timed() bool { return p.needs()&clock != 0 }

// clone returns a copy of p.
func (p *Program) clone() *Program {
	q := new(Program)
	for _, steps := range p.Threads {
		q.Threads = append(q.Threads, slices.Clone(steps))
	}
	return q
}

// Shrink returns a program that fails as p does and from which nothing can be taken
// away.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	return shrink.Program(p, smaller, fails)
}

// smaller yields p without one of its threads or steps.
func smaller(p *Program) iter.Seq[*Program] {
	return func(yield func(*Program) bool) {
		for i := len(p.Threads) - 1; i > 0; i-- {
			q := p.clone()
			q.Threads = slices.Delete(q.Threads, i, i+1)
			if !yield(q) {
				return
			}
		}
		for i, steps := range p.Threads {
			for j := range steps {
				q := p.clone()
				q.Threads[i] = slices.Delete(q.Threads[i], j, j+1)
				if !yield(q) {
					return
				}
			}
		}
	}
}
