package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// among reports whether name is in a list of names separated by spaces.
func among(names, name string) bool { return slices.Contains(strings.Fields(names), name) }

// Check reports what makes p no program: a reference to something that does not
// exist or is of the wrong kind, a function that calls itself.
func (p *Program) Check() error {
	if len(p.Funcs) == 0 {
		return fmt.Errorf("a program needs a function")
	}
	names := make(map[string]bool)
	for i := range p.Objects {
		o := &p.Objects[i]
		if err := p.checkObject(i); err != nil {
			return fmt.Errorf("%s %s: %w", o.Kind.name, o.Name, err)
		}
		if o.Name == "" || names[o.Name] {
			return fmt.Errorf("two objects are called %q, or it is no name", o.Name)
		}
		names[o.Name] = true
	}
	for f, steps := range p.Funcs {
		for i := range steps {
			if err := p.checkStep(f, &steps[i]); err != nil {
				return fmt.Errorf("function %d, step %d, %s: %w", f, i, p.stepString(&steps[i]), err)
			}
		}
	}
	return nil
}

func (p *Program) checkObject(i int) error {
	o := &p.Objects[i]
	switch {
	case o.Home >= len(p.Funcs) || o.Home < Global:
		return fmt.Errorf("there is no function %d to make it", o.Home)
	case o.Home == Global && !o.Kind.global:
		return fmt.Errorf("somebody has to make it")
	case o.Kind.n != nil && !slices.Contains(o.Kind.n, o.N):
		return fmt.Errorf("the number %d is none of %v", o.N, o.Kind.n)
	case o.Kind.fn && (o.Fn <= max(o.Home, 0) || o.Fn >= len(p.Funcs)):
		return fmt.Errorf("it runs function %d, which is not one after the one that makes it", o.Fn)
	case o.Ref < 0 && o.Kind.ref != "" && !o.Kind.root:
		return fmt.Errorf("it has to be of one of: %s", o.Kind.ref)
	case o.Ref < 0:
		return nil
	case o.Ref >= i || !among(o.Kind.ref, p.Objects[o.Ref].Kind.name):
		return fmt.Errorf("it cannot be of that")
	case o.Home == Global && p.Objects[o.Ref].Home != Global:
		return fmt.Errorf("what nobody makes is of something that somebody makes")
	}
	return nil
}

func (p *Program) checkStep(f int, s *Step) error {
	if s.Op.on == "" {
		if s.Obj >= 0 {
			return fmt.Errorf("it is for no object")
		}
	} else if s.Obj < 0 || s.Obj >= len(p.Objects) || !among(s.Op.on, p.Objects[s.Obj].Kind.name) {
		return fmt.Errorf("it is not for that object")
	}
	for i, a := range s.Op.args {
		low, high := a.low, a.high
		if a.fn {
			low, high = int64(f+1), int64(len(p.Funcs)-1)
		}
		if s.Args[i] < low || s.Args[i] > high {
			return fmt.Errorf("argument %d is not from %d to %d", s.Args[i], low, high)
		}
	}
	for _, k := range s.Cases {
		on := sources
		if k.Send {
			on = chans
		}
		if k.Obj < 0 || k.Obj >= len(p.Objects) || !among(on, p.Objects[k.Obj].Kind.name) {
			return fmt.Errorf("a case cannot be of that object")
		}
	}
	return nil
}
