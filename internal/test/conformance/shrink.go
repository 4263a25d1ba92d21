package conformance

import (
	"iter"
	"slices"

	"github.com/gopor/gopor/internal/test/shrink"
)

// Shrink returns a program that is as small as can be found and fails as p does.
func Shrink(p *Program, fails func(*Program) bool) *Program {
	return shrink.Program(p, smallerThan, func(q *Program) bool { return q.Check() == nil && fails(q) })
}

// smallerThan yields programs that lack something of p.
func smallerThan(p *Program) iter.Seq[*Program] {
	return func(yield func(*Program) bool) {
		for f := len(p.Funcs) - 1; f > 0; f-- {
			if !yield(withoutFunc(p, f)) {
				return
			}
		}
		for f := range p.Funcs {
			for i := range p.Funcs[f] {
				q := p.Clone()
				q.Funcs[f] = slices.Delete(q.Funcs[f], i, i+1)
				if !yield(q) {
					return
				}
			}
		}
		for i := range p.Objects {
			if !yield(withoutObject(p, i)) {
				return
			}
		}
		for f := range p.Funcs {
			for i := range p.Funcs[f] {
				if !simplerSteps(p, f, i, yield) {
					return
				}
			}
		}
		for i := range p.Objects {
			if !simplerObjects(p, i, yield) {
				return
			}
		}
		if p.Time != 0 {
			q := p.Clone()
			q.Time, q.Lag = 0, 0
			if !yield(q) {
				return
			}
		}
		if p.Polls != 0 {
			q := p.Clone()
			q.Polls = 0
			if !yield(q) {
				return
			}
		}
		if p.Own {
			q := p.Clone()
			q.Own = false
			if !yield(q) {
				return
			}
		}
		if p.Lag > 1 {
			q := p.Clone()
			q.Lag--
			yield(q)
		}
	}
}

// simplerSteps yields programs in which a step is simpler.
func simplerSteps(p *Program, f, i int, yield func(*Program) bool) bool {
	try := func(change func(s *Step) bool) bool {
		q := p.Clone()
		return !change(&q.Funcs[f][i]) || yield(q)
	}
	s := &p.Funcs[f][i]
	ok := try(func(s *Step) bool { was := s.Try; s.Try = false; return was }) &&
		try(func(s *Step) bool { was := s.Defer; s.Defer = false; return was }) &&
		try(func(s *Step) bool { was := s.Default && len(s.Cases) > 0; s.Default = false; return was })
	for k := 0; ok && k < len(s.Cases); k++ {
		ok = try(func(s *Step) bool { s.Cases = slices.Delete(s.Cases, k, k+1); return true })
	}
	for k := 0; ok && k < len(s.Op.args); k++ {
		if a := s.Op.args[k]; !a.fn {
			ok = try(func(s *Step) bool { was := s.Args[k]; s.Args[k] = a.low; return was > a.low })
		}
	}
	return ok
}

// simplerObjects yields programs in which an object is simpler.
func simplerObjects(p *Program, i int, yield func(*Program) bool) bool {
	try := func(change func(o *Object) bool) bool {
		q := p.Clone()
		return !change(&q.Objects[i]) || yield(q)
	}
	return try(func(o *Object) bool { was := o.Home; o.Home = 0; return was != 0 }) &&
		try(func(o *Object) bool { was := o.Ref; o.Ref = -1; return was >= 0 && o.Kind.root }) &&
		try(func(o *Object) bool {
			if o.Kind.n == nil {
				return false
			}
			was := o.N
			o.N = o.Kind.n[0]
			return was != o.N
		})
}

// withoutFunc returns p without a function and all that has to do with it.
func withoutFunc(p *Program, f int) *Program {
	q := p.Clone()
	for i := len(q.Objects) - 1; i >= 0; i-- {
		if o := &q.Objects[i]; o.Home == f || o.Kind.fn && o.Fn == f {
			q = withoutObject(q, i)
		}
	}
	for i := range q.Objects {
		o := &q.Objects[i]
		if o.Home > f {
			o.Home--
		}
		if o.Fn > f {
			o.Fn--
		}
	}
	q.Funcs = slices.Delete(q.Funcs, f, f+1)
	for g := range q.Funcs {
		q.Funcs[g] = slices.DeleteFunc(q.Funcs[g], func(s Step) bool { return calls(&s, f) })
		for i := range q.Funcs[g] {
			s := &q.Funcs[g][i]
			for k, a := range s.Op.args {
				if a.fn && s.Args[k] > int64(f) {
					s.Args[k]--
				}
			}
		}
	}
	return q
}

func calls(s *Step, f int) bool {
	for k, a := range s.Op.args {
		if a.fn && s.Args[k] == int64(f) {
			return true
		}
	}
	return false
}

// withoutObject returns p without an object and all that has to do with it.
func withoutObject(p *Program, i int) *Program {
	q := p.Clone()
	for j := len(q.Objects) - 1; j > i; j-- {
		o := &q.Objects[j]
		switch {
		case o.Ref == i && o.Kind.root:
			o.Ref = -1
		case o.Ref == i:
			q = withoutObject(q, j)
		}
	}
	q.Objects = slices.Delete(q.Objects, i, i+1)
	for j := range q.Objects {
		if o := &q.Objects[j]; o.Ref > i {
			o.Ref--
		}
	}
	for f := range q.Funcs {
		q.Funcs[f] = slices.DeleteFunc(q.Funcs[f], func(s Step) bool { return s.Obj == i })
		for k := range q.Funcs[f] {
			s := &q.Funcs[f][k]
			if s.Obj > i {
				s.Obj--
			}
			s.Cases = slices.DeleteFunc(s.Cases, func(c Case) bool { return c.Obj == i })
			for c := range s.Cases {
				if s.Cases[c].Obj > i {
					s.Cases[c].Obj--
				}
			}
		}
	}
	return q
}
